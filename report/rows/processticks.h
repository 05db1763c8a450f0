/* The samples of a job's processes on a host, tick by tick. */
#ifndef PM_REPORT_ROWS_PROCESSTICKS_H
#define PM_REPORT_ROWS_PROCESSTICKS_H

#include "db/db.h"

/* Samples of one time; NaN where there is none, or its value is unknown. */
struct pm_process_tick {
	int64_t time_us;
	double user_us, system_us; /* CPU time since the job began */
	double memory;             /* resident set size in bytes */
	double most_memory;        /* the largest since the tick before, where that is known */
};

/* Receives a tick. Returns 0 or -1 with e filled. */
typedef int pm_process_tick_fn(void *ctx, const struct pm_process_tick *t, struct pm_err *e);

/* Find the series of the processes of all hosts of a job. Returns NULL with e filled on an error;
 * free it with pm_process_ticks_free(). */
struct pm_process_ticks *pm_process_ticks_new(struct pm_db *db, int64_t job, struct pm_err *e);
void pm_process_ticks_free(struct pm_process_ticks *p);

/* Read the ticks of a host in the order of time; hosts by their ids, each once. Returns 0 or -1
 * with e filled. */
int pm_process_ticks_read(struct pm_process_ticks *p, int64_t host, pm_process_tick_fn *each,
			  void *ctx, struct pm_err *e);

#endif
