/* More connections to the database that the user means, for work on many jobs at once. */
#ifndef PM_REPORT_CONNECTIONS_H
#define PM_REPORT_CONNECTIONS_H

#include "analysis/ops/eachjob.h"

struct pm_connections {
	struct pm_db *db[PM_EACHJOB_MOST]; /* the first is the caller's */
	size_t count;
};

/* Begin with the connection db, and open others of the setting db where there are so many jobs that
 * they are worth it: without them the work takes longer. */
void pm_connections_open(struct pm_connections *c, struct pm_db *db, size_t jobs);

/* Close all but the first. */
void pm_connections_close(struct pm_connections *c);

#endif
