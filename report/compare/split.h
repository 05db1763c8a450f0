/* Split jobs into two sides. */
#ifndef PM_REPORT_COMPARE_SPLIT_H
#define PM_REPORT_COMPARE_SPLIT_H

#include "common/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

/* The tag that --split names, or NULL. */
const char *pm_split_tag(const char *word);

/*
 * Split n jobs by --split: those that started before a time, or before a job did, are side A, the
 * others B; tag:NAME: jobs with one of its two values, of which that of the first job is A. Jobs of
 * an unknown start, or without the tag, are on no side. *a and *b are to be freed in either case.
 * Returns an exit status, with e filled unless it is PM_EXIT_OK.
 */
int pm_split(struct pm_db *db, const char *word, const int64_t *id, size_t n, int64_t **a,
	     size_t *as, int64_t **b, size_t *bs, struct pm_err *e);

#endif
