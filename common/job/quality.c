/* Count records and the images without an end record. */
#include "config.h"

#include "common/job/quality.h"

#include "common/bootid.h"
#include "common/safe/record.h"
#include "common/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Bytes per read, and the longest line that may be a record. */
#define READ_SIZE  ((size_t)64 << 10)
#define LINE_LIMIT ((size_t)4 << 20)

/* An image, identified by the digest of its key: 64 bits, so one false match in 10^10 pairs of a
 * million. */
struct image {
	uint64_t key; /* 0: free slot */
	int starts;
	int ends; /* minus the number of `resumed` records */
	bool now; /* the record is of the current boot */
	struct pm_quality_image who;
};

/* Hash table with open addressing; it grows when three quarters full. */
struct images {
	struct image *slot;
	size_t count, size;
	char boot[64]; /* "" if unknown */
};

static uint64_t mix_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *s = p;

	while (n--)
		h = (h ^ *s++) * 0x100000001b3u; /* FNV-1a */
	return h;
}

static uint64_t image_key(const struct pm_record *r)
{
	static const enum pm_column part[] = { PM_COL_pid_ns, PM_COL_pid, PM_COL_starttime,
					       PM_COL_image_us };
	uint64_t h = 0xcbf29ce484222325u;

	if (pm_record_has(r, PM_COL_boot_id))
		h = mix_bytes(h, r->v[PM_COL_boot_id].s.p, r->v[PM_COL_boot_id].s.n);
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		int64_t v = pm_record_get(r, part[i], -1);

		h = mix_bytes(h, &v, sizeof v);
	}
	return h ? h : 1;
}

static struct image *find_slot(const struct images *t, uint64_t key)
{
	size_t i = (size_t)(key ^ key >> 32) & (t->size - 1);

	while (t->slot[i].key && t->slot[i].key != key)
		i = (i + 1) & (t->size - 1);
	return &t->slot[i];
}

static int grow_images(struct images *t)
{
	struct images bigger = *t;

	bigger.size = t->size ? 2 * t->size : 1024;
	bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
	if (!bigger.slot)
		return -1;
	for (size_t i = 0; i < t->size; i++)
		if (t->slot[i].key)
			*find_slot(&bigger, t->slot[i].key) = t->slot[i];
	free(t->slot);
	t->slot = bigger.slot;
	t->size = bigger.size;
	return 0;
}

static struct image *find_image(struct images *t, uint64_t key)
{
	struct image *image;

	if (4 * (t->count + 1) > 3 * t->size && grow_images(t) < 0)
		return NULL;
	image = find_slot(t, key);
	if (!image->key) {
		image->key = key;
		t->count++;
	}
	return image;
}

static int is_kind(const struct pm_record *r, const char *kind)
{
	const struct pm_str *s = &r->v[PM_COL_record].s;

	return pm_record_has(r, PM_COL_record) && s->n == strlen(kind) &&
	       memcmp(s->p, kind, s->n) == 0;
}

static void set_identity(struct image *image, const struct images *t, const struct pm_record *r)
{
	const struct pm_str *boot = &r->v[PM_COL_boot_id].s;

	image->now = t->boot[0] && pm_record_has(r, PM_COL_boot_id) && boot->n == strlen(t->boot) &&
		     memcmp(boot->p, t->boot, boot->n) == 0;
	image->who.pid = pm_record_get(r, PM_COL_pid, -1);
	image->who.starttime = pm_record_get(r, PM_COL_starttime, -1);
	image->who.pid_ns = pm_record_get(r, PM_COL_pid_ns, -1);
}

/* Count one line. Returns 0, or -1 if out of memory. */
static int count_line(struct pm_quality *q, struct images *t, struct pm_map *map, const char *line,
		      size_t n)
{
	const char *why, *column;
	struct pm_record r;
	struct image *image;

	if (n == 0)
		return 0;
	if (pm_map_is_header(line, n)) {
		pm_map_parse(map, line, n, &why);
		return 0;
	}
	if (pm_record_parse(&r, map, line, n, &why, &column) < 0)
		return 0;
	q->records++;
	if (!is_kind(&r, "start") && !is_kind(&r, "end") && !is_kind(&r, "resumed"))
		return 0;
	image = find_image(t, image_key(&r));
	if (!image)
		return -1;
	if (is_kind(&r, "start"))
		set_identity(image, t, &r);
	image->starts += is_kind(&r, "start");
	image->ends += is_kind(&r, "end");
	image->ends -= is_kind(&r, "resumed");
	return 0;
}

