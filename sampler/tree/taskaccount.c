/* Add up the tasks of a job. */
#include "config.h"

#include "sampler/account.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Births between a process and the nearest one that is known to belong to the job. */
#define GENERATIONS_MAX 4096

/* Ends of processes whose parents may become known at the next tick. */
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
	unsigned ended;   /* the tick, 0: not that we know */
};

/* A task of the job that has answered, or was asked. */
struct living {
	pid_t tgid;
	unsigned asked, answered; /* the latest ticks in which it was and did */
	int64_t value[PM_TASKSTATS_VALUES];
};

void pm_account_init(struct pm_account *a, bool (*member)(const void *context, pid_t pid),
		     const void *context)
{
	memset(a, 0, sizeof *a);
	a->member = member;
	a->context = context;
	pm_pidmap_init(&a->lineage, sizeof(struct lineage));
	pm_pidmap_init(&a->living, sizeof(struct living));
}

void pm_account_free(struct pm_account *a)
{
	pm_pidmap_free(&a->lineage);
	pm_pidmap_free(&a->living);
	free(a->pending);
	a->pending = NULL;
}

/* Add a task's figures to a sum. */
static void add(int64_t sum[PM_TASKSTATS_VALUES], const int64_t value[PM_TASKSTATS_VALUES])
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++) {
		if (pm_taskstats_info[i].how == PM_TASKSTATS_TOP)
			sum[i] = value[i] > sum[i] ? value[i] : sum[i];
		else if (sum[i] <= INT64_MAX - value[i])
			sum[i] += value[i];
	}
}

/* A task that lives has these figures now, for those that it had. */
static void change(struct pm_account *a, int64_t had[PM_TASKSTATS_VALUES],
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

/* A task is none of the living any more. */
static void leave(struct pm_account *a, const struct living *l)
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++)
		if (pm_taskstats_info[i].how == PM_TASKSTATS_SUM)
			a->alive[i] -= (uint64_t)l->value[i];
}

/* --- who belongs ------------------------------------------------------------------------------ */

static bool is_ours(const struct pm_account *a, pid_t pid)
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

void pm_account_born(struct pm_account *a, pid_t parent, pid_t child)
{
	/* Now, while the parent is remembered. */
	const bool ours = is_ours(a, parent);
	struct lineage *l = pm_pidmap_put(&a->lineage, child);

	if (!l)
		return;
	/* Told only after its end. */
	if (!l->ended || l->ended != a->tick)
		*l = (struct lineage){ 0 };
	l->parent = parent;
	l->ours = ours;
}

bool pm_account_has(const struct pm_account *a, pid_t pid)
{
	return is_ours(a, pid);
}

/* Note what a record tells of the process, or of a thread where it cannot tell the process. */
static void note_end(struct pm_account *a, const struct pm_taskstats *t, bool ours)
{
	struct lineage *l;

	if (!t->last)
		return;
	l = pm_pidmap_put(&a->lineage, t->tgid);
	if (!l)
		return;
	/* Birth says more than the parent at the end, which may have adopted it. */
	if (!l->parent || l->ended)
		l->parent = t->ppid;
	l->ours = l->ours || ours;
	l->ended = a->tick;
}

/* --- ends ------------------------------------------------------------------------------------- */

static void count_end(struct pm_account *a, const struct pm_taskstats *t)
{
	add(a->sum, t->value);
	a->ended++;
	a->ended_processes += t->last;
}

static void postpone(struct pm_account *a, const struct pm_taskstats *t)
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

void pm_account_end(struct pm_account *a, const struct pm_taskstats *t)
{
	const struct living *known = pm_pidmap_get(&a->living, t->tid);
	bool ours = known || is_ours(a, t->tgid);

	if (known) {
		leave(a, known);
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
		postpone(a, t);
}

/* Count what has become known. Of the rest, what is at place `keep` or behind it stays. */
static void sort_pending(struct pm_account *a, size_t keep)
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

void pm_account_sort(struct pm_account *a)
{
	if (a->pendings > PENDING_MANY)
		sort_pending(a, a->births ? SIZE_MAX : 0);
}

/* --- the living ------------------------------------------------------------------------------- */

void pm_account_begin(struct pm_account *a)
{
	a->tick++;
}

bool pm_account_due(struct pm_account *a, pid_t tgid, bool ran)
{
	struct lineage *l = pm_pidmap_put(&a->lineage, tgid);

	if (!l)
		return ran;
	l->ours = true;
	l->ended = 0;
	l->due = l->due || ran;
	return l->due;
}

void pm_account_visit(struct pm_account *a, pid_t tgid)
{
	struct lineage *l = pm_pidmap_get(&a->lineage, tgid);

	if (!l)
		return;
	l->visited = a->tick;
	l->due = false;
}

void pm_account_ask(struct pm_account *a, pid_t tgid, pid_t tid)
{
	struct living *l = pm_pidmap_put(&a->living, tid);

	if (!l)
		return;
	l->tgid = tgid;
	l->asked = a->tick;
}

void pm_account_answer(struct pm_account *a, pid_t tid, const int64_t value[PM_TASKSTATS_VALUES])
{
	struct living *l = pm_pidmap_get(&a->living, tid);
	int64_t has[PM_TASKSTATS_VALUES];

	if (!l)
		return;
	l->answered = a->tick;
	memcpy(has, value, sizeof has);
	/* That of one who does not run goes on, too: told at the end alone. */
	has[PM_TASKSTATS_elapsed] = 0;
	change(a, l->value, has);
}

/*
 * Whether a task is gone and its record has not come. Where none was lost, it is a thread that
 * became its process' leader by exec(2) and goes on under that pid.
 */
static bool vanished(void *context, pid_t tid, void *value)
{
	struct pm_account *a = context;
	const struct living *l = value;
	const struct lineage *process = pm_pidmap_get(&a->lineage, l->tgid);
	bool gone;

	(void)tid;
	if (l->asked == a->tick)
		gone = l->answered != a->tick;
	else
		gone = (process && process->visited == a->tick) || !a->member(a->context, l->tgid);
	if (gone)
		leave(a, l);
	if (gone && a->dropped)
		add(a->sum, l->value);
	return gone;
}

static bool forgotten(void *context, pid_t pid, void *value)
{
	const struct pm_account *a = context;
	const struct lineage *l = value;

	if (l->ended)
		return a->tick - l->ended >= REMEMBER;
	/* Its end may have been lost. EPERM is an answer of a living one. */
	return a->dropped && kill(pid, 0) < 0 && errno == ESRCH && !a->member(a->context, pid);
}

void pm_account_settle(struct pm_account *a, bool dropped)
{
	a->dropped = dropped;
	sort_pending(a, a->pending_old);
	a->pending_old = a->pendings;
	pm_pidmap_sweep(&a->living, vanished, a);
	pm_pidmap_sweep(&a->lineage, forgotten, a);
}

void pm_account_total(const struct pm_account *a, int64_t value[PM_TASKSTATS_VALUES])
{
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++)
		if (__builtin_add_overflow(a->sum[i], a->alive[i], &value[i]))
			value[i] = INT64_MAX;
}
