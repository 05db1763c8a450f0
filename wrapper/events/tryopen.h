/* Trying an event by opening it, and saying why it does not open. */
#ifndef PM_WRAPPER_TRIAL_H
#define PM_WRAPPER_TRIAL_H

#include "common/events.h"

/* What became of an event that was asked for. */
enum pm_trial_state {
	PM_TRIAL_OK,
	PM_TRIAL_UNKNOWN,     /* nothing here knows its name */
	PM_TRIAL_UNSUPPORTED, /* this machine or kernel cannot count it */
	PM_TRIAL_DENIED,      /* this user or container may not */
	PM_TRIAL_LIMITED,     /* what it takes is used up */
	PM_TRIAL_STATES
};

/* "ok", "unknown", "unsupported", ... as in the job metadata. */
const char *pm_trial_state_name(enum pm_trial_state state);

/*
 * Open an event on this process, not counting. Returns a descriptor that the caller closes, or
 * minus the error number.
 */
int pm_trial_open(const struct pm_event *event);

/* The state that an error number means. */
enum pm_trial_state pm_trial_state(int error);

/* Longest text of pm_trial_explain, with its NUL. */
#define PM_TRIAL_WHY_MAX 256

/* Say for people why opening this event gave the error, as a clause: "perf_event_paranoid is 3". */
void pm_trial_explain(char why[PM_TRIAL_WHY_MAX], const struct pm_event *event, int error);

/* kernel.perf_event_paranoid. Returns 0, or -1 where it cannot be read. */
int pm_trial_paranoid(int *level);

/* Whether a seccomp filter is around this process (/proc/self/status, proc(5)). */
bool pm_trial_filtered(void);

#endif
