/*
 * Whether a batch job still runs on this host: asked now and then, whatever the sampling period.
 * Programs only.
 */
#ifndef PM_JOBWATCH_H
#define PM_JOBWATCH_H

#include "common/err.h"
#include "common/verb.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_jobwatch;

/*
 * Watch the processes with these marks, which stay the caller's, below root.
 * Returns it, to be closed by the caller, or NULL with e filled.
 */
struct pm_jobwatch *pm_jobwatch_open(const char *root, const struct pm_job_marks *marks,
				     struct pm_err *e);

/* Release it; NULL is allowed. */
void pm_jobwatch_close(struct pm_jobwatch *w);

/*
 * Whether the job is over on this host, now_us on any clock that only goes forward: processes of it
 * were seen, and for three seconds there was none that does not itself wait for samplers
 * (jobfind.h; a script may pause between two commands); or none was seen in a minute.
 */
bool pm_jobwatch_over(struct pm_jobwatch *w, int64_t now_us);

#endif
