/* What a batch system tells of the job we are in: one file per batch system, listed in
 * sched.def. */
#ifndef PM_WRAPPER_SCHED_H
#define PM_WRAPPER_SCHED_H

#include <stdint.h>

/* Who a job is. Texts belong to the environment or are constant; NULL: not known. */
struct pm_ident {
	const char *scheduler;
	const char *cluster;
	const char *jobid; /* NULL without a batch system: start takes a new one */
	const char *array_task;
	const char *name;
	const char *queue;
	const char *account;
	const char *script;
	int64_t restart_count; /* -1: not known, as for the next two */
	int64_t nodes;
	int64_t tasks;
	int64_t epoch_us;  /* start by the batch system, µs UTC; 0: not known */
	int64_t submit_us; /* when submitted; 0: not known */
};

/* A fact for people: its name and the environment variable that holds it. */
struct pm_sched_fact {
	const char *name;
	const char *variable;
};

struct pm_sched {
	const char *name;
	/* Fill what the environment says into *id, which comes with every value unknown.
	 * Returns 1 when we are inside a job of this batch system, else 0. */
	int (*identify)(struct pm_ident *id);
	const struct pm_sched_fact *facts; /* ends in a NULL name */
};

#define PM_SCHED(id) extern const struct pm_sched pm_sched_##id;
#include "wrapper/sched.def"
#undef PM_SCHED

/* Find the batch system we are in and fill *id. Never fails: the last of the table is `none`. */
const struct pm_sched *pm_sched_identify(struct pm_ident *id);

/* A variable of the environment, or NULL where it is unset or empty. */
const char *pm_sched_text(const char *variable);

/* A variable as a number that is not negative, or -1 where it is unset or none. */
int64_t pm_sched_number(const char *variable);

/* A variable that holds seconds since 1970 as microseconds, or 0. */
int64_t pm_sched_time_us(const char *variable);

#endif
