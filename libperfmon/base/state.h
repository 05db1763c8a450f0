/*
 * What the collector knows about this process and thread.
 *
 * Life cycle: zero in every image. The constructor fills it once, before any other thread exists;
 * pm_fork_child() rebuilds the parts that differ in a fork child. `on` is set as the last act of a
 * successful constructor, and cleared in a fork child that cannot read its identity; while `on` is
 * clear every hook passes through. A vfork child shares all this with its parent and must not
 * write.
 */
#ifndef PM_LIBPERFMON_BASE_STATE_H
#define PM_LIBPERFMON_BASE_STATE_H

#include "common/safe/buf.h"
#include "common/safe/tsv.h"
#include "libperfmon/base/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/*
 * For variables that most processes write: together they fill the pages of the file that the loader
 * maps anyway. No memory beyond them is mapped at start, and a fork child that writes all of them
 * copies two pages.
 */
#define PM_NEAR __attribute__((section(".data.near")))

/* The collector's own input and output, to be told apart from the program's. */
struct pm_own_io {
	uint64_t rchar, wchar, syscr, syscw;
	uint64_t outblock; /* 512 bytes each; write_bytes is 512 times that */
};

/* A moment on the three clocks. */
struct pm_moment {
	int64_t real_us;
	int64_t mono_ns;
	uint64_t tsc;
};

/* State of the image's end record. */
enum pm_ended { PM_ENDED_NOT, PM_ENDED_SOON, PM_ENDED };

struct pm_state {
	bool on;                /* hooks may act; every hook tests this */
	bool excluded;          /* this program is not recorded: see exclude.h */
	uint32_t ended;         /* enum pm_ended */
	bool in_exec;           /* ended by an exec, which may still fail */
	bool forked;            /* this image was created by fork, not exec */
	bool per_process;       /* one file per process instead of one per host and user */
	bool root;              /* the image began as root's */
	bool over;              /* the record files are as large as they may be (sizelimit.h) */
	bool folding;           /* the start record of this image was kept back */
	bool unfolded;          /* a start record that was kept back is written after all */
	bool owes;              /* lost lines are still to be counted (lost.h) */
	bool departed;          /* the path of the record file may lead elsewhere (recordfile.h) */
	bool told_rank;         /* the program stated its rank (rank.c) */
	bool delayacct;         /* the kernel accounts delays: a delay of 0 is known to be 0 */
	bool gpus;              /* there may be GPUs whose drivers tell of clients (clients.h) */
	int pid;                /* as cached; differs from getpid() in a vfork child */
	int uid;                /* user whose record file this process writes */
	uint32_t unlooked;      /* bytes written since the last check of the record files' size */
	int64_t max_bytes;      /* limit of that size, 0 none */
	int exit_status;        /* argument of quick_exit */
	int64_t starttime;      /* clock ticks after boot */
	int64_t tick_ns;        /* length of a clock tick of /proc */
	int64_t pid_ns;         /* inode, 0 unknown */
	struct pm_moment image; /* start of this image */
	uint32_t threads_seen;  /* in this image, the main thread included */
	uint64_t own_ns;        /* elapsed time inside the collector */
	uint64_t own_cpu_ns;    /* CPU time inside the collector */
	uint64_t own_minflt;    /* page faults of the collector */
	struct pm_own_io own_all; /* I/O of the collector, whole process */
	struct pm_str boot_id;    /* escaped texts in the arena below */
	struct pm_str hostname;
	struct pm_str exename;
	char file[1024];  /* path of the record file */
	size_t file_dir;  /* length of its directory part, the slash included */
	size_t file_stem; /* length up to the number that names the file */
};

extern struct pm_state pm;

/* Per thread; initial-exec, so that reading it never allocates. */
struct pm_thread {
	bool busy;              /* inside a hook of this library: nested calls pass through */
	uint64_t mask;          /* the program's signal mask, while busy */
	int reaped;             /* the child that a wait reaped last */
	int tid;                /* 0: not known yet */
	uint32_t slot;          /* 1 + index into the thread table, 0 none */
	struct pm_own_io own;   /* the collector's I/O in this thread */
	struct pm_moment start; /* start of a thread other than the main one */
	uintptr_t stack;        /* stack address where the thread began; 0: main thread */
	unsigned waits, calls;  /* system.c: begun and not finished */
	int64_t starttime;      /* `start` in clock ticks after boot, -1 unknown */
};

extern __thread struct pm_thread pm_self;

/* Inode of this process' pid namespace, 0 if unknown. */
int64_t pm_state_namespace(void);

/*
 * True when a hook may act: switched on, not nested, and this really is the process that the
 * state describes (a vfork child is not).
 */
bool pm_may_act(void);

/* True when a hook may act and also record: not in an excluded program. */
bool pm_may_record(void);

/*
 * Enter a hook that may record; leave it with pm_leave(). All signals are blocked in between: a
 * handler might wait, fork or exit itself, unseen, or jump out and leave the hook entered for ever.
 */
bool pm_enter(void);
void pm_leave(void);

/* Like pm_enter, for the few hooks that act in excluded programs as well. */
bool pm_enter_any(void);

/* Block signals and mark the thread as busy, as pm_enter does: for a fork child, whose state is not
 * its own yet. */
void pm_shield(void);

/*
 * The cost of a hook, charged to the collector: elapsed and CPU time, page faults, blocks written.
 * `used` is the usage of the calling thread when the hook began.
 */
struct pm_charge {
	int64_t mono_ns;
	struct rusage used;
};
void pm_charge_begin(struct pm_charge *c);
void pm_charge_end(const struct pm_charge *c);

/* Count bytes the collector read or wrote with one call, for the thread and the process. */
void pm_own_read(long bytes);
void pm_own_write(long bytes);

/* Count blocks of 512 bytes that the collector caused to be written. */
void pm_own_outblock(long blocks);

/* Read the clocks. */
void pm_moment_now(struct pm_moment *m);

/* Nanoseconds of a clock; all but the CPU clocks cost no system call. */
int64_t pm_clock_ns(int clock);

/* A time of CLOCK_BOOTTIME in the clock ticks of /proc/PID/stat, field 22, cut as the kernel does.
 */
int64_t pm_ticks(int64_t boottime_ns);

#endif
