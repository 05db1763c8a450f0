/* What ranks, hosts and steps have in common: sums of processes. Between ranks*.c alone. */
#ifndef PM_REPORT_FACTS_RANKS_SUMS_H
#define PM_REPORT_FACTS_RANKS_SUMS_H

#include "report/facts/ranks.h"

/* What processes used. */
struct pm_ranks_sums {
	int64_t start_us, end_us;
	int64_t value[PM_RANKS_FIGURES];   /* of the processes where it is known */
	bool incomplete[PM_RANKS_FIGURES]; /* it is unknown of a process */
};

/* A process with a rank whose parent has none, or another one, and all below it. */
struct pm_ranks_member {
	int64_t rank, size;
	int64_t host, pid, starttime;
	size_t step;        /* number + 1; 0: none */
	char step_name[32]; /* its name, once all are known */
	size_t run;         /* which occurrence of its rank */
	uint32_t merged;    /* of its images, the first one */
	char label[64];
	struct pm_ranks_sums sums;
};

/* a + b, or the known one. */
int64_t pm_ranks_sum(int64_t a, int64_t b);

/* Set all to unknown; add what further processes used. */
void pm_ranks_sums_init(struct pm_ranks_sums *s);
void pm_ranks_sums_add(struct pm_ranks_sums *to, const struct pm_ranks_sums *s);

/* Count a number unless it is in a tree, whose nodes free(3) frees. Returns 0, or -1 if out of
 * memory. */
int pm_ranks_count(void **tree, int64_t number, int64_t *count);

/* Make runs of the members, which are sorted anew; single processes with a rank are none. Returns
 * 0, or -1 if out of memory. */
int pm_ranks_make_runs(struct pm_ranks *r, struct pm_ranks_member *member, size_t members);

#endif
