/* One pass of a forwarder over its spool. */
#ifndef PM_FORWARD_PASS_H
#define PM_FORWARD_PASS_H

#include "forward/account.h"
#include "forward/destination.h"
#include "forward/failures.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct pm_forwarder {
	const char *spool;
	struct pm_destination to;
	struct pm_account account;
	struct pm_failures failures;
	uint64_t host; /* by which its times differ from those of others */
	const volatile sig_atomic_t *stop;
	int lock; /* descriptor of the lock that says that it is at work */
};

/* What a pass did. */
struct pm_pass {
	int sent, dropped, aside, faulty; /* archives; faulty: sent, but not all could be loaded */
	int left;                         /* archives that are still waiting */
	/* Of them, where the target is no database: those that failed, or wait since others did;
	 * and of those the ones that had no turn. */
	int behind, untried;
	int64_t due_us; /* time until the first of them may be sent, INT64_MAX: none */
	bool again;     /* the target took nothing: try again after a pause */
	bool more;      /* the pass ended early: begin another one at once */
};

/*
 * Drop what the spool has no room for, then send what it has, for about `long_us` microseconds. The
 * account is written. Returns 0, or -1 with e filled: the spool cannot be used, or p->again.
 */
int pm_pass_run(struct pm_forwarder *f, int64_t long_us, struct pm_pass *p, struct pm_err *e);

#endif
