/* Follow a process tree and add it up. */
#include "config.h"

#include "sampler/tree/tree.h"

#include "common/grow.h"
#include "sampler/tree/census.h"
#include "sampler/tree/members.h"
#include "sampler/tree/pids.h"
#include "sampler/tree/process.h"
#include "sampler/tree/tree_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of new threads whose process is looked up; beyond that, the stat of all members
 * that ran is read. */
#define THREADS_MAX 8

/* Looking up one thread's process takes as long as reading this many stat files. */
#define THREAD_COST 4

/* A process that may belong to the tree: seen for the first time. */
struct candidate {
	pid_t pid;
	bool belongs; /* whatever its parent */
	struct pm_procfs_stat stat;
};

struct pm_tree {
	pid_t root;
	pid_t left_out;
	bool looked;               /* the root process has been looked for */
	bool seen;                 /* the root or another member has been found */
	bool ended;                /* a member ended in the latest scan */
	bool vanished;             /* a new pid of the latest scan was gone already */
	pid_t thread[THREADS_MAX]; /* new threads in the latest scan */
	size_t threads;
	bool strangers;                        /* some new thread's process is not known */
	bool (*belongs)(void *ctx, pid_t pid); /* see pm_tree_rule; NULL: no rule */
	void *belongs_ctx;
	bool (*born)(void *ctx, pid_t pid); /* see pm_tree_births; NULL: no source of births */
	void *born_ctx;
	struct pm_tree_memory *memory; /* NULL: none */
	struct pm_process_place place;
	struct pm_census *census; /* NULL: none */
	struct pm_pids pids;
	struct pm_members all; /* parents before their children */
	struct candidate *candidate;
	size_t candidates, candidate_capacity;
	int64_t lost[PM_TREE_COUNTERS]; /* of gone processes that no member waited for */
	bool owing;                     /* a part of `lost` may still be waited for */
	struct pm_tree_sum sum;         /* of the latest scan */
	long ticks_per_second;
};

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
	t->left_out = root[0] ? 0 : getpid();
	t->ticks_per_second = sysconf(_SC_CLK_TCK);
	t->place.page = sysconf(_SC_PAGESIZE);
	t->place.tick_ns = 1000000000 / t->ticks_per_second;
	t->place.keep = root[0] == '\0';
	t->place.descriptors = pm_process_descriptors();
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
	for (size_t i = 0; i < t->all.count; i++)
		pm_process_close(&t->all.member[i], &t->place);
	pm_pids_close(&t->pids);
	close(t->place.proc_fd);
	pm_members_free(&t->all);
	free(t->candidate);
	free(t);
}

/* --- processes that are gone ------------------------------------------------------------------ */

/*
 * The counters of a process that is gone are lost, unless a member of the tree waited for it: then
 * the kernel has added them to that member's. Parents are read before their children, so the
 * counters of a living child are not yet in what was read of its parent. But a child found gone may
 * be waited for after its parent was read. Its counters are then taken as lost and noted as `owed`;
 * they are given back if the parent's counters show them at the next scan.
 */

/* Hand a gone member's counters up to its parent as pending. Call for children before parents. */
static void bequeath_counters(struct pm_tree *t, struct pm_process *m)
{
	struct pm_process *parent = pm_members_find(&t->all, m->stat.ppid);

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

/* Compare the counters of a member's gone children with what it gained by waiting. */
static void settle_member(struct pm_tree *t, struct pm_process *m)
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
			t->owing = true;
		}
		m->pending[c] = 0;
	}
}

static void drop_gone(struct pm_tree *t)
{
	size_t kept = 0;
	bool gone = false;

	for (size_t i = t->all.count; i-- > 0;)
		if (t->all.member[i].gone) {
			bequeath_counters(t, &t->all.member[i]);
			gone = true;
		}
	if (!gone && !t->owing)
		return;
	t->owing = false;
	for (size_t i = 0; i < t->all.count; i++) {
		if (t->all.member[i].gone) {
			pm_process_close(&t->all.member[i], &t->place);
			continue;
		}
		settle_member(t, &t->all.member[i]);
		if (kept != i)
			t->all.member[kept] = t->all.member[i];
		kept++;
	}
	if (kept != t->all.count) {
		t->all.count = kept;
		pm_members_index(&t->all);
	}
}

