/* The error codes of the SQL standard (SQLSTATE). */
#ifndef PM_DB_POSTGRES_SQLSTATE_H
#define PM_DB_POSTGRES_SQLSTATE_H

/* The errno for a code of five characters, or NULL, as callers of pm_db_failure know it. EIO for an
 * unknown code. */
int pm_sqlstate_errno(const char *state);

#endif
