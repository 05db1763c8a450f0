/* job-<host>.json: one document per job and host, replaced as a whole. */
#include "config.h"

#include "wrapper/metadata/metadata.h"

#include "common/safe/buf.h"
#include "common/safe/tsv.h"
#include "common/trusted.h"
#include "common/version.h"
#include "wrapper/metadata/jsonfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Flags for writing a document. */
#define FORM (JSON_INDENT(1) | JSON_PRESERVE_ORDER)

json_t *pm_metadata_new(void)
{
	return json_pack("{s:s, s:s}", "format", PM_JOB_FORMAT, "version", PACKAGE_VERSION);
}

static int file_name(char *name, size_t size, const char *host)
{
	int n = snprintf(name, size, "job-%s.json", host);

	return n > 0 && n < (int)size ? 0 : -1;
}

/* Get the name of any host's document in the directory. Returns 0 or -1 with errno. */
static int find_any_file(int dir, char *name, size_t size)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = -1;
	struct dirent *entry;
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	errno = ENOENT;
	while (rc < 0 && (entry = readdir(d)) != NULL) {
		size_t n = strlen(entry->d_name);

		if (n > 9 && n < size && strncmp(entry->d_name, "job-", 4) == 0 &&
		    strcmp(entry->d_name + n - 5, ".json") == 0) {
			memcpy(name, entry->d_name, n + 1);
			rc = 0;
		}
	}
	closedir(d);
	if (rc < 0)
		errno = ENOENT;
	return rc;
}

static json_t *load_document(int fd, const char *name, struct pm_err *e)
{
	json_t *doc = pm_jsonfile_read(fd, e);
	const char *format = json_string_value(json_object_get(doc, "format"));

	errno = EINVAL;
	if (!doc) {
		pm_err_prefix(e, "%s", name);
		return NULL;
	}
	if (format && strcmp(format, PM_JOB_FORMAT) == 0)
		return doc;
	json_decref(doc);
	pm_err(e, "%s: not job metadata in format %s", name, PM_JOB_FORMAT);
	return NULL;
}

json_t *pm_metadata_read(int dir, const char *host, struct pm_err *e)
{
	char name[NAME_MAX + 1];
	json_t *doc;
	int fd, saved;

	if ((*host ? file_name(name, sizeof name, host) : find_any_file(dir, name, sizeof name)) <
	    0) {
		pm_err(e, "job metadata: %m");
		return NULL;
	}
	fd = pm_trusted_open(dir, name, O_RDONLY, 0, e);
	if (fd < 0)
		return NULL;
	doc = load_document(fd, name, e);
	saved = errno;
	close(fd);
	errno = saved;
	return doc;
}

/* Write the document to a new file and sync it. Returns 0 or -1 with e filled. */
static int write_document(int dir, const char *temp, json_t *doc, struct pm_err *e)
{
	int fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return pm_err(e, "create %s: %m", temp);
	if (pm_jsonfile_write(fd, doc, FORM) < 0) {
		pm_err(e, "write %s: %m", temp);
		close(fd);
		return -1;
	}
	if (close(fd) < 0)
		return pm_err(e, "write %s: %m", temp);
	return 0;
}

int pm_metadata_write(int dir, const char *host, json_t *doc, struct pm_err *e)
{
	char name[NAME_MAX + 1], temp[NAME_MAX + 1];
	int saved;

	if (file_name(name, sizeof name, host) < 0 ||
	    snprintf(temp, sizeof temp, ".%.*s.new", NAME_MAX - 8, name) < 0)
		return pm_err(e, "host name is too long");
	/* The caller holds the job's lock, so an old temporary file is that of a killed process. */
	unlinkat(dir, temp, 0);
	if (write_document(dir, temp, doc, e) < 0)
		goto fail;
	if (renameat(dir, temp, dir, name) < 0) {
		pm_err(e, "rename to %s: %m", name);
		goto fail;
	}
	/* The new name must survive a crash as well: sync the directory. Ignore failure: some file
	 * systems cannot sync directories. */
	fsync(dir);
	return 0;
fail:
	saved = errno;
	unlinkat(dir, temp, 0);
	errno = saved;
	return -1;
}

int pm_metadata_write_over(int dir, const char *file, const char *host, const json_t *doc,
			   struct pm_err *e)
{
	char name[NAME_MAX + 1];
	int fd, rc;

