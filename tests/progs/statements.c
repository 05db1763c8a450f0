/*
 * Preloaded into a program: appends every SQL statement that it gives to SQLite to the file
 * STATEMENTS_FILE, a line each, with a blank for each line break.
 */
#include "config.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

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
