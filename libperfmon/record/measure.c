/* Reading metrics into a record. */
#include "config.h"

#include "libperfmon/record/measure.h"

#include "common/safe/procfs.h"
#include "common/safe/rusage.h"
#include "libperfmon/base/readfile.h"

#include <linux/prctl.h>
#include <string.h>
#include <time.h>

static const enum pm_column io_column[PM_IO_FIELDS] = {
	[PM_IO_RCHAR] = PM_COL_rchar,
	[PM_IO_WCHAR] = PM_COL_wchar,
	[PM_IO_SYSCR] = PM_COL_syscr,
	[PM_IO_SYSCW] = PM_COL_syscw,
	[PM_IO_READ_BYTES] = PM_COL_read_bytes,
	[PM_IO_WRITE_BYTES] = PM_COL_write_bytes,
	[PM_IO_CANCELLED_WRITE_BYTES] = PM_COL_cancelled_write_bytes,
};

bool pm_measure_children(struct pm_record *r)
{
	struct rusage ru;

	if (pm_sys2(SYS_getrusage, RUSAGE_CHILDREN, &ru) < 0)
		return true;
	pm_record_int(r, PM_COL_cminflt, ru.ru_minflt);
	pm_record_int(r, PM_COL_cmajflt, ru.ru_majflt);
	pm_record_int(r, PM_COL_cutime, pm_rusage_us(&ru.ru_utime));
	pm_record_int(r, PM_COL_cstime, pm_rusage_us(&ru.ru_stime));
	/* Every process has page faults as it starts. */
	return ru.ru_minflt != 0;
}

/* Shorter lives, in microseconds, are measured by system calls alone. */
#define BRIEF_US 1000

bool pm_measure_is_brief(const struct pm_record *r)
{
	return pm_record_get(r, PM_COL_duration_us, BRIEF_US) < BRIEF_US;
}

void pm_measure_task(struct pm_task *task, int tid)
{
	struct pm_buf b;

	pm_buf_init(&b, task->path, sizeof task->path);
	pm_buf_mem(&b, "/proc/self/", 11);
	if (tid) {
		pm_buf_mem(&b, "task/", 5);
		pm_buf_i64(&b, tid);
		pm_buf_ch(&b, '/');
	}
	task->len = b.len;
}

/* Read a file of the task, or its beginning. Returns the bytes read or -1. */
static long read_file(const struct pm_task *task, const char *name, char *buf, size_t cap)
{
	char path[64];

	memcpy(path, task->path, task->len);
	memcpy(path + task->len, name, strlen(name) + 1);
	return pm_readfile(path, buf, cap);
}

static void set_thread_name(struct pm_record *r, const char *name, size_t n,
			    char escaped[PM_THREAD_NAME])
{
	struct pm_buf b;

	pm_buf_init(&b, escaped, PM_THREAD_NAME);
	pm_tsv_escape(&b, name, n);
	pm_record_text(r, PM_COL_thread_name, b.p, b.len);
}

void pm_measure_caller(struct pm_record *r, char thread_name[PM_THREAD_NAME])
{
	char name[16] = "";
	unsigned cpu;

	if (pm_sys3(SYS_getcpu, &cpu, NULL, NULL) == 0)
		pm_record_int(r, PM_COL_processor, cpu);
	if (pm_sys2(SYS_prctl, PR_GET_NAME, name) == 0)
		set_thread_name(r, name, strlen(name), thread_name);
}

/* Read a sum that other threads may be adding to. */
static int64_t load_sum(const uint64_t *sum)
{
	return (int64_t)__atomic_load_n(sum, __ATOMIC_RELAXED);
}

void pm_measure_own_io(struct pm_record *r, const struct pm_own_io *own)
{
	pm_record_int(r, PM_COL_own_rchar, load_sum(&own->rchar));
	pm_record_int(r, PM_COL_own_wchar, load_sum(&own->wchar));
	pm_record_int(r, PM_COL_own_syscr, load_sum(&own->syscr));
	pm_record_int(r, PM_COL_own_syscw, load_sum(&own->syscw));
	pm_record_int(r, PM_COL_own_outblock, load_sum(&own->outblock));
}

static void set_io(struct pm_record *r, const char *text, long n)
{
	int64_t v[PM_IO_FIELDS];

	if (n <= 0 || pm_procfs_io(text, (size_t)n, v) < 0)
		return;
	for (int i = 0; i < PM_IO_FIELDS; i++)
		pm_record_int(r, io_column[i], v[i]);
}

