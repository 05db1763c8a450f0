/* Messages while this process waits for another that holds a database. */
#ifndef PM_DB_WAITING_H
#define PM_DB_WAITING_H

/* Waiting times after which a terminal and a log get a message, ms. */
#define PM_WAITING_TELL_MS 2000
#define PM_WAITING_LOG_MS  30000

/* Report that this process waits for `who`, which holds the database, and for how long at most.
 * waited_ms is how long it has waited: before PM_WAITING_LOG_MS the message goes only to a
 * terminal, unless perfmon is verbose. */
void pm_waiting_tell(const char *database, const char *who, int waited_ms, int at_most_ms);

#endif
