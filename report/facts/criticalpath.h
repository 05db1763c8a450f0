/* The critical path of a job: which processes decided its wall time, one after another, and what
 * they did meanwhile. analysis/path/path.h says how it is found. */
#ifndef PM_REPORT_FACTS_CRITICALPATH_H
#define PM_REPORT_FACTS_CRITICALPATH_H

#include "common/record/processname.h"
#include "db/db.h"
#include "report/rows/processpass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a process did in its time on the path, in microseconds; NAN where unknown. Estimates: the
 * figures of the whole process, which is on the path from its start to its end save for its
 * children, scaled down where threads or background work make them longer than that time. The rest
 * is other waiting: for data of others, locks, sleeps.
 */
struct pm_criticalpath_doing {
	double cpu_us, queue_us, io_us; /* on a CPU; ready, but without one; for block I/O */
	double other_us;                /* NAN where the first or the second is not known */
};

/* All steps of one label. */
struct pm_criticalpath_program {
	char label[PM_PROCESSNAME_MAX]; /* "": outside of recorded processes */
	int64_t processes, wall_us;
	struct pm_criticalpath_doing doing;
};

/* A part of the wall time, and the process that decided it. */
struct pm_criticalpath_step {
	int64_t from_us, to_us; /* UTC; the steps cover the job without gaps */
	int64_t process;        /* its id in the job; 0: none that was recorded */
	int64_t pid;            /* PM_UNKNOWN */
	int64_t host;           /* its id in the job */
	size_t program;         /* number in `program` */
	struct pm_criticalpath_doing doing;
};

struct pm_criticalpath_host {
	int64_t id; /* in the job */
	char name[PM_PROCESSNAME_MAX];
};

struct pm_criticalpath {
	int64_t start_us, end_us; /* of the job, PM_UNKNOWN: then there are no steps */
	bool open;                /* the job was not closed: it is the path so far */
	bool retired;             /* its processes were deleted by intent: there are no steps */
	struct pm_criticalpath_step *step; /* in order of time */
	size_t steps;
	struct pm_criticalpath_program *program; /* by wall_us, the most first */
	size_t programs;
	struct pm_criticalpath_host *host; /* of the steps */
	size_t hosts, hosts_room;
	/* Children that their parent, busy itself, did not seem to wait for; images on the path
	 * whose end is a lower bound; tasks moved because clocks of hosts differ. */
	size_t background, unended, shifted;
	bool ranks; /* a rank of a parallel program is on it */
};

/*
 * Find the critical path of a job. `utf8`: labels may contain UTF-8. Takes up to 200 bytes per
 * process of the job, 300 per label and 130 per step. Returns 0 or -1 with e filled;
 * pm_criticalpath_free() in either case.
 */
int pm_criticalpath_read(struct pm_criticalpath *p, struct pm_db *db, int64_t job, bool utf8,
			 struct pm_err *e);

/*
 * The same for a caller that gives it the processes of its own pass: begin, take each, finish with
 * the labels of the pass, end. *reading stays NULL where there is no path to look for. Those that
 * can fail return 0 or -1 with e filled.
 */
struct pm_criticalpath_reading;
int pm_criticalpath_begin(struct pm_criticalpath_reading **reading, struct pm_criticalpath *p,
			  struct pm_db *db, int64_t job, struct pm_err *e);
int pm_criticalpath_take(void *reading, const struct pm_processpass_row *row, struct pm_err *e);
int pm_criticalpath_finish(struct pm_criticalpath_reading *reading, struct pm_db *db, int64_t job,
			   bool utf8, const struct pm_labels *labels, struct pm_err *e);
void pm_criticalpath_end(void *reading); /* NULL is fine */

void pm_criticalpath_free(struct pm_criticalpath *p);

/* Add up the time of steps of no recorded process. */
int64_t pm_criticalpath_outside(const struct pm_criticalpath *p);

/* Name of the host of a step, "" for none. */
const char *pm_criticalpath_host(const struct pm_criticalpath *p,
				 const struct pm_criticalpath_step *s);

#endif
