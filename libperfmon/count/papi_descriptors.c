/* Move, remember and close descriptors that PAPI opened. */
#include "config.h"

#include "libperfmon/count/papi_descriptors.h"

#include "libperfmon/base/state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

/* How many numbers after the occupied ones are searched for opened files. */
#define LOOKED_AT 64

static int stat_of(int fd, uint64_t *dev, uint64_t *ino)
{
	struct stat st;

	if (pm_sys2(SYS_fstat, fd, &st) < 0)
		return -1;
	*dev = st.st_dev;
	*ino = st.st_ino;
	return 0;
}

/* Remember a descriptor, replacing any entry with the same number. Returns 0, or -1 if there are
 * too many, or the descriptor is not open. */
static int remember_descriptor(struct pm_papi_descriptors *d, int fd, uint64_t id)
{
	uint32_t i = 0;

	while (i < d->count && d->one[i].fd != fd)
		i++;
	if (i == PM_PAPI_DESCRIPTORS_MAX || stat_of(fd, &d->one[i].dev, &d->one[i].ino) < 0)
		return -1;
	d->one[i].fd = fd;
	d->one[i].id = id;
	if (i == d->count)
		d->count++;
	return 0;
}

static bool is_ours(const struct pm_papi_descriptors *d, uint32_t i)
{
	uint64_t dev, ino, id;

	return stat_of(d->one[i].fd, &dev, &ino) == 0 && dev == d->one[i].dev &&
	       ino == d->one[i].ino &&
	       (d->one[i].id == 0 ||
		(pm_sys3(SYS_ioctl, d->one[i].fd, PERF_EVENT_IOC_ID, &id) == 0 &&
		 id == d->one[i].id));
}

int pm_papi_descriptors_take(struct pm_papi_descriptors *d, const struct pm_papi_filled *f, int fd,
			     bool hardware)
{
	struct pm_descriptors own;
	uint64_t id = 0;
	int hidden;

	if (!f->on)
		pm_descriptors_begin(&own, 1);
	hidden = pm_descriptors_hide(f->on ? &f->room : &own, fd);
	if (!f->on)
		pm_descriptors_end(&own);
	if (hidden < 0)
		return hidden;
	if (pm_sys3(SYS_ioctl, hidden, PERF_EVENT_IOC_ID, &id) < 0 || id == 0 ||
	    remember_descriptor(d, hidden, id) < 0) {
		pm_sys1(SYS_close, hidden);
		return -EMFILE;
	}
	d->hardware |= hardware;
	return hidden;
}

void pm_papi_descriptors_settle(struct pm_papi_descriptors *d)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->count; i++)
		if (is_ours(d, i))
			d->one[kept++] = d->one[i];
	d->count = kept;
}

bool pm_papi_descriptors_ours(const struct pm_papi_descriptors *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (!is_ours(d, i))
			return false;
	return true;
}

bool pm_papi_descriptors_hold(const struct pm_papi_descriptors *d, int fd)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->one[i].fd == fd)
			return is_ours(d, i);
	return false;
}

void pm_papi_descriptors_close(struct pm_papi_descriptors *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (is_ours(d, i))
			pm_sys1(SYS_close, d->one[i].fd);
	d->count = 0;
}

/* The numbers after the occupied ones that are open: bit i is set if f->room.base + i is. */
static uint64_t open_after(const struct pm_papi_filled *f)
{
	uint64_t open = 0;

	for (int i = 0; i < LOOKED_AT; i++)
		if (pm_sys2(SYS_fcntl, f->room.base + i, F_GETFD) >= 0)
			open |= (uint64_t)1 << i;
	return open;
}

void pm_papi_descriptors_fill(struct pm_papi_filled *f)
{
	const int bits = 8 * (int)sizeof f->taken;
	long fd;

	pm_descriptors_begin(&f->room, LOOKED_AT);
	f->on = !f->room.refused && f->room.base <= bits;
	if (!f->on) {
		pm_descriptors_end(&f->room);
		return;
	}
	f->before = open_after(f);
	fd = pm_sys4(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
	while (fd >= 0 && fd < f->room.base) {
		f->taken[fd / 64] |= (uint64_t)1 << fd % 64;
		fd = pm_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
	}
	if (fd >= 0)
		pm_sys1(SYS_close, fd);
}

void pm_papi_descriptors_unfill(struct pm_papi_filled *f, struct pm_papi_descriptors *d)
{
	uint64_t opened;

	if (!f->on)
		return;
	for (int fd = 0; fd < f->room.base; fd++)
		if (f->taken[fd / 64] >> fd % 64 & 1)
			pm_sys1(SYS_close, fd);
	memset(f->taken, 0, sizeof f->taken);
	opened = open_after(f) & ~f->before;
	for (int i = 0; i < LOOKED_AT; i++) {
		int fd = f->room.base + i;
		bool known = false;

		for (uint32_t k = 0; k < d->count; k++)
			known |= d->one[k].fd == fd;
		if (known || !(opened >> i & 1))
			continue;
		pm_sys3(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
		remember_descriptor(d, fd, 0);
	}
	pm_descriptors_end(&f->room);
	f->on = false;
}
