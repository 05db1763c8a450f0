/* A process that reads sources when it is asked to. Programs only. */
#ifndef PM_READER_H
#define PM_READER_H

#include "common/verb.h"
#include "sampler/message.h"
#include "sampler/tree_memory.h"

#include <sys/types.h>

/* What outlives a reader. */
struct pm_reader_shared {
	int reading; /* the source being read, or -1 */
	struct pm_tree_memory tree;
};

struct pm_reader_options {
	const struct pm_source *const *table; /* of sources, indexed by enum pm_source_id */
	const char *root;                     /* prefix of /proc and /sys */
	pid_t pid;                            /* root of the process tree; 0: none */
	const struct pm_job_marks *marks;     /* else those of a job's processes; NULL: none */
	bool tree;                            /* follow that tree */
	struct pm_reader_shared *shared;      /* with the loop */
};

/*
 * Answer requests (struct pm_request) that come from fd with messages, until fd ends. A source is
 * opened when it is asked for first. To be called in a process of its own, which ends afterwards.
 */
void pm_reader_run(int fd, const struct pm_reader_options *options);

#endif
