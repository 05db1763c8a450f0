/* Read the kernel's account of a process or thread into a record: raw values, as perfmon-tsv(5)
 * defines them. What cannot be read stays unknown. */
#ifndef PM_LIBPERFMON_RECORD_MEASURE_H
#define PM_LIBPERFMON_RECORD_MEASURE_H

#include "common/safe/record.h"
#include "libperfmon/base/state.h"

#include <sys/resource.h>

/* The columns of waited-for children. Returns whether there were any. */
bool pm_measure_children(struct pm_record *r);

/* processor and thread_name of the calling thread, without /proc. `thread_name` gets memory for an
 * escaped name. */
#define PM_THREAD_NAME (16 * 4)
void pm_measure_caller(struct pm_record *r, char thread_name[PM_THREAD_NAME]);

/*
 * Whether an image or thread ended within a millisecond (duration_us is set). The kernel's files
 * about a thread or a fork child take longer to open than that, and are not read then.
 */
bool pm_measure_is_brief(const struct pm_record *r);

/* The folder of a task in /proc. */
struct pm_task {
	char path[48];
	size_t len;
};

/* The folder of the thread `tid`; with 0 that of the whole process. */
void pm_measure_task(struct pm_task *task, int tid);

/* time_oncpu, time_waiting and timeslices of a thread; of a process those of its main thread. */
void pm_measure_schedstat(struct pm_record *r, const struct pm_task *task);

/* The columns of the stat file, for the caller, whose CPU times getrusage(2) has more exactly. */
void pm_measure_stat(struct pm_record *r, const struct pm_task *task,
		     char thread_name[PM_THREAD_NAME]);

/* Like pm_measure_stat, but for another thread and with its CPU times, by the stat file and
 * time_oncpu. */
void pm_measure_stat_of_other(struct pm_record *r, const struct pm_task *task,
			      char thread_name[PM_THREAD_NAME]);

/*
 * The I/O columns of a thread or process, and in the own_ columns the collector's share so far:
 * `own` is pm_self.own for the calling thread, NULL if unknown. Call this last, as the collector's
 * own reads also count. The I/O of a process includes that of dead threads, and of children that
 * were waited for.
 */
void pm_measure_io(struct pm_record *r, const struct pm_task *task, const struct pm_own_io *own);

/* Only the own_ columns of pm_measure_io. */
void pm_measure_own_io(struct pm_record *r, const struct pm_own_io *own);

/* rssmax and vmpeak. */
void pm_measure_peaks(struct pm_record *r);

/* end_us, duration_us and rdtsc_duration since `from`. */
void pm_measure_span(struct pm_record *r, const struct pm_moment *from);

#endif