/* Count the complete lines of a text, and at its end also a line without a newline. Returns how
 * many bytes were consumed, or -1 if out of memory. */
static ssize_t count_lines(struct pm_quality *q, struct images *t, struct pm_map *map,
			   const char *text, size_t size, bool end)
{
	const char *p = text, *newline;

	while ((newline = memchr(p, '\n', size - (size_t)(p - text))) != NULL) {
		if (count_line(q, t, map, p, (size_t)(newline - p)) < 0)
			return -1;
		p = newline + 1;
	}
	if (!end)
		return p - text;
	return count_line(q, t, map, p, size - (size_t)(p - text)) < 0 ? -1 : (ssize_t)size;
}

/* Count a file. It is read, not mapped: another user's file may be truncated meanwhile. */
static int count_text(int fd, const char *name, struct pm_quality *q, struct images *t,
		      struct pm_err *e)
{
	size_t size = READ_SIZE, have = 0;
	char *text = malloc(size);
	ssize_t n = 1, taken = 0;
	struct pm_map map;

	pm_map_builtin(&map);
	while (text && n > 0 && taken >= 0) {
		if (have == size && size < LINE_LIMIT) {
			char *more = realloc(text, 2 * size);

			if (!more)
				break;
			text = more;
			size *= 2;
		} else if (have == size) {
			have = 0; /* too long for a record: drop it; the rest of the line parses as
				   * no record either */
		}
		n = read(fd, text + have, size - have);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		if (n < 0)
			break;
		have += (size_t)n;
		q->bytes += n;
		taken = count_lines(q, t, &map, text, have, n == 0);
		if (taken > 0) {
			have -= (size_t)taken;
			memmove(text, text + taken, have);
		}
	}
	free(text);
	if (n < 0)
		return pm_err(e, "read %s: %m", name);
	return n > 0 || taken < 0 ? pm_err(e, "out of memory") : 0;
}

static int count_file(int dir, const char *name, struct pm_quality *q, struct images *t,
		      struct pm_err *e)
{
	int fd = pm_trusted_open(dir, name, O_RDONLY, 0, e), rc;

	/* A file that is not trusted as the job's contributes no records. */
	if (fd < 0)
		return errno == ENOENT || errno == ELOOP || errno == EPERM || errno == EMLINK ? 0
											      : -1;
	q->files++;
	rc = count_text(fd, name, q, t, e);
	close(fd);
	return rc;
}

/* Whether a file is a record file of this host, or of any host for NULL. */
static bool is_record_file(const char *name, const char *host)
{
	size_t n = strlen(name), len = host ? strlen(host) : 0;

	return n > len + 5 && strcmp(name + n - 4, ".tsv") == 0 &&
	       (!host || (strncmp(name, host, len) == 0 && name[len] == '-'));
}

/* Count the record files; the caller frees the images. */
static int count_files(int dir, const char *host, struct pm_quality *q, struct images *images,
		       struct pm_err *e)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	memset(q, 0, sizeof *q);
	if (!d) {
		if (copy >= 0)
			close(copy);
		return pm_err(e, "read job directory: %m");
	}
	while (rc == 0 && (entry = readdir(d)) != NULL)
		if (is_record_file(entry->d_name, host))
			rc = count_file(dir, entry->d_name, q, images, e);
	closedir(d);
	return rc;
}

static bool is_open(const struct image *image)
{
	return image->starts > 0 && image->ends <= 0;
}

int pm_quality_count(int dir, const char *host, struct pm_quality *q, struct pm_err *e)
{
	struct images images = { 0 };
	int rc = count_files(dir, host, q, &images, e);

	for (size_t i = 0; i < images.size; i++)
		q->without_end += is_open(&images.slot[i]);
	free(images.slot);
	return rc;
}

int pm_quality_each_open(int dir, const char *host, pm_quality_fn *fn, void *ctx, struct pm_err *e)
{
	struct images images = { 0 };
	struct pm_quality q;
	int rc;

	pm_bootid_read(images.boot);
	rc = count_files(dir, host, &q, &images, e);
	for (size_t i = 0; i < images.size && rc == 0; i++)
		if (is_open(&images.slot[i]) && images.slot[i].now)
			rc = fn(ctx, &images.slot[i].who);
	free(images.slot);
	return rc;
}
