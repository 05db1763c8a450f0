/* One process of a tree (tree.h): what was last read of it. Programs only; used by tree.c. */
#ifndef PM_MEMBER_H
#define PM_MEMBER_H

#include "common/procfs.h"
#include "sampler/tree_value.h"

#include <time.h>

struct pm_member {
	pid_t pid;
	int stat_fd, statm_fd, io_fd; /* kept open; -1: not */
	clockid_t clock;              /* of its CPU time, where the place has clocks */
	int64_t clock_ns;             /* when it was read last; -1: it cannot tell */
	bool gone;
	struct pm_procfs_stat stat;    /* last that could be read */
	struct pm_tree_value read;     /* whether stat could be read this time */
	struct pm_tree_value rss, vms; /* B */
	/*
	 * Counters of the process with those of its waited-for children; CPU time in ticks.
	 * The kernel adds both to the parent when it waits for a child, CPU time apart (`waited`),
	 * I/O into the same sum (where `waited` equals the whole).
	 */
	struct pm_tree_value whole[PM_TREE_COUNTERS];
	int64_t waited[PM_TREE_COUNTERS];
	int64_t waited_before[PM_TREE_COUNTERS]; /* at the scan before */
	/* Work space of tree.c. */
	int64_t pending[PM_TREE_COUNTERS];
	int64_t owed[PM_TREE_COUNTERS];
};

/* Where members are read, and how many descriptors they may keep. */
struct pm_member_place {
	int proc_fd;
	bool keep;
	long descriptors;
	bool clocks; /* pids there are those of the system calls */
	long page;   /* bytes */
};

/*
 * Start as a member the process of which this stat was read, and read it all.
 * Descriptors are kept while the place has some left.
 * Returns 0, or -1 when the process has gone meanwhile; nothing is held then.
 */
int pm_member_init(struct pm_member *m, struct pm_member_place *place, pid_t pid,
		   const struct pm_procfs_stat *stat);

/*
 * Read again; sets m->gone when the process is. Values that cannot be read keep their last.
 * A process that has not run since is not read but for its memory, which others can take away,
 * unless `whole` says so: its parent changes without its running when that one ends.
 */
void pm_member_read(struct pm_member *m, struct pm_member_place *place, bool whole);

/* Give the descriptors back. */
void pm_member_close(struct pm_member *m, struct pm_member_place *place);

/* 1 while the process runs: neither gone nor a zombie. */
int pm_member_lives(const struct pm_member *m);

/*
 * Read the stat of any process. Returns 0, 1 where pid is a thread that does not lead its process,
 * or -1 with errno set (ENOENT, ESRCH: no such process; EBADMSG: not as documented).
 */
int pm_member_look(struct pm_procfs_stat *stat, const struct pm_member_place *place, pid_t pid);

#endif
