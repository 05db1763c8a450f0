/* A made-up job under way: shared by the files of generate. */
#ifndef PM_TESTS_PROGS_GENERATE_H
#define PM_TESTS_PROGS_GENERATE_H

#include "tests/progs/die.h"
#include "tests/progs/generate_lines.h"

#include <stdio.h>

#define BEGIN_US 1700000000000000
#define BOOT_US  (BEGIN_US - 3600000000)
#define HOST_NS  4026531836
#define SLOTS    16

struct options {
	const char *directory, *truth;
	long processes, hosts, seed, containers, pid_max, chains, cycles, threaded, events, slots;
	bool per_process;
	const char *tags, *jobid;
};

extern struct options asked;

/* Lines of one recipe, until they are the next in time. */
struct queue {
	char *text;
	size_t fill, cap;
	struct line {
		int64_t us;
		size_t at, n;
		int64_t pid, starttime; /* who writes it */
	} * line;
	size_t lines, lines_cap, next;
	int64_t now_us;
};

/* A pid namespace of a host. */
struct space {
	int64_t ns;
	int64_t last_pid;
	int64_t *free_us;       /* per pid: when it is free again */
	struct process init;    /* make, in which the recipes run */
	struct process outside; /* of a container: the process that started it, on the host */
	int64_t outside_pid;
	long left; /* images to make */
	struct queue slot[SLOTS];
};

struct job {
	char hostname[32], boot_id[64];
	FILE *out, *truth;
	struct said said;
	uint64_t random;
	long images, threads, failed, killed, unseen;
};
extern struct job job;

/* A number from 0 to below - 1. */
unsigned pick(unsigned below);

/* Forget the lines of a queue; write all; write the next one. */
void queue_empty(struct queue *q);
void queue_flush(struct queue *q);
void queue_write(struct queue *q);

/* Open a record file of the job's directory to append, its header written. */
FILE *open_records(const char *name);

/* A pid that no process had for a while. */
int64_t take_pid(struct space *s, int64_t now_us);

/* What a process uses in a while, and the time that takes. */
void use(struct queue *q, struct process *p, int64_t us);

/* A new process, child of the image that `parent` is now; its own image comes with start(). */
struct process child_of(struct space *s, struct queue *q, const struct process *parent);

/* An image begins: by exec, or with a fork. It ends, by exec (code -1) or exit. */
void start(struct queue *q, struct process *p, const char *path, const char *name,
	   const char *args);
void end(struct queue *q, struct process *p, int code);

/* The parent waits. `unseen`: nothing told of the end of the image, which is thus the wait's. */
void reap(struct space *s, struct queue *q, struct process *parent, const struct process *child,
	  int code, int sig, bool unseen);

/* A command from start to wait: some have four threads, some fail, some are killed. */
void command(struct space *s, struct queue *q, struct process *parent, struct process *p,
	     const char *path, const char *args, int64_t us);

/* One recipe: what make runs for a target. As many images are made as are left to make. */
void recipe(struct space *s, struct queue *q);

/* Two images in a circle, while *left of them are to be made. Returns how many images that is. */
long cycle(struct space *s, struct queue *q, long *left);

#endif
