/* The codes of failures that the SQL standard names. Programs only. */
#ifndef PM_DB_SQLSTATE_H
#define PM_DB_SQLSTATE_H

/* The errno that tells our callers the same as a code of five characters, or NULL: see
 * pm_db_failure. What is not known is EIO. */
int pm_sqlstate_errno(const char *state);

#endif
