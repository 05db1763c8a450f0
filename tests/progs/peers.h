/*
 * What a test program knows of its threads, kept until it is printed as lines that begin with "# "
 * for the test to compare with the records. Nothing here writes, waits or takes memory before
 * peers_print(). Each object that includes this has a list of its own.
 */
#ifndef PEERS_H
#define PEERS_H

#include <inttypes.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	long tid;
	char name[16];
} peers_thread[40000];

static struct {
	long tid;
	const char *column;
	int64_t low, high;
} peers_bound[1000];

static unsigned peers_threads, peers_bounds_n;

/* The calling thread: takes the name, or keeps its own for NULL. */
static inline void peers_report(const char *name)
{
	unsigned i = __atomic_fetch_add(&peers_threads, 1, __ATOMIC_RELAXED);

	if (name)
		prctl(PR_SET_NAME, name, 0, 0, 0);
	if (i >= sizeof peers_thread / sizeof peers_thread[0])
		_exit(96);
	prctl(PR_GET_NAME, peers_thread[i].name, 0, 0, 0);
	peers_thread[i].tid = syscall(SYS_gettid);
}

/* Take the memory of the list, so that a program can measure what else takes some. */
static inline void peers_touch(void)
{
	for (unsigned i = 0; i < sizeof peers_thread / sizeof peers_thread[0]; i++)
		*(volatile long *)&peers_thread[i].tid = peers_thread[i].tid;
}

/* A column of a thread's record lies within low and high. */
static inline void peers_bounds(long tid, const char *column, int64_t low, int64_t high)
{
	unsigned i = __atomic_fetch_add(&peers_bounds_n, 1, __ATOMIC_RELAXED);

	if (i >= sizeof peers_bound / sizeof peers_bound[0])
		_exit(96);
	peers_bound[i].tid = tid;
	peers_bound[i].column = column;
	peers_bound[i].low = low;
	peers_bound[i].high = high;
}

static inline void peers_print(void)
{
	for (unsigned i = 0; i < peers_threads; i++)
		printf("# %ld thread %ld %s\n", (long)getpid(), peers_thread[i].tid,
		       peers_thread[i].name);
	for (unsigned i = 0; i < peers_bounds_n; i++)
		printf("# %ld bounds %ld %s %" PRId64 " %" PRId64 "\n", (long)getpid(),
		       peers_bound[i].tid, peers_bound[i].column, peers_bound[i].low,
		       peers_bound[i].high);
	fflush(stdout);
}

#endif
