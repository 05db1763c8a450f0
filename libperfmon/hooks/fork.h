/* The child of a fork. */
#ifndef PM_LIBPERFMON_HOOKS_FORK_H
#define PM_LIBPERFMON_HOOKS_FORK_H

#include <stdint.h>

/* What a child must know of the moment before its birth. */
struct pm_birth {
	int parent;
	int64_t before_ns; /* of CLOCK_BOOTTIME */
};

/*
 * Before a fork, in the parent. Fills *b, and looks up the functions that the child will call: a
 * look-up in the child would copy pages.
 */
void pm_fork_before(struct pm_birth *b);

/*
 * In a child that has its own copy of this process' memory, before the program goes on: make it an
 * image of its own and write its start record. A process that is not recorded stays so.
 * Async-signal-safe.
 */
void pm_fork_child(const struct pm_birth *b);

#endif
