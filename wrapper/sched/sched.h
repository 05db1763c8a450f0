/* What a batch system tells of the job we are in: the table of sched.def. */
#ifndef PM_WRAPPER_SCHED_H
#define PM_WRAPPER_SCHED_H

#include <stdbool.h>
#include <stddef.h>
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
	int64_t restart_count; /* -1: not known, as for the next three */
	int64_t nodes;
	int64_t tasks;
	int64_t cpus;      /* of this host, allocated to the job */
	int64_t epoch_us;  /* start by the batch system, µs UTC; 0: not known */
	int64_t submit_us; /* when submitted; 0: not known */
	/* The id that the batch system gives to this element of an array or part of a heterogeneous
	 * job, which users rarely see. */
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
	const struct pm_sched_value *value; /* ends in one without variables */
	const struct pm_sched_fact *facts;  /* ends in a NULL name */
};

/* Without a batch system: start makes the job id from the session id and a sequence number. */
extern const struct pm_sched pm_sched_none;

/* Room for the name of a process, with its NUL (proc_pid_comm(5)). */
#define PM_SCHED_COMM 16

/*
 * Find the batch system we are in, by the environment and by the processes above us, and fill *id.
 * Never fails: without one it is pm_sched_none.
 */
const struct pm_sched *pm_sched_identify(struct pm_ident *id);

/*
 * Choose among the batch systems that the environment names a job of: the one whose daemon comes
 * first among the names of the processes above us, nearest first; where none is among them the
 * first of the table. Fills *id. *seen tells whether a daemon decided.
 */
const struct pm_sched *pm_sched_choose(char (*above)[PM_SCHED_COMM], size_t n, struct pm_ident *id,
				       bool *seen);

/*
 * The names of the processes above us, nearest first, at most `max`. *whole tells whether they
 * lead up to the first process there is; a container, or a /proc that hides them, cuts them off.
 * Returns how many.
 */
size_t pm_sched_above(char (*above)[PM_SCHED_COMM], size_t max, bool *whole);

/* The batch system at place `i` of the table, or NULL behind the last. */
const struct pm_sched *pm_sched_at(size_t i);

/* Fill *id with what the environment says for this one. Returns whether it names a job. */
bool pm_sched_fill(const struct pm_sched *s, struct pm_ident *id);

/* The variable that names its job: a text to be freed, or NULL where there is none. */
char *pm_sched_variable(const struct pm_sched *s);

/* The variables of row `i` among those of the job's id or, where `array`, of the task in its array:
 * as in sched.def; NULL behind the last. */
const char *pm_sched_row(const struct pm_sched *s, bool array, size_t i);

/* Room for the name of a variable, with its NUL: the table has no longer ones. */
#define PM_SCHED_NAME 64

/* Take the next name of a list of variables as in sched.def; *mark gets the ! or ? in front of it,
 * 0 for none. Returns whether there was one. */
bool pm_sched_next(const char **list, char name[PM_SCHED_NAME], char *mark);

/* Whether a row or fact of a batch system is about this variable. */
bool pm_sched_knows(const char *variable);

/* Take those variables out of the environment: we are in no job. */
void pm_sched_forget(void);

/* The value of the first of these blank-separated variables that has one, or NULL: `variables` as
 * in sched.def, with its ! and ?. */
const char *pm_sched_text(const char *variables);

#endif
