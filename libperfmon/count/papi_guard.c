/* The lock and the stack for calls of PAPI, and the program's state that is kept around them. */
#include "config.h"

#include "libperfmon/count/papi_guard.h"

#include "libperfmon/base/memory.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/stack.h"
#include "libperfmon/base/state.h"
#include "libperfmon/base/valgrind.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

/* PAPI puts arrays of its longest texts on the stack, component by component. */
#define STACK_SIZE (512 * 1024)

/* Longest wait of a thread for another one: callers are many and quick. */
#define PATIENCE_NS 2000000000

/* Life cycle: zero until the first call, which maps the stack. */
static struct {
	uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
	char *stack;
} guard = { 0 };

static bool lock_guard(void)
{
	int64_t until = pm_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	uint32_t none = 0;

	if (__atomic_compare_exchange_n(&guard.lock, &none, 1, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return true;
	while (__atomic_exchange_n(&guard.lock, 2, __ATOMIC_ACQUIRE) != 0) {
		int64_t left = until - pm_clock_ns(CLOCK_MONOTONIC);
		struct timespec ts = { left / 1000000000, left % 1000000000 };

		if (left <= 0)
			return false;
		pm_sys4(SYS_futex, &guard.lock, FUTEX_WAIT_PRIVATE, 2, &ts);
	}
	return true;
}

static void unlock_guard(void)
{
	if (__atomic_exchange_n(&guard.lock, 0, __ATOMIC_RELEASE) == 2)
		pm_sys3(SYS_futex, &guard.lock, FUTEX_WAKE_PRIVATE, 1);
}

bool pm_papi_guard(void (*f)(void *argument), void *argument)
{
	int *(*location)(void) = PM_REAL(__errno_location);
	__typeof__(pthread_setcancelstate) *cancel = PM_REAL(pthread_setcancelstate);
	int error = location ? *location() : 0, state = PTHREAD_CANCEL_ENABLE;

	if (!lock_guard())
		return false;
	pm_valgrind_locked(&guard.lock);
	if (!guard.stack)
		guard.stack = pm_memory_map(STACK_SIZE);
	if (guard.stack) {
		if (cancel)
			cancel(PTHREAD_CANCEL_DISABLE, &state);
		pm_stack_call(f, argument, guard.stack + STACK_SIZE);
		if (cancel)
			cancel(state, &state);
	}
	pm_valgrind_unlocks(&guard.lock);
	unlock_guard();
	if (location)
		*location() = error;
	return guard.stack != NULL;
}

bool pm_papi_guard_in_handler(void)
{
	for (int n = 1; n < NSIG; n++) {
		/* The kernel's struct sigaction: the fields after the flags vary by architecture.
		 */
		struct {
			void (*handler)(int);
			unsigned long flags, rest[4];
		} action = { 0 };

		/* Signals 32 and 33 are libc's own. */
		if (n == 32 || n == 33)
			continue;
		if (pm_sys4(SYS_rt_sigaction, n, NULL, &action, sizeof(uint64_t)) == 0 &&
		    action.handler != SIG_DFL && action.handler != SIG_IGN &&
		    (action.flags & SA_NODEFER || pm_self.mask >> (n - 1) & 1))
			return true;
	}
	return false;
}
