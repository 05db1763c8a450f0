/* Rewrite `?` placeholders as PostgreSQL's `$1, $2 ...`. */
#ifndef PM_DB_POSTGRES_PLACEHOLDER_H
#define PM_DB_POSTGRES_PLACEHOLDER_H

/*
 * Copy SQL with its placeholders rewritten as $1, $2, ...; each ? in a literal, a quoted name or a
 * comment stays. *count gets the number of placeholders. Returns the text, to be freed by the
 * caller, or NULL if out of memory.
 */
char *pm_placeholder_number(const char *sql, int *count);

#endif
