/* The end record of an image. */
#ifndef PM_EXIT_H
#define PM_EXIT_H

#include <stdbool.h>

/* What a wait tells of a status. */
#define PM_EXIT_MASK 0xff

/*
 * For a call that ends this image if it succeeds, by an exit with this status, masked, or by an
 * exec: enter, write the end record before it, leave. Returns whether it was written; if the call
 * comes back, pm_exit_take_back() says so.
 */
struct pm_target;
bool pm_exit_announce(int status);
bool pm_exit_announce_exec(const struct pm_target *target);
void pm_exit_take_back(void);

/*
 * Before a call after which the record file may be out of reach: enter, write what there is to say
 * of the image as a last record, leave. An end that can be written after all replaces it.
 */
void pm_exit_last_words(const char *call);

/* Look up what the end of a fork child calls, while its parent's pages can be shared. */
void pm_exit_prepare(void);

/* Register the handlers that see the image end by exit and quick_exit. Returns 0 or -1. */
int pm_exit_register(void);

#endif
