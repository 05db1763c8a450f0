/* Writing and verifying archives. Headers are pax (POSIX.1-2001) where ustar has no room. */
#include "config.h"

#include "wrapper/pack.h"
#include "common/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pm_pack_add(struct pm_pack *p, const char *name)
{
	struct pm_pack_file *file = realloc(p->file, (p->files + 1) * sizeof *file);

	if (!file)
		return -1;
	p->file = file;
	file += p->files;
	memset(file, 0, sizeof *file);
	file->name = strdup(name);
	if (!file->name)
		return -1;
	p->files++;
	return 0;
}

void pm_pack_free(struct pm_pack *p)
{
	for (size_t i = 0; i < p->files; i++)
		free(p->file[i].name);
	free(p->file);
	memset(p, 0, sizeof *p);
}

json_t *pm_pack_list(const struct pm_pack *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->files; i++) {
		const struct pm_pack_file *f = &p->file[i];
		/* Names are those of the directory, any bytes but those of UTF-8 escaped by us. */
		json_t *one = json_pack("{s:s, s:I, s:I, s:s}", "name", f->name, "size",
					(json_int_t)f->size, "lines", (json_int_t)f->lines,
					"sha256", f->digest);

		if (!one || json_array_append_new(list, one) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

int pm_pack_from_list(struct pm_pack *p, const json_t *list)
{
	json_t *one;
	size_t i;

	memset(p, 0, sizeof *p);
	json_array_foreach ((json_t *)(uintptr_t)list, i, one) {
		const char *name = json_string_value(json_object_get(one, "name"));
		const char *digest = json_string_value(json_object_get(one, "sha256"));

		/* Whoever wrote the list could write here: it names files of one directory only. */
		if (!name || !digest || !*name || *name == '.' || strchr(name, '/') ||
		    strlen(digest) != PM_DIGEST_TEXT - 1 || pm_pack_add(p, name) < 0) {
			pm_pack_free(p);
			return -1;
		}
		p->file[i].size = json_integer_value(json_object_get(one, "size"));
		p->file[i].lines = json_integer_value(json_object_get(one, "lines"));
		memcpy(p->file[i].digest, digest, PM_DIGEST_TEXT);
	}
	return json_is_array(list) ? 0 : -1;
}

#if defined HAVE_LIBTAR && defined HAVE_ZLIB

#include <zlib.h>

#define BLOCK 512

/* Bytes copied at once. */
#define COPY_BYTES 65536

/* Above it, the size of a member does not fit its field of ustar. */
#define SIZE_LIMIT 077777777777LL

struct writer {
	gzFile gz;
	struct pm_err *e;
};

/* Returns 0, or -1 with e filled. */
static int put(struct writer *w, const void *p, size_t n)
{
	const char *at = p;

	while (n > 0) {
		unsigned part = n < COPY_BYTES ? (unsigned)n : COPY_BYTES;
		int code;

		if (gzwrite(w->gz, at, part) == (int)part) {
			at += part;
			n -= part;
			continue;
		}
		gzerror(w->gz, &code);
		return pm_err(w->e, "write: %s",
			      code == Z_ERRNO ? strerror(errno) : gzerror(w->gz, &code));
	}
	return 0;
}

static int pad(struct writer *w, int64_t size)
{
	static const char zero[BLOCK];

	return size % BLOCK ? put(w, zero, (size_t)(BLOCK - size % BLOCK)) : 0;
}

/* One header block (POSIX.1, pax, "ustar Interchange Format"). */
static int put_block(struct writer *w, char type, const char *name, int64_t size, int64_t mtime)
{
	char block[BLOCK] = "";
	unsigned sum = 0;

	snprintf(block, 100, "%s", name);
	snprintf(block + 100, 8, "%07o", 0600u);
	snprintf(block + 108, 8, "%07o", 0u);
	snprintf(block + 116, 8, "%07o", 0u);
	snprintf(block + 124, 12, "%011llo", (unsigned long long)(size <= SIZE_LIMIT ? size : 0));
	snprintf(block + 136, 12, "%011llo",
		 (unsigned long long)(mtime < 0 || mtime > SIZE_LIMIT ? 0 : mtime));
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 257,
	       "ustar\0"
	       "00",
	       8);
	for (int i = 0; i < BLOCK; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum);
	return put(w, block, sizeof block);
}

/* "LENGTH KEY=VALUE\n", its own length included. Returns a new text or NULL. */
static char *pax_record(const char *key, const char *value)
{
	size_t n = strlen(key) + strlen(value) + 3, total = n, room = n + 24;
	char *text = malloc(room), digits[24];

	while (text && total != n + (size_t)snprintf(digits, sizeof digits, "%zu", total))
		total = n + strlen(digits);
	if (text)
		snprintf(text, room, "%zu %s=%s\n", total, key, value);
	return text;
}

static int put_extended(struct writer *w, const char *key, const char *value)
{
	char *text = pax_record(key, value);
	int64_t n = text ? (int64_t)strlen(text) : 0;
	int rc;

	if (!text)
		return pm_err(w->e, "out of memory");
	rc = put_block(w, 'x', "pax", n, 0) < 0 || put(w, text, (size_t)n) < 0 || pad(w, n) < 0 ? -1
												: 0;
	free(text);
	return rc;
}

static int put_header(struct writer *w, const char *stem, const char *name, int64_t size,
		      int64_t mtime)
{
	char path[1024], number[24];

	if (snprintf(path, sizeof path, "%s/%s", stem, name) >= (int)sizeof path)
		return pm_err(w->e, "%s: name too long", name);
	if (strlen(path) > 99 && put_extended(w, "path", path) < 0)
		return -1;
	snprintf(number, sizeof number, "%lld", (long long)size);
	if (size > SIZE_LIMIT && put_extended(w, "size", number) < 0)
		return -1;
	return put_block(w, '0', path, size, mtime);
}

/* Copy f->size bytes, and see what they are. */
static int put_data(struct writer *w, int fd, struct pm_pack_file *f)
{
	char *buf = malloc(COPY_BYTES);
	struct pm_digest digest;
	int64_t left = f->size;
	int rc = -1;

	pm_digest_init(&digest);
	f->lines = 0;
	while (buf && left > 0) {
		ssize_t n = read(fd, buf, left < COPY_BYTES ? (size_t)left : COPY_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			pm_err(w->e, "%s: %s", f->name, n < 0 ? strerror(errno) : "got shorter");
			goto out;
		}
		for (const char *p = buf; (p = memchr(p, '\n', (size_t)(buf + n - p))); p++)
			f->lines++;
		pm_digest_add(&digest, buf, (size_t)n);
		if (put(w, buf, (size_t)n) < 0)
			goto out;
		left -= n;
	}
	rc = buf ? pad(w, f->size) : pm_err(w->e, "out of memory");
out:
	if (rc == 0)
		pm_digest_text(&digest, f->digest);
	else
		pm_digest_drop(&digest);
	free(buf);
	return rc;
}

static int put_file(struct writer *w, int dir, const char *stem, struct pm_pack_file *f)
{
	int fd = openat(dir, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st, in;
	int rc;

	if (fd < 0)
		return pm_err(w->e, "open %s: %m", f->name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return pm_err(w->e, "%s: not a regular file", f->name);
	}
	/* The archive goes to the directory's owner, who may have linked what root alone reads. */
	if (fstat(dir, &in) < 0 || (geteuid() == 0 && st.st_uid != in.st_uid && st.st_nlink > 1)) {
		close(fd);
		return pm_err(w->e, "%s: a file of uid %u with another name elsewhere", f->name,
			      (unsigned)st.st_uid);
	}
	f->size = st.st_size;
	rc = put_header(w, stem, f->name, f->size, st.st_mtime);
	if (rc == 0)
		rc = put_data(w, fd, f);
	close(fd);
	return rc;
}

/* The text of the manifest, to be freed. */
static char *manifest(const struct pm_pack *p, const json_t *about)
{
	json_t *doc = json_pack("{s:s}", "format", PM_PACK_FORMAT), *list = pm_pack_list(p);
	int64_t bytes = 0, lines = 0;
	char *text = NULL;

	for (size_t i = 0; i < p->files; i++) {
		bytes += p->file[i].size;
		lines += p->file[i].lines;
	}
	if (doc && list && json_object_update(doc, (json_t *)(uintptr_t)about) == 0 &&
	    json_object_set_new(doc, "count", json_integer((json_int_t)p->files)) == 0 &&
	    json_object_set_new(doc, "bytes", json_integer(bytes)) == 0 &&
	    json_object_set_new(doc, "lines", json_integer(lines)) == 0 &&
	    json_object_set(doc, "files", list) == 0)
		text = json_dumps(doc, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	json_decref(list);
	json_decref(doc);
	return text;
}

static int put_manifest(struct writer *w, const char *stem, const struct pm_pack *p,
			const json_t *about)
{
	static const char end[2 * BLOCK];
	char *text = manifest(p, about);
	int64_t n = text ? (int64_t)strlen(text) : 0;
	int rc;

	if (!text)
		return pm_err(w->e, "the manifest cannot be written");
	rc = put_header(w, stem, PM_PACK_MANIFEST, n, 0) < 0 || put(w, text, (size_t)n) < 0 ||
			     pad(w, n) < 0 || put(w, end, sizeof end) < 0
		     ? -1
		     : 0;
	free(text);
	return rc;
}

int pm_pack_write(int fd, int dir, const char *stem, struct pm_pack *p, const json_t *about,
		  struct pm_err *e)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3), rc = 0, code;
	struct writer w = { .e = e };

	w.gz = copy >= 0 ? gzdopen(copy, "wb6") : NULL;
	if (!w.gz) {
		if (copy >= 0)
			close(copy);
		return pm_err(e, "out of memory");
	}
	for (size_t i = 0; i < p->files && rc == 0; i++)
		rc = put_file(&w, dir, stem, &p->file[i]);
	if (rc == 0)
		rc = put_manifest(&w, stem, p, about);
	code = gzclose(w.gz);
	if (rc == 0 && code != Z_OK)
		rc = pm_err(e, "write: %s", code == Z_ERRNO ? strerror(errno) : "failed");
	if (rc == 0 && fsync(fd) < 0)
		rc = pm_err(e, "write: %m");
	return rc;
}

#else

int pm_pack_write(int fd, int dir, const char *stem, struct pm_pack *p, const json_t *about,
		  struct pm_err *e)
{
	(void)fd;
	(void)dir;
	(void)stem;
	(void)p;
	(void)about;
	return pm_err(e, "this perfmon was built without libtar and zlib, which archives need");
}

#endif

/* What was read so far. */
struct reading {
	const struct pm_pack *p;
	const char *stem;
	char *seen; /* one byte per file */
	bool manifest;
	size_t at; /* the file in hand, p->files for the manifest */
	struct pm_digest digest;
	int64_t size;
};

static int read_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct reading *r = ctx;
	size_t n = strlen(r->stem);

	if (strncmp(path, r->stem, n) != 0 || path[n] != '/')
		return pm_err(e, "%s is not of this job", path);
	path += n + 1;
	for (r->at = 0; r->at < r->p->files; r->at++)
		if (strcmp(r->p->file[r->at].name, path) == 0)
			break;
	if (r->at == r->p->files && (r->manifest || strcmp(path, PM_PACK_MANIFEST) != 0))
		return pm_err(e, "%s does not belong there", path);
	if (r->at == r->p->files)
		r->manifest = true;
	r->size = 0;
	pm_digest_drop(&r->digest);
	pm_digest_init(&r->digest);
	return 1;
}

