/* Reading what the kernel knows of a process or thread into a record: raw values, as perfmon-tsv(5)
 * defines them. What cannot be read stays unknown. */
#ifndef PM_MEASURE_H
#define PM_MEASURE_H

#include "common/record.h"
#include "libperfmon/state.h"

#include <sys/resource.h>

/* The columns usertime to invol_ctxsw of RUSAGE_SELF or RUSAGE_THREAD, with their own names. */
void pm_measure_rusage(struct pm_record *r, int who);

/* The same columns from a wait4(2) result. */
void pm_measure_rusage_of(struct pm_record *r, const struct rusage *ru);

/* The columns of waited-for children. Returns whether there were any. */
bool pm_measure_children(struct pm_record *r);

/*
 * The columns of a thread's schedstat and stat files. For the calling thread getrusage says its
 * times better; for another one (`other`) they come from these files. thread_name gets memory for
 * an escaped name.
 */
#define PM_THREAD_NAME (16 * 4)
void pm_measure_task(struct pm_record *r, int tid, bool other, char thread_name[PM_THREAD_NAME]);

/*
 * The I/O columns of a thread, and in the own_ columns what of it the collector caused so far:
 * `own` is pm_self.own for the calling thread, NULL where it is not known. To be read last: what
 * the collector reads itself counts.
 */
void pm_measure_io(struct pm_record *r, int tid, const struct pm_own_io *own);

/* rssmax and vmpeak. */
void pm_measure_peaks(struct pm_record *r);

/* end_us, duration_us and rdtsc_duration since `from`. */
void pm_measure_span(struct pm_record *r, const struct pm_moment *from);

/* Replace the I/O columns by those of the whole process (/proc/self/io, dead threads included). */
void pm_measure_process_io(struct pm_record *r);

#endif
