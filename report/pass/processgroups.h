/* Processes of a job added up, as one pass reads them: by host, and by the second in which they
 * started. */
#ifndef PM_REPORT_PASS_PROCESSGROUPS_H
#define PM_REPORT_PASS_PROCESSGROUPS_H

#include "report/facts/facts.h"

/* A process: columns of its row; PM_UNKNOWN where NULL. */
struct pm_groups_process {
	int64_t id, host, start_us, duration_us, cpu_us, threads;
	int64_t oncpu_us, waiting_us;
	int64_t switches; /* voluntary context switches */
	int64_t calls;    /* that read or write */
	int64_t rss;      /* bytes */
	int64_t majflt;   /* major faults */
};

struct pm_groups;

/* Begin; the hosts and the times of the job are known. Returns NULL if out of memory. */
struct pm_groups *pm_groups_new(struct pm_facts *f);

/* Add a process, in any order. */
void pm_groups_add(struct pm_groups *g, const struct pm_groups_process *p);

/* Fill in the facts: sleeper without its name, process of the threads, burst, times of the hosts. Returns the id of
 * the sleeping process, 0 for none. */
int64_t pm_groups_finish(struct pm_groups *g, struct pm_facts *f);

void pm_groups_free(struct pm_groups *g);

#endif
