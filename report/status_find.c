/* Find the user's jobs in directories, archives and the database. */
#include "config.h"

#include "report/mine.h"
#include "report/status.h"

#include "common/archive.h"
#include "common/job/job.h"
#include "common/job/jobdir.h"
#include "common/job/jobidentity.h"
#include "common/log.h"
#include "common/safe/procfs.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "db/jobrow.h"
#include "submit/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Longest metadata file that is read. */
#define DOCUMENT_MAX (16 << 20)

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* The identity in an entry, or in section job of metadata, whose texts it borrows. */
static struct pm_jobidentity identity_of(const json_t *job)
{
	struct pm_jobidentity id = {
		.cluster = text_of(job, "cluster"),
		.jobid = text_of(job, "jobid"),
		.array_task = text_of(job, "array_task"),
		.restart_count = json_integer_value(json_object_get(job, "restart_count")),
		.epoch_us = json_integer_value(json_object_get(job, "epoch_us")),
	};

	return id;
}

/* Find or add the entry of a job. Returns a borrowed reference, or NULL if out of memory. */
static json_t *entry_of(json_t *jobs, const struct pm_jobidentity *id)
{
	char *key = pm_jobidentity_text(id);
	json_t *job;

	if (!key)
		return NULL;
	job = json_object_get(jobs, key);
	if (!job) {
		job = json_pack("{s:s, s:s, s:s, s:I, s:I, s:[]}", "jobid", id->jobid, "array_task",
				id->array_task, "cluster", id->cluster, "restart_count",
				(json_int_t)id->restart_count, "epoch_us", (json_int_t)id->epoch_us,
				"hosts");
		json_object_set_new(jobs, key, job);
	}
	free(key);
	return job;
}

static void set_missing(json_t *job, const char *name, json_t *value)
{
	if (json_object_get(job, name) || !value || json_is_null(value))
		json_decref(value);
	else
		json_object_set_new(job, name, value);
}

static void add_host(json_t *job, const char *host)
{
	json_t *hosts = json_object_get(job, "hosts"), *one;
	size_t i;

	json_array_foreach (hosts, i, one)
		if (strcmp(json_string_value(one), host) == 0)
			return;
	json_array_append_new(hosts, json_string(host));
}

/* Store a host's count under the host's name, not as a sum: its metadata may be found in several
 * places. */
static void note_of_host(json_t *job, const char *name, const json_t *host, const json_t *value)
{
	json_t *hosts = json_object_get(job, name);

	if (!json_is_integer(value))
		return;
	if (!hosts) {
		hosts = json_object();
		json_object_set_new(job, name, hosts);
	}
	json_object_set_new(hosts, text_of(host, "hostname"),
			    json_integer(json_integer_value(value)));
}

/* Find or add the entry of the job in a metadata document, and fill it from the document. Returns a
 * borrowed reference, or NULL for any other document. */
static json_t *entry_of_document(json_t *jobs, const json_t *doc)
{
	const json_t *job = json_object_get(doc, "job"), *start = json_object_get(doc, "start");
	const json_t *host = json_object_get(doc, "host");
	struct pm_jobidentity id;
	json_t *entry;

	if (strcmp(text_of(doc, "format"), PM_JOB_FORMAT) != 0)
		return NULL;
	id = identity_of(job);
	entry = entry_of(jobs, &id);
	set_missing(entry, "name", json_incref(json_object_get(job, "name")));
	set_missing(entry, "start_us", json_incref(json_object_get(start, "time_us")));
	add_host(entry, text_of(host, "hostname"));
	note_of_host(entry, "tasks_unrecorded", host, json_object_get(host, "tasks_unrecorded"));
	return entry;
}

/* Read the first line of a small file, without its newline. "" where it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, line, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

/* 1 if a process has ended; 0 if it is running or its state is unknown. */
static int is_gone(const char *id, const char *start)
{
	long long pid = strtoll(id, NULL, 10);
	char path[64], text[4096];
	struct pm_procfs_stat stat;

	if (pid <= 0 || !*start)
		return 0;
	if (kill((pid_t)pid, 0) < 0)
		return errno == ESRCH;
	snprintf(path, sizeof path, "/proc/%lld/stat", pid);
	read_line(path, text, sizeof text);
	/* Pids are reused, so a different start time means a different process. */
	return pm_procfs_stat(text, strlen(text), &stat) == 0 &&
	       stat.starttime != strtoll(start, NULL, 10);
}

/* The reason why this host's part of an open job will never be stopped, or NULL. */
static const char *why_stale(const json_t *doc)
{
	const json_t *host = json_object_get(doc, "host");
	const json_t *facts = json_object_get(json_object_get(doc, "job"), "facts");
	const char *boot_id = text_of(host, "boot_id");
	char own[256], boot[64];

	pm_jobdir_host(own, sizeof own);
	if (strcmp(text_of(host, "hostname"), own) != 0)
		return NULL; /* only that host knows */
	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	if (*boot && *boot_id && strcmp(boot, boot_id) != 0)
		return "its host was rebooted";
	/* A job of `run -a` ends with that process, not with a session. */
	if (json_object_get(json_object_get(doc, "start"), "command"))
		return is_gone(text_of(facts, "runner_pid"), text_of(facts, "runner_start"))
			       ? "its perfmon run has ended"
			       : NULL;
	return is_gone(text_of(facts, "session_id"), text_of(facts, "session_start"))
		       ? "its session has ended"
		       : NULL;
}

