/* Report waiting for another process. */
#include "config.h"

#include "db/waiting.h"

#include "common/log.h"

#include <unistd.h>

void pm_waiting_tell(const char *database, const char *who, int waited_ms, int at_most_ms)
{
	static const char said[] = "database %s: waiting for %s, at most %d s";

	/* Waits that are soon over do not belong in a log. */
	if (pm_log_level == 0 && (isatty(STDERR_FILENO) || waited_ms >= PM_WAITING_LOG_MS))
		pm_warn(said, database, who, at_most_ms / 1000);
	else
		pm_info(said, database, who, at_most_ms / 1000);
}
