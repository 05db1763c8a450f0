/* One process of a tree (tree.h): what was last read of it. Programs only; used by tree.c. */
#ifndef PM_MEMBER_H
#define PM_MEMBER_H

#include "common/procfs.h"
#include "sampler/census_task.h"
#include "sampler/tree_value.h"

#include <time.h>

/* Longest command name kept, in bytes: that of a thread or process; a kernel worker's is cut. */
#define PM_MEMBER_NAME 15

struct pm_member {
	pid_t pid;
	int stat_fd, statm_fd, io_fd; /* kept open; -1: not */
	clockid_t clock;              /* of its CPU time, where the place has clocks */
	int64_t clock_ns;             /* when it was read last; -1: it cannot tell */
	int64_t user_ns, system_ns;   /* of it at least, and never less */
	unsigned since;               /* readings since that of stat */
	bool gone;
	bool parent;  /* of another member, now or before */
	bool unsure;  /* it may have waited for somebody since stat was read */
	bool threads; /* it has new ones since then */
	bool named;   /* and `name` is as of the reading before, or newer */
	bool ran;     /* since the reading before, as far as can be told */
	const struct pm_census_task
		*told;                 /* where it was taken from, as of the last scan; or NULL */
	struct pm_procfs_stat stat;    /* last that could be read */
	struct pm_tree_value read;     /* whether stat could be read this time */
	struct pm_tree_value rss, vms; /* B */
	struct pm_tree_value shared;   /* B; the part of rss that others may have mapped, too */
	char name[PM_MEMBER_NAME + 1]; /* the command name, cut if need be */
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
	bool clocks;     /* pids there are those of the system calls */
	long page;       /* bytes */
	int64_t tick_ns; /* clock tick of stat */
};

/* How many descriptors the members of this program may keep; raises the soft limit, which only we
 * notice. */
long pm_member_descriptors(void);

/*
 * Start as a member the process of which this stat was read, and read it all.
 * Descriptors are kept while the place has some left.
 * Returns 0, or -1 when the process has gone meanwhile; nothing is held then.
 */
int pm_member_init(struct pm_member *m, struct pm_member_place *place, pid_t pid,
		   const struct pm_procfs_stat *stat);

/*
 * Start as a member, that was one before and may be gone by now, with the counters that it had:
 * whole and waited as in the struct. It has to be read next.
 */
void pm_member_resume(struct pm_member *m, const struct pm_member_place *place, pid_t pid,
		      pid_t ppid, int64_t starttime, const int64_t whole[PM_TREE_COUNTERS],
		      const int64_t waited[PM_TREE_COUNTERS]);

/* How much of a member has to be read. */
enum pm_member_depth {
	PM_MEMBER_SETTLED, /* if it ran: nobody was born or ended that it may have waited for */
	PM_MEMBER_RAN,     /* if it ran */
	PM_MEMBER_WHOLE,   /* in any case: its parent changes without its running when that ends */
};

/* Ask whether it has run since it was asked before: m->ran. Returns false when it is gone as far as
 * that tells. To be called before each reading. */
bool pm_member_ask(struct pm_member *m);

/*
 * Read again; sets m->gone when the process is. Values that cannot be read keep their last. The
 * memory of a process that has not run is read, too: others can take it away.
 *
 * Half of what a process costs is its stat. Where no birth and no end can have changed anything
 * else in there, CPU time is taken from clocks instead; only the name of the process may then be up
 * to PM_MEMBER_STALE readings old.
 */
void pm_member_read(struct pm_member *m, struct pm_member_place *place, enum pm_member_depth depth);

/* Readings until stat is among them again, if the process ran, and where nobody else tells the
 * name, or it may have waited for somebody. */
#define PM_MEMBER_STALE 8

/*
 * Take all of it from a census in place of asking and reading. Returns false, with nothing changed,
 * where that tells of another process, or of this one not all that stat would.
 */
bool pm_member_tell(struct pm_member *m, const struct pm_member_place *place,
		    const struct pm_census_task *told);

/* It is told by somebody else that this is its command name. */
void pm_member_name(struct pm_member *m, const char *name);

/* Give the descriptors back. */
void pm_member_close(struct pm_member *m, struct pm_member_place *place);

/* 1 while the process runs: neither gone nor a zombie. */
int pm_member_lives(const struct pm_member *m);

/*
 * Read the stat of any process. Returns 0, 1 where pid is a thread that does not lead its process,
 * or -1 with errno set (ENOENT, ESRCH: no such process; EBADMSG: not as documented).
 */
int pm_member_look(struct pm_procfs_stat *stat, const struct pm_member_place *place, pid_t pid);

/* The process of a thread. Returns its pid; 0 where the thread is gone; -1 where it cannot be told.
 */
pid_t pm_member_process(const struct pm_member_place *place, pid_t tid);

#endif
