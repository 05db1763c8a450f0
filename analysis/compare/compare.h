/* Compare jobs of two sides. */
#ifndef PM_ANALYSIS_COMPARE_COMPARE_H
#define PM_ANALYSIS_COMPARE_COMPARE_H

#include "analysis/compare/comparison.h"
#include "common/err.h"
#include "db/db.h"

/*
 * Compare n and m different jobs, by their ids. db may be read over by others meanwhile. Returns 0,
 * or -1 with e filled. To be freed in either case.
 */
int pm_compare_read(struct pm_compare *c, struct pm_db *db, const int64_t *a, size_t n,
		    const int64_t *b, size_t m, struct pm_err *e);

void pm_compare_free(struct pm_compare *c);

#endif
