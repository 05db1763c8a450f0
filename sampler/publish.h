/* What `perfmon sample --openmetrics` shows of a job or of the node: whose it is, when, and where.
 */
#ifndef PM_SAMPLER_PUBLISH_H
#define PM_SAMPLER_PUBLISH_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "sampler/clock.h"
#include "sampler/source.h"

#include <sys/types.h>

struct pm_publish;

/*
 * Prepare to show what is sampled in the file of --openmetrics, or in the one that
 * pm_verb_sample_publish() has begun. pid: root of the process tree, 0 for none. Returns 0, with
 * *publish NULL without the option, or -1 with e filled.
 */
int pm_publish_open(struct pm_publish **publish, const struct pm_cli *cli, pid_t pid,
		    struct pm_err *e);

/* Show the values of the sources, NULL for none: those of a tick, at most once a second, or those
 * that came later. Never waits: a text is left out while the one before is being written. */
void pm_publish_tick(struct pm_publish *p, struct pm_moment at, bool later,
		     const struct pm_sink *const sinks[PM_SOURCES]);

/* Remove the file and release what is held; NULL is allowed. */
void pm_publish_close(struct pm_publish *p);

#endif
