/* One pass over the processes of a job, for all that look at each of them: the table is most of
 * what a report reads of a large job. */
#ifndef PM_REPORT_ROWS_PROCESSPASS_H
#define PM_REPORT_ROWS_PROCESSPASS_H

#include "report/rows/labels.h"

#include "common/err.h"
#include "db/db.h"

/* Columns of table process that are read. */
#define PM_PROCESSPASS_NUMBERS(X)                                                                  \
	X(id)                                                                                      \
	X(host_id)                                                                                 \
	X(parent_id)                                                                               \
	X(cpu_time)                                                                                \
	X(pid)                                                                                     \
	X(starttime)                                                                               \
	X(image_us)                                                                                \
	X(generation)                                                                              \
	X(sid)                                                                                     \
	X(mpirank)                                                                                 \
	X(start_us)                                                                                \
	X(end_us)                                                                                  \
	X(duration_us)                                                                             \
	X(exitcode)                                                                                \
	X(exitsignal)                                                                              \
	X(numtids)                                                                                 \
	X(rssmax)                                                                                  \
	X(majflt)                                                                                  \
	X(vol_ctxsw)                                                                               \
	X(delayacct_blkio_time)                                                                    \
	X(syscr)                                                                                   \
	X(syscw)                                                                                   \
	X(time_oncpu)                                                                              \
	X(time_waiting)
#define PM_PROCESSPASS_TEXTS(X)                                                                    \
	X(exename)                                                                                 \
	X(args)                                                                                    \
	X(thread_name)                                                                             \
	X(end_reason)                                                                              \
	X(last_call)

/* A process: its columns, PM_UNKNOWN or NULL where they are, and the number of its label. Texts are
 * valid until the next process. */
struct pm_processpass_row {
#define NUMBER(name) int64_t name;
#define TEXT(name)   const char *name;
	PM_PROCESSPASS_NUMBERS(NUMBER)
	PM_PROCESSPASS_TEXTS(TEXT)
#undef NUMBER
#undef TEXT
	int64_t label;
};

/* Who takes each process. Returns 0, or -1 with e filled. */
struct pm_processpass_taker {
	int (*take)(void *ctx, const struct pm_processpass_row *row, struct pm_err *e);
	void *ctx;
};

/* Give the processes of a job, by id, to each of n takers; labels are added to `labels`. Returns 0,
 * or -1 with e filled. */
int pm_processpass(struct pm_db *db, int64_t job, struct pm_labels *labels,
		   const struct pm_processpass_taker *taker, size_t n, struct pm_err *e);

#endif