/* --- processes that are new ------------------------------------------------------------------- */

/* Returns 0, or -1 when the process has gone meanwhile or memory is short. */
static int add_member(struct pm_tree *t, pid_t pid, const struct pm_procfs_stat *stat)
{
	if (pm_members_room(&t->all) < 0 ||
	    pm_process_init(&t->all.member[t->all.count], &t->place, pid, stat) < 0)
		return -1;
	t->all.count++;
	return 0;
}

void pm_tree_remember(struct pm_tree *t, struct pm_tree_memory *memory)
{
	const struct pm_tree_kept *kept = pm_tree_memory_kept(memory);

	t->memory = memory;
	if (!kept)
		return;
	for (size_t i = 0; i < kept->count && pm_members_room(&t->all) == 0; i++) {
		const struct pm_tree_kept_member *k = &kept->member[i];

		pm_process_resume(&t->all.member[t->all.count], &t->place, k->pid, k->ppid,
				  k->start, k->whole, k->waited);
		t->all.member[t->all.count++].parent = k->parent;
	}
	memcpy(t->lost, kept->lost, sizeof t->lost);
	pm_members_index(&t->all);
	t->looked = t->seen = t->ended = true;
}

/* Note a new thread: the stat of its process, which shows the number of threads, must be read. */
static void note_thread(struct pm_tree *t, pid_t tid)
{
	if (t->threads < THREADS_MAX)
		t->thread[t->threads++] = tid;
	else
		t->strangers = true;
}

static int add_candidate(struct pm_tree *t, pid_t pid)
{
	struct candidate *c;
	int rc;

	if (!PM_GROW(t->candidate, t->candidates, t->candidate_capacity, 64))
		return -1;
	c = &t->candidate[t->candidates];
	c->pid = pid;
	/* On a busy node most new pids are gone: getpgid(2) shows that faster than a file. */
	if (t->place.clocks && getpgid(pid) < 0 && errno == ESRCH)
		rc = -1;
	else
		rc = pm_process_look(&c->stat, &t->place, pid);
	if (rc > 0)
		note_thread(t, pid);
	t->vanished = t->vanished || rc < 0;
	if (rc != 0)
		return 0; /* gone already, unreadable, or a thread */
	/* Children of the process left out are left out as well. */
	c->belongs = !(t->left_out && c->stat.ppid == t->left_out) &&
		     ((t->belongs && t->belongs(t->belongs_ctx, pid)) ||
		      (t->born && t->born(t->born_ctx, pid)));
	t->candidates++;
	return 0;
}

/* Add the candidates whose parent is a member, until there are no more. */
static void adopt_candidates(struct pm_tree *t)
{
	for (size_t before = 0; before != t->candidates && t->candidates;) {
		size_t left = 0, members = t->all.count;

		before = t->candidates;
		for (size_t i = 0; i < t->candidates; i++) {
			const struct candidate *c = &t->candidate[i];
			struct pm_process *parent = pm_members_find(&t->all, c->stat.ppid);

			if (parent)
				parent->parent = true;
			if ((c->belongs || parent) && add_member(t, c->pid, &c->stat) == 0) {
				t->seen = true;
				continue;
			}
			t->candidate[left++] = *c;
		}
		t->candidates = left;
		if (t->all.count != members)
			pm_members_index(&t->all);
	}
}

/* Collect the new processes as candidates. */
static void gather_candidates(struct pm_tree *t)
{
	t->candidates = 0;
	t->vanished = t->strangers = false;
	t->threads = 0;
	for (size_t i = 0; i < t->pids.count; i++) {
		pid_t pid = t->pids.pid[i];

		/* The sampler may be a child of the tree's root; it accounts for itself. */
		if (pid == t->left_out || pm_members_find(&t->all, pid))
			continue;
		if (add_candidate(t, pid) < 0)
			break;
	}
}

