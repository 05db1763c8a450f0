/* Follow a process tree and add it up. */
#include "config.h"

#include "sampler/tree.h"

#include "sampler/member.h"
#include "sampler/pids.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Descriptors left to the rest of the program. */
#define DESCRIPTORS_SPARE 64

/* Descriptors at most: those of 1 365 processes. */
#define DESCRIPTORS_MAX 4096

/* A process that may belong to the tree: seen for the first time. */
struct candidate {
	pid_t pid;
	struct pm_procfs_stat stat;
};

struct index_entry {
	pid_t pid;
	size_t member;
};

struct pm_tree {
	pid_t root;
	bool looked; /* for the root process */
	bool seen;   /* and found it */
	struct pm_member_place place;
	struct pm_pids pids;
	struct pm_member *member; /* parents before their children */
	size_t count, capacity;
	struct index_entry *by_pid; /* sorted, with room for every member */
	size_t indexed;
	struct candidate *candidate;
	size_t candidates, candidate_capacity;
	int64_t lost[PM_TREE_COUNTERS]; /* of processes that are gone and that nobody waited for */
	long ticks_per_second;
};

/* How many descriptors the members may keep; raises the soft limit, which only we notice. */
static long descriptor_budget(void)
{
	struct rlimit limit;
	rlim_t wanted = DESCRIPTORS_MAX + DESCRIPTORS_SPARE;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return 0;
	}
	if (limit.rlim_cur >= wanted)
		return DESCRIPTORS_MAX;
	return limit.rlim_cur > DESCRIPTORS_SPARE ? (long)limit.rlim_cur - DESCRIPTORS_SPARE : 0;
}

struct pm_tree *pm_tree_open(const char *root, pid_t pid, struct pm_err *e)
{
	struct pm_tree *t = calloc(1, sizeof *t);
	char *path = NULL;

	if (!t || asprintf(&path, "%s/proc", root) < 0) {
		free(t);
		pm_err(e, "follow process %d: out of memory", (int)pid);
		return NULL;
	}
	t->root = pid;
	t->ticks_per_second = sysconf(_SC_CLK_TCK);
	t->place.page = sysconf(_SC_PAGESIZE);
	t->place.keep = root[0] == '\0';
	t->place.descriptors = descriptor_budget();
	t->place.proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (t->place.proc_fd < 0) {
		pm_err(e, "open %s: %m", path);
		free(path);
		free(t);
		return NULL;
	}
	free(path);
	pm_pids_open(&t->pids, root, t->place.proc_fd);
	t->place.clocks = t->pids.countable;
	return t;
}

void pm_tree_close(struct pm_tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		pm_member_close(&t->member[i], &t->place);
	pm_pids_close(&t->pids);
	close(t->place.proc_fd);
	free(t->member);
	free(t->by_pid);
	free(t->candidate);
	free(t);
}

static int compare_pids(const void *a, const void *b)
{
	const struct index_entry *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void make_index(struct pm_tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		t->by_pid[i].pid = t->member[i].pid;
		t->by_pid[i].member = i;
	}
	t->indexed = t->count;
	if (t->indexed > 1)
		qsort(t->by_pid, t->indexed, sizeof *t->by_pid, compare_pids);
}

/* The member with this pid, as of the last make_index, or NULL. */
static struct pm_member *find(const struct pm_tree *t, pid_t pid)
{
	const struct index_entry key = { .pid = pid }, *hit = NULL;

	if (t->indexed)
		hit = bsearch(&key, t->by_pid, t->indexed, sizeof key, compare_pids);
	return hit ? &t->member[hit->member] : NULL;
}

/* --- processes that are gone ------------------------------------------------------------------ */

/*
 * A process that is gone takes its counters with it, unless a member of the tree waited for it:
 * then the kernel has added them to that member's. Members are read parents first, so a child that
 * was seen alive is not yet in what was read of its parent; and a child found gone may be waited
 * for after its parent was read: what is then taken as lost is `owed` and given back if the
 * parent's counters show it at the next scan.
 */

/* Hand what the gone member had up to its parent as pending. Children come before parents. */
static void bequeath(struct pm_tree *t, struct pm_member *m)
{
	struct pm_member *parent = find(t, m->stat.ppid);

	for (int c = 0; c < PM_TREE_COUNTERS; c++) {
		int64_t need = m->whole[c].value + m->pending[c];

		if (parent) {
			parent->pending[c] += need;
			parent->owed[c] += m->owed[c];
		} else {
			t->lost[c] += need;
		}
	}
}

/* Compare what the member's gone children had with what it gained by waiting. */
static void settle(struct pm_tree *t, struct pm_member *m)
{
	for (int c = 0; c < PM_TREE_COUNTERS; c++) {
		int64_t gained = m->waited[c] - m->waited_before[c];

		if (gained < 0)
			gained = 0;
		if (gained >= m->pending[c]) {
			int64_t back = gained - m->pending[c];

			t->lost[c] -= back < m->owed[c] ? back : m->owed[c];
			m->owed[c] = 0;
		} else {
			m->owed[c] = m->pending[c] - gained;
			t->lost[c] += m->owed[c];
		}
		m->pending[c] = 0;
	}
}

