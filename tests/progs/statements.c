/*
 * Preloaded into a program: appends every SQL statement that it gives to SQLite to the file
 * STATEMENTS_FILE, a line each, with a blank for each line break. To the file STEPS_FILE it
 * appends, at exit, how many steps of SQLite's machine those took that begin with STEPS_OF, which
 * grow with the rows that are looked at.
 */
#include "config.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(const char *sql)
{
	const char *path = getenv("STATEMENTS_FILE");
	FILE *out = path ? fopen(path, "ae") : NULL;

	if (!out)
		return;
	for (; *sql; sql++)
		putc(*sql == '\n' ? ' ' : *sql, out);
	putc('\n', out);
	fclose(out);
}

int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int n, unsigned flags, sqlite3_stmt **out,
		       const char **tail)
{
	int (*real)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);

	*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
	note(sql);
	return real(db, sql, n, flags, out, tail);
}

int sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
		 void *arg, char **message)
{
	int (*real)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *,
		    char **);

	*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_exec");
	note(sql);
	return real(db, sql, each, arg, message);
}

static long steps;

/* Add the steps since the last time. */
static void count(sqlite3_stmt *q)
{
	const char *of = getenv("STEPS_OF"), *sql = q ? sqlite3_sql(q) : NULL;

	if (of && sql && strncmp(sql, of, strlen(of)) == 0)
		steps += sqlite3_stmt_status(q, SQLITE_STMTSTATUS_VM_STEP, 1);
}

int sqlite3_reset(sqlite3_stmt *q)
{
	int (*real)(sqlite3_stmt *);

	*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_reset");
	count(q);
	return real(q);
}

int sqlite3_finalize(sqlite3_stmt *q)
{
	int (*real)(sqlite3_stmt *);

	*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_finalize");
	count(q);
	return real(q);
}

__attribute__((destructor)) static void say(void)
{
	const char *path = getenv("STEPS_FILE");
	FILE *out = path ? fopen(path, "ae") : NULL;

	if (!out)
		return;
	fprintf(out, "%ld\n", steps);
	fclose(out);
}
