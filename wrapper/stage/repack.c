/* Change an archive: unpack it beside itself, change the files, pack them, read the new archive
 * back, and rename it over the old one. */
#include "config.h"

#include "wrapper/stage/repack.h"

#include "common/archive.h"
#include "common/now.h"
#include "common/tarwrite.h"
#include "common/writeall.h"
#include "wrapper/stage/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The state of unpacking an archive into a directory. */
struct unpacking {
	int dir;
	int out; /* the current file, -1: none */
	char stem[PATH_MAX];
	bool has_stem;
	struct pm_pack pack;
};

static int unpack_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct unpacking *u = ctx;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (n >= sizeof u->stem)
		return pm_err(e, "%s: path too long", path);
	if (u->has_stem && (strlen(u->stem) != n || memcmp(u->stem, path, n) != 0))
		return pm_err(
			e, "it holds several jobs; load it, then give the ids of the jobs instead");
	memcpy(u->stem, path, n);
	u->stem[n] = '\0';
	u->has_stem = true;
	/* Packing writes a new manifest. */
	if (strcmp(name, PM_PACK_MANIFEST) == 0)
		return 0;
	u->out = openat(u->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (u->out < 0)
		return pm_err(e, "unpack %s: %m", name);
	return pm_pack_add(&u->pack, name) < 0 ? pm_err(e, "out of memory") : 1;
}

static int unpack_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct unpacking *u = ctx;

	return pm_write_all(u->out, p, n) < 0 ? pm_err(e, "unpack: %m") : 0;
}

static int unpack_end(void *ctx, bool whole, struct pm_err *e)
{
	struct unpacking *u = ctx;
	int rc = close(u->out);

	u->out = -1;
	if (rc < 0)
		return pm_err(e, "unpack: %m");
	return whole ? 0 : pm_err(e, "the archive is truncated");
}

static void unpack_skipped(void *ctx, const char *path, const char *why)
{
	(void)ctx; /* members that cannot be loaded need not be kept */
	(void)path;
	(void)why;
}

/* Remove the directory that we or a killed call unpacked into. */
static void remove_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	while (dir && (entry = readdir(dir)) != NULL)
		unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	unlinkat(parent, name, AT_REMOVEDIR);
}

/* Open and lock the archive; try again if another call has replaced it before we got the lock.
 * Returns a descriptor, or -1 with e filled. */
static int open_locked(int parent, const char *name, struct stat *st, struct pm_err *e)
{
	for (;;) {
		int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		struct stat now;

		if (fd < 0)
			return pm_err(e, "%s: %m", name);
		if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode)) {
			close(fd);
			return pm_err(e, "%s: not a regular file", name);
		}
		if (st->st_uid != geteuid() && geteuid() != 0) {
			close(fd);
			return pm_err(e, "%s belongs to another user", name);
		}
		while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
			continue;
		if (fstatat(parent, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now.st_ino == st->st_ino && now.st_dev == st->st_dev)
			return fd;
		close(fd);
	}
}

struct names {
	const char *path, *name;
	char folder[PATH_MAX], unpacked[NAME_MAX + 1], packed[NAME_MAX + 1];
	char packed_path[PATH_MAX + NAME_MAX + 2];
};

static int make_names(struct names *n, const char *path, struct pm_err *e)
{
	const char *slash = strrchr(path, '/');

	n->path = path;
	n->name = slash ? slash + 1 : path;
	if (snprintf(n->folder, sizeof n->folder, "%.*s",
		     slash == path ? 1
		     : slash       ? (int)(slash - path)
				   : 1,
		     slash ? path : ".") >= (int)sizeof n->folder ||
	    snprintf(n->unpacked, sizeof n->unpacked, ".%s.unpacked", n->name) >=
		    (int)sizeof n->unpacked ||
	    snprintf(n->packed, sizeof n->packed, ".%s.new", n->name) >= (int)sizeof n->packed)
		return pm_err(e, "%s: name too long", path);
	snprintf(n->packed_path, sizeof n->packed_path, "%s/%s", n->folder, n->packed);
	return 0;
}

