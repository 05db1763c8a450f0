/*
 * Totals of users by day: table user_day. Whatever changes a job's row notes what the job counted
 * for before and what it counts for then, and applies the differences as the last statements of its
 * transaction: so a row that other jobs of the user need is locked for a moment only, and rows are
 * locked in one order.
 */
#ifndef PM_DB_USERDAYS_H
#define PM_DB_USERDAYS_H

#include "db/db.h"

enum pm_userday_value {
#define PM_USERDAYVALUE(id, column, unit, sql, help) PM_USERDAY_##id,
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
	PM_USERDAY_VALUES
};

/* Columns beside the key: jobs, failed, processes, then each value and its number of jobs. */
#define PM_USERDAY_COLUMNS (3 + 2 * PM_USERDAY_VALUES)

/* Changes of a transaction; zero is none. */
struct pm_userdays {
	struct pm_userdays_change *change;
	size_t n, room;
};

/* Note what a job counts for now: sign -1 before its row is changed or deleted, 1 afterwards.
 * Returns 0, also without such a job, or -1 with e filled. */
int pm_userdays_note(struct pm_userdays *d, struct pm_db *db, int64_t job, int sign,
		     struct pm_err *e);

/* Note, as with sign -1, what the jobs of these numbers count for that are to be deleted. Returns 0
 * or -1 with e filled. */
int pm_userdays_note_range(struct pm_userdays *d, struct pm_db *db, int64_t first, int64_t last,
			   struct pm_err *e);

/* Add the changes of another to these, and forget them there. Returns 0 or -1 with e filled. */
int pm_userdays_move(struct pm_userdays *d, struct pm_userdays *from, struct pm_err *e);

/* Write the changes and forget them; right before the transaction commits. Returns 0 or -1 with e
 * filled. */
int pm_userdays_apply(struct pm_userdays *d, struct pm_db *db, struct pm_err *e);

/* Forget the changes, as after a rollback. */
void pm_userdays_free(struct pm_userdays *d);

/* Fill the empty table from all jobs, inside the caller's transaction. Returns 0 or -1 with e
 * filled. */
int pm_userdays_fill(struct pm_db *db, struct pm_err *e);

/* Empty the table and fill it anew, inside the caller's transaction: loaders that have changed a
 * row are waited for, and others wait. Returns 0 or -1 with e filled. */
int pm_userdays_renew(struct pm_db *db, struct pm_err *e);

/* A value that a row has, or should have. */
struct pm_userdays_number {
	bool known;
	int64_t v;
};

/* A wrong column of a row. Texts are as in the database. */
struct pm_userdays_fault {
	const char *cluster, *user, *column;
	int64_t day_us;
	struct pm_userdays_number stored, expected;
};

/*
 * Compute all rows again. Calls `each` for every column that differs; of a row that is missing, or
 * should not be there, for all of its columns whose values are known. Returns 0, or -1 with e
 * filled or if `each` does.
 */
int pm_userdays_verify(struct pm_db *db,
		       int (*each)(void *ctx, const struct pm_userdays_fault *f, struct pm_err *e),
		       void *ctx, struct pm_err *e);

#endif
