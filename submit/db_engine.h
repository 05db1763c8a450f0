/* What a database engine must provide. Only db.c and the engines' files include this. */
#ifndef PM_DB_ENGINE_H
#define PM_DB_ENGINE_H

#include "submit/db.h"
#include "sql/schema.h"

struct pm_db_engine {
	enum pm_dialect dialect;
	void (*close)(struct pm_db *db);
	int (*exec)(struct pm_db *db, const char *sql, struct pm_err *e);
	int (*prepare)(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e);
	/* Begin a transaction, readers left undisturbed, other writers waited for. */
	int (*begin)(struct pm_db *db, struct pm_err *e);

	void (*bind_int)(struct pm_stmt *q, int i, int64_t v);
	void (*bind_real)(struct pm_stmt *q, int i, double v);
	void (*bind_text)(struct pm_stmt *q, int i, const char *p, size_t n);
	void (*bind_blob)(struct pm_stmt *q, int i, const void *p, size_t n);
	void (*bind_null)(struct pm_stmt *q, int i);
	int (*step)(struct pm_stmt *q, struct pm_err *e);
	void (*reset)(struct pm_stmt *q);
	void (*finish)(struct pm_stmt *q);

	int (*columns)(struct pm_stmt *q);
	const char *(*column_name)(struct pm_stmt *q, int i);
	enum pm_db_type (*type)(struct pm_stmt *q, int i);
	int64_t (*get_int)(struct pm_stmt *q, int i);
	double (*get_real)(struct pm_stmt *q, int i);
	const char *(*get_text)(struct pm_stmt *q, int i, size_t *n);
	const void *(*get_blob)(struct pm_stmt *q, int i, size_t *n);
};

/* The head of every engine's database and statement. */
struct pm_db {
	const struct pm_db_engine *engine;
	char *name;
	int failure; /* see pm_db_failure; set by the engine */
};

struct pm_stmt {
	const struct pm_db_engine *engine;
	struct pm_db *db;
};

/*
 * Open an SQLite database; `path` may be ":memory:". The schema is neither looked at nor made.
 * Returns 0 with *out, whose name is `path`, or -1 with e filled.
 */
int pm_sqlite_open(struct pm_db **out, const char *path, enum pm_db_mode mode, struct pm_err *e);

/* As pm_db_locked (db.h). */
int pm_sqlite_locked(const char *path, long *pid, struct pm_err *e);

#endif