/*
 * CPU times of another thread, which getrusage(2) does not have: the scheduler's run time (ns),
 * split into user and system time in the ratio of the tick counters.
 */
static void set_other_times(struct pm_record *r, const struct pm_procfs_stat *stat)
{
	int64_t ticks = stat->utime + stat->stime, total;

	if (!pm_record_has(r, PM_COL_time_oncpu))
		return;
	total = r->v[PM_COL_time_oncpu].i / 1000;
	int64_t system =
		ticks > 0 ? total / ticks * stat->stime + total % ticks * stat->stime / ticks : 0;
	pm_record_int(r, PM_COL_systemtime, system);
	pm_record_int(r, PM_COL_usertime, total - system);
}

void pm_measure_io(struct pm_record *r, const struct pm_task *task, const struct pm_own_io *own)
{
	char buf[512];

	if (own)
		pm_measure_own_io(r, own);
	set_io(r, buf, read_file(task, "io", buf, sizeof buf));
}

void pm_measure_schedstat(struct pm_record *r, const struct pm_task *task)
{
	int64_t v[3];
	char buf[128];
	long n = read_file(task, "schedstat", buf, sizeof buf);

	if (n <= 0 || pm_procfs_schedstat(buf, (size_t)n, v) < 0)
		return;
	pm_record_int(r, PM_COL_time_oncpu, v[0]);
	pm_record_int(r, PM_COL_time_waiting, v[1]);
	pm_record_int(r, PM_COL_timeslices, v[2]);
}

/* Returns 0, or -1 where the file could not be read. */
static int read_stat(struct pm_record *r, const struct pm_task *task, struct pm_procfs_stat *stat,
		     char thread_name[PM_THREAD_NAME])
{
	char buf[1024];
	long n = read_file(task, "stat", buf, sizeof buf);

	if (n <= 0 || pm_procfs_stat(buf, (size_t)n, stat) < 0)
		return -1;
	pm_record_int(r, PM_COL_starttime, stat->starttime);
	pm_record_int(r, PM_COL_num_threads, stat->num_threads);
	pm_record_int(r, PM_COL_processor, stat->processor);
	pm_record_int(r, PM_COL_guest_time, stat->guest_time);
	if (pm.delayacct)
		pm_record_int(r, PM_COL_delayacct_blkio_time, stat->delayacct_blkio);
	set_thread_name(r, stat->comm.p, stat->comm.n, thread_name);
	return 0;
}

void pm_measure_stat(struct pm_record *r, const struct pm_task *task,
		     char thread_name[PM_THREAD_NAME])
{
	struct pm_procfs_stat stat;

	read_stat(r, task, &stat, thread_name);
}

void pm_measure_stat_of_other(struct pm_record *r, const struct pm_task *task,
			      char thread_name[PM_THREAD_NAME])
{
	struct pm_procfs_stat stat;

	if (read_stat(r, task, &stat, thread_name) == 0)
		set_other_times(r, &stat);
}

struct peaks {
	int64_t vmpeak, rssmax;
};

static int take_peaks(const char *text, size_t n, void *ctx)
{
	struct peaks *p = ctx;

	return pm_procfs_peaks(text, n, &p->vmpeak, &p->rssmax);
}

void pm_measure_peaks(struct pm_record *r)
{
	struct peaks p = { -1, -1 };
	char buf[1536];

	/* The line of supplementary groups, which comes before, may be longer than the buffer. */
	pm_readfile_lines("/proc/self/status", buf, sizeof buf, take_peaks, &p);
	if (p.vmpeak >= 0)
		pm_record_int(r, PM_COL_vmpeak, p.vmpeak);
	if (p.rssmax >= 0)
		pm_record_int(r, PM_COL_rssmax, p.rssmax);
}

void pm_measure_span(struct pm_record *r, const struct pm_moment *from)
{
	struct pm_moment now;

	pm_moment_now(&now);
	pm_record_int(r, PM_COL_end_us, now.real_us);
	pm_record_int(r, PM_COL_duration_us, (now.mono_ns - from->mono_ns) / 1000);
	if (now.tsc)
		pm_record_int(r, PM_COL_rdtsc_duration, (int64_t)(now.tsc - from->tsc));
}
