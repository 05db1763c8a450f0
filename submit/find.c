/* Finding the job directory to submit. */
#include "config.h"

#include "submit/find.h"

#include "common/config.h"
#include "common/jobdir.h"
#include "submit/gather.h"
#include "submit/meta.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
	struct pm_db *db;
	const char *name; /* the job id looked for, or NULL for the newest */
	int64_t best_us;
	char best[PATH_MAX];
	int open, loaded; /* jobs passed over because they are open, or in the database */
	char open_name[NAME_MAX + 1]; /* of the last open one */
	struct pm_err *e;
};

/* 1 when a directory's name is that of the job: its id, perhaps with more behind a dot. */
static int is_named(const char *directory, const char *name)
{
	size_t n = strlen(name);

	return strncmp(directory, name, n) == 0 && (directory[n] == '\0' || directory[n] == '.');
}

/* Read one metadata file of a directory whole. Returns 0 or -1; the meta must be freed. */
static int read_meta(int dir, const char *name, struct pm_meta *m)
{
	int fd = pm_db_open_file(dir, name, O_NOFOLLOW | O_NONBLOCK), rc = -1;
	struct stat st;
	struct pm_err e;
	char *text = NULL;
	size_t done = 0;

	memset(m, 0, sizeof *m);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= (off_t)PM_META_MAX)
		text = malloc((size_t)st.st_size + 1);
	while (text && done < (size_t)st.st_size) {
		ssize_t n = read(fd, text + done, (size_t)st.st_size - done);

		if (n <= 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (text)
		rc = pm_meta_parse(m, text, done, &e);
	free(text);
	close(fd);
	return rc;
}

/* 1 when the database has the job of this metadata, and did not get it from this host before the
 * job was closed there for the last time. */
static int is_loaded(struct search *s, const struct pm_meta *m)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(s->db,
			  "SELECT 1 FROM job j WHERE j.jobid = ? AND j.epoch_us = ? AND NOT EXISTS "
			  "(SELECT 1 FROM host h WHERE h.job_id = j.id AND h.hostname = ? AND "
			  "coalesce(h.stop_time_us, 0) < ?)",
			  &q, s->e) < 0)
		return 0;
	pm_db_bind_str(q, 1, m->text[PM_JOB_job_jobid]);
	pm_db_bind_int(q, 2, m->number[PM_JOB_job_epoch_us]);
	pm_db_bind_str(q, 3, m->text[PM_JOB_host_hostname]);
	pm_db_bind_int(q, 4, m->number[PM_JOB_stop_time_us]);
	rc = pm_db_step(q, s->e);
	pm_db_finish(q);
	return rc > 0;
}

/* Remember a directory when it is the newest so far that will do. */
static int consider(const struct pm_jobdir *d, void *arg)
{
	struct search *s = arg;
	DIR *dir = fdopendir(openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	int64_t newest = INT64_MIN;
	bool closed = true, loaded = false;
	struct dirent *entry;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)) != NULL) {
		struct pm_meta m;

		if (pm_gather_kind(entry->d_name) != PM_FILE_META)
			continue;
		if (read_meta(d->fd, entry->d_name, &m) == 0) {
			closed = closed && m.set[PM_JOB_stop_time_us];
			if (m.set[PM_JOB_start_time_us] && m.number[PM_JOB_start_time_us] > newest)
				newest = m.number[PM_JOB_start_time_us];
			loaded = loaded || is_loaded(s, &m);
		}
		pm_meta_free(&m);
	}
	closedir(dir);
	if (s->name) {
		if (!is_named(d->name, s->name))
			return 0;
	} else if (!closed || loaded) {
		s->open += !closed;
		if (!closed)
			snprintf(s->open_name, sizeof s->open_name, "%s", d->name);
		s->loaded += closed;
		return 0;
	}
	if (newest > s->best_us || !s->best[0]) {
		s->best_us = newest;
		snprintf(s->best, sizeof s->best, "%s", d->path);
	}
	return 0;
}

char *pm_find_job(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e)
{
	struct search s = { .db = db, .best_us = INT64_MIN, .e = e };
	const char *output = pm_config_get(PM_SET_output), *batch = getenv("PERFMON_JOBID");
	char *path = NULL;

	if (!batch || !*batch)
		batch = cli->batch_job;
	s.name = cli->value[PM_OPT_job];
	if (!s.name && output[0]) {
		path = strdup(output);
		if (!path)
			pm_err(e, "out of memory");
		return path;
	}
	if (!s.name)
		s.name = batch;
	if (pm_jobdir_each(consider, &s, e) < 0)
		return NULL;
	if (!s.best[0] && s.name && s.name == batch) {
		s.name = NULL;
		if (pm_jobdir_each(consider, &s, e) < 0)
			return NULL;
	}
	if (s.best[0]) {
		path = strdup(s.best);
		if (!path)
			pm_err(e, "out of memory");
	} else if (s.name) {
		pm_err(e, "no directory of job %s", s.name);
	} else if (s.open) {
		pm_err(e, "no closed job to submit: job %s is open; perfmon -j %s stop, or name its "
		       "directory", s.open_name, s.open_name);
	} else {
		pm_err(e, "no closed job to submit%s",
		       s.loaded ? ": the database has them all"
				  : "; archives are loaded by name: perfmon submit FILE.tgz");
	}
	return path;
}
