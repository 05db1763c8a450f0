/* Blocks of a tar archive through libtar, which provides handles, blocks and check sums. */
#include "config.h"

#include "submit/input/tarblocks.h"

#include "common/version.h"

#ifdef HAVE_LIBTAR

#include <errno.h>
#include <fcntl.h>
#include <libtar.h>
#include <unistd.h>

_Static_assert(T_BLOCKSIZE == PM_TARBLOCKS_SIZE, "libtar's blocks");

/* libtar's callbacks get an int, not a context, so the one open archive is static. */
static struct pm_tarblocks {
	TAR *tar;
	pm_tarblocks_fn *read;
	void *ctx;
} reading;

/* libtar opens the path through this callback; the archive is already open. */
static int no_open(const char *path, int flags, ...)
{
	(void)path;
	(void)flags;
	return 0;
}

static int no_close(int fd)
{
	(void)fd;
	return 0;
}

static ssize_t read_archive(int fd, void *p, size_t n)
{
	(void)fd;
	return reading.read(reading.ctx, p, n);
}

static ssize_t no_write(int fd, const void *p, size_t n)
{
	(void)fd;
	(void)p;
	(void)n;
	errno = EBADF;
	return -1;
}

struct pm_tarblocks *pm_tarblocks_open(const char *path, pm_tarblocks_fn *read, void *ctx)
{
	static tartype_t type = { no_open, no_close, read_archive, no_write };

	reading.read = read;
	reading.ctx = ctx;
	return tar_open(&reading.tar, path, &type, O_RDONLY, 0, 0) < 0 ? NULL : &reading;
}

ssize_t pm_tarblocks_read(struct pm_tarblocks *t, char p[PM_TARBLOCKS_SIZE])
{
	return tar_block_read(t->tar, p);
}

char *pm_tarblocks_header(struct pm_tarblocks *t)
{
	return (char *)&t->tar->th_buf;
}

bool pm_tarblocks_sums(struct pm_tarblocks *t, int sum)
{
	return sum == th_crc_calc(t->tar) || sum == th_signed_crc_calc(t->tar);
}

void pm_tarblocks_close(struct pm_tarblocks *t)
{
	tar_close(t->tar);
}

void pm_version_libtar(struct pm_version *v)
{
	pm_version_set(v, "%s", libtar_version);
}

#else

void pm_version_libtar(struct pm_version *v)
{
	(void)v;
}

#endif
