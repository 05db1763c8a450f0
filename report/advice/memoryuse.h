/*
 * How close a job came to the memory that it may use: on its only host, or on the one of its hosts
 * where it came closest.
 */
#ifndef PM_REPORT_ADVICE_MEMORYUSE_H
#define PM_REPORT_ADVICE_MEMORYUSE_H

#include "report/facts/facts.h"

/* Whose peak it is. */
enum pm_memoryuse_of {
	PM_MEMORYUSE_PROCESS,   /* the largest process, by its own record */
	PM_MEMORYUSE_PROCESSES, /* the job's processes together, sampled */
	PM_MEMORYUSE_GROUP      /* programs in the job's own control group, sampled */
};

struct pm_memoryuse {
	int64_t peak, allowed; /* bytes; PM_UNKNOWN */
	double share;          /* of what is allowed, NaN unknown */
	bool limited;          /* a control group allows less than the host has */
	enum pm_memoryuse_of of;
	const char *host; /* of several; "": there is one, or it is not known; lives as long as f */
};

/* What the job may use on the host with the least, in bytes: PM_UNKNOWN if unknown; and whether a
 * control group limits it. */
int64_t pm_memoryuse_allowed(const struct pm_facts *f, bool *limited);

/* Find it. A limit is the least of those sampled and of the one at the job's start. */
struct pm_memoryuse pm_memoryuse(const struct pm_facts *f);

#endif
