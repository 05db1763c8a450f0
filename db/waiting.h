/* Others that hold a database are waited for: say so. */
#ifndef PM_DB_WAITING_H
#define PM_DB_WAITING_H

/* After so long it is said on a terminal, and so long in a log, ms. */
#define PM_WAITING_TELL_MS 2000
#define PM_WAITING_LOG_MS  30000

/* Say that the database is held by `who`, who was waited for so long and will be at most so long.
 */
void pm_waiting_tell(const char *database, const char *who, int waited_ms, int at_most_ms);

#endif
