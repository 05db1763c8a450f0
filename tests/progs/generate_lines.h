/* Lines of record files for made-up processes. */
#ifndef PM_TESTS_PROGS_GENERATE_LINES_H
#define PM_TESTS_PROGS_GENERATE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a process used since its birth, as the kernel counts it. */
struct usage {
	int64_t user, sys; /* us */
	int64_t minflt, outblock, vol, invol;
	int64_t rchar, wchar, syscr, syscw, write_bytes;
};

/* A process as its records show it: changes with every exec. */
struct process {
	const char *hostname, *boot_id;
	int64_t pid_ns, pid, starttime, ppid, pgid;
	int64_t image_us;
	int generation;
	const char *exe, *name; /* base name of the executable, command name */
	struct usage own, children;
	int64_t rss_kb;
	int threads;
	bool waited; /* its parent waits for it */
	/* The image that started it: see --truth. */
	int64_t parent_ns, parent_pid, parent_us; /* pid 0: none */
	/* For the truth of the current image. */
	int64_t cpu_before_us; /* of the images before */
};

/* What every start says. */
struct said {
	const char *tags, *jobid;
	int events; /* counters in an end */
};

/* Make a line with its newline in `line`, which has room for `cap` bytes. Returns its length; ends
 * the program where it is too long. `now_us` is the time of what it tells. */
size_t line_start(char *line, size_t cap, const struct process *p, const struct said *s,
		  const char *path, const char *args);
size_t line_thread(char *line, size_t cap, const struct process *p, const struct said *s,
		   int number, int64_t now_us);
size_t line_end(char *line, size_t cap, const struct process *p, const struct said *s,
		const char *why, int code, int64_t now_us);
size_t line_reaped(char *line, size_t cap, const struct process *parent,
		   const struct process *child, int code, int sig, int64_t now_us);

/* What the collector itself takes in every image that says its end: CPU time, us. */
#define OWN_CPU_US 110

/* CPU time that the kernel charges behind the end record, us: only the parent's wait has it. */
#define TAIL_US 40

#endif
