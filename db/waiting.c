/* Say who is waited for. */
#include "config.h"

#include "db/waiting.h"

#include "common/log.h"

#include <unistd.h>

void pm_waiting_tell(const char *database, const char *who, int at_most_s)
{
	static const char said[] = "database %s: waiting for %s, at most %d s";

	/* A log needs no word of what will be over: who gives up says so. */
	if (pm_log_level == 0 && isatty(STDERR_FILENO))
		pm_warn(said, database, who, at_most_s);
	else
		pm_info(said, database, who, at_most_s);
}
