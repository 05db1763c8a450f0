/* The environment of an exec from where this library cannot be opened. */
#ifndef PM_PRELOAD_H
#define PM_PRELOAD_H

#include <stddef.h>

/*
 * Bytes that pm_preload_without() needs for this environment; 0 where it is to be passed as it is:
 * the library can be opened from here, or is not in it, or it is too long for the stack.
 * Async-signal-safe, and writes nothing: a vfork child may ask.
 */
size_t pm_preload_room(char *const *envp);

/*
 * Put into `room`, of that many bytes, a copy of the vector whose LD_PRELOAD does not name this
 * library; every other entry is the caller's own text. Returns the vector.
 */
char *const *pm_preload_without(char *const *envp, void *room);

/*
 * Before a filter of system calls is installed: ask now whether the library can be opened, for
 * later nothing may be asked; and where it was not installed, ask again from then on.
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
