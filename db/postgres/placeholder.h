/* The ? of our SQL as PostgreSQL counts its parameters. Programs only. */
#ifndef PM_DB_PLACEHOLDER_H
#define PM_DB_PLACEHOLDER_H

/*
 * Copy SQL with each ? that stands for a parameter as $1, $2, ...; those in literals, quoted names
 * and comments stay. *count gets how many there are. Returns the text, to be freed by the caller,
 * or NULL without memory.
 */
char *pm_placeholder_number(const char *sql, int *count);

#endif
