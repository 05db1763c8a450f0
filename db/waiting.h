/* Messages while this process waits for another that holds a database. */
#ifndef PM_DB_WAITING_H
#define PM_DB_WAITING_H

/* Waiting time after which the user is told, ms. */
#define PM_WAITING_TELL_MS 5000

/* Report that this process waits for `who`, which holds the database, and for how long at most. */
void pm_waiting_tell(const char *database, const char *who, int at_most_ms);

#endif
