/* Others that hold a database are waited for: say so. */
#ifndef PM_DB_WAITING_H
#define PM_DB_WAITING_H

/* After so long it is said, ms. */
#define PM_WAITING_TELL_MS 2000

/* Say that the database is held by `who`, who is waited for at most so long, in s. */
void pm_waiting_tell(const char *database, const char *who, int at_most_s);

#endif
