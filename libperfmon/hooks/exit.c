/* The ways an image ends by itself: exit, quick_exit, _exit, _Exit. */
#include "config.h"

#include "libperfmon/hooks/exit.h"

#include "common/safe/rusage.h"
#include "libperfmon/base/await.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/stack.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counters.h"
#include "libperfmon/count/papi.h"
#include "libperfmon/hooks/thread.h"
#include "libperfmon/record/clients.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/measure.h"
#include "libperfmon/record/sizelimit.h"
#include "libperfmon/record/target.h"
#include "libperfmon/record/threadbuffer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern __typeof__(on_exit) on_exit __attribute__((weak));
extern int __cxa_at_quick_exit(void (*function)(void *), void *dso) __attribute__((weak));

/* Shortest time between last words, records in case the image can write none later: a program that
 * changes its user over and over must not fill the disk. The first call in an image always writes
 * them, and so does the first call that changes the user: only after that does the loader accept
 * records about the image in another user's file. */
#define LAST_WORDS_NS 1000000000

/* Set the cost of the collector so far, this hook from `used` to `after` included. */
static void set_own_cost(struct pm_record *r, int64_t entered_ns, const struct rusage *used,
			 const struct rusage *after)
{
	int64_t elapsed = pm_clock_ns(CLOCK_MONOTONIC) - entered_ns;
	int64_t cpu = pm_rusage_cpu_ns(after) - pm_rusage_cpu_ns(used);
	int64_t faults = after->ru_minflt - used->ru_minflt;

	/* Other threads may be in hooks at this moment, and change these sums. */
	elapsed += (int64_t)__atomic_load_n(&pm.own_ns, __ATOMIC_RELAXED);
	cpu += (int64_t)__atomic_load_n(&pm.own_cpu_ns, __ATOMIC_RELAXED);
	faults += (int64_t)__atomic_load_n(&pm.own_minflt, __ATOMIC_RELAXED);
	pm_record_int(r, PM_COL_own_overhead_us, elapsed / 1000);
	pm_record_int(r, PM_COL_own_cpu_us, cpu / 1000);
	pm_record_int(r, PM_COL_own_minflt, faults);
}

/*
 * After an exec the next image starts from these counters. So add the write of this record, which
 * is still to come, to them and to the collector's share. The length of the write depends on these
 * numbers themselves.
 */
static void count_own_write(struct pm_record *r)
{
	size_t counted = 0, length;

	if (!pm_record_has(r, PM_COL_own_wchar))
		return;
	/* Harmless if the program's own counters are unknown. */
	r->v[PM_COL_syscw].i++;
	r->v[PM_COL_own_syscw].i++;
	for (int i = 0; i < 3 && (length = pm_threadbuffer_length(r)) != counted; i++) {
		r->v[PM_COL_wchar].i += (int64_t)length - (int64_t)counted;
		r->v[PM_COL_own_wchar].i += (int64_t)length - (int64_t)counted;
		counted = length;
	}
}

/*
 * Set the columns that come from /proc. In a process that had one thread and no children the files
 * of the process have the same values as those of the thread, and are cheaper: the kernel has made
 * them before, and the thread's folder not. The peak resident size of /proc is this image's alone,
 * unlike ru_maxrss, which is kept over exec, but not over fork.
 *
 * A fork child that ended, or called exec, within a millisecond is measured by system calls alone,
 * with the collector's own I/O: the next image's counters include that.
 */
static void measure_from_proc(struct pm_record *r, const struct rusage *used, bool had_children,
			      char name[PM_THREAD_NAME], bool lines)
{
	bool threads = pm.threads_seen > 1;
	struct pm_task process, task;

	if (!threads) {
		pm_counters_total_begin();
		pm_counters_total_add(0, pm.pid);
		pm_counters_total_set(r);
	}
	pm_measure_task(&process, 0);
	if (pm.forked && !threads && pm_measure_is_brief(r)) {
		pm_measure_caller(r, name);
		pm_measure_own_io(r, &pm.own_all);
		pm_record_int(r, PM_COL_time_oncpu, pm_clock_ns(CLOCK_THREAD_CPUTIME_ID));
		pm_record_int(r, PM_COL_rssmax, used->ru_maxrss);
		return;
	}
	pm_measure_stat(r, &process, name);
	pm_measure_peaks(r);
	if (!pm_measure_is_brief(r))
		pm_identity_set_cgroup(r);
	if (!threads)
		pm_measure_schedstat(r, &process);
	else if (lines)
		pm_thread_write_all(r);
	else
		pm_thread_sum_all(r);
	/* Without children the process's own I/O is exact, and includes threads never seen. */
	if (!had_children) {
		pm_measure_io(r, &process, &pm.own_all);
	} else if (!threads) {
		pm_measure_task(&task, pm.pid);
		pm_measure_io(r, &task, &pm_self.own);
	}
}

