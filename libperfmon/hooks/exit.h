/* The end record of an image. */
#ifndef PM_LIBPERFMON_HOOKS_EXIT_H
#define PM_LIBPERFMON_HOOKS_EXIT_H

#include <stdbool.h>

/* The bits of an exit status that a wait returns. */
#define PM_EXIT_MASK 0xff

/*
 * Before a call that ends this image if it succeeds, an exit with this status (masked) or an exec:
 * write the end record. Returns whether it was written; if the call returns after all,
 * pm_exit_take_back() withdraws it.
 */
struct pm_target;
bool pm_exit_announce(int status);
bool pm_exit_announce_exec(const struct pm_target *target);
void pm_exit_take_back(void);

/*
 * Before a call after which the record file may be out of reach: enter, write a last record with
 * the image's measurements, leave. An end record that can be written after all replaces it; after a
 * change of user it may be in another user's file.
 */
void pm_exit_last_words(const char *call, bool changes_user);

/* Look up the functions that the end of a fork child calls, before the fork: a look-up in the child
 * would copy its parent's pages. */
void pm_exit_prepare(void);

/* Register the handlers that see the image end by exit and quick_exit. Returns 0 or -1. */
int pm_exit_register(void);

#endif
