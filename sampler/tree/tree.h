/*
 * The processes of a job: a root process and its descendants, followed over time and each counted
 * once. Programs only.
 * A process belongs to the tree when its parent does at the moment it is first seen. It stays until
 * it is gone, whoever becomes its parent when its own exits, and its later children belong too. It
 * is known by (pid, start time), so a reused pid is not mistaken for it. A process whose parent
 * came and went between two scans (a daemon's double fork) is found if a source of births is set
 * (pm_tree_births).
 */
#ifndef PM_TREE_H
#define PM_TREE_H

#include "sampler/tree_value.h"

#include <sys/types.h>

/* The whole tree at its last scan. */
struct pm_tree_sum {
	/*
	 * What the living processes have used and the ones they waited for, plus what the others
	 * had used when they were last seen. Never falls. What a process that nobody in the tree
	 * waits for used between the last scan and its end is missing.
	 */
	struct pm_tree_value counter[PM_TREE_COUNTERS];
	struct pm_tree_value processes; /* zombies are not counted */
	struct pm_tree_value threads;
	struct pm_tree_value rss;    /* B; shared pages count in every process */
	struct pm_tree_value vms;    /* B */
	struct pm_tree_value shared; /* B; the part of rss that others may have mapped, too */
};

struct pm_tree;

/*
 * Follow the process `pid`, 0 for none, and its descendants below root. Nothing is read yet.
 * Returns the tree, or NULL with e filled.
 */
struct pm_tree *pm_tree_open(const char *root, pid_t pid, struct pm_err *e);

/*
 * From now on a process that `belongs` says yes to is a member, whoever its parent is; asked about
 * each process that is new. The tree may be opened without a root then, pid 0.
 */
void pm_tree_rule(struct pm_tree *t, bool (*belongs)(void *ctx, pid_t pid), void *ctx);

/* Set the function that tells whether a new process was born of the tree, however short its parents
 * lived; NULL: no such source any more. */
void pm_tree_births(struct pm_tree *t, bool (*born)(void *ctx, pid_t pid), void *ctx);

struct pm_tree_memory;

/* Go on with what is kept in memory (tree_memory.h), if anything is, and keep each scan there. To
 * be called before the first one; the memory stays the caller's and must outlive the tree. */
void pm_tree_remember(struct pm_tree *t, struct pm_tree_memory *memory);

struct pm_census;

/* Have the kernel tell about processes, as soon as the census (census.h) can be taken. It stays the
 * caller's and must outlive the tree. To be called before the first scan. */
void pm_tree_census(struct pm_tree *t, struct pm_census *census);

/* This process and what it starts are no part of the tree: the sampler, by default this one. */
void pm_tree_leave_out(struct pm_tree *t, pid_t pid);

/*
 * Read /proc: drop processes that are gone, add new ones. Keeps up to a part of the descriptor
 * limit open; beyond it files are opened for each reading.
 * Returns how many processes of the tree live (zombies do not).
 */
size_t pm_tree_scan(struct pm_tree *t);

/* One process of the tree, as of its last scan. */
struct pm_tree_process {
	pid_t pid;
	int64_t start;    /* ticks after boot */
	const char *name; /* the command name; valid until the next scan */
	int64_t threads;
	bool ended;               /* its leader has; with more than one thread, the others run on */
	bool ran;                 /* since the scan before, or that cannot be told */
	struct pm_tree_value cpu; /* us, without its children's */
	struct pm_tree_value rss; /* B */
	/* All that the kernel told of it, valid until the next scan; NULL where it was read. */
	const struct pm_census_task *told;
};

/* How many processes there are, zombies included, and the one at place i < that; the root process
 * is at 0 as long as it is there. */
size_t pm_tree_count(const struct pm_tree *t);
struct pm_tree_process pm_tree_process(const struct pm_tree *t, size_t i);

/* Whether the process is one of the tree, as of its last scan. */
bool pm_tree_has(const struct pm_tree *t, pid_t pid);

/* The command name of a process of the tree, for whoever comes to know it between two scans: it
 * spares the next one to ask for it. */
void pm_tree_name(struct pm_tree *t, pid_t pid, const char *name);

/* Add up the tree. Everything is absent when the root process was never seen. */
void pm_tree_total(const struct pm_tree *t, struct pm_tree_sum *sum);

/* Release the tree; NULL is allowed. */
void pm_tree_close(struct pm_tree *t);

#endif
