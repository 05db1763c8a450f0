/* Batch systems, from the table sched.def: the identity of the job that we are in. */
#ifndef PM_WRAPPER_SCHED_SCHED_H
#define PM_WRAPPER_SCHED_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The identity of a job. Texts point into the environment or to constants; NULL: unknown. */
struct pm_ident {
	const char *scheduler;
	const char *cluster;
	const char *jobid; /* NULL without a batch system: start makes an id */
	const char *array_task;
	const char *name;
	const char *queue;
	const char *account;
	int64_t restart_count; /* -1: unknown; nodes, tasks and cpus likewise */
	int64_t nodes;
	int64_t tasks;
	int64_t cpus;      /* CPUs of this host that are allocated to the job */
	int64_t epoch_us;  /* job start by the batch system's clock, µs UTC; 0: unknown */
	int64_t submit_us; /* time of submission, µs UTC; 0: unknown */
	/* The batch system's internal id of this array element or heterogeneous part, which users
	 * rarely see. */
	const char *element;
};

/* A fact for people: its name and the environment variables that hold it, for pm_sched_text. */
struct pm_sched_fact {
	const char *name;
	const char *variable;
};

struct pm_sched_value; /* a row of sched.def */

struct pm_sched {
	const char *name;
	const char *daemons;                /* as in sched.def */
	const struct pm_sched_value *value; /* ends with a row whose variables are NULL */
	const struct pm_sched_fact *facts;  /* ends with a row whose name is NULL */
};

/* The row for no batch system: start makes the job id from the session id and a sequence number. */
extern const struct pm_sched pm_sched_none;

/* Room for the name of a process, with its NUL (proc_pid_comm(5)). */
#define PM_SCHED_COMM 16

/*
 * Find the batch system that runs our job, by the environment and our ancestor processes, and fill
 * *id. Never fails: without a batch system returns &pm_sched_none.
 */
const struct pm_sched *pm_sched_identify(struct pm_ident *id);

/*
 * Choose among the batch systems whose job the environment names: the one whose daemon is the
 * nearest in `above`, the names of our `n` ancestors, nearest first; without a daemon there, the
 * first in the table. Fills *id. Sets *seen to whether a daemon decided.
 */
const struct pm_sched *pm_sched_choose(char (*above)[PM_SCHED_COMM], size_t n, struct pm_ident *id,
				       bool *seen);

/*
 * Get the names of our ancestor processes, nearest first, at most `max`. Sets *whole to whether the
 * chain reaches the first process of all (parent pid 0); a container, or a /proc that hides
 * processes, may cut the chain off. Returns the number of names.
 */
size_t pm_sched_above(char (*above)[PM_SCHED_COMM], size_t max, bool *whole);

/* Row `i` of the table, counted from 0, or NULL after the last row. */
const struct pm_sched *pm_sched_at(size_t i);

/* Fill *id from this batch system's variables. Returns whether the variables name a job. */
bool pm_sched_fill(const struct pm_sched *s, struct pm_ident *id);

/* The name of the variable that has the id of this batch system's job, for the caller to free, or
 * NULL if no variable has it. */
char *pm_sched_variable(const struct pm_sched *s);

/* The variables, as in sched.def, of row `i` among a batch system's rows for jobid or, with
 * `array`, for array_task; NULL after the last row. */
const char *pm_sched_row(const struct pm_sched *s, bool array, size_t i);

/* Room for the name of a variable, with its NUL: the table has no longer name. */
#define PM_SCHED_NAME 64

/* Take the next name from a list of variables as in sched.def; *mark gets the ! or ? in front of
 * the name, else 0. Returns whether the list had another name. */
bool pm_sched_next(const char **list, char name[PM_SCHED_NAME], char *mark);

/* Whether a row or fact of a batch system is about this variable. */
bool pm_sched_knows(const char *variable);

/* Remove all variables of the table from the environment, as if we were in no batch job. */
void pm_sched_forget(void);

/* The value of the first variable in a blank-separated list that has a value, or NULL. The list is
 * as in sched.def, with ! and ?. */
const char *pm_sched_text(const char *variables);

#endif
