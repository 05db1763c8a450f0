/* What a database engine must provide. Only files of this folder include this. */
#ifndef PM_DB_ENGINE_H
#define PM_DB_ENGINE_H

#include "db/db.h"
#include "sql/schema.h"

struct pm_db_engine {
	enum pm_dialect dialect;
	/* A query of what the database, or its schema, is made of: name, kind (table, view, index)
	 * and tbl, the table an index belongs to, else the name. What the engine keeps there for
	 * itself is left out. */
	const char *catalog;
	void (*close)(struct pm_db *db);
	int (*exec)(struct pm_db *db, const char *sql, struct pm_err *e);
	int (*prepare)(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e);
	/* SQL that ends an INSERT which returns its row's id, and the function that reads the id
	 * after the step. */
	const char *returning;
	int64_t (*inserted)(struct pm_stmt *q);
	/* NULL where an INSERT is the fastest there is. */
	int (*insert)(struct pm_db *db, const struct pm_schema_table *t, bool first,
		      struct pm_stmt **out, struct pm_err *e);
	/* Queries; NULL where there is nothing to ask. Of what the database is made of, but views,
	 * with the bytes of each: as catalog, and bytes. Of all of it: bytes, and of them what is
	 * free for later. Of tablespaces: name, bytes. Of what the engine finds wrong: a text. */
	const char *sizes, *size, *spaces, *complaints;
	/* Begin a transaction, readers left undisturbed, other writers waited for. */
	int (*begin)(struct pm_db *db, struct pm_err *e);
	int (*commit)(struct pm_db *db, struct pm_err *e);
	void (*rollback)(struct pm_db *db);
	/* NULL where a transaction has the database for itself. */
	int (*lock)(struct pm_db *db, const char *name, struct pm_err *e);

	/* Whether foreign keys are followed from here on; outside of a transaction. An engine that
	 * can drop and rename tables under them has nothing to do. */
	int (*references)(struct pm_db *db, bool follow, struct pm_err *e);

	int (*compact)(struct pm_db *db, struct pm_err *e); /* as pm_db_compact */

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
	int version;      /* schema version when last read; 0: no schema */
	int failure;      /* see pm_db_failure; set by the engine */
	int64_t until_us; /* see pm_db_until; 0: no end */
	unsigned runs;
};

struct pm_stmt {
	const struct pm_db_engine *engine;
	struct pm_db *db;
};

/*
 * Read the version of the schema into db->version; 0 where nothing is there at all. Returns 0, or
 * -1 with e filled: a database of something else, or damaged.
 */
int pm_db_schema_read(struct pm_db *db, struct pm_err *e);

/* Make the schema where there is none; another one may have made it, of whichever version. Returns
 * 0 or -1 with e filled. */
int pm_db_schema_make(struct pm_db *db, struct pm_err *e);

/*
 * Open an SQLite database; `path` may be ":memory:". The schema is neither looked at nor made.
 * Returns 0 with *out, whose name is `path`, or -1 with e filled.
 */
int pm_sqlite_open(struct pm_db **out, const char *path, enum pm_db_mode mode, struct pm_err *e);

/* As pm_db_missing (db.h), of SQLite. */
const char *pm_sqlite_missing(void);

/* As pm_db_locked and pm_db_is_file (db.h). */
int pm_sqlite_locked(const char *path, long *pid, struct pm_err *e);
bool pm_sqlite_is_file(const struct stat *st);

/* Whether a setting of a database names one of PostgreSQL, built in or not. */
bool pm_postgres_is(const char *setting);

/*
 * Connect to the database of a URL. The schema is neither looked at nor made. With PM_DB_READ, what
 * is read is all of one moment. Returns 0 with *out, whose name has no secrets, or -1 with e
 * filled and errno set.
 */
int pm_postgres_open(struct pm_db **out, const char *url, enum pm_db_mode mode, struct pm_err *e);

#endif