	if (file_name(name, sizeof name, host) < 0)
		return pm_err(e, "host name is too long");
	fd = pm_trusted_open(dir, file, O_WRONLY, 0, e);
	if (fd < 0)
		return -1;
	/* Do not truncate before the document is written: other processes would take the blocks. */
	rc = pm_jsonfile_write(fd, doc, FORM) < 0 || ftruncate(fd, lseek(fd, 0, SEEK_CUR)) < 0 ||
			     fsync(fd) < 0
		     ? pm_err(e, "write %s: %m", file)
		     : 0;
	if (close(fd) < 0 && rc == 0)
		rc = pm_err(e, "write %s: %m", file);
	if (rc == 0 && renameat(dir, file, dir, name) < 0)
		rc = pm_err(e, "rename to %s: %m", name);
	if (rc == 0)
		fsync(dir);
	return rc;
}

int64_t pm_metadata_size(int dir, const char *host)
{
	char name[NAME_MAX + 1];
	struct stat st;

	return file_name(name, sizeof name, host) == 0 &&
			       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0
		       ? st.st_size
		       : 0;
}

json_t *pm_metadata_string(const char *text)
{
	json_t *s = json_string(text);
	struct pm_buf b;
	size_t n;
	char *mem;

	if (s)
		return s;
	n = strlen(text);
	mem = malloc(4 * n + 1);
	if (!mem)
		return NULL;
	pm_buf_init(&b, mem, 4 * n);
	pm_tsv_escape(&b, text, n);
	s = json_stringn(b.p, b.len);
	free(mem);
	return s;
}

void pm_metadata_json(json_t *doc, enum pm_job_key key, json_t *value)
{
	const char *section = pm_job_info[key].section_name;
	json_t *object = json_object_get(doc, section);

	if (!value)
		return;
	if (!json_is_object(object)) {
		object = json_object();
		json_object_set_new(doc, section, object);
	}
	json_object_set_new(object, pm_job_info[key].name, value);
}

void pm_metadata_text(json_t *doc, enum pm_job_key key, const char *text)
{
	if (text)
		pm_metadata_json(doc, key, pm_metadata_string(text));
}

void pm_metadata_int(json_t *doc, enum pm_job_key key, int64_t v)
{
	pm_metadata_json(doc, key, json_integer(v));
}

const json_t *pm_metadata_get(const json_t *doc, enum pm_job_key key)
{
	const json_t *object = json_object_get(doc, pm_job_info[key].section_name);

	return json_object_get(object, pm_job_info[key].name);
}

const char *pm_metadata_get_text(const json_t *doc, enum pm_job_key key)
{
	return json_string_value(pm_metadata_get(doc, key));
}

int64_t pm_metadata_get_int(const json_t *doc, enum pm_job_key key, int64_t otherwise)
{
	const json_t *v = pm_metadata_get(doc, key);

	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

int pm_metadata_is_closed(const json_t *doc)
{
	return json_is_object(json_object_get(doc, "stop"));
}

void pm_metadata_reopen(json_t *doc)
{
	json_object_del(doc, "stop");
	pm_metadata_int(doc, PM_JOB_start_reopened,
			pm_metadata_get_int(doc, PM_JOB_start_reopened, 0) + 1);
}

void pm_metadata_add_tags(json_t *doc, const char *tags)
{
	json_t *map = json_object_get(json_object_get(doc, "job"), "tags");

	if (!json_is_object(map)) {
		map = json_object();
		pm_metadata_json(doc, PM_JOB_job_tags, map);
	}
	while (*tags) {
		size_t n = strcspn(tags, ";"), colon, start;
		char *tag = strndup(tags, n);

		tags += n + (tags[n] == ';');
		if (!tag)
			return;
		colon = strcspn(tag, ":");
		start = strspn(tag, " \t");
		if (colon > start) {
			const char *value = tag[colon] ? tag + colon + 1 : "1";
			json_t *name;

			tag[colon] = '\0';
			name = pm_metadata_string(tag + start);
			if (name)
				json_object_set_new(map, json_string_value(name),
						    pm_metadata_string(value));
			json_decref(name);
		}
		free(tag);
	}
}

void pm_version_metadata(struct pm_version *v)
{
	pm_version_set(v, "%s", PM_JOB_FORMAT);
}
