/* The options of the command line that say which jobs, for the verbs that take them. */
#ifndef PM_REPORT_JOBWORDS_H
#define PM_REPORT_JOBWORDS_H

#include "analysis/select/jobfilter.h"
#include "common/cli/verb.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Take what the user wrote. Returns the long name of the last such option but --order that
 * was given, or NULL. */
const char *pm_jobwords_take(const struct pm_cli *cli, struct pm_jobfilter_words *w);

/* Make the filter; --when is a time, or a job of the database while which others ran. Returns
 * PM_EXIT_OK, or another exit status with e filled. To be freed in either case. */
int pm_jobwords_filter(const struct pm_jobfilter_words *words, struct pm_db *db,
		       struct pm_jobfilter *f, struct pm_err *e);

/* Whether options say which jobs: those of pm_jobwords_take(), or --where. */
bool pm_jobwords_given(const struct pm_cli *cli);

/* Check that --where, if given, is one expression that only computes. Returns 0, or -1 with e
 * filled. */
int pm_jobwords_check(const struct pm_cli *cli, struct pm_err *e);

/*
 * Make the filter of all options that say which jobs, --where among them. From then on statements
 * are guarded (pm_jobwords_guard()) if that is given: pm_db_unguard() ends it. Returns PM_EXIT_OK,
 * or another exit status with e filled. To be freed in either case.
 */
int pm_jobwords_select(const struct pm_cli *cli, struct pm_db *db, struct pm_jobfilter *f,
		       struct pm_err *e);

/*
 * Find the numbers of the jobs that options select, the newest first, at most `limit` of them; *id,
 * to be freed, gets *n. Returns PM_EXIT_OK, or another exit status with e filled.
 */
int pm_jobwords_find(const struct pm_cli *cli, struct pm_db *db, int64_t limit, int64_t **id,
		     size_t *n, struct pm_err *e);

/* The same of those that have a tag, whatever its value; NULL: of all. */
int pm_jobwords_find_tagged(const struct pm_cli *cli, struct pm_db *db, const char *tag,
			    int64_t limit, int64_t **id, size_t *n, struct pm_err *e);

/* Let statements of --where read only, and not longer than the site permits. Returns 0 or -1 with e
 * filled; pm_db_unguard() ends it. */
int pm_jobwords_guard(struct pm_db *db, struct pm_err *e);

/* Add to the reason in e, why the database did not take --where, what to do, for a table of list,
 * unless it took too long. Returns -1. */
int pm_jobwords_explain(struct pm_db *db, const char *table, struct pm_err *e);

#endif
