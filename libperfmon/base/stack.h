/*
 * Run a function on another stack: stacks of coroutines and signal handlers may have next to
 * nothing left. Until a hook switches, it may use some hundred bytes of the program's stack, which
 * tests/issues/small-stacks.t measures; the build limits the frame of each function of the
 * collector (libperfmon/Makefile.inc).
 */
#ifndef PM_LIBPERFMON_BASE_STACK_H
#define PM_LIBPERFMON_BASE_STACK_H

#include <stdbool.h>

/*
 * Call f(argument) on the stack that ends at `top`, which is a multiple of 16, and come back.
 * Nothing may jump out of it. Async-signal-safe.
 */
void pm_stack_call(void (*f)(void *argument), void *argument, void *top)
	__attribute__((visibility("hidden")));

/*
 * Call f(argument) with signals blocked (pm_enter): on the current stack if that is the first
 * thread's or a thread's that is still nearly unused, else on the collector's own stack unless
 * another thread is using it.
 */
void pm_stack_run(void (*f)(void *argument), void *argument);

/* Whether pm_stack_run() would stay on the current stack. */
bool pm_stack_has_room(void);

/* In a fork child: release the collector's stack, which no other thread uses now. */
void pm_stack_reset(void);

#endif