static json_t *read_document(int dir, const char *name)
{
	int fd = pm_db_open_file(dir, name, O_NOFOLLOW | O_NONBLOCK);
	json_t *doc = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= DOCUMENT_MAX)
		doc = json_loadfd(fd, 0, NULL);
	close(fd);
	return doc;
}

/* Store the time at which a host stopped, to detect that the database has older data. */
static void note_stop(json_t *job, const json_t *doc)
{
	note_of_host(job, "stop_us", json_object_get(doc, "host"),
		     json_object_get(json_object_get(doc, "stop"), "time_us"));
}

static int is_metadata(const struct dirent *entry)
{
	return fnmatch("job-*.json", entry->d_name, FNM_PERIOD) == 0;
}

static int add_directory(const struct pm_jobdir *d, void *arg)
{
	struct dirent **entry = NULL;
	int n = scandirat(d->fd, ".", &entry, is_metadata, alphasort);
	json_t *jobs = arg;

	for (int i = 0; i < n; i++) {
		json_t *doc = read_document(d->fd, entry[i]->d_name);
		json_t *job = doc ? entry_of_document(jobs, doc) : NULL;

		free(entry[i]);
		if (job) {
			bool open = !json_is_object(json_object_get(doc, "stop"));
			const char *why = open ? why_stale(doc) : NULL;

			json_object_set_new(job, "directory", json_string(d->path));
			note_stop(job, doc);
			if (open && !why)
				json_object_set_new(job, "open", json_true());
			if (why)
				json_object_set_new(job, "stale", json_string(why));
		}
		json_decref(doc);
	}
	free(entry);
	return 0;
}

int pm_status_recorded(json_t *jobs, struct pm_err *e)
{
	return pm_jobdir_each(add_directory, jobs, e) < 0 ? -1 : 0;
}

/* The first metadata file of an archive. stage writes it first, so that little has to be read. */
struct first {
	char *text;
	size_t n;
	bool done;
};

static int first_begin(void *ctx, const char *path, struct pm_err *e)
{
	const char *slash = strrchr(path, '/');

	(void)ctx;
	(void)e;
	return fnmatch("job-*.json", slash ? slash + 1 : path, FNM_PERIOD) == 0;
}

static int first_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct first *f = ctx;
	char *text = n > DOCUMENT_MAX - f->n ? NULL : realloc(f->text, f->n + n);

	if (!text)
		return pm_err(e, "metadata is too long");
	memcpy(text + f->n, p, n);
	f->text = text;
	f->n += n;
	return 0;
}

static int first_end(void *ctx, bool whole, struct pm_err *e)
{
	((struct first *)ctx)->done = whole;
	return pm_err(e, "that is all");
}

static void first_skipped(void *ctx, const char *path, const char *why)
{
	(void)ctx;
	(void)path;
	(void)why;
}

static void add_archive(json_t *jobs, const char *path)
{
	struct first f = { .n = 0 };
	struct pm_archive_sink sink = { first_begin, first_data, first_end, first_skipped, &f };
	json_t *doc = NULL, *job, *list;
	struct pm_err ignored;

	pm_archive_read(path, &sink, &ignored);
	if (f.done)
		doc = json_loadb(f.text, f.n, 0, NULL);
	job = doc ? entry_of_document(jobs, doc) : NULL;
	if (job) {
		list = json_object_get(job, "archives");
		if (!list) {
			list = json_array();
			json_object_set_new(job, "archives", list);
		}
		json_array_append_new(list, json_string(path));
		note_stop(job, doc);
	} else {
		pm_info("%s: no job metadata", path);
	}
	json_decref(doc);
	free(f.text);
}

int pm_status_staged(json_t *jobs, struct pm_err *e)
{
	const char *where = pm_config_get(PM_SET_stage_to);
	struct dirent **entry = NULL;
	char path[PATH_MAX], folder[PATH_MAX];
	int n;

	if (!realpath(where, folder))
		return errno == ENOENT ? 0 : pm_err(e, "%s: %m", where);
	n = scandir(folder, &entry, NULL, alphasort);
	if (n < 0 && errno == EACCES) {
		pm_info("%s cannot be listed: its archives are unknown", where);
		return 0;
	}
	if (n < 0)
		return pm_err(e, "%s: %m", where);
	for (int i = 0; i < n; i++) {
		struct stat st;

		if (entry[i]->d_name[0] != '.' && pm_archive_named(entry[i]->d_name) &&
		    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name) <
			    (int)sizeof path &&
		    lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
			add_archive(jobs, path);
		free(entry[i]);
	}
	free(entry);
	return 0;
}

