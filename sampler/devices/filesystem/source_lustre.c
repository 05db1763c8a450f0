/*
 * Source "lustre": what programs do in Lustre file systems, of each mount, from
 * llite/FS-INSTANCE/stats (lustreset.h has where). The page cache's hits are counted here, and what
 * goes to the servers by lustre_rpc: the same bytes twice.
 */
#include "config.h"

#include "sampler/devices/filesystem/lustreset.h"

#include <stdlib.h>

/* clang-format off */
/* X(id, name, unit, line, its name in other versions, part, help). */
#define FIELDS(X) \
	X(READ_BYTES, "read_bytes", "B", "read_bytes", NULL, BYTES, "bytes read by programs, page cache included") \
	X(WRITE_BYTES, "write_bytes", "B", "write_bytes", NULL, BYTES, "bytes written by programs") \
	X(READS, "reads", "n", "read_bytes", NULL, SAMPLES, "reads by programs") \
	X(WRITES, "writes", "n", "write_bytes", NULL, SAMPLES, "writes by programs") \
	X(READ_TIME, "read_time", "us", "read", NULL, TIME, "total time of reads; unsupported before Lustre 2.12") \
	X(WRITE_TIME, "write_time", "us", "write", NULL, TIME, "total time of writes; unsupported before Lustre 2.12") \
	X(OPEN, "opens", "n", "open", NULL, SAMPLES, "files opened") \
	X(CLOSE, "closes", "n", "close", NULL, SAMPLES, "files closed") \
	X(CREATE, "creates", "n", "create", NULL, SAMPLES, "files created without being opened") \
	X(MKNOD, "mknods", "n", "mknod", NULL, SAMPLES, "files made by mknod, or without contents on servers") \
	X(LINK, "links", "n", "link", NULL, SAMPLES, "hard links made") \
	X(SYMLINK, "symlinks", "n", "symlink", NULL, SAMPLES, "symbolic links made") \
	X(UNLINK, "unlinks", "n", "unlink", NULL, SAMPLES, "files removed") \
	X(MKDIR, "mkdirs", "n", "mkdir", NULL, SAMPLES, "directories made") \
	X(RMDIR, "rmdirs", "n", "rmdir", NULL, SAMPLES, "directories removed") \
	X(RENAME, "renames", "n", "rename", NULL, SAMPLES, "files renamed") \
	X(GETATTR, "getattrs", "n", "getattr", NULL, SAMPLES, "readings of attributes, as by stat") \
	X(SETATTR, "setattrs", "n", "setattr", NULL, SAMPLES, "changes of attributes, as by chmod") \
	X(GETXATTR, "getxattrs", "n", "getxattr", NULL, SAMPLES, "readings of extended attributes") \
	X(READDIR, "readdirs", "n", "readdir", NULL, SAMPLES, "readings of directories") \
	X(TRUNCATE, "truncates", "n", "truncate", NULL, SAMPLES, "files cut or extended") \
	X(STATFS, "statfs", "n", "statfs", NULL, SAMPLES, "readings of the size of the file system") \
	X(SEEK, "seeks", "n", "seek", NULL, SAMPLES, "seeks") \
	X(FSYNC, "fsyncs", "n", "fsync", NULL, SAMPLES, "files synced") \
	X(FLOCK, "flocks", "n", "flock", NULL, SAMPLES, "locks of files") \
	X(MMAP, "mmaps", "n", "mmap", NULL, SAMPLES, "files mapped into memory") \
	X(FAULT, "page_faults", "n", "page_fault", "fault", SAMPLES, "faults of mapped pages") \
	X(MKWRITE, "page_writes", "n", "page_mkwrite", "mkwrite", SAMPLES, "mapped pages made writable") \
	X(PERMISSION, "permissions", "n", "inode_permission", NULL, SAMPLES, "checks of permission on the way along a path")

enum {
#define NUMBER(id, name, unit, line, other, part, help) id,
	FIELDS(NUMBER)
	METRICS
};

static const struct pm_metric metrics[METRICS] = {
#define METRIC(id, name, unit, line, other, part, help) [id] = { name, unit, help, "mount", true, PM_METRIC_COUNTER },
	FIELDS(METRIC)
};

static const struct pm_lustrestats_row rows[METRICS] = {
#define ROW(id, name, unit, line, other, part, help) [id] = { line, other, PM_LUSTRESTATS_##part, id - READ_TIME + READS },
	FIELDS(ROW)
};
/* clang-format on */

_Static_assert((int)READ_TIME - (int)READS == (int)WRITE_TIME - (int)WRITES, "count of a time");
_Static_assert((int)METRICS <= PM_LUSTRESTATS_ROWS, "rows of a file");

static const struct pm_lustreset_kind kind = { "llite", "stats", rows, METRICS, 0 };

static void lustre_hold(const char *root)
{
	pm_lustreset_hold(root, &kind);
}

static int lustre_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	struct pm_lustreset *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "lustre");
	if (pm_lustreset_open(s, target->root, sink, &kind, 1, true, why) < 0) {
		free(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void lustre_sample(void *state, struct pm_sink *sink)
{
	(void)sink;
	pm_lustreset_sample(state);
}

static void lustre_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_lustreset_describe(state, sink, out);
}

static void lustre_close(void *state)
{
	pm_lustreset_close(state);
	free(state);
}

const struct pm_source pm_source_lustre = {
	.name = "lustre",
	.help = "what programs do in each mount of Lustre, and in all",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.hold = lustre_hold,
	.open = lustre_open,
	.sample = lustre_sample,
	.describe = lustre_describe,
	.close = lustre_close,
};