static void drop_gone(struct pm_tree *t)
{
	size_t kept = 0;

	for (size_t i = t->count; i-- > 0;)
		if (t->member[i].gone)
			bequeath(t, &t->member[i]);
	for (size_t i = 0; i < t->count; i++) {
		if (t->member[i].gone) {
			pm_member_close(&t->member[i], &t->place);
			continue;
		}
		settle(t, &t->member[i]);
		if (kept != i)
			t->member[kept] = t->member[i];
		kept++;
	}
	if (kept != t->count) {
		t->count = kept;
		make_index(t);
	}
}

/* --- processes that are new ------------------------------------------------------------------- */

/* Returns 0, or -1 when the process has gone meanwhile or memory is short. */
static int add_member(struct pm_tree *t, pid_t pid, const struct pm_procfs_stat *stat)
{
	if (t->count == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 64;
		struct pm_member *members = realloc(t->member, capacity * sizeof *members);
		struct index_entry *entries;

		if (!members)
			return -1;
		t->member = members;
		entries = realloc(t->by_pid, capacity * sizeof *entries);
		if (!entries)
			return -1;
		t->by_pid = entries;
		t->capacity = capacity;
	}
	if (pm_member_init(&t->member[t->count], &t->place, pid, stat) < 0)
		return -1;
	t->count++;
	return 0;
}

static int add_candidate(struct pm_tree *t, pid_t pid)
{
	struct candidate *c;

	if (t->candidates == t->candidate_capacity) {
		size_t capacity = t->candidate_capacity ? 2 * t->candidate_capacity : 64;

		c = realloc(t->candidate, capacity * sizeof *c);
		if (!c)
			return -1;
		t->candidate = c;
		t->candidate_capacity = capacity;
	}
	c = &t->candidate[t->candidates];
	c->pid = pid;
	if (pm_member_look(&c->stat, &t->place, pid) != 0)
		return 0; /* gone already, unreadable, or a thread */
	t->candidates++;
	return 0;
}

/* Add the candidates whose parent is a member, until there are no more. */
static void adopt(struct pm_tree *t)
{
	for (size_t before = 0; before != t->candidates && t->candidates;) {
		size_t left = 0, members = t->count;

		before = t->candidates;
		for (size_t i = 0; i < t->candidates; i++) {
			const struct candidate *c = &t->candidate[i];

			if (find(t, c->stat.ppid) && add_member(t, c->pid, &c->stat) == 0)
				continue;
			t->candidate[left++] = *c;
		}
		t->candidates = left;
		if (t->count != members)
			make_index(t);
	}
}

static void find_new(struct pm_tree *t)
{
	const pid_t self = t->place.keep ? getpid() : 0;

	if (pm_pids_look(&t->pids) < 0 && t->pids.count == 0)
		return;
	t->candidates = 0;
	for (size_t i = 0; i < t->pids.count; i++) {
		pid_t pid = t->pids.pid[i];

		/* The sampler may be a child of the tree's root; it accounts for itself. */
		if (pid == self || find(t, pid))
			continue;
		if (add_candidate(t, pid) < 0)
			break;
	}
	adopt(t);
}

size_t pm_tree_scan(struct pm_tree *t)
{
	size_t living = 0;

	if (!t->looked) {
		struct pm_procfs_stat stat;

		t->looked = true;
		if (pm_member_look(&stat, &t->place, t->root) == 0 &&
		    add_member(t, t->root, &stat) == 0) {
			t->seen = true;
			make_index(t);
		}
	} else {
		bool gone = false;

		/* Parents come first, so children of one that is gone are read whole. */
		for (size_t i = 0; i < t->count; i++) {
			pm_member_read(&t->member[i], &t->place, gone);
			gone = gone || t->member[i].gone;
		}
		drop_gone(t);
	}
	if (t->count)
		find_new(t);
	for (size_t i = 0; i < t->count; i++)
		living += (size_t)pm_member_lives(&t->member[i]);
	return living;
}

/* --- sums ------------------------------------------------------------------------------------- */

static void add_value(struct pm_tree_value *sum, int64_t value, const struct pm_tree_value *member)
{
	if (!sum->known)
		return;
	if (member->known) {
		sum->value += value;
	} else {
		sum->known = false;
		sum->reason = member->reason;
	}
}

void pm_tree_total(const struct pm_tree *t, struct pm_tree_sum *sum)
{
	const struct pm_tree_value start = { .known = t->seen, .reason = PM_REASON_absent };

	sum->processes = sum->threads = sum->rss = sum->vms = start;
	for (int c = 0; c < PM_TREE_COUNTERS; c++) {
		sum->counter[c] = start;
		sum->counter[c].value = t->lost[c];
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct pm_member *m = &t->member[i];

		for (int c = 0; c < PM_TREE_COUNTERS; c++) {
			bool cpu = c == PM_TREE_USER || c == PM_TREE_SYSTEM;

			add_value(&sum->counter[c], m->whole[c].value,
				  cpu ? &m->read : &m->whole[c]);
		}
		add_value(&sum->rss, m->rss.value, &m->rss);
		add_value(&sum->vms, m->vms.value, &m->vms);
		if (pm_member_lives(m)) {
			add_value(&sum->processes, 1, &m->read);
			add_value(&sum->threads, m->stat.num_threads, &m->read);
		}
	}
	sum->counter[PM_TREE_USER].value *= 1000000 / t->ticks_per_second;
	sum->counter[PM_TREE_SYSTEM].value *= 1000000 / t->ticks_per_second;
}
