/* One process of a tree (tree.h) and its latest readings. Used by tree.c. */
#ifndef PM_SAMPLER_TREE_PROCESS_H
#define PM_SAMPLER_TREE_PROCESS_H

#include "common/safe/procfs.h"
#include "sampler/tree/census_task.h"
#include "sampler/tree/tree_value.h"

#include <time.h>

/* Longest command name kept, in bytes: the kernel's limit; names of kernel workers are cut. */
#define PM_PROCESS_NAME 15

struct pm_process {
	pid_t pid;
	int stat_fd, statm_fd, io_fd; /* kept open; -1: not */
	clockid_t clock;              /* CPU clock of the process, where the place has clocks */
	int64_t clock_ns;             /* latest value of the clock; -1: unusable */
	int64_t user_ns, system_ns;   /* the clock's time split by mode; neither part ever falls */
	unsigned since;               /* readings since stat was read */
	bool gone;
	bool parent;  /* has, or had, a child in the tree */
	bool unsure;  /* may have waited for a child since stat was read */
	bool threads; /* has started threads since stat was read */
	bool named;   /* `name` is from pm_process_name(), at most one reading old */
	bool ran;     /* used CPU time since the previous reading, or may have */
	const struct pm_census_task *told; /* the census entry at the last scan; NULL: was read */
	struct pm_procfs_stat stat;        /* latest that could be read */
	struct pm_tree_value read;         /* whether stat could be read this time */
	struct pm_tree_value rss, vms;     /* B */
	struct pm_tree_value shared;       /* B; the part of rss that others may have mapped, too */
	char name[PM_PROCESS_NAME + 1];    /* the command name, cut if need be */
	/*
	 * Counters of the process with those of its waited-for children; CPU time in ticks.
	 * The kernel adds both to the parent when it waits for a child, CPU time apart (`waited`),
	 * I/O into the same sum (where `waited` equals the whole).
	 */
	struct pm_tree_value whole[PM_TREE_COUNTERS];
	int64_t waited[PM_TREE_COUNTERS];
	int64_t waited_before[PM_TREE_COUNTERS]; /* `waited` at the previous scan */
	/* Work space of tree.c. */
	int64_t pending[PM_TREE_COUNTERS];
	int64_t owed[PM_TREE_COUNTERS];
};

/* The /proc in which members are read, and the number of descriptors that they may still keep. */
struct pm_process_place {
	int proc_fd;
	bool keep;
	long descriptors;
	bool clocks;     /* its pids are valid in system calls, so clocks can be read */
	long page;       /* bytes */
	int64_t tick_ns; /* clock tick of stat */
};

/* How many descriptors the members may keep. Raises this process's soft limit. */
long pm_process_descriptors(void);

/*
 * Start a member whose stat the caller has read, and read all its files. Descriptors are kept while
 * the place has some left.
 * Returns 0, or -1 when the process has gone meanwhile; nothing is held then.
 */
int pm_process_init(struct pm_process *m, struct pm_process_place *place, pid_t pid,
		    const struct pm_procfs_stat *stat);

/*
 * Start a member from an earlier follower of the tree with the counters that it had: `whole` and
 * `waited` as in the struct. The process may be gone by now: read the member next.
 */
void pm_process_resume(struct pm_process *m, const struct pm_process_place *place, pid_t pid,
		       pid_t ppid, int64_t starttime, const int64_t whole[PM_TREE_COUNTERS],
		       const int64_t waited[PM_TREE_COUNTERS]);

/* How much of a member has to be read. */
enum pm_process_depth {
	PM_PROCESS_SETTLED, /* only if the process ran; it cannot have waited for a child */
	PM_PROCESS_RAN,     /* only if the process ran */
	PM_PROCESS_WHOLE,   /* always: ppid changes when the parent ends, even of an idle process */
};

/* Set m->ran: whether the process has used CPU time since the previous call. Returns false when its
 * clock shows that the process is gone. To be called before each reading. */
bool pm_process_ask(struct pm_process *m);

/*
 * Read a member again; sets m->gone when the process is gone. Values that cannot be read stay as
 * they were. Memory is read even of a process that has not run: its pages may have been reclaimed.
 *
 * Reading stat is half the cost of a process. Where no birth and no end can have changed anything
 * but CPU time in it, clocks are read instead; only the name may then be up to PM_PROCESS_STALE
 * readings old.
 */
void pm_process_read(struct pm_process *m, struct pm_process_place *place,
		     enum pm_process_depth depth);

/* A running process has its stat read at least at every so many readings, unless pm_process_name()
 * set its name and the process cannot have waited for a child. */
#define PM_PROCESS_STALE 8

/*
 * Take all values of a member from a census, in place of pm_process_ask() and pm_process_read().
 * Returns false, with nothing changed, when the entry is of another process, or when stat would
 * show more.
 */
bool pm_process_tell(struct pm_process *m, const struct pm_process_place *place,
		     const struct pm_census_task *told);

/* Set the command name, which the caller learnt from another source. */
void pm_process_name(struct pm_process *m, const char *name);

/* Give the descriptors back. */
void pm_process_close(struct pm_process *m, struct pm_process_place *place);

/* 1 while the process runs: neither gone nor a zombie. */
int pm_process_lives(const struct pm_process *m);

/*
 * Read the stat of any process. Returns 0, 1 where pid is a thread that does not lead its process,
 * or -1 with errno set (ENOENT, ESRCH: no such process; EBADMSG: not as documented).
 */
int pm_process_look(struct pm_procfs_stat *stat, const struct pm_process_place *place, pid_t pid);

/* The pid of a thread's process; 0 where the thread is gone; -1 where its process is unknown. */
pid_t pm_process_process(const struct pm_process_place *place, pid_t tid);

#endif
