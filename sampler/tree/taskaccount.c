/* Add up the tasks of a job. */
#include "config.h"

#include "sampler/tree/taskaccount.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of ancestors to check for one that is known to belong to the job. */
#define GENERATIONS_MAX 4096

/* Ends pending until the next tick, which may show them to be the job's: the most that are kept,
 * and the number above which they are sorted early. */
#define PENDING_MAX  16384
#define PENDING_MANY 4096

/* Ticks for which an ended process is remembered, for the ends of its children. */
#define REMEMBER 2

/* A process, or thread, that was born, ended, or belongs to the job. */
struct lineage {
	pid_t parent; /* 0: not known */
	bool ours;
	bool due;         /* its tasks are to be asked */
	unsigned visited; /* the tick in which its tasks were asked */
	unsigned ended;   /* the tick of its end, 0: no end is known */
};

/* A task of the job that has answered, or was asked. */
struct living {
	pid_t tgid;
	unsigned asked, answered; /* the latest tick of each */
	int64_t value[PM_TASKSTATS_VALUES];
};

void pm_taskaccount_init(struct pm_taskaccount *a, bool (*member)(const void *context, pid_t pid),
			 const void *context)
{
	memset(a, 0, sizeof *a);
	a->member = member;
	a->context = context;
	pm_pidmap_init(&a->lineage, sizeof(struct lineage));
	pm_pidmap_init(&a->living, sizeof(struct living));
}

void pm_taskaccount_free(struct pm_taskaccount *a)
{
	pm_pidmap_free(&a->lineage);
	pm_pidmap_free(&a->living);
	free(a->pending);
	a->pending = NULL;
}

/* Add a task's figures to a sum. */
static void add_figures(int64_t sum[PM_TASKSTATS_VALUES], const int64_t value[PM_TASKSTATS_VALUES])
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++) {
		if (pm_taskstats_info[i].how == PM_TASKSTATS_TOP)
			sum[i] = value[i] > sum[i] ? value[i] : sum[i];
		else if (sum[i] <= INT64_MAX - value[i])
			sum[i] += value[i];
	}
}

/* Replace a living task's former figures by the present ones. */
static void replace_figures(struct pm_taskaccount *a, int64_t had[PM_TASKSTATS_VALUES],
			    const int64_t has[PM_TASKSTATS_VALUES])
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++) {
		if (pm_taskstats_info[i].how == PM_TASKSTATS_TOP)
			a->sum[i] = has[i] > a->sum[i] ? has[i] : a->sum[i];
		else
			a->alive[i] += (uint64_t)has[i] - (uint64_t)had[i];
		had[i] = has[i];
	}
}

/* Subtract a task that no longer lives. */
static void subtract_task(struct pm_taskaccount *a, const struct living *l)
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++)
		if (pm_taskstats_info[i].how == PM_TASKSTATS_SUM)
			a->alive[i] -= (uint64_t)l->value[i];
}

/* --- membership ------------------------------------------------------------------------------- */

static bool is_ours(const struct pm_taskaccount *a, pid_t pid)
{
	for (int i = 0; i < GENERATIONS_MAX && pid > 0; i++) {
		const struct lineage *l;

		if (a->member(a->context, pid))
			return true;
		l = pm_pidmap_get(&a->lineage, pid);
		if (!l)
			return false;
		if (l->ours)
			return true;
		pid = l->parent;
	}
	return false;
}

void pm_taskaccount_born(struct pm_taskaccount *a, pid_t parent, pid_t child)
{
	/* Decide now, while the parent is remembered. */
	const bool ours = is_ours(a, parent);
	struct lineage *l = pm_pidmap_put(&a->lineage, child);

	if (!l)
		return;
	/* Keep an end of this tick, which was reported before the birth. */
	if (!l->ended || l->ended != a->tick)
		*l = (struct lineage){ 0 };
	l->parent = parent;
	l->ours = ours;
}

bool pm_taskaccount_has(const struct pm_taskaccount *a, pid_t pid)
{
	return is_ours(a, pid);
}

/* Note that a process has ended, if the record is of its last task. */
static void note_end(struct pm_taskaccount *a, const struct pm_taskstats *t, bool ours)
{
	struct lineage *l;

	if (!t->last)
		return;
	l = pm_pidmap_put(&a->lineage, t->tgid);
	if (!l)
		return;
	/* Prefer the parent at birth: the one at the end may have adopted the process. */
	if (!l->parent || l->ended)
		l->parent = t->ppid;
	l->ours = l->ours || ours;
	l->ended = a->tick;
}

/* --- ends ------------------------------------------------------------------------------------- */

static void count_end(struct pm_taskaccount *a, const struct pm_taskstats *t)
{
	add_figures(a->sum, t->value);
	a->ended++;
	a->ended_processes += t->last;
}

