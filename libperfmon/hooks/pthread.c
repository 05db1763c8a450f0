/* The start of threads: interpose pthread_create and thrd_create. */
#include "config.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/slots.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counters.h"
#include "libperfmon/hooks/init.h"
#include "libperfmon/hooks/thread.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

/* The start of the calling thread in clock ticks, -1 if another tick began since before_ns. */
static int64_t own_starttime(int64_t before_ns)
{
	int64_t born = pm_ticks(before_ns);

	return born == pm_ticks(pm_clock_ns(CLOCK_BOOTTIME)) ? born : -1;
}

/* In the new thread, before its function. Afterwards the slot may be another thread's. */
static void thread_starts(struct pm_slot *s)
{
	pm_self.slot = pm_slots_number(s);
	pm_self.stack = (uintptr_t)__builtin_frame_address(0);
	pm_self.tid = (int)pm_sys0(SYS_gettid);
	pm_moment_now(&pm_self.start);
	pm_self.starttime = own_starttime(s->before_ns);
	s->start = pm_self.start;
	__atomic_store_n(&s->told, (s->told | PM_TELLER) + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&s->tid, pm_self.tid, __ATOMIC_RELEASE);
	/* Without memory for the key's value the end cannot be seen. */
	if (!pm_thread_watch()) {
		pm_slots_give(pm_self.slot);
		pm_self.slot = 0;
		return;
	}
	pm_counters_open(pm_self.slot);
}

/* Start routines of recorded threads. */
static void *posix_starts(void *argument)
{
	const struct pm_slot s = *(struct pm_slot *)argument;

	thread_starts(argument);
	return s.function.posix(s.argument);
}

static int c11_starts(void *argument)
{
	const struct pm_slot s = *(struct pm_slot *)argument;

	thread_starts(argument);
	return s.function.c11(s.argument);
}

/* Before a thread is created: take a slot, or return NULL if the thread is not recorded. Counts the
 * thread now: it may end the process as soon as it exists. */
static struct pm_slot *expect_thread(void)
{
	uint32_t number = 0;

	if (!pm.on)
		pm_init_early();
	if (pm_may_record() && pm_thread_prepare())
		number = pm_slots_take();
	__atomic_add_fetch(&pm.threads_seen, 1, __ATOMIC_RELAXED);
	if (number == 0)
		pm_counters_miss();
	return number ? pm_slots_get(number) : NULL;
}

/* The thread could not be created: give its slot back. */
static void forget_thread(const struct pm_slot *s)
{
	if (s)
		pm_slots_give(pm_slots_number(s));
	__atomic_sub_fetch(&pm.threads_seen, 1, __ATOMIC_RELAXED);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
							  const pthread_attr_t *restrict attr,
							  void *(*function)(void *),
							  void *restrict argument)
{
	__typeof__(pthread_create) *real = PM_REAL(pthread_create);
	struct pm_slot *s;
	int ret;

	if (!real)
		return EAGAIN;
	s = expect_thread();
	if (s) {
		s->function.posix = function;
		s->argument = argument;
		s->before_ns = pm_clock_ns(CLOCK_BOOTTIME);
		ret = real(thread, attr, posix_starts, s);
	} else {
		ret = real(thread, attr, function, argument);
	}
	if (ret != 0)
		forget_thread(s);
	return ret;
}

/* libc's thrd_create calls pthread_create inside libc, past our hook. */
__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t function,
						       void *argument)
{
	__typeof__(thrd_create) *real = PM_REAL(thrd_create);
	struct pm_slot *s;
	int ret;

	if (!real)
		return thrd_error;
	s = expect_thread();
	if (s) {
		s->function.c11 = function;
		s->argument = argument;
		s->before_ns = pm_clock_ns(CLOCK_BOOTTIME);
		ret = real(thread, c11_starts, s);
	} else {
		ret = real(thread, function, argument);
	}
	if (ret != thrd_success)
		forget_thread(s);
	return ret;
}
