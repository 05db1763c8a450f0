/* Size and use of file systems; statvfs(3). */
#include "config.h"

#include "sampler/sources/io/filesystem.h"

#include "sampler/kernel/procfile.h"
#include "sampler/sources/dynobjects.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { SIZE, USED, AVAILABLE, INODES, INODES_USED };

/* clang-format off */
const struct pm_metric pm_filesystem_metrics[PM_FILESYSTEM_METRICS] = {
	[SIZE] = { "size", "B", "size of the file system", "mount", false, PM_METRIC_GAUGE },
	[USED] = { "used", "B", "used space", "mount", false, PM_METRIC_GAUGE },
	[AVAILABLE] = { "available", "B", "space available to users other than root", "mount", false,
		PM_METRIC_GAUGE },
	[INODES] = { "inodes", "n", "total inodes; unsupported by file systems without a fixed number", "mount",
		false, PM_METRIC_GAUGE },
	[INODES_USED] = { "inodes_used", "n", "used inodes", "mount", false, PM_METRIC_GAUGE },
};
/* clang-format on */

static const struct pm_dynobjects_column columns[PM_FILESYSTEM_METRICS] = {
	[SIZE] = { 1, 64 },   [USED] = { 1, 64 },        [AVAILABLE] = { 1, 64 },
	[INODES] = { 1, 64 }, [INODES_USED] = { 1, 64 },
};

/* Maximum number of file systems of a kind. */
#define MOUNTS_MAX 32

struct state {
	const char *root;
	enum pm_mounts_kind kind;
	struct pm_procfile mountinfo;
	char *text; /* mountinfo from which `mounts` were parsed; owned */
	struct pm_mounts mounts;
	struct pm_dynobjects objects;
};

void pm_filesystem_close(void *state)
{
	struct state *s = state;

	pm_procfile_close(&s->mountinfo);
	pm_mounts_free(&s->mounts);
	pm_dynobjects_free(&s->objects);
	free(s->text);
	free(s);
}

/* Whether nothing was mounted or unmounted since the last call, by poll(2) on mountinfo; proc(5).
 */
static bool mounts_unchanged(const struct state *s)
{
	struct pollfd p = { .fd = s->mountinfo.fd, .events = POLLPRI };

	return s->mountinfo.fd >= 0 && poll(&p, 1, 0) == 0;
}

/* Find the mounts anew where they have changed. Returns 0, or -1 with errno set. */
static int find_mounts(struct state *s)
{
	/* Poll before the first reading, too, so that the next poll shows changes since then. */
	const bool known = mounts_unchanged(s) && s->text;
	struct pm_mounts mounts;
	const char *text;
	char *copy;

	if (known)
		return 0;
	if (pm_procfile_read(&s->mountinfo, &text) < 0)
		return -1;
	if (s->text && strcmp(s->text, text) == 0)
		return 0;
	copy = strdup(text);
	if (!copy)
		return -1;
	if (pm_mounts_parse(&mounts, text, s->kind, MOUNTS_MAX) < 0) {
		free(copy);
		return -1;
	}
	pm_mounts_free(&s->mounts);
	free(s->text);
	s->mounts = mounts;
	s->text = copy;
	return 0;
}

int pm_filesystem_open(void **state, const struct pm_target *target, struct pm_unavailable *why,
		       enum pm_mounts_kind kind)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "/proc/self/mountinfo");
	s->root = target->root;
	s->kind = kind;
	pm_dynobjects_init(&s->objects, columns, PM_FILESYSTEM_METRICS, MOUNTS_MAX);
	if (pm_procfile_open(&s->mountinfo, target->root, "proc/self/mountinfo") < 0 ||
	    find_mounts(s) < 0) {
		pm_source_unavailable(why, "/proc/self/mountinfo");
		pm_filesystem_close(s);
		return -1;
	}
	if (!s->mounts.count) {
		pm_filesystem_close(s);
		why->reason = PM_REASON_absent;
		return pm_err(&why->err, "no such file system is mounted");
	}
	*state = s;
	return 0;
}

/* Read a file system. Returns 0, or -1 with errno set. */
static int read_mount(const struct state *s, const char *point, struct statvfs *vfs)
{
	char *path;
	int result;

	if (asprintf(&path, "%s%s", s->root, point) < 0)
		return -1;
	result = statvfs(path, vfs);
	free(path);
	return result;
}

/* Put number * unit, or unknown on overflow: FUSE file systems may report garbage. */
static void put_product(struct state *s, struct pm_sink *sink, struct pm_object *o, size_t column,
			uint64_t number, uint64_t unit)
{
	uint64_t value;

	/* Unsigned: for a signed product, clang before version 14 needs its own runtime library. */
	if (__builtin_mul_overflow(number, unit, &value) || value > INT64_MAX)
		pm_dynobjects_unknown(&s->objects, sink, o, column, PM_REASON_parse);
	else
		pm_dynobjects_value(&s->objects, sink, o, column, (int64_t)value);
}

static void put_mount(struct state *s, struct pm_sink *sink, struct pm_object *o,
		      const struct statvfs *vfs)
{
	put_product(s, sink, o, SIZE, vfs->f_blocks, vfs->f_frsize);
	/* More free than total wraps to a number that is too large. */
	put_product(s, sink, o, USED, vfs->f_blocks - vfs->f_bfree, vfs->f_frsize);
	put_product(s, sink, o, AVAILABLE, vfs->f_bavail, vfs->f_frsize);
	if (vfs->f_files) {
		put_product(s, sink, o, INODES, vfs->f_files, 1);
		put_product(s, sink, o, INODES_USED, vfs->f_files - vfs->f_ffree, 1);
	} else {
		pm_dynobjects_unknown(&s->objects, sink, o, INODES, PM_REASON_unsupported);
		pm_dynobjects_unknown(&s->objects, sink, o, INODES_USED, PM_REASON_unsupported);
	}
}

void pm_filesystem_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	if (find_mounts(s) < 0) {
		pm_sink_clear(sink, pm_reason_errno(errno));
		return;
	}
	pm_dynobjects_begin(&s->objects);
	for (size_t i = 0; i < s->mounts.count; i++) {
		const char *point = s->mounts.entry[i].point;
		bool fresh;
		struct pm_object *o = pm_dynobjects_get(&s->objects, point, strlen(point), &fresh);
		struct statvfs vfs;
		int result = read_mount(s, point, &vfs), error = errno;

		if (!o)
			continue;
		o->part = PM_DYNOBJECTS_APART;
		if (result == 0)
			put_mount(s, sink, o, &vfs);
		for (size_t c = 0; result < 0 && c < PM_FILESYSTEM_METRICS; c++)
			pm_dynobjects_unknown(&s->objects, sink, o, c, pm_reason_errno(error));
	}
	pm_dynobjects_end(&s->objects, sink);
}
