/* What a database engine must provide. Only files of this folder include this. */
#ifndef PM_DB_ENGINE_H
#define PM_DB_ENGINE_H

#include "db/db.h"
#include "sql/schema.h"

/* A range of job numbers, whose rows have partitions of their own. */
struct pm_db_range {
	int64_t first, last;
	char name[48]; /* of the partitions, behind the name of the table */
};

/* Operations on ranges, for db/erase_range.c. Tables are those of which a job's rows need more to
 * be kept of it than `keep`. */
struct pm_db_ranges {
	/* Enter the caller's transaction as one that writes rows of jobs: waits for `lock`. Returns
	 * 0 or -1 with e filled. */
	int (*enter)(struct pm_db *db, struct pm_err *e);
	/* Find the first range behind the number `after` that has partitions of the tables and
	 * whose jobs all ended from from_us on and before before_us. Returns 1, 0 or -1 with e
	 * filled. */
	int (*find)(struct pm_db *db, enum pm_schema_keep keep, int64_t from_us, int64_t before_us,
		    int64_t after, struct pm_db_range *range, struct pm_err *e);
	/* Keep all transactions that write rows of jobs, and readers of the tables, waiting until
	 * the caller's transaction ends. Returns 1; 0 where others hold a lock for longer than a
	 * moment, and the caller has to roll back; or -1 with e filled. */
	int (*lock)(struct pm_db *db, enum pm_schema_keep keep, const struct pm_db_range *range,
		    struct pm_err *e);
	/* Drop the partitions, which leaves the tags of jobs themselves where something is kept.
	 * Returns 0 or -1 with e filled. */
	int (*drop)(struct pm_db *db, enum pm_schema_keep keep, const struct pm_db_range *range,
		    struct pm_err *e);
};

struct pm_db_engine {
	enum pm_dialect dialect;
	/* Query of the tables, views and indexes in the database, or in its schema: name, kind
	 * (table, view, index) and tbl, the table that an index belongs to, else the name again.
	 * The engine's internal tables are left out. */
	const char *catalog;
	void (*close)(struct pm_db *db);
	int (*exec)(struct pm_db *db, const char *sql, struct pm_err *e);
	int (*prepare)(struct pm_db *db, const char *sql, struct pm_stmt **out, struct pm_err *e);
	/* SQL that ends an INSERT which returns its row's id, and the function that reads the id
	 * after the step. */
	const char *returning;
	int64_t (*inserted)(struct pm_stmt *q);
	/* As pm_db_insert; NULL if plain INSERT statements are the fastest way. */
	int (*insert)(struct pm_db *db, const struct pm_schema_table *t, bool first,
		      struct pm_stmt **out, struct pm_err *e);
	/* Queries, NULL if the engine has no such information. sizes: tables and indexes; the
	 * columns of catalog, and bytes. size: bytes of the whole database, and how many of them
	 * are free for reuse. spaces: tablespaces; name, bytes. complaints: texts about the damage
	 * that the engine finds. */
	const char *sizes, *size, *spaces, *complaints;
	/* Query of the number of tables for whose rows the planner has no statistics. */
	const char *unanalyzed;
	/* Query of whether this user sees the rows of all jobs; NULL if every user does. */
	const char *sees_all;
	/* Begin a transaction that waits for other writers and does not disturb readers. */
	int (*begin)(struct pm_db *db, struct pm_err *e);
	/* Prepare for a transaction that writes much; NULL if there is nothing to prepare. */
	void (*large)(struct pm_db *db);
	int (*commit)(struct pm_db *db, struct pm_err *e);
	void (*rollback)(struct pm_db *db);
	/* As pm_db_lock; NULL if a transaction is alone in writing to the database. */
	int (*lock)(struct pm_db *db, const char *name, struct pm_err *e);
	/* As pm_db_lock_rows, by `pass`; NULL as for lock. */
	const char *lock_rows[2];

	/* As pm_db_guard; the statements end with ETIME or ECANCELED. */
	int (*guard)(struct pm_db *db, int64_t limit_ms, struct pm_err *e);
	void (*unguard)(struct pm_db *db);

	const struct pm_db_ranges *ranges; /* NULL if the rows of all jobs are together */

	/* Turn the enforcement of foreign keys on or off, outside of a transaction. An engine that
	 * can drop and rename tables despite foreign keys does nothing. */
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
	bool guarded;     /* between pm_db_guard and pm_db_unguard */
	int64_t limit_ms; /* the limit there; 0: none */
	int64_t guard_us; /* its end, by pm_now_monotonic_us(); 0: none */
};

struct pm_stmt {
	const struct pm_db_engine *engine;
	struct pm_db *db;
};

/*
 * Read the version of the schema into db->version; 0 for an empty database. Returns 0, or -1 with e
 * filled: another program's database, or a damaged one.
 */
int pm_db_schema_read(struct pm_db *db, struct pm_err *e);

/* Create the schema in an empty database, unless another process has just created it, in any
 * version. Returns 0 or -1 with e filled. */
int pm_db_schema_make(struct pm_db *db, struct pm_err *e);

/* The journal of an SQLite database: chosen by the file system, or by the user. */
enum pm_db_journal { PM_DB_JOURNAL_AUTO, PM_DB_JOURNAL_WAL, PM_DB_JOURNAL_DELETE };

/*
 * Open an SQLite database; `path` may be ":memory:". The journal is set if the mode writes. The
 * schema is neither read nor created. Returns 0 with *out, whose name is `path`, or -1 with e
 * filled.
 */
int pm_sqlite_open(struct pm_db **out, const char *path, enum pm_db_mode mode,
		   enum pm_db_journal journal, struct pm_err *e);

/* As pm_db_missing (db.h), for SQLite. */
const char *pm_sqlite_missing(void);

/* As pm_db_locked and pm_db_is_file (db.h). */
int pm_sqlite_locked(const char *path, long *pid, struct pm_err *e);
bool pm_sqlite_is_file(const struct stat *st);

/* Whether a setting names a PostgreSQL database, also in a build without libpq. */
bool pm_postgres_is(const char *setting);

/* As pm_db_check (db.h). Where libpq cannot be loaded now, every URL will do. */
int pm_postgres_check(const char *url, struct pm_err *e);

/*
 * Connect to the database of a URL. The schema is neither read nor created. With PM_DB_READ and
 * PM_DB_LOOK, all statements read one snapshot. Returns 0 with *out, whose name has no secrets, or
 * -1 with e filled and errno set.
 */
int pm_postgres_open(struct pm_db **out, const char *url, enum pm_db_mode mode, struct pm_err *e);

#endif