void pm_tree_rule(struct pm_tree *t, bool (*belongs)(void *ctx, pid_t pid), void *ctx)
{
	t->belongs = belongs;
	t->belongs_ctx = ctx;
}

void pm_tree_births(struct pm_tree *t, bool (*born)(void *ctx, pid_t pid), void *ctx)
{
	t->born = born;
	t->born_ctx = ctx;
}

void pm_tree_census(struct pm_tree *t, struct pm_census *census)
{
	/* A census looks up pids of this machine. */
	if (t->place.clocks)
		t->census = census;
}

void pm_tree_leave_out(struct pm_tree *t, pid_t pid)
{
	/* Pids of a recorded tree are not those of this machine. */
	if (t->place.keep)
		t->left_out = pid;
}

/* --- members ---------------------------------------------------------------------------------- */

/*
 * How much of a member has to be read to see what it gained by waiting. An unseen child that it
 * waited for shows as a new pid that is gone already. A member that never gained a clock tick from
 * children is taken for childless, unless it has no parent in the tree. The first unseen children
 * of such a member show a few readings later; their counters are never lost.
 */
static enum pm_process_depth depth_of(const struct pm_tree *t, const struct pm_process *m,
				      bool ended)
{
	const bool waits = m->waited[PM_TREE_USER] > 0 || m->waited[PM_TREE_SYSTEM] > 0;

	if (t->pids.full || t->strangers || m->threads || (ended && m->parent) ||
	    ((ended || t->vanished) && (waits || !pm_members_find(&t->all, m->stat.ppid))))
		return PM_PROCESS_RAN;
	return PM_PROCESS_SETTLED;
}

/* Find the members to which the new threads belong; `ran`: how many members ran. */
static void match_threads(struct pm_tree *t, size_t ran)
{
	if (t->pids.full)
		return;
	t->strangers = t->strangers || (t->threads && ran <= THREAD_COST * t->threads);
	for (size_t i = 0; i < t->threads && !t->strangers; i++) {
		const pid_t pid = pm_process_process(&t->place, t->thread[i]);
		struct pm_process *m = pm_members_find(&t->all, pid);

		t->strangers = pid < 0;
		if (m)
			m->threads = true;
	}
}

/* Take a census of the members if possible. Returns how many it covers, from the first on. */
static size_t take_census(struct pm_tree *t)
{
	const size_t n = t->census ? pm_census_begin(t->census, t->all.count) : 0;

	for (size_t i = 0; i < n; i++)
		pm_census_ask(t->census, i, t->all.member[i].pid);
	return n && pm_census_take(t->census, n) ? n : 0;
}

/*
 * Update members from a census. A member that is not in it will be read later, and then its
 * children must be read, too: a child in the census that the member waits for meanwhile would count
 * twice. Returns how many members were updated.
 */
static size_t tell_members(struct pm_tree *t)
{
	const size_t asked = take_census(t);
	size_t told = 0;

	for (size_t i = 0; i < t->all.count; i++) {
		struct pm_process *m = &t->all.member[i];

		m->told = i < asked ? pm_census_task(t->census, i) : NULL;
		if (m->told && told < i) {
			const struct pm_process *parent = pm_members_find(&t->all, m->told->ppid);

			if (parent && parent < m && !parent->told)
				m->told = NULL;
		}
		if (m->told && !pm_process_tell(m, &t->place, m->told))
			m->told = NULL;
		told += m->told != NULL;
	}
	return told;
}

