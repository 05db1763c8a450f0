/* Keep a spool within its bound. */
#ifndef PM_FORWARD_BOUND_H
#define PM_FORWARD_BOUND_H

#include "forward/account.h"

/*
 * Drop archives of a locked spool until all of them, with those in its folders, take at most `max`
 * bytes (0: no bound), and count each in the account, which is written. Returns their number, or -1
 * with e filled.
 */
int pm_bound_keep(struct pm_account *a, const struct pm_spool *s, int64_t max, struct pm_err *e);

#endif