static int read_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct reading *r = ctx;

	(void)e;
	r->size += (int64_t)n;
	pm_digest_add(&r->digest, p, n);
	return 0;
}

static int read_end(void *ctx, bool whole, struct pm_err *e)
{
	struct reading *r = ctx;
	char text[PM_DIGEST_TEXT];

	if (!whole)
		return pm_err(e, "cut");
	pm_digest_text(&r->digest, text);
	if (r->at == r->p->files)
		return 0;
	if (r->size != r->p->file[r->at].size || strcmp(text, r->p->file[r->at].digest) != 0)
		return pm_err(e, "%s differs from the file", r->p->file[r->at].name);
	r->seen[r->at] = 1;
	return 0;
}

static void read_skipped(void *ctx, const char *path, const char *why)
{
	(void)ctx; /* then it will be missing */
	(void)path;
	(void)why;
}

int pm_pack_verify(const char *path, const char *stem, const struct pm_pack *p, struct pm_err *e)
{
	struct reading r = { .p = p, .stem = stem };
	struct pm_archive_sink sink = { read_begin, read_data, read_end, read_skipped, &r };
	int rc = -1;

	r.seen = calloc(p->files + 1, 1);
	if (!r.seen)
		return pm_err(e, "out of memory");
	if (pm_archive_read(path, &sink, e) != 0)
		pm_err_prefix(e, "read back");
	else if (!r.manifest)
		pm_err(e, "read back: %s: no manifest", path);
	else
		rc = 0;
	for (size_t i = 0; i < p->files && rc == 0; i++)
		if (!r.seen[i])
			rc = pm_err(e, "read back: %s: %s is missing", path, p->file[i].name);
	pm_digest_drop(&r.digest);
	free(r.seen);
	return rc;
}
