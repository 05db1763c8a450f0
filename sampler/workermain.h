/* The main function of a reader process, which reads sources on request. */
#ifndef PM_SAMPLER_WORKERMAIN_H
#define PM_SAMPLER_WORKERMAIN_H

#include "common/cli/verb.h"
#include "sampler/message.h"
#include "sampler/tree/tree_memory.h"

#include <sys/types.h>

/* Memory that outlives a reader, shared with the loop. */
struct pm_workermain_shared {
	int reading; /* the source being read, or -1 */
	struct pm_tree_memory tree;
};

struct pm_workermain_options {
	const struct pm_source *const *table; /* of sources, indexed by enum pm_source_id */
	const char *root;                     /* prefix of /proc and /sys */
	pid_t pid;                            /* root of the process tree; 0: none */
	const struct pm_job_marks *marks;     /* by which to find a job's processes; NULL: none */
	bool tree;                            /* follow the process tree */
	bool no_cpu_series;                   /* as in struct pm_target */
	struct pm_workermain_shared *shared;
};

/*
 * Answer each request (struct pm_request) from fd with a message, until fd is closed. A source is
 * opened at its first request. To be called in a process of its own, which ends afterwards.
 */
void pm_workermain_run(int fd, const struct pm_workermain_options *options);

#endif
