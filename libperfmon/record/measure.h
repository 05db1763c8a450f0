/* Reading what the kernel knows of a process or thread into a record: raw values, as perfmon-tsv(5)
 * defines them. What cannot be read stays unknown. */
#ifndef PM_MEASURE_H
#define PM_MEASURE_H

#include "common/record.h"
#include "libperfmon/state.h"

#include <sys/resource.h>

/* The columns of waited-for children. Returns whether there were any. */
bool pm_measure_children(struct pm_record *r);

/* processor and thread_name of the calling thread, without /proc. `thread_name` gets memory for an
 * escaped name. */
#define PM_THREAD_NAME (16 * 4)
void pm_measure_caller(struct pm_record *r, char thread_name[PM_THREAD_NAME]);

/*
 * Whether an image or thread ended within a millisecond (duration_us is set). Where it began by fork
 * or is a thread, the kernel's files about it take longer to open than it lived, and are not read.
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

/* The columns of the stat file, for the caller whose CPU times getrusage says better. */
void pm_measure_stat(struct pm_record *r, const struct pm_task *task,
		     char thread_name[PM_THREAD_NAME]);

/* The same for another thread: its CPU times, too, from here and time_oncpu. */
void pm_measure_stat_of_other(struct pm_record *r, const struct pm_task *task,
			      char thread_name[PM_THREAD_NAME]);

/*
 * The I/O columns of a thread or process, and in the own_ columns what of it the collector caused
 * so far: `own` is pm_self.own for the calling thread, NULL where it is not known. To be read last:
 * what the collector reads itself counts. Of a process it holds the I/O of dead threads, and of
 * children that were waited for.
 */
void pm_measure_io(struct pm_record *r, const struct pm_task *task, const struct pm_own_io *own);

/* Only the own_ columns of those. */
void pm_measure_own_io(struct pm_record *r, const struct pm_own_io *own);

/* rssmax and vmpeak. */
void pm_measure_peaks(struct pm_record *r);

/* end_us, duration_us and rdtsc_duration since `from`. */
void pm_measure_span(struct pm_record *r, const struct pm_moment *from);

#endif
