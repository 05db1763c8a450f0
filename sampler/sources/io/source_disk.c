/* Source "disk": requests, bytes and times of the node's disks, from /proc/diskstats
 * (Documentation/admin-guide/iostats.rst of Linux). */
#include "config.h"

#include "sampler/kernel/diskrule.h"
#include "sampler/sources/dynobjects.h"
#include "sampler/sources/onefile.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*
 * The fields after the name, in their order; older kernels have fewer.
 * X(name, unit, kind, scale, bits, help): the kernel prints times as 32 bits of ms, so that they
 * wrap after 50 days, and transfers in sectors of 512 bytes whatever the disk's sector size.
 */
#define FIELDS(X) \
	X("reads", "n", COUNTER, 1, 64, "reads completed") \
	X("read_merges", "n", COUNTER, 1, 64, "reads merged with another request") \
	X("read_bytes", "B", COUNTER, 512, 64, "bytes read") \
	X("read_time", "us", COUNTER, 1000, 32, "total time of reads") \
	X("writes", "n", COUNTER, 1, 64, "writes completed") \
	X("write_merges", "n", COUNTER, 1, 64, "writes merged with another request") \
	X("write_bytes", "B", COUNTER, 512, 64, "bytes written") \
	X("write_time", "us", COUNTER, 1000, 32, "total time of writes") \
	X("in_flight", "n", GAUGE, 1, 64, "requests in progress") \
	X("io_time", "us", COUNTER, 1000, 32, "time with requests in progress") \
	X("queue_time", "us", COUNTER, 1000, 32, "total time of all requests, queueing included") \
	X("discards", "n", COUNTER, 1, 64, "discards completed") \
	X("discard_merges", "n", COUNTER, 1, 64, "discards merged with another request") \
	X("discard_bytes", "B", COUNTER, 512, 64, "bytes discarded") \
	X("discard_time", "us", COUNTER, 1000, 32, "total time of discards") \
	X("flushes", "n", COUNTER, 1, 64, "flushes of the disk's cache") \
	X("flush_time", "us", COUNTER, 1000, 32, "total time of flushes")

static const struct pm_metric metrics[] = {
#define METRIC(name, unit, kind, scale, bits, help) \
	{ name, unit, help, "disk", true, PM_METRIC_##kind },
	FIELDS(METRIC)
};

static const struct pm_dynobjects_column columns[] = {
#define COLUMN(name, unit, kind, scale, bits, help) { scale, bits },
	FIELDS(COLUMN)
};
/* clang-format on */

#define COLUMNS (sizeof columns / sizeof columns[0])

/* Maximum number of disks with series of their own. */
#define DISKS_MAX 64

struct state {
	void *file; /* onefile.h */
	const char *root;
	struct pm_dynobjects disks;
};

static int disk_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/diskstats");
	if (pm_onefile_open(&s->file, target, "proc/diskstats", why) < 0) {
		free(s);
		return -1;
	}
	s->root = target->root;
	pm_dynobjects_init(&s->disks, columns, COLUMNS, DISKS_MAX);
	*state = s;
	return 0;
}

/* Put the fields between p and the newline. */
static void put_fields(struct state *s, struct pm_sink *sink, struct pm_object *disk, const char *p,
		       const char *newline)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		int64_t value;

		while (p < newline && *p == ' ')
			p++;
		if (p == newline) {
			pm_dynobjects_unknown(&s->disks, sink, disk, c, PM_REASON_unsupported);
		} else if (pm_procfile_number(&p, newline + 1, &value) < 0 ||
			   (*p != ' ' && p != newline)) {
			for (; c < COLUMNS; c++)
				pm_dynobjects_unknown(&s->disks, sink, disk, c, PM_REASON_parse);
		} else {
			pm_dynobjects_value(&s->disks, sink, disk, c, value);
		}
	}
}

/* Put the line "major minor name fields". `whole` is the name of the last whole disk; the name of
 * this line replaces it unless it is a partition. */
static void put_line(struct state *s, struct pm_sink *sink, const char *p, const char *newline,
		     char *whole, size_t size)
{
	struct pm_object *disk;
	const char *name;
	int64_t number;
	bool fresh;
	size_t n;

	for (int i = 0; i < 2; i++) {
		while (p < newline && *p == ' ')
			p++;
		if (pm_procfile_number(&p, newline, &number) < 0 || *p != ' ')
			return;
	}
	while (p < newline && *p == ' ')
		p++;
	for (name = p; p < newline && *p != ' ';)
		p++;
	n = (size_t)(p - name);
	if (n == 0 || n >= size || pm_diskrule_part(name, n, whole))
		return;
	memcpy(whole, name, n);
	whole[n] = '\0';
	disk = pm_dynobjects_get(&s->disks, name, n, &fresh);
	if (!disk)
		return;
	if (fresh)
		disk->part = pm_diskrule_counts(s->root, whole) ? PM_DYNOBJECTS_COUNTED
								: PM_DYNOBJECTS_IGNORED;
	if (disk->part != PM_DYNOBJECTS_IGNORED)
		put_fields(s, sink, disk, p, newline);
}

static void disk_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	char whole[256] = "";
	const char *text, *end;
	ssize_t n = pm_onefile_read(s->file, sink, &text);

	if (n < 0)
		return;
	end = text + n;
	pm_dynobjects_begin(&s->disks);
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		put_line(s, sink, p, newline, whole, sizeof whole);
	}
	pm_dynobjects_end(&s->disks, sink);
	pm_dynobjects_sum(&s->disks, sink);
}

static void disk_close(void *state)
{
	struct state *s = state;

	pm_onefile_close(s->file);
	pm_dynobjects_free(&s->disks);
	free(s);
}

const struct pm_source pm_source_disk = {
	.name = "disk",
	.help = "I/O of the node's disks, each and in total",
	.metrics = metrics,
	.metrics_count = COLUMNS,
	.open = disk_open,
	.sample = disk_sample,
	.close = disk_close,
};
