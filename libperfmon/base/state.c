/* The collector's state, its entry guard and its clocks. */
#include "config.h"

#include "libperfmon/base/state.h"

#include "common/safe/rusage.h"
#include "libperfmon/base/nextsymbol.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

#ifdef __aarch64__
#define VDSO_CLOCK "__kernel_clock_gettime"
#else
#define VDSO_CLOCK "__vdso_clock_gettime"
#endif

PM_NEAR struct pm_state pm;
__thread struct pm_thread pm_self;

int64_t pm_state_namespace(void)
{
	char link[64]; /* "pid:[4026531836]" */
	long n = pm_sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", link, sizeof link);
	int64_t inode;

	return n > 6 && pm_tsv_number(link + 5, (size_t)n - 6, &inode) == 0 ? inode : 0;
}

/* Whether this is the pid namespace of `pm`. The first process of a pid namespace has pid 1, and so
 * may a vfork child that is the first process of another one. Without /proc, assume that it is. */
static bool same_namespace(void)
{
	int64_t ns = pm_state_namespace();

	return ns == 0 || ns == pm.pid_ns;
}

bool pm_may_act(void)
{
	return pm.on && !pm_self.busy && pm_sys0(SYS_getpid) == pm.pid &&
	       (pm.pid != 1 || same_namespace());
}

bool pm_may_record(void)
{
	return !pm.excluded && pm_may_act();
}

void pm_shield(void)
{
	uint64_t all = ~(uint64_t)0;

	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &pm_self.mask, sizeof all);
	pm_self.busy = true;
}

bool pm_enter_any(void)
{
	if (!pm_may_act())
		return false;
	pm_shield();
	return true;
}

bool pm_enter(void)
{
	return !pm.excluded && pm_enter_any();
}

void pm_leave(void)
{
	/* Handlers of pending signals run inside the system call, and may enter again. */
	uint64_t mask = pm_self.mask;

	pm_self.busy = false;
	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

static int ask_kernel(clockid_t clock, struct timespec *ts)
{
	return (int)pm_sys2(SYS_clock_gettime, clock, ts);
}

/*
 * libc's clock_gettime would do, but other libraries interpose it: libfaketime returns another
 * time, and ThreadSanitizer runs signal handlers in it, in the middle of a hook.
 */
int64_t pm_clock_ns(int clock)
{
	static int (*asked)(clockid_t, struct timespec *);
	int (*ask)(clockid_t, struct timespec *) = __atomic_load_n(&asked, __ATOMIC_RELAXED);
	struct timespec ts = { 0, 0 };

	if (!ask) {
		ask = (int (*)(clockid_t, struct timespec *))pm_nextsymbol_vdso(VDSO_CLOCK);
		if (!ask)
			ask = ask_kernel;
		__atomic_store_n(&asked, ask, __ATOMIC_RELAXED);
	}
	ask(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t pm_ticks(int64_t boottime_ns)
{
	return boottime_ns / pm.tick_ns;
}

/* Cycles of the time stamp counter, 0 where there is none. */
static uint64_t read_timestamp(void)
{
#if defined __x86_64__
	return __builtin_ia32_rdtsc();
#elif defined __aarch64__
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return 0;
#endif
}

void pm_moment_now(struct pm_moment *m)
{
	m->tsc = read_timestamp();
	m->real_us = pm_clock_ns(CLOCK_REALTIME) / 1000;
	m->mono_ns = pm_clock_ns(CLOCK_MONOTONIC);
}

void pm_charge_begin(struct pm_charge *c)
{
	c->mono_ns = pm_clock_ns(CLOCK_MONOTONIC);
	if (pm_sys2(SYS_getrusage, RUSAGE_THREAD, &c->used) < 0)
		c->used = (struct rusage){ 0 };
}

void pm_charge_end(const struct pm_charge *c)
{
	struct rusage used;
	int64_t elapsed;

	if (pm_sys2(SYS_getrusage, RUSAGE_THREAD, &used) < 0)
		return;
	elapsed = pm_clock_ns(CLOCK_MONOTONIC) - c->mono_ns;
	__atomic_add_fetch(&pm.own_ns, (uint64_t)elapsed, __ATOMIC_RELAXED);
	__atomic_add_fetch(&pm.own_cpu_ns,
			   (uint64_t)(pm_rusage_cpu_ns(&used) - pm_rusage_cpu_ns(&c->used)),
			   __ATOMIC_RELAXED);
	__atomic_add_fetch(&pm.own_minflt, (uint64_t)(used.ru_minflt - c->used.ru_minflt),
			   __ATOMIC_RELAXED);
	pm_own_outblock(used.ru_oublock - c->used.ru_oublock);
}

void pm_own_read(long bytes)
{
	pm_self.own.rchar += (uint64_t)bytes;
	pm_self.own.syscr++;
	__atomic_add_fetch(&pm.own_all.rchar, (uint64_t)bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&pm.own_all.syscr, 1, __ATOMIC_RELAXED);
}

void pm_own_write(long bytes)
{
	pm_self.own.wchar += (uint64_t)bytes;
	pm_self.own.syscw++;
	__atomic_add_fetch(&pm.own_all.wchar, (uint64_t)bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&pm.own_all.syscw, 1, __ATOMIC_RELAXED);
}

void pm_own_outblock(long blocks)
{
	pm_self.own.outblock += (uint64_t)blocks;
	__atomic_add_fetch(&pm.own_all.outblock, (uint64_t)blocks, __ATOMIC_RELAXED);
}
