/* Counters that the kernel keeps for every thread. */
#include "config.h"

#include "libperfmon/record/usage.h"

#include "common/safe/buf.h"
#include "common/safe/procfs.h"
#include "libperfmon/base/readfile.h"
#include "libperfmon/base/state.h"

#include <sys/resource.h>
#include <time.h>

/* The kernel's number for the CPU clock of a thread, 0 for the caller. */
static clockid_t clock_of(int tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 4 /* of a thread */ | 2 /* by the scheduler */);
}

static int64_t cpu_ns(int tid)
{
	struct timespec t;

	if (pm_sys2(SYS_clock_gettime, clock_of(tid), &t) < 0)
		return -1;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t own_switches(void)
{
	struct rusage used;

	if (pm_sys2(SYS_getrusage, RUSAGE_THREAD, &used) < 0)
		return -1;
	return used.ru_nvcsw + used.ru_nivcsw;
}

struct switches {
	int64_t voluntary, involuntary;
};

static int take_switches(const char *text, size_t n, void *ctx)
{
	struct switches *s = ctx;

	return pm_procfs_switches(text, n, &s->voluntary, &s->involuntary);
}

static int64_t switches_of(int tid)
{
	char path[32 + PM_BUF_NUMBER_MAX], text[512];
	struct switches s = { -1, -1 };
	struct pm_buf b;

	pm_buf_init(&b, path, sizeof path);
	pm_buf_mem(&b, "/proc/self/task/", 16);
	pm_buf_i64(&b, tid);
	pm_buf_mem(&b, "/status", 8);
	pm_readfile_lines(path, text, sizeof text, take_switches, &s);
	return s.voluntary < 0 || s.involuntary < 0 ? -1 : s.voluntary + s.involuntary;
}

int64_t pm_usage_now(enum pm_event_how how, int tid, bool files)
{
	if (how == PM_HOW_CLOCK)
		return cpu_ns(tid);
	if (tid == 0 || tid == pm_sys0(SYS_gettid))
		return own_switches();
	return files ? switches_of(tid) : -1;
}
