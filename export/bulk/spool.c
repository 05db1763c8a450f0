/* A directory with requests that could not be sent yet. */
#include "config.h"

#include "export/bulk/spool.h"

#include "common/grow.h"
#include "common/now.h"
#include "common/path.h"
#include "common/trusted.h"
#include "common/writeall.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "bulk-"
#define SUFFIX ".ndjson"

/* Name of the file that is locked. */
#define LOCK ".lock"

/* Whether a name is that of a request, which begins with a text. */
static bool is_named(const char *name, const char *begin)
{
	const size_t n = strlen(name), suffix = strlen(SUFFIX);

	return strncmp(name, begin, strlen(begin)) == 0 && n > suffix &&
	       strcmp(name + n - suffix, SUFFIX) == 0;
}

/* List the files whose names begin with a text. Returns 0, or -1 with e filled; the caller frees
 * the names in either case. */
static int list(const struct pm_bulkspool *s, const char *begin, char ***name, size_t *n,
		struct pm_err *e)
{
	const int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	size_t room = 0;
	int rc = 0;

	*name = NULL;
	*n = 0;
	if (!d) {
		if (fd >= 0)
			close(fd);
		return pm_err(e, "spool %s: %m", s->path);
	}
	for (const struct dirent *x; rc == 0 && (x = readdir(d));) {
		if (!is_named(x->d_name, begin))
			continue;
		if (!PM_GROW(*name, *n, room, 16) || !((*name)[*n] = strdup(x->d_name)))
			rc = pm_err(e, "out of memory");
		else
			(*n)++;
	}
	closedir(d);
	return rc;
}

/* Remove what exports that were killed did not write to its end. Returns 0, or -1 with e filled. */
static int remove_parts(const struct pm_bulkspool *s, struct pm_err *e)
{
	char **name;
	size_t n;
	const int rc = list(s, "." PREFIX, &name, &n, e);

	for (size_t i = 0; i < n; i++) {
		unlinkat(s->dir, name[i], 0);
		free(name[i]);
	}
	free(name);
	return rc;
}

int pm_bulkspool_open(struct pm_bulkspool *s, const char *path, int64_t limit, struct pm_err *e)
{
	struct stat st;

	*s = (struct pm_bulkspool){ .path = path, .dir = -1, .lock = -1, .limit = limit };
	if (pm_path_make(path, e) < 0)
		return -1;
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0 || fstat(s->dir, &st) < 0)
		return pm_err(e, "spool %s: %m", path);
	if (pm_trusted_others_write(&st) || (st.st_uid != geteuid() && st.st_uid != 0))
		return pm_err(e,
			      "spool %s: others may write there, and so have sent what they like: "
			      "chmod 700",
			      path);
	/* Two would send older documents behind newer ones. Not the directory: over NFS what is
	 * locked must be open for writing. */
	s->lock = openat(s->dir, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock < 0 || flock(s->lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? pm_err(e,
					"spool %s: another export uses it: wait for its end, or "
					"give each a spool of its own",
					path)
			       : pm_err(e, "lock spool %s: %m", path);
	return remove_parts(s, e);
}

void pm_bulkspool_close(struct pm_bulkspool *s)
{
	if (s->dir >= 0)
		close(s->dir);
	if (s->lock >= 0)
		close(s->lock);
	s->dir = s->lock = -1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int pm_bulkspool_list(const struct pm_bulkspool *s, char ***name, size_t *n, struct pm_err *e)
{
	const int rc = list(s, PREFIX, name, n, e);

	if (*n > 0)
		qsort(*name, *n, sizeof **name, by_name);
	return rc;
}

/* Add up the bytes of all files. Returns 0, or -1 with e filled. */
static int measure(const struct pm_bulkspool *s, int64_t *bytes, struct pm_err *e)
{
	char **name;
	size_t n;
	const int rc = pm_bulkspool_list(s, &name, &n, e);

	*bytes = 0;
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (fstatat(s->dir, name[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			*bytes += st.st_size;
		free(name[i]);
	}
	free(name);
	return rc;
}

/* Write a file and bring it to the disk. Returns 0, or -1 with errno. */
static int write_file(int fd, const void *p, size_t n)
{
	int failure = 0;

	if (pm_write_all(fd, p, n) < 0 || fsync(fd) < 0)
		failure = errno;
	if (close(fd) < 0 && !failure)
		failure = errno;
	errno = failure;
	return failure ? -1 : 0;
}

int pm_bulkspool_add(struct pm_bulkspool *s, const void *p, size_t n, struct pm_err *e)
{
	char name[96], beside[100];
	int64_t bytes;
	int fd;

	if (measure(s, &bytes, e) < 0)
		return -1;
	if (bytes + (int64_t)n > s->limit)
		return pm_err(
			e, "spool %s has %" PRId64 " bytes and room for no more: see --spool-limit",
			s->path, bytes);
	snprintf(name, sizeof name, PREFIX "%016" PRId64 "-%010ld-%06u" SUFFIX, pm_now_us(),
		 (long)getpid(), s->number++);
	snprintf(beside, sizeof beside, ".%s", name);
	fd = openat(s->dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return pm_err(e, "spool %s: %m", s->path);
	if (write_file(fd, p, n) == 0 && renameat(s->dir, beside, s->dir, name) == 0 &&
	    fsync(s->dir) == 0)
		return 0;
	pm_err(e, "spool %s: %m", s->path);
	unlinkat(s->dir, beside, 0);
	return -1;
}

int pm_bulkspool_read(const struct pm_bulkspool *s, const char *name, size_t most,
		      struct pm_bytes *to, struct pm_err *e)
{
	const int fd = openat(s->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t n = 0;

	to->n = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : pm_err(e, "spool %s/%s: %m", s->path, name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)most) {
		close(fd);
		return pm_err(e, "spool %s/%s is no request of perfmon's", s->path, name);
	}
	while (pm_bytes_room(to, 65536) && to->n < most + 65536 &&
	       (n = read(fd, to->p + to->n, 65536)) > 0)
		to->n += (size_t)n;
	close(fd);
	if (to->failed)
		return pm_err(e, "out of memory");
	return n < 0 ? pm_err(e, "spool %s/%s: %m", s->path, name) : 1;
}

int pm_bulkspool_remove(const struct pm_bulkspool *s, const char *name, struct pm_err *e)
{
	if (unlinkat(s->dir, name, 0) < 0 && errno != ENOENT)
		return pm_err(e, "spool %s/%s: %m", s->path, name);
	return 0;
}
