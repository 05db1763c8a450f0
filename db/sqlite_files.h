/* The files of SQLite databases: their names, and which are open in this process. */
#ifndef PM_DB_SQLITE_FILES_H
#define PM_DB_SQLITE_FILES_H

/* What SQLite keeps beside a database (https://sqlite.org/tempfiles.html). */
enum pm_sqlite_beside {
	PM_SQLITE_LOG,     /* of WAL mode */
	PM_SQLITE_INDEX,   /* of that log, in shared memory; it has the locks of WAL mode */
	PM_SQLITE_JOURNAL, /* for rollback */
	PM_SQLITE_BESIDE,
};

/* The path of a file beside a database, to be freed; NULL without memory. */
char *pm_sqlite_files_beside(const char *database, enum pm_sqlite_beside which);

/* How a path ends that is one of these; NULL where it is none. */
const char *pm_sqlite_files_ending(const char *path);

/* A database that is open here. */
struct pm_sqlite_opened {
	const char *path; /* without symbolic links, "" or NULL where it has no file; SQLite's */
	struct pm_sqlite_opened *next;
};

/* Remember it until it is closed: before its handle is. The second does nothing where the first was
 * not called. */
void pm_sqlite_files_opened(struct pm_sqlite_opened *s, const char *path);
void pm_sqlite_files_closed(struct pm_sqlite_opened *s);

#endif
