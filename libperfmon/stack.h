/* Running a function on another stack: the program's may have next to nothing left. */
#ifndef PM_STACK_H
#define PM_STACK_H

/*
 * Call f(argument) on the stack that ends at `top`, which is a multiple of 16, and come back.
 * Nothing may jump out of it. Async-signal-safe.
 */
void pm_stack_call(void (*f)(void *argument), void *argument, void *top)
	__attribute__((visibility("hidden")));

#endif
