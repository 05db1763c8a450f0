/* The record of a child that was waited for. */
#ifndef PM_LIBPERFMON_RECORD_REAPED_H
#define PM_LIBPERFMON_RECORD_REAPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Result of a wait. */
struct pm_reaped {
	int pid;          /* 0: unknown, then start_us says when the child began */
	int code;         /* exit status, -1: none */
	int signal;       /* signal that ended the child, -1: none */
	int64_t start_us; /* begin of a call that creates a child and waits for it, 0: other calls
			   */
	const struct rusage *usage; /* NULL: not known */
	bool peak;                  /* usage includes the peak of memory */
};

/* Write the reaped record, if this process records. Async-signal-safe. */
void pm_reaped_write(const struct pm_reaped *x);

#endif
