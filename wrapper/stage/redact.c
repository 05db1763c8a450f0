/* Rewrite record files and metadata of a job without secrets. */
#include "config.h"

#include "wrapper/stage/redact.h"

#include "common/secrets/redact_file.h"
#include "common/writeall.h"
#include "wrapper/stage/repack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Temporary name of the new file. */
#define NEW ".redact-new"

/* Write the output of a redaction to a descriptor; -1: discard it. */
static int write_output(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	const int *fd = ctx;

	return *fd >= 0 && pm_write_all(*fd, p, n) < 0 ? pm_err(e, "write: %m") : 0;
}

/* Redact a file from its current offset into `to`, -1: discard the output. Returns the number of
 * secrets, or -1 with e filled. */
static int64_t redact_rest(int from, int to, const char *name, struct pm_err *e)
{
	struct pm_redact_file *f = pm_redact_file_new(name, write_output, &to, e);
	int64_t count = -1;
	char buf[65536];
	ssize_t n;
	int rc = f ? 0 : -1;

	while (rc == 0 && (n = read(from, buf, sizeof buf)) != 0)
		if (n > 0)
			rc = pm_redact_file_feed(f, buf, (size_t)n, e);
		else if (errno != EINTR)
			rc = pm_err(e, "read: %m");
	if (rc == 0 && pm_redact_file_end(f, e) == 0)
		count = pm_redact_file_count(f);
	pm_redact_file_free(f);
	return count;
}

/* Give the new file the old one's owner and mode, and sync it. */
static int make_alike(int fd, const struct stat *st, struct pm_err *e)
{
	if (geteuid() == 0 && fchown(fd, st->st_uid, st->st_gid) < 0)
		return pm_err(e, "owner: %m");
	if (fchmod(fd, st->st_mode & 07777) < 0 || fsync(fd) < 0)
		return pm_err(e, "write: %m");
	return 0;
}

/* Wait until no other process has the file open, a second at most: the collector keeps a file open
 * only to write. On a file system without leases do not wait. */
static void wait_for_writers(int fd)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < 1000 && fcntl(fd, F_SETLEASE, F_WRLCK) < 0 && errno == EAGAIN; i++)
		nanosleep(&pause, NULL);
	fcntl(fd, F_SETLEASE, F_UNLCK);
}

/* Replace a file by its redacted copy. Returns the number of secrets in it, or -1 with e filled. */
static int64_t replace_file(const struct pm_jobdir *d, int old, const char *name, struct pm_err *e)
{
	int64_t count = -1, late;
	struct stat st;
	int fd;

	unlinkat(d->fd, NEW, 0);
	fd = openat(d->fd, NEW, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return pm_err(e, "create %s: %m", NEW);
	if (fstat(old, &st) == 0 && lseek(old, 0, SEEK_SET) == 0)
		count = redact_rest(old, fd, name, e);
	else
		pm_err(e, "read: %m");
	if (count >= 0 && make_alike(fd, &st, e) < 0)
		count = -1;
	if (count >= 0 && renameat(d->fd, NEW, d->fd, name) < 0)
		count = pm_err(e, "rename: %m");
	if (count < 0)
		unlinkat(d->fd, NEW, 0);
	/* From here on no process can open the old file: copy records appended meanwhile. */
	if (count >= 0)
		wait_for_writers(old);
	late = count < 0 ? 0 : redact_rest(old, fd, ".tsv", e);
	close(fd);
	return late < 0 ? -1 : count < 0 ? -1 : count + late;
}

/* Redact one file; links and other users' files do not belong to the job. Returns the number of
 * secrets, or -1 with e filled. */
static int64_t redact_file(const struct pm_jobdir *d, const char *name, bool dry, struct pm_err *e)
{
	int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st, dir;
	int64_t count;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? 0 : pm_err(e, "%m");
	if (fstat(fd, &st) < 0 || fstat(d->fd, &dir) < 0 || !S_ISREG(st.st_mode) ||
	    (st.st_uid != dir.st_uid && st.st_uid != geteuid())) {
		close(fd);
		return 0;
	}
	count = redact_rest(fd, -1, name, e);
	if (count > 0 && !dry)
		count = replace_file(d, fd, name, e);
	close(fd);
	return count;
}

int pm_redact_directory(const struct pm_jobdir *d, bool dry, int64_t *count, struct pm_err *e)
{
	struct dirent **entry = NULL;
	int n = scandirat(d->fd, ".", &entry, NULL, alphasort), rc = 0;

	*count = 0;
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		int64_t k = rc == 0 && pm_redact_is_file(name) ? redact_file(d, name, dry, e) : 0;

		if (k < 0)
			rc = pm_err_prefix(e, "%s/%s", d->path, name);
		else
			*count += k;
		free(entry[i]);
	}
	free(entry);
	if (rc == 0 && !dry)
		fsync(d->fd);
	return n < 0 ? pm_err(e, "%s: %m", d->path) : rc;
}

struct archive {
	bool dry;
	int64_t count;
};

static int redact_unpacked(void *ctx, const struct pm_jobdir *d, struct pm_err *e)
{
	struct archive *a = ctx;

	if (pm_redact_directory(d, a->dry, &a->count, e) < 0)
		return -1;
	return a->count > 0 && !a->dry;
}

int pm_redact_archive(const char *path, bool dry, int64_t *count, struct pm_err *e)
{
	struct archive a = { .dry = dry };
	int rc = pm_repack(path, redact_unpacked, &a, e);

	*count = a.count;
	return rc;
}
