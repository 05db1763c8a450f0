/* Reaped records to the images they are about. */
#ifndef PM_MATCH_H
#define PM_MATCH_H

#include "submit/chains.h"

/*
 * Give every reaped record to the image it is about, adding images for those that are about none.
 * Those without a pid and those of inits in pid namespaces of their own go to pair.h's functions.
 * Returns 0 or -1 with e filled.
 */
int pm_match_reaped(struct pm_chains *w, struct pm_err *e);

#endif
