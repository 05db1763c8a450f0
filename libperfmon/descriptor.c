/* A descriptor beyond the soft limit. */
#include "config.h"

#include "libperfmon/descriptor.h"

#include "libperfmon/state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

/* How far: several threads and children may hold one of ours at a time. */
#define ROOM 64

/* Two that raise it at once might leave it raised. Who is late does without. */
static uint32_t raised;

static bool same(const struct rlimit *a, const struct rlimit *b)
{
	return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

static long open_raised(const char *path, int flags, int mode)
{
	struct rlimit before, higher, now;
	long fd;

	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &before) < 0 ||
	    before.rlim_cur >= before.rlim_max)
		return -EMFILE;
	higher = before;
	higher.rlim_cur =
		before.rlim_max - before.rlim_cur > ROOM ? before.rlim_cur + ROOM : before.rlim_max;
	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &higher, NULL) < 0)
		return -EMFILE;
	fd = pm_sys4(SYS_openat, AT_FDCWD, path, flags, mode);
	/* Unless the program set it meanwhile. */
	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &now) == 0 && same(&now, &higher))
		pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &before, NULL);
	return fd;
}

long pm_descriptor_open(const char *path, int flags, int mode)
{
	long fd = pm_sys4(SYS_openat, AT_FDCWD, path, flags, mode);

	if (fd != -EMFILE || __atomic_exchange_n(&raised, 1, __ATOMIC_ACQUIRE))
		return fd;
	fd = open_raised(path, flags, mode);
	__atomic_store_n(&raised, 0, __ATOMIC_RELEASE);
	return fd;
}
