/* Write and verify archives. */
#include "config.h"

#include "wrapper/stage/pack.h"

#include "common/archive.h"
#include "common/tarwrite.h"
#include "common/version.h"

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
		/* json_pack fails for a name that is not UTF-8; stage packs no such file. */
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

		/* A user could have edited the list, so accept only names inside one directory. */
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

#ifdef HAVE_ZLIB

/* Bytes copied at once. */
#define COPY_BYTES 65536

static int put_header(struct pm_tarwrite *t, const char *stem, const char *name, int64_t size,
		      int64_t mtime, struct pm_err *e)
{
	char path[1024];

	if (snprintf(path, sizeof path, "%s/%s", stem, name) >= (int)sizeof path)
		return pm_err(e, "%s: name too long", name);
	t->mtime = mtime;
	return pm_tarwrite_member(t, path, (uint64_t)size, e);
}

/* Copy f->size bytes and compute their digest. If the file got shorter meanwhile, fail, or with
 * `filled` write empty lines, which mean nothing, for the missing bytes. */
static int put_data(struct pm_tarwrite *t, int fd, struct pm_pack_file *f, bool filled,
		    struct pm_err *e)
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
		if (n == 0 && filled) {
			n = left < COPY_BYTES ? left : COPY_BYTES;
			memset(buf, '\n', (size_t)n);
		}
		if (n <= 0) {
			pm_err(e, "%s: %s", f->name, n < 0 ? strerror(errno) : "got shorter");
			goto out;
		}
		for (const char *p = buf; (p = memchr(p, '\n', (size_t)(buf + n - p))); p++)
			f->lines++;
		pm_digest_add(&digest, buf, (size_t)n);
		if (pm_tarwrite_data(t, buf, (size_t)n, e) < 0)
			goto out;
		left -= n;
	}
	rc = buf ? 0 : pm_err(e, "out of memory");
out:
	if (rc == 0)
		pm_digest_text(&digest, f->digest);
	free(buf);
	return rc;
}

static int put_file(struct pm_tarwrite *t, int dir, const char *stem, struct pm_pack_file *f,
		    struct pm_err *e)
{
	int fd = openat(dir, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st, in;
	int rc;

	if (fd < 0)
		return pm_err(e, "open %s: %m", f->name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return pm_err(e, "%s: not a regular file", f->name);
	}
	/* The archive is given to the directory's owner, who may have linked a file into it that
	 * only root can read, so refuse other users' files with several links. In a directory of
	 * root, such links are harmless: users may link the files made for them elsewhere. */
	if (fstat(dir, &in) < 0 ||
	    (geteuid() == 0 && in.st_uid != 0 && st.st_uid != in.st_uid && st.st_nlink > 1)) {
		close(fd);
		return pm_err(e, "%s: a file of uid %u with a second hard link", f->name,
			      (unsigned)st.st_uid);
	}
	f->size = st.st_size;
	rc = put_header(t, stem, f->name, f->size, st.st_mtime, e);
	if (rc == 0)
		rc = put_data(t, fd, f, in.st_uid == 0 && st.st_uid != 0, e);
	close(fd);
	return rc;
}

/* Make the text of the manifest, for the caller to free. */
static char *make_manifest(const struct pm_pack *p, const json_t *about)
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

static int put_manifest(struct pm_tarwrite *t, const char *stem, const struct pm_pack *p,
			const json_t *about, struct pm_err *e)
{
	char *text = make_manifest(p, about);
	size_t n = text ? strlen(text) : 0;
	int rc;

	if (!text)
		return pm_err(e, "the manifest cannot be written");
	rc = put_header(t, stem, PM_PACK_MANIFEST, (int64_t)n, 0, e);
	if (rc == 0)
		rc = pm_tarwrite_data(t, text, n, e);
	free(text);
	return rc;
}

int pm_pack_write(int fd, int dir, const char *stem, struct pm_pack *p, const json_t *about,
		  struct pm_err *e)
{
	struct pm_tarwrite t;
	int rc;

	if (pm_tarwrite_begin(&t, fd, true, e) < 0)
		return -1;
	t.mode = 0600;
	rc = 0;
	for (size_t i = 0; i < p->files && rc == 0; i++)
		rc = put_file(&t, dir, stem, &p->file[i], e);
	if (rc == 0)
		rc = put_manifest(&t, stem, p, about, e);
	if (rc == 0)
		rc = pm_tarwrite_end(&t, e);
	pm_tarwrite_free(&t);
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
	return pm_err(e, "this perfmon was built without zlib, which archives need");
}

#endif

/* The state of reading an archive back. */
struct reading {
	const struct pm_pack *p;
	const char *stem;
	char *seen; /* one byte per file */
	bool manifest;
	size_t at; /* index of the current file, p->files for the manifest */
	struct pm_digest digest;
	int64_t size;
};

static int read_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct reading *r = ctx;
	size_t n = strlen(r->stem);

	if (strncmp(path, r->stem, n) != 0 || path[n] != '/')
		return pm_err(e, "%s belongs to another job", path);
	path += n + 1;
	for (r->at = 0; r->at < r->p->files; r->at++)
		if (strcmp(r->p->file[r->at].name, path) == 0)
			break;
	if (r->at == r->p->files && (r->manifest || strcmp(path, PM_PACK_MANIFEST) != 0))
		return pm_err(e, "%s is not in the job's list of files", path);
	if (r->at == r->p->files)
		r->manifest = true;
	r->size = 0;
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
		return pm_err(e, "%s differs from the original file", r->p->file[r->at].name);
	r->seen[r->at] = 1;
	return 0;
}

static void read_skipped(void *ctx, const char *path, const char *why)
{
	(void)ctx; /* pm_pack_verify reports the file as missing */
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
	free(r.seen);
	return rc;
}

void pm_version_manifest(struct pm_version *v)
{
	pm_version_set(v, "%s", PM_PACK_FORMAT);
}
