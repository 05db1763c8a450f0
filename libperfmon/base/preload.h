/* The environment of an exec from a place where this library cannot be opened. */
#ifndef PM_LIBPERFMON_BASE_PRELOAD_H
#define PM_LIBPERFMON_BASE_PRELOAD_H

#include <stddef.h>

/*
 * Bytes that pm_preload_without() needs for this environment; 0 if the environment is passed on as
 * it is: the library can be opened from here, LD_PRELOAD does not name it, or the copy is too long
 * for the stack. Async-signal-safe, and writes nothing: a vfork child may call this.
 */
size_t pm_preload_room(char *const *envp);

/*
 * Put a copy of the vector, whose LD_PRELOAD does not name this library, into `room`, which has
 * pm_preload_room() bytes; every other entry is the caller's own text. Returns the copy.
 */
char *const *pm_preload_without(char *const *envp, void *room);

/*
 * Check whether the library can be opened, and keep the answer: called before a filter of system
 * calls is installed, since the filter may forbid the check. pm_preload_release() drops the answer,
 * as no filter was installed.
 */
void pm_preload_confine(void);
void pm_preload_release(void);

/* The environment to exec with, in the frame of the function that uses it. */
#define PM_PRELOAD_ENVIRON(envp)                                                                   \
	({                                                                                         \
		char *const *const envp_ = (envp);                                                 \
		size_t room_ = pm_preload_room(envp_);                                             \
		room_ ? pm_preload_without(envp_, __builtin_alloca(room_)) : envp_;                \
	})

#endif
