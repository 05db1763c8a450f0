/*
 * Reaped records that do not name the process they are about by its key: what libc waited for
 * itself (no pid), and inits of pid namespaces (their parent knows them by another pid).
 */
#ifndef PM_PAIR_H
#define PM_PAIR_H

#include "submit/chains.h"

/*
 * Pair each unmatched record with the one process that it can be about, if there is exactly one,
 * and that process with no other record: sets image or before of the record, and of a record
 * without a pid the pid. A record without a pid that several processes match is set aside: they
 * have rows, and nobody can say whose it is. Returns 0 or -1 with e filled.
 */
int pm_pair_inits(struct pm_chains *w, struct pm_err *e);
int pm_pair_nameless(struct pm_chains *w, struct pm_err *e);

#endif
