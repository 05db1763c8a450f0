/* Find the job directories to submit. */
#include "config.h"

#include "submit/finddir.h"

#include "common/grow.h"
#include "common/handed.h"
#include "common/job/jobdir.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "submit/job/gather.h"
#include "submit/job/meta.h"
#include "submit/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory to load. */
struct found {
	char *path;
	int64_t start_us;
};

struct search {
	struct pm_db *db;
	const char *name; /* job id to find, or NULL for all jobs not loaded */
	struct found *found;
	size_t count, cap;
	int open, loaded;             /* number of jobs skipped because they are open, or loaded */
	char open_name[NAME_MAX + 1]; /* name of the last open job */
	struct pm_err *e;
};

/* Read and parse one metadata file of a directory. Returns 0 or -1; the meta must be freed. */
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

/* Row id of the job with this metadata; 0 if it is not loaded, or not from this host since its last
 * stop here. */
static int64_t is_loaded(struct search *s, const struct pm_meta *m)
{
	struct pm_stmt *q;
	int64_t job;

	if (pm_db_prepare(
		    s->db,
		    "SELECT j.id FROM job j WHERE j.jobid = ? AND j.epoch_us = ? AND NOT EXISTS "
		    "(SELECT 1 FROM host h WHERE h.job_id = j.id AND h.hostname = ? AND "
		    "coalesce(h.stop_time_us, 0) < ?)",
		    &q, s->e) < 0)
		return 0;
	pm_db_bind_str(q, 1, m->text[PM_JOB_job_jobid]);
	pm_db_bind_int(q, 2, m->number[PM_JOB_job_epoch_us]);
	pm_db_bind_str(q, 3, m->text[PM_JOB_host_hostname]);
	pm_db_bind_int(q, 4, m->number[PM_JOB_stop_time_us]);
	job = pm_db_step(q, s->e) > 0 ? pm_db_int(q, 0) : 0;
	pm_db_finish(q);
	return job;
}

/* Add a directory to the list. Returns 0 or -1 with e filled. */
static int add_found(struct search *s, const char *path, int64_t start_us)
{
	struct found *f;

	if (!PM_GROW(s->found, s->count, s->cap, 16))
		return pm_err(s->e, "out of memory");
	f = &s->found[s->count];
	f->start_us = start_us;
	f->path = strdup(path);
	s->count += f->path != NULL;
	return f->path ? 0 : pm_err(s->e, "out of memory");
}

/* Add a directory if it should be loaded. Returns 0 or -1 with e filled. */
static int consider_directory(const struct pm_jobdir *d, void *arg)
{
	struct search *s = arg;
	DIR *dir;
	int64_t newest = INT64_MIN, job = 0;
	struct dirent *entry;
	bool closed = true;

	if (s->name && !pm_jobdir_is_named(d->name, s->name))
		return 0;
	dir = fdopendir(openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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
			if (!s->name && job == 0)
				job = is_loaded(s, &m);
		}
		pm_meta_free(&m);
	}
	closedir(dir);
	/* Records may have been added since the load. */
	if (closed && job && pm_load_is_current(s->db, job, d->fd) == 0)
		job = 0;
	if (!s->name && (!closed || job)) {
		s->open += !closed;
		if (!closed)
			snprintf(s->open_name, sizeof s->open_name, "%s", d->name);
		s->loaded += closed;
		return 0;
	}
	return add_found(s, d->path, newest);
}

static int by_start(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->start_us != y->start_us
		       ? (x->start_us > y->start_us) - (x->start_us < y->start_us)
		       : strcmp(x->path, y->path);
}

/* Find the directories of a job, or with name NULL all that are not fully loaded, the newest last.
 * Returns 0 or -1 with e filled. */
static int find_directories(struct search *s, const char *name)
{
	s->name = name;
	if (pm_jobdir_each(consider_directory, s, s->e) < 0)
		return -1;
	if (s->count)
		qsort(s->found, s->count, sizeof s->found[0], by_start);
	return 0;
}

static void free_found(struct search *s)
{
	while (s->count)
		free(s->found[--s->count].path);
	free(s->found);
}

/* Fill e with why there is nothing to load. */
static void explain_none(const struct search *s)
{
	if (s->open)
		pm_err(s->e,
		       "no closed job to submit: job %s is open; perfmon -j %s stop, or name its "
		       "directory",
		       s->open_name, s->open_name);
	else
		pm_err(s->e, "no closed job to submit%s",
		       s->loaded ? ": the database has them all"
				 : "; archives are loaded by name: perfmon submit FILE.tgz");
}

char *pm_finddir_job(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e)
{
	struct search s = { .db = db, .e = e };
	const char *output = pm_config_get(PM_SET_output),
		   *batch = getenv(pm_handed_name[PM_HANDED_jobid]);
	const char *name = cli->value[PM_OPT_job];
	char *path = NULL;

	if (!batch || !*batch)
		batch = cli->batch_job;
	if (!name && output[0]) {
		path = strdup(output);
		if (!path)
			pm_err(e, "out of memory");
		return path;
	}
	if (!name)
		name = batch;
	if (find_directories(&s, name) < 0 ||
	    (!s.count && name && name == batch && find_directories(&s, NULL) < 0)) {
		free_found(&s);
		return NULL;
	}
	if (s.count > 1 && !s.name)
		pm_info("%zu more jobs are not loaded; perfmon submit --all loads them",
			s.count - 1);
	if (s.count) {
		path = s.found[s.count - 1].path;
		s.found[--s.count].path = NULL;
	} else if (s.name) {
		pm_err(e, "no directory of job %s", s.name);
	} else {
		explain_none(&s);
	}
	free_found(&s);
	return path;
}

char *pm_finddir_named(const char *name, struct pm_db *db, struct pm_err *e)
{
	struct search s = { .db = db, .e = e };
	char *path = NULL;

	e->text[0] = '\0';
	if (find_directories(&s, name) == 0 && s.count) {
		path = s.found[s.count - 1].path;
		s.found[--s.count].path = NULL;
	}
	free_found(&s);
	return path;
}

int pm_finddir_all(struct pm_db *db, char ***list, size_t *n, struct pm_err *e)
{
	struct search s = { .db = db, .e = e };

	*n = 0;
	*list = NULL;
	if (find_directories(&s, NULL) < 0) {
		free_found(&s);
		return -1;
	}
	*list = calloc(s.count + 1, sizeof **list);
	for (; *list && *n < s.count; ++*n) {
		(*list)[*n] = s.found[*n].path;
		s.found[*n].path = NULL;
	}
	if (*list && *n == 0)
		explain_none(&s);
	free_found(&s);
	return *list ? 0 : pm_err(e, "out of memory");
}
