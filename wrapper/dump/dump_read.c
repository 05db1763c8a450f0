/* Find and read the metadata that `dump` prints. */
#include "config.h"

#include "common/archive.h"
#include "common/cli/dumploaded.h"
#include "common/grow.h"
#include "common/log.h"
#include "wrapper/dump/dump.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/jsonfile.h"
#include "wrapper/metadata/metadata.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_format(const json_t *doc)
{
	const char *format = json_string_value(json_object_get(doc, "format"));

	return format && strcmp(format, PM_JOB_FORMAT) == 0;
}

/* Read the metadata in a file of any name. Returns a document, or NULL with e filled. */
static json_t *read_file(const char *path, struct pm_err *e)
{
	json_error_t why;
	json_t *doc = json_load_file(path, JSON_REJECT_DUPLICATES, &why);

	if (!doc) {
		pm_err(e, "%s: line %d: %s", path, why.line, why.text);
	} else if (!is_format(doc)) {
		pm_err(e, "%s: not job metadata in format %s", path, PM_JOB_FORMAT);
		json_decref(doc);
		doc = NULL;
	}
	return doc;
}

/* Read every host's metadata of a directory into an array. NULL with e filled: there is none, or
 * with *refused it cannot be read. */
static json_t *read_directory(const struct pm_jobdir *d, bool *refused, struct pm_err *e)
{
	struct dirent **entry;
	json_t *all = json_array();
	int n = scandirat(d->fd, ".", &entry, NULL, alphasort);

	e->text[0] = '\0';
	*refused = false;
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name);

		if (len > 9 && strncmp(entry[i]->d_name, "job-", 4) == 0 &&
		    strcmp(entry[i]->d_name + len - 5, ".json") == 0) {
			char host[256];
			json_t *doc;

			snprintf(host, sizeof host, "%.*s", (int)len - 9, entry[i]->d_name + 4);
			doc = pm_metadata_read(d->fd, host, e);
			*refused = *refused || !doc;
			if (doc)
				json_array_append_new(all, doc);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	if (json_array_size(all) > 0)
		return all;
	if (!e->text[0])
		pm_err(e, "%s: no job metadata", d->path);
	json_decref(all);
	return NULL;
}

/* The metadata read from an archive, member by member. */
struct archive {
	json_t *all;
	char *text; /* of the current member */
	size_t n, cap;
};

static int is_metadata(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name);

	return n > 9 && strncmp(name, "job-", 4) == 0 && strcmp(name + n - 5, ".json") == 0;
}

static int archive_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct archive *a = ctx;

	(void)e;
	a->n = 0;
	return is_metadata(path);
}

static int archive_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct archive *a = ctx;

	if (n > PM_JSONFILE_MAX - a->n)
		return pm_err(e, "metadata of more than %d bytes", PM_JSONFILE_MAX);
	if (!PM_GROW_BY(a->text, a->n, n, a->cap, 4096))
		return pm_err(e, "out of memory");
	memcpy(a->text + a->n, p, n);
	a->n += n;
	return 0;
}

static int archive_end(void *ctx, bool whole, struct pm_err *e)
{
	struct archive *a = ctx;
	json_error_t why;
	json_t *doc;

	if (!whole || a->n == 0)
		return 0;
	doc = json_loadb(a->text, a->n, JSON_REJECT_DUPLICATES, &why);
	if (!doc)
		return pm_err(e, "metadata line %d: %s", why.line, why.text);
	if (is_format(doc))
		json_array_append_new(a->all, doc);
	else
		json_decref(doc);
	return 0;
}

static void archive_skipped(void *ctx, const char *path, const char *why)
{
	(void)ctx;
	pm_debug("%s: %s", path, why);
}

static json_t *read_archive(const char *path, struct pm_err *e)
{
	struct archive a = { .all = json_array() };
	struct pm_archive_sink sink = {
		.begin = archive_begin,
		.data = archive_data,
		.end = archive_end,
		.skipped = archive_skipped,
		.ctx = &a,
	};

	e->text[0] = '\0';
	if (pm_archive_read(path, &sink, e) == 0 && json_array_size(a.all) == 0)
		pm_err(e, "%s: no job metadata", path);
	free(a.text);
	if (json_array_size(a.all) > 0)
		return a.all;
	json_decref(a.all);
	return NULL;
}

/* Read the metadata of a job that submit can load, or has loaded. Keeps the error of an earlier
 * attempt to find it on disk if the database does not know it either. */
static json_t *read_loaded(const struct pm_cli *cli, const char *operand, struct pm_err *e)
{
	struct pm_err why = { "" };
	json_t *all = pm_dump_loaded(cli, operand, &why);

	if (all)
		e->text[0] = '\0';
	else if (!e->text[0])
		*e = why;
	return all;
}

json_t *pm_dump_read(const struct pm_cli *cli, struct pm_err *e)
{
	const char *operand = cli->argc > 0 ? cli->argv[0] : NULL;
	struct pm_cli by_job = *cli;
	struct pm_jobdir d;
	struct stat st;
	json_t *all, *doc;
	bool refused;
	int rc;

	if (operand && stat(operand, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			if (pm_jobdir_open(operand, &d, e) < 0)
				return NULL;
			all = read_directory(&d, &refused, e);
			pm_jobdir_close(&d);
			return all || refused ? all : read_loaded(cli, operand, e);
		}
		if (pm_archive_named(operand)) {
			all = read_archive(operand, e);
			return all ? all : read_loaded(cli, operand, e);
		}
		doc = read_file(operand, e);
		return doc ? json_pack("[o]", doc) : NULL;
	}
	if (operand && strpbrk(operand, "/#")) {
		pm_err(e, "%s: %m", operand);
		return read_loaded(cli, operand, e);
	}
	if (operand)
		by_job.value[PM_OPT_job] = operand;
	rc = pm_job_find(&by_job, PM_JOB_LAST, &d, e);
	if (rc == 1 && by_job.value[PM_OPT_job])
		return read_loaded(cli, by_job.value[PM_OPT_job], e);
	if (rc != 0)
		return NULL;
	all = read_directory(&d, &refused, e);
	pm_jobdir_close(&d);
	return all;
}
