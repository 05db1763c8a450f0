/*
 * Slots are updated in place, each under its own lock, which belongs to the open file description
 * and not to the process, since a lock of the process would be dropped when the program closes
 * another descriptor of the file. A busy slot is skipped.
 */
#include "config.h"

#include "libperfmon/record/tally.h"

#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/recordfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static long lock_slot(long fd, off_t at, short type)
{
	struct flock l = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = PM_TALLY_SLOT
	};

	return pm_sys3(SYS_fcntl, fd, F_OFD_SETLK, &l);
}

static bool same_text(struct pm_str a, struct pm_str b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* Add to a locked slot. Returns 1 if the values were added, 0 if the slot has another kind or key,
 * -1 for a failure. */
static int add_to_slot(long fd, off_t at, const struct pm_tally *t)
{
	char slot[PM_TALLY_SLOT];
	struct pm_tally now;

	if (pm_sys4(SYS_pread64, fd, slot, sizeof slot, at) != sizeof slot)
		return -1;
	if (pm_tally_parse(slot, &now) < 0)
		return 0;
	if (now.kind.n > 0 && (!same_text(now.kind, t->kind) || !same_text(now.key, t->key) ||
			       now.values != t->values))
		return 0;
	for (int i = 0; i < t->values; i++)
		if (i != PM_TALLY_MAXIMUM)
			now.v[i] += t->v[i];
		else if (now.v[i] < t->v[i])
			now.v[i] = t->v[i];
	now.kind = t->kind;
	now.key = t->key;
	now.values = t->values;
	if (pm_tally_format(slot, &now) < 0)
		return -1;
	return pm_sys4(SYS_pwrite64, fd, slot, sizeof slot, at) == sizeof slot ? 1 : -1;
}

bool pm_tally_add(const struct pm_tally *t, unsigned first, unsigned count, unsigned begin)
{
	const char *file = pm_recordfile_tally();
	struct rlimit limit;
	struct stat st;
	int done = 0;
	long fd;

	if (!file || pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) < 0)
		return false;
	fd = pm_descriptors_open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return false;
	if (pm.root && (pm_sys2(SYS_fstat, fd, &st) < 0 || !pm_recordfile_is_safe(&st)))
		count = 0;
	for (unsigned i = 0; i < count && done == 0; i++) {
		off_t at = (off_t)(first + (begin % count + i) % count) * PM_TALLY_SLOT;
		long rc;

		/* Beyond the file size limit a write would send a signal. */
		if (limit.rlim_cur != RLIM_INFINITY &&
		    (uint64_t)at + PM_TALLY_SLOT > limit.rlim_cur)
			continue;
		rc = lock_slot(fd, at, F_WRLCK);
		if (rc == -EAGAIN || rc == -EACCES)
			continue;
		if (rc < 0)
			break;
		done = add_to_slot(fd, at, t);
		/* Closing may not unlock: a fork in another thread may have copied the descriptor.
		 */
		lock_slot(fd, at, F_UNLCK);
	}
	pm_sys1(SYS_close, fd);
	return done > 0;
}

/* As many slots as a small stack can hold. */
#define SLOTS_AT_ONCE 4

int64_t pm_tally_size(int64_t bytes)
{
	const struct pm_tally t = { { "size", 4 }, { "", 0 }, 1, { bytes } };
	char slots[SLOTS_AT_ONCE * PM_TALLY_SLOT];
	const char *path;
	struct pm_tally one;
	int64_t sum = 0;
	long fd;

	if (!pm_tally_add(&t, PM_TALLY_SIZE, PM_TALLY_SPARE, (unsigned)pm.pid) ||
	    !(path = pm_recordfile_tally()))
		return -1;
	fd = pm_descriptors_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
				 0);
	if (fd < 0)
		return -1;
	for (off_t i = 0; i < PM_TALLY_SPARE; i += SLOTS_AT_ONCE) {
		off_t at = (PM_TALLY_SIZE + i) * PM_TALLY_SLOT;

		if (pm_sys4(SYS_pread64, fd, slots, sizeof slots, at) != sizeof slots)
			continue;
		for (int k = 0; k < SLOTS_AT_ONCE; k++)
			if (pm_tally_parse(slots + (size_t)k * PM_TALLY_SLOT, &one) == 0 &&
			    one.values == 1)
				sum += one.v[0];
	}
	pm_sys1(SYS_close, fd);
	return sum;
}
