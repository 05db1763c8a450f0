/* Matching of reaped records to images. */
#ifndef PM_SUBMIT_TREE_REAPED_H
#define PM_SUBMIT_TREE_REAPED_H

#include "submit/tree/chains.h"

/*
 * Give every reaped record to its image, and add images for records that match none. Records
 * without a pid, and those of inits in pid namespaces of their own, go to the functions of
 * reaped_guess.h. Returns 0 or -1 with e filled.
 */
int pm_reaped_match(struct pm_chains *w, struct pm_err *e);

#endif
