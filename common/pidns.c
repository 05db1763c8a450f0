/* The pid namespace of this process. */
#include "config.h"

#include "common/pidns.h"

#include <sys/stat.h>

int64_t pm_pidns_own(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (int64_t)st.st_ino : -1;
}

int pm_pidns_first(void)
{
	int64_t own = pm_pidns_own();

	return own < 0 ? -1 : own == PM_PIDNS_FIRST;
}
