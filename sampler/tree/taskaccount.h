/*
 * The account of a job's tasks: what the living have used so far and the ended had used in all,
 * each once, however short it lived. It is told of births, of ends and of what living tasks say,
 * and reads nothing by itself. Programs only.
 *
 * A process belongs to the job when `member` says so, or the process that it was born of belongs.
 * Where births are not told, that is the parent at its end: an orphan that no look at /proc found
 * is then missed.
 */
#ifndef PM_ACCOUNT_H
#define PM_ACCOUNT_H

#include "sampler/pidmap.h"
#include "sampler/taskstats.h"

struct pm_account {
	bool (*member)(const void *context, pid_t pid);
	const void *context;
	unsigned tick;
	struct pm_pidmap lineage; /* struct lineage by pid */
	struct pm_pidmap living;  /* struct living by tid */
	struct pm_taskstats *pending;
	size_t pendings, pending_capacity, pending_old;
	int64_t sum[PM_TASKSTATS_VALUES];    /* of ended tasks; the highest of all there were */
	uint64_t alive[PM_TASKSTATS_VALUES]; /* sums of `living`, modulo 2^64 */
	int64_t ended, ended_processes;      /* of the job */
	bool births;                         /* every birth is told; set by the caller */
	bool dropped;                        /* ends were lost since the tick before */
	uint64_t forgotten;                  /* ends that there was no room to keep until sorted */
};

/* Start with nothing. member: whether a process is known to belong to the job now. */
void pm_account_init(struct pm_account *a, bool (*member)(const void *context, pid_t pid),
		     const void *context);

void pm_account_free(struct pm_account *a);

/* --- the beginning of a tick: these, in this order
 * ------------------------------------------------------------- */

/* It begins. */
void pm_account_begin(struct pm_account *a);

/*
 * Whether the living tasks of a process of the job are to be asked: they are not where it has not
 * `ran` since they were. To be called for each process at every tick.
 */
bool pm_account_due(struct pm_account *a, pid_t tgid, bool ran);

/* The living tasks of a process of the job will be asked, all of them. */
void pm_account_visit(struct pm_account *a, pid_t tgid);

/* This one of them. */
void pm_account_ask(struct pm_account *a, pid_t tgid, pid_t tid);

/* It answered. */
void pm_account_answer(struct pm_account *a, pid_t tid, const int64_t value[PM_TASKSTATS_VALUES]);

/* --- at any time ------------------------------------------------------------------------------ */

/* A process was born of another one, or a thread of its process. */
void pm_account_born(struct pm_account *a, pid_t parent, pid_t child);

/* Whether a birth notice shows that a process belongs to the job. */
bool pm_account_has(const struct pm_account *a, pid_t pid);

/* A task of the node ended. The births before it may be told after it. */
void pm_account_end(struct pm_account *a, const struct pm_taskstats *t);

/*
 * All births up to the latest end have been told. Whose parent is not of the job yet may be by the
 * next tick, but where many wait for that, those are forgotten now whose birth was told.
 */
void pm_account_sort(struct pm_account *a);

/* --- the end of a tick ------------------------------------------------------------------------ */

/*
 * Everything of this tick has been told. dropped: ends may have been lost since the tick before.
 * Tasks that are gone without a record then count with what they said last.
 */
void pm_account_settle(struct pm_account *a, bool dropped);

/* --- the sum ---------------------------------------------------------------------------------- */

/* Add up all tasks of the job. */
void pm_account_total(const struct pm_account *a, int64_t value[PM_TASKSTATS_VALUES]);

#endif
