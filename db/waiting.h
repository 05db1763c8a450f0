/* Others that hold a database are waited for: say so. */
#ifndef PM_DB_WAITING_H
#define PM_DB_WAITING_H

/* Waiting time after which a terminal, and a log, gets a message, ms. */
#define PM_WAITING_TELL_MS 2000
#define PM_WAITING_LOG_MS  30000

/* Report that `who` holds the database, for how long we have waited and the longest that we will.
 */
void pm_waiting_tell(const char *database, const char *who, int waited_ms, int at_most_ms);

#endif
