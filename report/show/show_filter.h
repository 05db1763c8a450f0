/* Which processes of a job `perfmon show` is about, of the options that say so. */
#ifndef PM_REPORT_SHOW_SHOW_FILTER_H
#define PM_REPORT_SHOW_SHOW_FILTER_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_show_filter {
	char *where; /* SQL, " AND ..." on the row p of table process, without parameters; owned */
	bool listed; /* the processes need not be a tree */
	bool by_start; /* in the order of their starts */
	int64_t depth; /* of the highest process */
	bool any;      /* there is a condition */
};

/* Take --tag, --subtree, --alive and --timeline. Returns an exit status, with e filled unless it is
 * PM_EXIT_OK. To be freed in either case. */
int pm_show_filter_make(struct pm_show_filter *f, const struct pm_cli *cli, struct pm_db *db,
			int64_t job, struct pm_err *e);

void pm_show_filter_free(struct pm_show_filter *f);

#endif
