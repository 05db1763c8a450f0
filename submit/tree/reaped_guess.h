/*
 * Reaped records that do not name their process by its key: waits inside libc (no pid), and inits
 * of pid namespaces (the parent knows them by another pid).
 */
#ifndef PM_SUBMIT_TREE_REAPED_GUESS_H
#define PM_SUBMIT_TREE_REAPED_GUESS_H

#include "submit/tree/chains.h"

/*
 * Pair each unmatched record with its process if there is exactly one candidate, and no other
 * record claims that process. Sets `image` or `before` of the record, and the pid of a record
 * without one. A record without a pid that several processes match is set aside: they have rows,
 * and nobody can tell whose record it is. Returns 0 or -1 with e filled.
 */
int pm_reaped_guess_inits(struct pm_chains *w, struct pm_err *e);
int pm_reaped_guess_nameless(struct pm_chains *w, struct pm_err *e);

#endif
