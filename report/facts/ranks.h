/* Ranks of parallel programs, hosts and batch steps of a job: what each used, and how evenly. */
#ifndef PM_REPORT_FACTS_RANKS_H
#define PM_REPORT_FACTS_RANKS_H

#include "common/record/processname.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs of parallel programs, and steps, that are kept. */
#define PM_RANKS_RUNS 1000

enum pm_ranks_figure {
	PM_RANKS_WALL,    /* us, first start to last end */
	PM_RANKS_CPU,     /* us, sum over processes */
	PM_RANKS_RSS,     /* bytes, largest process */
	PM_RANKS_MOVED,   /* bytes of read and write calls */
	PM_RANKS_STORAGE, /* bytes from and to storage */
	PM_RANKS_FIGURES
};

/* A figure over ranks or hosts. */
struct pm_ranks_spread {
	int64_t known; /* of so many; if 0, the rest is unset */
	double least, mean, most;
	int64_t least_at, most_at; /* number of the rank, or id of the host */
};

/* A run of a parallel program: processes with ranks of one start. */
struct pm_ranks_run {
	char label[PM_PROCESSNAME_MAX]; /* of rank 0, or the least that is there */
	char step[32];                  /* of the batch system; "" */
	int64_t ranks;                  /* different ones recorded */
	int64_t size;                   /* as the launcher told the ranks; PM_UNKNOWN */
	int64_t hosts;
	int64_t start_us, end_us; /* PM_UNKNOWN */
	struct pm_ranks_spread spread[PM_RANKS_FIGURES];
	int64_t busiest_host; /* id of the host of the rank with the most CPU time */
	/*
	 * Share of the time that even work would save at best, (max - mean) / max of the CPU time
	 * of ranks: one less the load balance of POP's model (pop-coe.eu, "Standard Metrics"),
	 * which is DeRose's imbalance (2007) without his factor n / (n - 1). NAN: unknown, as where
	 * that of a rank is.
	 */
	double imbalance;
	double cost_us; /* imbalance times the largest wall time of a rank; NAN */
};

/* A step of the batch system. */
struct pm_ranks_step {
	char step[32];
	char label[PM_PROCESSNAME_MAX];  /* its first program */
	int64_t processes, hosts, tasks; /* tasks: different ranks */
	int64_t start_us, end_us;
	int64_t value[PM_RANKS_FIGURES]; /* of all its processes; PM_UNKNOWN */
	int64_t failed;                  /* processes that ended with a status other than 0 or by a
					  * signal */
};

struct pm_ranks {
	struct pm_ranks_run *run; /* by start; owned */
	size_t runs;
	bool runs_cut;
	struct pm_ranks_step *step; /* by start; owned */
	size_t steps;
	bool steps_cut;
	int64_t hosts; /* with processes */
	struct pm_ranks_spread host[PM_RANKS_FIGURES];
};

/*
 * Read the ranks, steps and hosts of a job; running processes count until now_us. One pass over its
 * processes; takes some 8 bytes per process with a rank and 160 per rank. Returns 0 or -1 with e
 * filled; pm_ranks_free() in either case.
 */
int pm_ranks_read(struct pm_ranks *r, struct pm_db *db, int64_t job, int64_t now_us, bool utf8,
		  struct pm_err *e);

void pm_ranks_free(struct pm_ranks *r);

/* Add the value of a rank or host to a spread that began as zero; PM_UNKNOWN adds nothing. */
void pm_ranks_add(struct pm_ranks_spread *s, int64_t value, int64_t at);

/* The run whose busiest rank used most CPU time above the mean, of those whose imbalance is known;
 * NULL: none. r may be NULL. */
const struct pm_ranks_run *pm_ranks_uneven(const struct pm_ranks *r);

/* (max - mean) / max of a spread over at least two, else NAN. */
double pm_ranks_imbalance(const struct pm_ranks_spread *s);

#endif