static void take_row(json_t *jobs, struct pm_stmt *q)
{
	const struct pm_jobidentity id = {
		.cluster = pm_db_text(q, 1, NULL),
		.jobid = pm_db_text(q, 2, NULL),
		.array_task = pm_db_text(q, 3, NULL),
		.restart_count = pm_db_int(q, 4),
		.epoch_us = pm_db_int(q, 5),
	};
	json_t *job = entry_of(jobs, &id);
	const json_t *stopped;

	json_object_set_new(job, "loaded", json_true());
	json_object_set_new(job, "number", json_integer(pm_db_int(q, 0)));
	json_object_set_new(job, "rejected", json_integer(pm_db_int(q, 8)));
	if (pm_db_text(q, 6, NULL))
		set_missing(job, "name", json_string(pm_db_text(q, 6, NULL)));
	if (!pm_db_is_null(q, 7))
		set_missing(job, "start_us", json_integer(pm_db_int(q, 7)));
	if (pm_db_text(q, 9, NULL) && *pm_db_text(q, 9, NULL))
		set_missing(job, "problems", json_string(pm_db_text(q, 9, NULL)));
	if (pm_db_text(q, 10, NULL))
		add_host(job, pm_db_text(q, 10, NULL));
	stopped = json_object_get(json_object_get(job, "stop_us"), pm_db_text(q, 10, NULL));
	if (json_integer_value(stopped) > (pm_db_is_null(q, 11) ? 0 : pm_db_int(q, 11)))
		json_object_set_new(job, "outdated", json_true());
}

/* Mark jobs whose directories received records after they were loaded. */
static void mark_grown(json_t *jobs, struct pm_db *db)
{
	const char *key;
	json_t *job;

	json_object_foreach (jobs, key, job) {
		const char *path = json_string_value(json_object_get(job, "directory"));
		struct pm_jobdir d;
		struct pm_err ignored;

		if (!json_object_get(job, "loaded") || json_object_get(job, "outdated") || !path ||
		    pm_jobdir_open(path, &d, &ignored) < 0)
			continue;
		if (pm_load_is_current(db, json_integer_value(json_object_get(job, "number")),
				       d.fd) == 0) {
			json_object_set_new(job, "outdated", json_true());
			json_object_set_new(job, "grown", json_true());
		}
		pm_jobdir_close(&d);
	}
}

#define LOADED                                                                                     \
	"SELECT j.id, j.cluster, j.jobid, j.array_task, j.restart_count, j.epoch_us, j.name,"      \
	" j.start_us, coalesce(j.rejected, 0), j.problems, h.hostname, h.stop_time_us FROM "

static int take_rows(json_t *jobs, struct pm_stmt *q, struct pm_err *e)
{
	int rc;

	while ((rc = pm_db_step(q, e)) > 0)
		take_row(jobs, q);
	return rc;
}

/* Look up in the database all jobs found in directories and archives, however old. */
static int add_found(struct pm_db *db, json_t *jobs, struct pm_err *e)
{
	struct pm_stmt *q;
	const char *key;
	json_t *job;
	void *next;
	int rc = 0;

	if (pm_db_prepare(db,
			  LOADED "job j LEFT JOIN host h ON h.job_id = j.id WHERE j.uid = ? "
				 "AND " PM_JOBIDENTITY_IS_USERS("j.") " AND j.epoch_us = ?",
			  &q, e) < 0)
		return -1;
	json_object_foreach_safe (jobs, next, key, job) {
		const struct pm_jobidentity id = identity_of(job);

		pm_db_bind_int(q, 1, geteuid());
		pm_db_bind_int(q, pm_jobrow_bind(q, 2, &id), id.epoch_us);
		rc = take_rows(jobs, q, e);
		if (rc < 0)
			break;
		pm_db_reset(q);
	}
	pm_db_finish(q);
	return rc;
}

static int add_newest(struct pm_db *db, json_t *jobs, int64_t limit, struct pm_err *e)
{
	struct pm_mine mine;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  LOADED "(" PM_MINE_NEWEST("*") ") j LEFT JOIN host h ON h.job_id = j.id",
			  &q, e) < 0)
		return -1;
	pm_mine_init(&mine, geteuid());
	pm_mine_bind_newest(q, &mine, limit);
	rc = take_rows(jobs, q, e);
	pm_db_finish(q);
	return rc;
}

int pm_status_loaded(json_t *jobs, int64_t limit, struct pm_err *e)
{
	struct pm_db *db = NULL;
	int rc;

	errno = 0;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0) {
		rc = errno == ENOENT ? 0 : -1;
		if (rc == 0)
			e->text[0] = '\0';
		return rc;
	}
	rc = add_found(db, jobs, e);
	if (rc == 0)
		rc = add_newest(db, jobs, limit, e);
	if (rc == 0)
		mark_grown(jobs, db);
	pm_db_close(db);
	return rc;
}
