/* What is known of a running job: its hosts, processes and programs, from records, series and
 * /proc. Filled by records.c, ticks.c and live.c; knows no file and no terminal. */
#ifndef PM_REPORT_TOP_MODEL_H
#define PM_REPORT_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A count that is not known. */
#define PM_TOP_UNKNOWN (-1)

/* Counts of a process that only grow: us, else bytes. */
enum pm_top_count {
	PM_TOP_CPU,
	PM_TOP_READ,    /* by calls */
	PM_TOP_WRITTEN, /* by calls */
	PM_TOP_FETCHED, /* from storage */
	PM_TOP_STORED,  /* to storage */
	PM_TOP_COUNTS
};

/* Different programs kept of a host; further ones are added up as "*". */
#define PM_TOP_PROGRAMS 4096

/* A counter of a series at its last two ticks; times are 0 where there is none. */
struct pm_top_counter {
	int64_t value, time_us, before, before_us;
};

/* Programs with one command name on a host. */
struct pm_top_program {
	char *name; /* safe text, as the kernel has it (comm); owned */
	int64_t running, started;
	int64_t total[PM_TOP_COUNTS];  /* by records, and /proc where they run */
	int64_t last[PM_TOP_COUNTS];   /* total at the picture before */
	int64_t live_rss;              /* bytes, by /proc */
	struct pm_top_counter cputime; /* by the sampler */
	int64_t rss, processes;        /* by the sampler; -1 unknown */
};

struct pm_top_host {
	char name[256], boot_id[64]; /* as in records */
	bool here;                   /* this host, since this boot: /proc tells of its processes */
	struct pm_top_program *program;
	size_t programs, room;
	void *names;                                        /* tree of programs by name */
	int64_t records_us;                                 /* last time in its records; 0: none */
	int64_t tick_us;                                    /* last tick; 0: none */
	struct pm_top_counter count[PM_TOP_COUNTS], system; /* of all, by the sampler */
	int64_t rss, processes;                             /* by the sampler; -1 unknown */
	int64_t ended;
};

/* A process that runs as far as its records tell. */
struct pm_top_process {
	uint32_t host, program;
	int64_t pid_ns, pid, starttime;
	int64_t start_us;
	int64_t last[PM_TOP_COUNTS]; /* of the counts, what is in the program's total */
	int64_t rss;
	bool gone; /* it was not in /proc the last time: its end record is about to be read */
	struct pm_top_process *next, *before;
};

struct pm_top_model {
	struct pm_top_host **host;
	size_t hosts, room;
	void *processes; /* tree of struct pm_top_process by host, pid_ns and pid */
	struct pm_top_process *first;
	size_t running;
	int64_t own_pid_ns;
	char own_host[256], own_boot[64];
};

/* Begin without hosts. */
void pm_top_model_init(struct pm_top_model *m);
void pm_top_model_free(struct pm_top_model *m);

/* The number of a host, which is added unless it is known. -1: out of memory. */
int64_t pm_top_model_host(struct pm_top_model *m, const char *name, size_t n, const char *boot_id,
			  size_t boot_n);

/* The number of a program of a host, by its escaped name. -1: out of memory. */
int64_t pm_top_model_program(struct pm_top_host *h, const char *name, size_t n);

/* Find the process with a pid, or NULL. */
struct pm_top_process *pm_top_model_find(struct pm_top_model *m, uint32_t host, int64_t pid_ns,
					 int64_t pid);

/* Add a process. Returns it, or NULL if out of memory. */
struct pm_top_process *pm_top_model_add(struct pm_top_model *m, const struct pm_top_process *p);

/* Remove a process that has ended. */
void pm_top_model_end(struct pm_top_model *m, struct pm_top_process *p);

/* Move a process to another program, which its exec started. */
void pm_top_model_exec(struct pm_top_model *m, struct pm_top_process *p, uint32_t program);

/* Add to the totals of its program what a process has used since they were last added; -1 is
 * unknown. */
void pm_top_model_used(struct pm_top_model *m, struct pm_top_process *p,
		       const int64_t count[PM_TOP_COUNTS]);

/* Take a sample of a counter. */
void pm_top_counter_add(struct pm_top_counter *c, int64_t value, int64_t time_us);

/* Growth per second between the last two ticks, NAN where there are no two. */
double pm_top_counter_rate(const struct pm_top_counter *c);

#endif
