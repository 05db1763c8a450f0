/* Report waiting for another process. */
#include "config.h"

#include "db/waiting.h"

#include "common/log.h"

void pm_waiting_tell(const char *database, const char *who, int at_most_ms)
{
	pm_warn("database %s: waiting for %s, at most %d s", database, who, at_most_ms / 1000);
}
