/* Counters and values of processes and of process trees. */
#ifndef PM_SAMPLER_TREE_TREE_VALUE_H
#define PM_SAMPLER_TREE_TREE_VALUE_H

#include "sampler/kernel/reason.h"

#include <stdbool.h>
#include <stdint.h>

/* Counters that a tree sums up, waited-for children included. */
enum pm_tree_counter {
	PM_TREE_USER,   /* us, in steps of a clock tick (10 ms) */
	PM_TREE_SYSTEM, /* us */
	PM_TREE_RCHAR,  /* the rest as in proc_pid_io(5) */
	PM_TREE_WCHAR,
	PM_TREE_SYSCR,
	PM_TREE_SYSCW,
	PM_TREE_READ_BYTES,
	PM_TREE_WRITE_BYTES,
	PM_TREE_CANCELLED_WRITE_BYTES,
	PM_TREE_COUNTERS
};

/* A value, or the reason why it is unknown. */
struct pm_tree_value {
	int64_t value;
	bool known;
	enum pm_reason reason;
};

#endif