/* Measure the image into a cleared record; `name` is memory for the thread's name. With `lines` the
 * records of its threads are written. */
static void measure_image(struct pm_record *r, char name[PM_THREAD_NAME], bool lines)
{
	int64_t entered_ns = pm_clock_ns(CLOCK_MONOTONIC);
	struct rusage used, after;
	bool had_children;

	/* Read the usage first of all, before this hook costs anything itself. */
	if (pm_sys2(SYS_getrusage, RUSAGE_SELF, &used) < 0)
		return;
	pm_measure_span(r, &pm.image);
	had_children = pm_measure_children(r);
	pm_identity_key(r);
	pm_record_text(r, PM_COL_exename, pm.exename.p, pm.exename.n);
	pm_record_int(r, PM_COL_start_us, pm.image.real_us);
	pm_record_int(r, PM_COL_tid, pm.pid);
	pm_record_int(r, PM_COL_numtids, pm.threads_seen);
	pm_identity_set_rank(r);
	if (pm.gpus)
		pm_clients_measure(r);
	measure_from_proc(r, &used, had_children, name, lines);
	/* Read the usage again, to include the cost of this hook: after an exec the next image
	 * starts from these counters, and the parent's wait reports them with that cost. */
	if (pm_sys2(SYS_getrusage, RUSAGE_SELF, &after) < 0)
		after = used;
	pm_rusage_set(r, &after);
	set_own_cost(r, entered_ns, &used, &after);
}

static void write_end(const char *reason, int status, const struct pm_target *target)
{
	char name[PM_THREAD_NAME];
	struct pm_record r;
	struct pm_buf text;

	pm_record_clear(&r);
	measure_image(&r, name, true);
	pm_record_text(&r, PM_COL_record, "end", 3);
	pm_record_text(&r, PM_COL_end_reason, reason, 4);
	if (status != PM_NO_STATUS)
		pm_record_int(&r, PM_COL_exitcode, status);
	if (pm.folding && pm_sizelimit_image(&r, status)) {
		pm_threadbuffer_drop();
		return;
	}
	if (target) {
		pm_identity_scratch(&text);
		pm_target_set(&r, target, &text);
		count_own_write(&r);
	}
	pm_threadbuffer_write_last(&r);
}

/*
 * Write the end record of this image, its thread records first: `reason` is "exit" or "exec",
 * `status` the exit status or PM_NO_STATUS. Only the first call in an image writes, and returns
 * true. Calls of other threads wait for the first one: their exit or exec would cut its write off.
 * The caller has entered (pm_enter).
 */
static bool end_image(const char *reason, int status, const struct pm_target *target)
{
	uint32_t not = PM_ENDED_NOT;
	int64_t waited_ns = 0;

	if (__atomic_compare_exchange_n(&pm.ended, &not, PM_ENDED_SOON, false, __ATOMIC_SEQ_CST,
					__ATOMIC_ACQUIRE)) {
		__atomic_store_n(&pm.in_exec, target != NULL, __ATOMIC_RELEASE);
		write_end(reason, status, target);
		__atomic_store_n(&pm.ended, PM_ENDED, __ATOMIC_RELEASE);
		return true;
	}
	while (__atomic_load_n(&pm.ended, __ATOMIC_ACQUIRE) == PM_ENDED_SOON &&
	       pm_await(&waited_ns))
		;
	return false;
}

/* Arguments of announce_on_stack(), which may run on another stack. */
struct ending {
	const char *reason; /* "exit" or "exec" */
	int status;
	const struct pm_target *target; /* of an exec, else NULL */
	bool announced;
};

static void announce_on_stack(void *ending)
{
	struct ending *x = ending;
	struct pm_charge charge;

	pm_charge_begin(&charge);
	x->announced = end_image(x->reason, x->status, x->target);
	pm_charge_end(&charge);
}

static bool announce_end(struct ending x)
{
	if (!pm_enter_any())
		return false;
	pm_stack_run(announce_on_stack, &x);
	pm_leave();
	return x.announced;
}

bool pm_exit_announce(int status)
{
	return announce_end((struct ending){ "exit", status, NULL, false });
}

bool pm_exit_announce_exec(const struct pm_target *target)
{
	return announce_end((struct ending){ "exec", PM_NO_STATUS, target, false });
}

