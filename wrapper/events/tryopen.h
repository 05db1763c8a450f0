/* Try an event by opening it, and explain why it does not open. */
#ifndef PM_WRAPPER_EVENTS_TRYOPEN_H
#define PM_WRAPPER_EVENTS_TRYOPEN_H

#include "common/safe/events.h"

/* The state of an event that the user asked for. */
enum pm_tryopen_state {
	PM_TRYOPEN_OK,
	PM_TRYOPEN_UNKNOWN,     /* no source knows the name */
	PM_TRYOPEN_UNSUPPORTED, /* this machine or kernel cannot count it */
	PM_TRYOPEN_DENIED,      /* this user or container may not count it */
	PM_TRYOPEN_LIMITED,     /* counters, descriptors or memory are used up */
	PM_TRYOPEN_STATES
};

/* "ok", "unknown", "unsupported", ... as in the job metadata. */
const char *pm_tryopen_state_name(enum pm_tryopen_state state);

/*
 * Open an event on this process, not counting. Returns a descriptor that the caller closes, or
 * minus the error number.
 */
int pm_tryopen_open(const struct pm_event *event);

/* The state that an error number of perf_event_open(2) stands for. */
enum pm_tryopen_state pm_tryopen_state(int error);

/* Longest text of pm_tryopen_explain, with its NUL. */
#define PM_TRYOPEN_WHY_MAX 256

/* Explain to people why opening this event failed, as a clause: "perf_event_paranoid is 3". */
void pm_tryopen_explain(char why[PM_TRYOPEN_WHY_MAX], const struct pm_event *event, int error);

/* Read kernel.perf_event_paranoid. Returns 0, or -1 if it cannot be read. */
int pm_tryopen_paranoid(int *level);

/* Whether a seccomp filter restricts this process (/proc/self/status, proc(5)). */
bool pm_tryopen_filtered(void);

#endif
