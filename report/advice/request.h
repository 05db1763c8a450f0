/*
 * What a job asked the batch system for, what it used of it, and what to ask for the next time: as
 * seff and jobstats do, but by task and by node.
 */
#ifndef PM_REPORT_ADVICE_REQUEST_H
#define PM_REPORT_ADVICE_REQUEST_H

#include "report/facts/facts.h"

enum pm_request_id {
	PM_REQUEST_CPUS,   /* of all nodes together */
	PM_REQUEST_MEMORY, /* of a node */
	PM_REQUEST_TIME,
	PM_REQUEST_GPUS, /* of a node */
	PM_REQUESTS
};

/* Room for texts. */
#define PM_REQUEST_MAX 160

struct pm_request {
	enum pm_request_id id;
	const char *name;           /* "CPUs" */
	char asked[PM_REQUEST_MAX]; /* "4", "16.0 GB a node" */
	char used[PM_REQUEST_MAX];  /* "1.1 on average, 2 most of the time" */
	char next[PM_REQUEST_MAX];  /* "2", "3.0 GB (--mem=3000M)"; "" where it was right, or what
				     * was  used is not known well enough */
	bool fits;                  /* what was asked for was right */
	double share;               /* used of asked; NaN: unknown */
	int64_t asked_n, used_n, next_n; /* in CPUs, bytes, microseconds, GPUs; PM_UNKNOWN */
};

/* Fill in the requests that are known, in the order of their ids. Returns their number: 0 outside
 * of batch systems, where nothing was asked for. */
size_t pm_requests(const struct pm_facts *f, struct pm_request list[PM_REQUESTS]);

#endif
