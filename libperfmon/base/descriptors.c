/* Open descriptors beside the program's. */
#include "config.h"

#include "libperfmon/base/descriptors.h"

#include "libperfmon/base/state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Lowest number of descriptors that stay open, and the highest soft limit that they lie beyond: the
 * kernel's table grows with the highest number, and every fork copies the table. */
#define LOWEST   1024
#define SOFT_MAX 4096

/* If the limit cannot be raised, at most the last 1/SHARE of its numbers is ours. */
#define SHARE 8

/* How far the limit is raised for a moment: several threads and children may each have one of our
 * descriptors open. */
#define ROOM 64

/* Number of tries to get the lock. If all of them fail, the limit is not raised. */
#define TRIES 1000

/* Life cycle: zero at first; the inode is known from the first descriptor on. */
PM_NEAR static struct {
	uint32_t locked;
	dev_t dev;
	ino_t ino;
} table = { 0 };

/*
 * Only one thread at a time raises the limit, since a second one would take the raised limit for
 * the program's. The lock holder has blocked all signals and waits for nothing.
 */
static bool lock_limit(int tries)
{
	while (__atomic_exchange_n(&table.locked, 1, __ATOMIC_ACQUIRE)) {
		if (--tries <= 0)
			return false;
		pm_sys0(SYS_sched_yield);
	}
	return true;
}

static void unlock_limit(void)
{
	__atomic_store_n(&table.locked, 0, __ATOMIC_RELEASE);
}

static bool same_limit(const struct rlimit *a, const struct rlimit *b)
{
	return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

/* Raise the soft limit on descriptors to `soft`. Returns whether that succeeded. */
static bool raise_to(struct pm_descriptors *d, uint64_t soft)
{
	d->raised = (struct rlimit){ soft, d->before.rlim_max };
	if (soft <= d->before.rlim_max &&
	    pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &d->raised, NULL) == 0)
		return true;
	d->raised.rlim_cur = 0;
	return false;
}

/* Restore the limit. If the program has set its limit meanwhile, that limit stays. */
static void restore_limit(const struct pm_descriptors *d)
{
	struct rlimit now;

	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &d->before, &now) == 0 &&
	    !same_limit(&now, &d->raised))
		pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &now, NULL);
}

long pm_descriptors_openat(int at, const char *path, int flags, int mode)
{
	long fd = pm_sys4(SYS_openat, at, path, flags, mode);
	struct pm_descriptors d;

	if (fd != -EMFILE || !lock_limit(1))
		return fd;
	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &d.before) == 0) {
		uint64_t left = d.before.rlim_max - d.before.rlim_cur;

		if (left > 0 && raise_to(&d, d.before.rlim_cur + (left < ROOM ? left : ROOM))) {
			fd = pm_sys4(SYS_openat, at, path, flags, mode);
			restore_limit(&d);
		}
	}
	unlock_limit();
	return fd;
}

long pm_descriptors_open(const char *path, int flags, int mode)
{
	return pm_descriptors_openat(AT_FDCWD, path, flags, mode);
}

void pm_descriptors_begin(struct pm_descriptors *d, uint32_t count)
{
	uint64_t soft, hard;

	*d = (struct pm_descriptors){ .refused = true };
	/* Lock before reading the limit, so that no other thread has raised it. */
	d->locked = lock_limit(TRIES);
	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &d->before) < 0)
		return;
	d->refused = false;
	d->base = LOWEST;
	if (d->before.rlim_cur > SOFT_MAX)
		return;
	soft = d->before.rlim_cur;
	hard = d->before.rlim_max;
	if (soft > LOWEST)
		d->base = (int)soft;
	if (d->locked && hard >= (uint64_t)d->base + count && raise_to(d, hard))
		return;
	d->base = (int)(soft - soft / SHARE);
	d->refused = soft / SHARE < count;
}

void pm_descriptors_end(const struct pm_descriptors *d)
{
	if (d->raised.rlim_cur)
		restore_limit(d);
	if (d->locked)
		unlock_limit();
}

int pm_descriptors_hide(const struct pm_descriptors *d, int fd)
{
	long hidden = pm_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, d->base);
	struct stat st;

	pm_sys1(SYS_close, fd);
	if (hidden < 0)
		return hidden == -EINVAL ? -EMFILE : (int)hidden;
	/* Racing threads store the same values. */
	if (table.ino == 0 && pm_sys2(SYS_fstat, hidden, &st) == 0) {
		table.dev = st.st_dev;
		table.ino = st.st_ino;
	}
	return (int)hidden;
}

bool pm_descriptors_is_anonymous(int fd)
{
	struct stat st;

	return pm_sys2(SYS_fstat, fd, &st) == 0 && st.st_dev == table.dev && st.st_ino == table.ino;
}

void pm_descriptors_reset(void)
{
	unlock_limit();
}