/* Pack the directory and replace the old archive. Returns 0 or -1 with e filled. */
static int pack_again(const struct names *n, int parent, struct unpacking *u, const struct stat *st,
		      struct pm_err *e)
{
	json_t *about = json_pack("{s:s, s:s, s:I}", "version", PACKAGE_VERSION, "job", u->stem,
				  "packed_us", (json_int_t)pm_now_us());
	/* Members without a directory get one. */
	const char *stem = *u->stem && strcmp(u->stem, ".") != 0 ? u->stem : "job";
	int fd, rc;

	unlinkat(parent, n->packed, 0);
	fd = openat(parent, n->packed, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	rc = fd < 0 ? pm_err(e, "create %s: %m", n->packed)
		    : pm_pack_write(fd, u->dir, stem, &u->pack, about, e);
	if (rc == 0 && fchmod(fd, st->st_mode & 07777) == 0 && geteuid() == 0 &&
	    fchown(fd, st->st_uid, st->st_gid) < 0)
		rc = pm_err(e, "%s: %m", n->packed);
	if (rc == 0)
		rc = pm_pack_verify(n->packed_path, stem, &u->pack, e);
	/* After the rename our lock protects nothing, as others then lock the new file: so remove
	 * the unpacked files before the rename. */
	if (rc == 0)
		remove_directory(parent, n->unpacked);
	if (rc == 0 && renameat(parent, n->packed, parent, n->name) < 0)
		rc = pm_err(e, "rename to %s: %m", n->path);
	if (rc < 0)
		unlinkat(parent, n->packed, 0);
	if (fd >= 0)
		close(fd);
	fsync(parent);
	json_decref(about);
	return rc;
}

static int change_unpacked(const struct names *n, int parent, int fd, const struct stat *st,
			   pm_repack_change *change, void *ctx, struct pm_err *e)
{
	struct unpacking u = { .out = -1 };
	struct pm_archive_sink sink = { unpack_begin, unpack_data, unpack_end, unpack_skipped, &u };
	struct pm_jobdir d;
	int rc;

	u.dir = openat(parent, n->unpacked, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (u.dir < 0)
		return pm_err(e, "%s: %m", n->unpacked);
	/* Read the archive that we have locked: another one may have its name by now. */
	rc = pm_archive_read_fd(fd, n->path, &sink, e) == 0 ? 0 : -1;
	if (rc == 0) {
		d.fd = u.dir;
		snprintf(d.path, sizeof d.path, "%s", n->path);
		rc = change(ctx, &d, e);
		if (rc > 0)
			rc = pack_again(n, parent, &u, st, e);
		else if (rc == 0)
			remove_directory(parent, n->unpacked);
	}
	if (u.out >= 0)
		close(u.out);
	close(u.dir);
	pm_pack_free(&u.pack);
	return rc;
}

int pm_repack(const char *path, pm_repack_change *change, void *ctx, struct pm_err *e)
{
	struct names n;
	struct stat st;
	int parent, fd, rc;

	if (!pm_tarwrite_can(path))
		return pm_err(e,
			      "%s: only .tar, .tar.gz and .tgz can be rewritten; load the archive, "
			      "then give the job's id instead",
			      path);
	if (make_names(&n, path, e) < 0)
		return -1;
	parent = open(n.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0)
		return pm_err(e, "%s: %m", n.folder);
	fd = open_locked(parent, n.name, &st, e);
	if (fd < 0) {
		close(parent);
		return -1;
	}
	/* We hold the lock: unpacked files that are there are of a call that was killed. */
	remove_directory(parent, n.unpacked);
	if (mkdirat(parent, n.unpacked, 0700) < 0)
		rc = pm_err(e, "create %s: %m", n.unpacked);
	else
		rc = change_unpacked(&n, parent, fd, &st, change, ctx, e);
	if (rc < 0)
		remove_directory(parent, n.unpacked);
	close(fd);
	close(parent);
	return rc < 0 ? pm_err_prefix(e, "%s", path) : 0;
}