static void read_members(struct pm_tree *t)
{
	size_t ran = 0;
	bool ended = t->ended, whole = false;

	t->ended = false;
	if (tell_members(t) == t->all.count)
		return;
	for (size_t i = 0; i < t->all.count; i++) {
		if (!t->all.member[i].told)
			t->ended = !pm_process_ask(&t->all.member[i]) || t->ended;
		ran += t->all.member[i].ran;
	}
	match_threads(t, ran);
	/* What a member gains by waiting shows in this scan or in the next one. */
	ended = ended || t->ended;
	for (size_t i = 0; i < t->all.count; i++) {
		struct pm_process *m = &t->all.member[i];

		if (m->told)
			continue;
		m->unsure = m->unsure || t->vanished || ended;
		pm_process_read(m, &t->place, whole ? PM_PROCESS_WHOLE : depth_of(t, m, ended));
		/* Children come after their parents: once a parent is gone, read them whole. */
		whole = whole || m->gone;
	}
	t->ended = t->ended || whole;
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

static void add_up(struct pm_tree *t)
{
	struct pm_tree_sum *sum = &t->sum;
	const struct pm_tree_value start = { .known = t->seen, .reason = PM_REASON_absent };

	sum->processes = sum->threads = sum->rss = sum->vms = sum->shared = start;
	for (int c = 0; c < PM_TREE_COUNTERS; c++) {
		sum->counter[c] = start;
		sum->counter[c].value = t->lost[c];
	}
	for (size_t i = 0; i < t->all.count; i++) {
		const struct pm_process *m = &t->all.member[i];

		for (int c = 0; c < PM_TREE_COUNTERS; c++) {
			bool cpu = c == PM_TREE_USER || c == PM_TREE_SYSTEM;

			add_value(&sum->counter[c], m->whole[c].value,
				  cpu ? &m->read : &m->whole[c]);
		}
		add_value(&sum->rss, m->rss.value, &m->rss);
		add_value(&sum->vms, m->vms.value, &m->vms);
		add_value(&sum->shared, m->shared.value, &m->shared);
		if (pm_process_lives(m)) {
			add_value(&sum->processes, 1, &m->read);
			add_value(&sum->threads, m->stat.num_threads, &m->read);
		}
	}
	sum->counter[PM_TREE_USER].value *= 1000000 / t->ticks_per_second;
	sum->counter[PM_TREE_SYSTEM].value *= 1000000 / t->ticks_per_second;
}

/* --- the scan --------------------------------------------------------------------------------- */

size_t pm_tree_scan(struct pm_tree *t)
{
	size_t living = 0;

	pm_pids_look(&t->pids);
	/* New pids, if few, show how much of the members has to be read. */
	if (!t->pids.full)
		gather_candidates(t);
	if (!t->looked) {
		struct pm_procfs_stat stat;

		t->looked = true;
		if (t->root && pm_process_look(&stat, &t->place, t->root) == 0 &&
		    add_member(t, t->root, &stat) == 0) {
			t->seen = true;
			pm_members_index(&t->all);
		}
	} else {
		read_members(t);
		drop_gone(t);
	}
	/* In a full look a new process may have the pid of a member that has just gone. */
	if (t->pids.full && (t->all.count || t->belongs || t->born))
		gather_candidates(t);
	adopt_candidates(t);
	if (t->memory && t->seen)
		pm_tree_memory_keep(t->memory, t->all.member, t->all.count, t->lost);
	for (size_t i = 0; i < t->all.count; i++)
		living += (size_t)pm_process_lives(&t->all.member[i]);
	add_up(t);
	return living;
}

size_t pm_tree_count(const struct pm_tree *t)
{
	return t->all.count;
}

struct pm_tree_process pm_tree_process(const struct pm_tree *t, size_t i)
{
	const struct pm_process *m = &t->all.member[i];
	struct pm_tree_value cpu = m->read;

	cpu.value = (m->stat.utime + m->stat.stime) * (1000000 / t->ticks_per_second);
	return (struct pm_tree_process){
		.pid = m->pid,
		.start = m->stat.starttime,
		.name = m->name,
		.cpu = cpu,
		.rss = m->rss,
		.threads = m->stat.num_threads,
		.ran = m->ran,
		.told = m->told,
		.ended = m->stat.state == 'Z' || m->stat.state == 'X',
	};
}

bool pm_tree_has(const struct pm_tree *t, pid_t pid)
{
	return pm_members_find(&t->all, pid) != NULL;
}

void pm_tree_name(struct pm_tree *t, pid_t pid, const char *name)
{
	struct pm_process *m = pm_members_find(&t->all, pid);

	if (m)
		pm_process_name(m, name);
}

void pm_tree_total(const struct pm_tree *t, struct pm_tree_sum *sum)
{
	*sum = t->sum;
}
