/*
 * Whether a batch job still runs on this host, checked at intervals that do not depend on the
 * sampling period.
 */
#ifndef PM_SAMPLER_JOB_JOBWATCH_H
#define PM_SAMPLER_JOB_JOBWATCH_H

#include "common/cli/verb.h"
#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_jobwatch;

/*
 * Watch the processes with these marks below root (procfile.h). The caller keeps the marks valid
 * until the watcher is closed. Returns the watcher, which the caller closes, or NULL with e filled.
 */
struct pm_jobwatch *pm_jobwatch_open(const char *root, const struct pm_job_marks *marks,
				     struct pm_err *e);

/* Release the watcher; NULL is allowed. */
void pm_jobwatch_close(struct pm_jobwatch *w);

/*
 * Whether the job is over on this host; now_us is the time of any monotonic clock. A job is over
 * three seconds after its last process that does not itself wait for samplers (jobfind.h; a script
 * may pause between two commands), or after a minute in which none was seen, or when its control
 * group is removed.
 */
bool pm_jobwatch_over(struct pm_jobwatch *w, int64_t now_us);

#endif
