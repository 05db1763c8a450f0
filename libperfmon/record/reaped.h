/* The record of a child that was waited for. */
#ifndef PM_REAPED_H
#define PM_REAPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* What a wait told. */
struct pm_reaped {
	int pid;          /* 0: not known, start_us tells of which time it is */
	int code;         /* exit status, -1: none */
	int signal;       /* that ended it, -1: none */
	int64_t start_us; /* when the call that made the child and waited for it began, 0: another
			   */
	const struct rusage *usage; /* NULL: not known */
	bool peak;                  /* usage says the peak of memory, too */
};

/* Write it, unless this process does not record. Async-signal-safe. */
void pm_reaped_write(const struct pm_reaped *x);

#endif
