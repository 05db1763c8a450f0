/* Statements that have been finished and may be wanted again: preparing one takes longer than
 * running it. */
#ifndef PM_DB_SQLITE_IDLE_H
#define PM_DB_SQLITE_IDLE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Most statements kept. A load of a job has some 60. */
#define PM_SQLITE_IDLE_MAX 128

struct pm_sqlite_idle {
	struct pm_sqlite_idle_stmt {
		char *sql;
		uint64_t hash;
		sqlite3_stmt *handle;
	} stmt[PM_SQLITE_IDLE_MAX]; /* the latest first */
	size_t n;
};

/* Take a statement by its text: *handle gets it. Returns the text, to be freed or kept again; NULL
 * if there is none. */
char *pm_sqlite_idle_take(struct pm_sqlite_idle *s, const char *sql, sqlite3_stmt **handle);

/* Keep a statement that is reset and unbound, and its text, or free both. */
void pm_sqlite_idle_keep(struct pm_sqlite_idle *s, char *sql, sqlite3_stmt *handle);

/* Free all, before the handle is closed. */
void pm_sqlite_idle_free(struct pm_sqlite_idle *s);

#endif
