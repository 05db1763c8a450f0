/* The pid namespace of this process. */
#include "config.h"

#include "common/pidns.h"

#include <sys/stat.h>

/* Inode of the initial pid namespace, the same on every machine: PROC_PID_INIT_INO in Linux's
 * include/linux/proc_ns.h. */
#define FIRST 0xEFFFFFFCU

int64_t pm_pidns_own(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (int64_t)st.st_ino : -1;
}

int pm_pidns_first(void)
{
	int64_t own = pm_pidns_own();

	return own < 0 ? -1 : own == FIRST;
}