static void postpone_end(struct pm_taskaccount *a, const struct pm_taskstats *t)
{
	if (a->pendings == a->pending_capacity) {
		size_t capacity = a->pending_capacity ? 2 * a->pending_capacity : 64;
		struct pm_taskstats *more = NULL;

		if (capacity <= PENDING_MAX)
			more = realloc(a->pending, capacity * sizeof *more);
		if (!more) {
			a->forgotten++;
			return;
		}
		a->pending = more;
		a->pending_capacity = capacity;
	}
	a->pending[a->pendings++] = *t;
}

void pm_taskaccount_end(struct pm_taskaccount *a, const struct pm_taskstats *t)
{
	const struct living *known = pm_pidmap_get(&a->living, t->tid);
	bool ours = known || is_ours(a, t->tgid);

	if (known) {
		subtract_task(a, known);
		pm_pidmap_remove(&a->living, t->tid);
	}
	if (t->tid != t->tgid)
		pm_pidmap_remove(&a->lineage, t->tid);
	note_end(a, t, ours);
	if (!ours)
		ours = is_ours(a, t->tgid); /* by its parent */
	if (ours)
		count_end(a, t);
	else
		postpone_end(a, t);
}

/* Count the pending ends that turned out to be the job's. The others are forgotten, except those
 * at place `keep` or after it. */
static void sort_pending(struct pm_taskaccount *a, size_t keep)
{
	size_t kept = 0, old = 0;

	for (size_t i = 0; i < a->pendings; i++) {
		const struct pm_taskstats *t = &a->pending[i];

		if (is_ours(a, t->tgid)) {
			note_end(a, t, true);
			count_end(a, t);
		} else if (i >= keep) {
			old += i < a->pending_old;
			a->pending[kept++] = *t;
		}
	}
	a->pendings = kept;
	a->pending_old = old;
}

void pm_taskaccount_sort(struct pm_taskaccount *a)
{
	if (a->pendings > PENDING_MANY)
		sort_pending(a, a->births ? SIZE_MAX : 0);
}

/* --- the living ------------------------------------------------------------------------------- */

void pm_taskaccount_begin(struct pm_taskaccount *a)
{
	a->tick++;
}

bool pm_taskaccount_due(struct pm_taskaccount *a, pid_t tgid, bool ran)
{
	struct lineage *l = pm_pidmap_put(&a->lineage, tgid);

	if (!l)
		return ran;
	l->ours = true;
	l->ended = 0;
	l->due = l->due || ran;
	return l->due;
}

void pm_taskaccount_visit(struct pm_taskaccount *a, pid_t tgid)
{
	struct lineage *l = pm_pidmap_get(&a->lineage, tgid);

	if (!l)
		return;
	l->visited = a->tick;
	l->due = false;
}

void pm_taskaccount_ask(struct pm_taskaccount *a, pid_t tgid, pid_t tid)
{
	struct living *l = pm_pidmap_put(&a->living, tid);

	if (!l)
		return;
	l->tgid = tgid;
	l->asked = a->tick;
}

void pm_taskaccount_answer(struct pm_taskaccount *a, pid_t tid,
			   const int64_t value[PM_TASKSTATS_VALUES])
{
	struct living *l = pm_pidmap_get(&a->living, tid);
	int64_t has[PM_TASKSTATS_VALUES];

	if (!l)
		return;
	l->answered = a->tick;
	memcpy(has, value, sizeof has);
	/* Elapsed time grows even while a task sleeps, so it is counted at the end alone. */
	has[PM_TASKSTATS_elapsed] = 0;
	replace_figures(a, l->value, has);
}

/*
 * Whether a task is gone without a record of its end. If no record was lost, the task is a thread
 * that became its process' leader by exec(2) and goes on under the leader's pid.
 */
static bool task_vanished(void *context, pid_t tid, void *value)
{
	struct pm_taskaccount *a = context;
	const struct living *l = value;
	const struct lineage *process = pm_pidmap_get(&a->lineage, l->tgid);
	bool gone;

	(void)tid;
	if (l->asked == a->tick)
		gone = l->answered != a->tick;
	else
		gone = (process && process->visited == a->tick) || !a->member(a->context, l->tgid);
	if (gone)
		subtract_task(a, l);
	if (gone && a->dropped)
		add_figures(a->sum, l->value);
	return gone;
}

static bool is_forgotten(void *context, pid_t pid, void *value)
{
	const struct pm_taskaccount *a = context;
	const struct lineage *l = value;

	if (l->ended)
		return a->tick - l->ended >= REMEMBER;
	/* The end of the process may have been lost. EPERM means that the process lives. */
	return a->dropped && kill(pid, 0) < 0 && errno == ESRCH && !a->member(a->context, pid);
}

void pm_taskaccount_settle(struct pm_taskaccount *a, bool dropped)
{
	a->dropped = dropped;
	sort_pending(a, a->pending_old);
	a->pending_old = a->pendings;
	pm_pidmap_sweep(&a->living, task_vanished, a);
	pm_pidmap_sweep(&a->lineage, is_forgotten, a);
}

void pm_taskaccount_total(const struct pm_taskaccount *a, int64_t value[PM_TASKSTATS_VALUES])
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++)
		if (__builtin_add_overflow(a->sum[i], a->alive[i], &value[i]))
			value[i] = INT64_MAX;
}
