/*
 * Running a function on another stack: the program's may have next to nothing left, as those of
 * coroutines and of signal handlers. What a hook needs there itself is a budget of some hundred
 * bytes, which tests/issues/small-stacks.t measures; no function of the collector has a frame
 * beyond what the build allows (libperfmon/Makefile.inc).
 */
#ifndef PM_STACK_H
#define PM_STACK_H

#include <stdbool.h>

/*
 * Call f(argument) on the stack that ends at `top`, which is a multiple of 16, and come back.
 * Nothing may jump out of it. Async-signal-safe.
 */
void pm_stack_call(void (*f)(void *argument), void *argument, void *top)
	__attribute__((visibility("hidden")));

/*
 * Call f(argument), where the stack is neither the first thread's nor begun by a thread not long
 * ago on a stack of the collector's own, as far as nobody else is on it. With signals blocked
 * (pm_enter).
 */
void pm_stack_run(void (*f)(void *argument), void *argument);

/* Whether it would stay on this stack. */
bool pm_stack_has_room(void);

/* A fork child: nobody else is on that stack. */
void pm_stack_reset(void);

#endif