static void resume_image(void *unused)
{
	struct pm_charge charge;
	struct pm_record r;

	(void)unused;
	pm_charge_begin(&charge);
	pm_thread_take_back();
	/* A folded image has no end to take back. */
	if (!pm.folding) {
		pm_record_clear(&r);
		pm_record_text(&r, PM_COL_record, "resumed", 7);
		pm_identity_key(&r);
		pm_record_int(&r, PM_COL_end_us, pm_clock_ns(CLOCK_REALTIME) / 1000);
		pm_threadbuffer_write(&r, false);
	}
	__atomic_store_n(&pm.in_exec, false, __ATOMIC_RELEASE);
	pm.ended = PM_ENDED_NOT;
	pm_charge_end(&charge);
}

void pm_exit_take_back(void)
{
	if (!pm_enter_any())
		return;
	pm_stack_run(resume_image, NULL);
	pm_leave();
}

/* Arguments of last_words(), which may run on another stack. */
struct departure {
	const char *call;
	bool changes_user;
};

static void last_words(void *departure)
{
	/* What this image has written; a fork child has written nothing yet. */
	static int64_t image_us, said_ns;
	static bool said_user;
	const struct departure *x = departure;
	int64_t now_ns = pm_clock_ns(CLOCK_MONOTONIC);
	bool said = image_us == pm.image.real_us;
	bool new_user = x->changes_user && !(said && said_user);
	struct pm_charge charge;
	char name[PM_THREAD_NAME];
	struct pm_record r;

	if (!pm.ended && (!said || new_user || now_ns - said_ns >= LAST_WORDS_NS)) {
		pm_charge_begin(&charge);
		image_us = pm.image.real_us;
		said_ns = now_ns;
		said_user = x->changes_user || (said && said_user);
		pm_record_clear(&r);
		measure_image(&r, name, false);
		pm_record_text(&r, PM_COL_record, "last", 4);
		pm_record_text(&r, PM_COL_last_call, x->call, strlen(x->call));
		if (!pm.folding || !pm_sizelimit_image(&r, PM_NO_STATUS))
			pm_threadbuffer_write(&r, false);
		pm_charge_end(&charge);
	}
}

void pm_exit_last_words(const char *call, bool changes_user)
{
	struct departure x = { call, changes_user };

	/* An excluded program that changes its user writes last words as well, since its exec is
	 * recorded; not if its record was kept back. */
	if (!(changes_user && !pm.over ? pm_enter_any() : pm_enter()))
		return;
	pm_stack_run(last_words, &x);
	pm_leave();
}

static void end_on_stack(void *ending)
{
	const struct ending *x = ending;

	end_image(x->reason, x->status, x->target);
}

static void end_by_exit(int status)
{
	struct ending x = { "exit", status & PM_EXIT_MASK, NULL, false };

	if (!pm_enter())
		return;
	pm_stack_run(end_on_stack, &x);
	pm_leave();
}

static void exit_handler(int status, void *unused)
{
	(void)unused;
	pm_papi_orderly();
	end_by_exit(status);
}

static void quick_exit_handler(void *unused)
{
	(void)unused;
	end_by_exit(pm.exit_status);
}

/*
 * Handlers run last in, first out: those registered from the first constructor of the process run
 * after every handler and destructor of the program, whose work is then counted.
 */
int pm_exit_register(void)
{
	if (__cxa_at_quick_exit)
		__cxa_at_quick_exit(quick_exit_handler, NULL);
	return on_exit && on_exit(exit_handler, NULL) == 0 ? 0 : -1;
}

__attribute__((visibility("default"))) void quick_exit(int status)
{
	__typeof__(quick_exit) *real = PM_REAL(quick_exit);

	if (pm.on && pm_sys0(SYS_getpid) == pm.pid)
		pm.exit_status = status;
	if (real)
		real(status);
	for (;;)
		pm_sys1(SYS_exit_group, status);
}

static __typeof__(_exit) *real_exit(void)
{
	return PM_REAL(_exit);
}

void pm_exit_prepare(void)
{
	real_exit();
}

__attribute__((visibility("default"))) void _exit(int status)
{
	__typeof__(_exit) *real = real_exit();

	end_by_exit(status);
	if (real)
		real(status);
	for (;;)
		pm_sys1(SYS_exit_group, status);
}

__attribute__((visibility("default"))) void _Exit(int status)
{
	__typeof__(_Exit) *other = PM_REAL_OTHER(_Exit);

	if (!other)
		_exit(status);
	end_by_exit(status);
	other(status);
	for (;;)
		pm_sys1(SYS_exit_group, status);
}
