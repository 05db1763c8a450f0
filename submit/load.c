/* From a source to the database: gather its jobs, then write each in one transaction. */
#include "config.h"

#include "submit/load.h"

#include "common/log.h"
#include "submit/archive.h"
#include "submit/big.h"
#include "submit/gather.h"
#include "submit/job.h"
#include "submit/lineage.h"
#include "submit/nearby.h"
#include "submit/write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct loading {
	struct pm_db *db;
	const struct pm_load_options *o;
	const char *source;
	uid_t owner;
	struct pm_gather **job; /* one per directory */
	size_t jobs, jobs_cap;
	struct pm_gather *current;
	bool faulty;
	int64_t began_us;
};

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* What the job has now, for the one who asked. */
static int report(struct loading *l, struct pm_gather *g, int64_t job_id, enum pm_load_state state,
		  struct pm_err *e)
{
	struct pm_load_result r = {
		.job_id = job_id,
		.state = state,
		.lines = (int64_t)g->lines,
		.rejected = (int64_t)g->reject_count,
		.elapsed_us = now_us() - l->began_us,
		.problems = g->problems.text,
	};
	struct pm_stmt *q;
	int rc;

	if (!l->o->done)
		return 0;
	if (pm_db_prepare(l->db,
			  "SELECT CASE WHEN array_task = '' THEN jobid ELSE jobid || '_' || "
			  "array_task END,"
			  " processes, threads FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job_id);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		r.jobid = pm_db_text(q, 0, NULL);
		r.processes = pm_db_int(q, 1);
		r.threads = pm_db_int(q, 2);
		l->o->done(l->o->ctx, &r);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Note what the tree shows to be odd. */
static void note_oddities(struct pm_gather *g, const struct pm_lineage *t)
{
	size_t backwards = 0;

	for (size_t i = 0; i < g->images.images; i++, pm_big_trim())
		backwards += (g->images.image[i].flags & PM_IMAGE_BACKWARDS) != 0;
	if (backwards)
		pm_gather_problem(g, "%zu processes end before they start: the clock was set",
				  backwards);
	if (t->cycles)
		pm_gather_problem(g, "%zu parent links led in a circle", t->cycles);
}

static int write_in_transaction(struct loading *l, struct pm_gather *g, const struct pm_lineage *t,
				struct pm_meta *id, struct pm_write_base *base,
				enum pm_load_state *state, struct pm_err *e)
{
	int rc;

	if (pm_db_begin(l->db, e) < 0)
		return -1;
	rc = pm_nearby_adopt(l->db, g, id, e);
	if (rc == 0)
		rc = pm_job_place(l->db, g, id, base, state, e);
	if (rc == 0 && *state != PM_LOAD_UNCHANGED) {
		rc = pm_write_rows(l->db, g, t, base, e);
		if (rc == 0)
			rc = pm_summary_write(l->db, base->job_id, e);
		if (rc == 0)
			rc = pm_db_commit(l->db, e);
		if (rc == 0)
			return 0;
	}
	pm_db_rollback(l->db);
	return rc;
}

static int load_job(struct loading *l, struct pm_gather *g, struct pm_err *e)
{
	struct pm_lineage t = { 0 };
	struct pm_write_base base = { 0 };
	struct pm_meta *id;
	enum pm_load_state state = PM_LOAD_NEW;
	int rc = -1;

	id = pm_gather_finish(g, e) < 0 ? NULL : pm_job_identity(g, e);
	if (id && pm_lineage_build(&t, &g->images, e) == 0) {
		note_oddities(g, &t);
		rc = write_in_transaction(l, g, &t, id, &base, &state, e);
	}
	if (rc == 0)
		rc = report(l, g, base.job_id, state, e);
	pm_lineage_free(&t);
	/* What is wrong with files loaded before was said, and kept, when they were. */
	if ((g->faulty || g->reject_count) && (rc < 0 || state != PM_LOAD_UNCHANGED))
		l->faulty = true;
	return rc;
}

/* The job of a directory, added where it is new. */
static struct pm_gather *find_job(struct loading *l, const char *directory, struct pm_err *e)
{
	struct pm_gather *g;

	for (size_t i = l->jobs; i > 0; i--)
		if (strcmp(l->job[i - 1]->directory, directory) == 0)
			return l->job[i - 1];
	if (l->jobs == l->jobs_cap) {
		size_t cap = l->jobs_cap ? 2 * l->jobs_cap : 4;
		void *p = realloc(l->job, cap * sizeof l->job[0]);

		if (!p) {
			pm_err(e, "out of memory");
			return NULL;
		}
		l->job = p;
		l->jobs_cap = cap;
	}
	g = calloc(1, sizeof *g);
	if (!g) {
		pm_err(e, "out of memory");
		return NULL;
	}
	l->job[l->jobs++] = g;
	return pm_gather_init(g, l->source, directory, l->owner, e) < 0 ? NULL : g;
}

static int member_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct loading *l = ctx;
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (pm_gather_kind(slash ? slash + 1 : path) == PM_FILE_OTHER) {
		pm_debug("%s: %s: not a file of a job", l->source, path);
		return 0;
	}
	if (n >= sizeof directory) {
		pm_warn("%s: a member's path is too long", l->source);
		l->faulty = true;
		return 0;
	}
	memcpy(directory, path, n);
	directory[n] = '\0';
	l->current = find_job(l, n ? directory : ".", e);
	if (!l->current || pm_gather_begin(l->current, slash ? slash + 1 : path, e) < 0)
		return -1;
	return 1;
}

static int member_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	return pm_gather_data(((struct loading *)ctx)->current, p, n, e);
}

static int member_end(void *ctx, bool whole, struct pm_err *e)
{
	struct pm_gather *g = ((struct loading *)ctx)->current;

	if (!whole)
		pm_gather_problem(g, "%s is cut", g->file[g->files - 1].name);
	return pm_gather_end(g, whole, e);
}

static void member_skipped(void *ctx, const char *path, const char *why)
{
	struct loading *l = ctx;

	pm_warn("%s: %s skipped: %s", l->source, path, why);
	l->faulty = true;
}

/* Read one file of a directory. Returns 0 or -1; what cannot be read is noted. */
static int read_file(struct loading *l, int dir, const char *name, struct pm_err *e)
{
	struct pm_gather *g = l->current;
	char buffer[65536];
	struct stat st;
	ssize_t n = 0;
	int rc, fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0) {
		pm_gather_problem(g, "%s: %s", name,
				  errno == ELOOP ? "a symbolic link, skipped" : strerror(errno));
		return 0;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		pm_gather_problem(g, "%s: not a regular file, skipped", name);
		close(fd);
		return 0;
	}
	rc = pm_gather_begin(g, name, e);
	while (rc == 0 && (n = read(fd, buffer, sizeof buffer)) != 0) {
		if (n > 0)
			rc = pm_gather_data(g, buffer, (size_t)n, e);
		else if (errno != EINTR) {
			pm_gather_problem(g, "%s: read: %m", name);
			break;
		}
	}
	close(fd);
	return rc < 0 ? -1 : pm_gather_end(g, n == 0, e);
}

static int wanted(const struct dirent *d)
{
	return pm_gather_kind(d->d_name) != PM_FILE_OTHER;
}

static int read_directory(struct loading *l, int fd, struct pm_err *e)
{
	struct dirent **name = NULL;
	int n, rc = 0;

	/* In order of names, so that a job loads the same wherever it lies. */
	n = scandirat(fd, ".", &name, wanted, alphasort);
	if (n < 0)
		return pm_err(e, "%s: %m", l->source);
	if (n > 0) {
		l->current = find_job(l, l->source, e);
		rc = l->current ? 0 : -1;
	}
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = read_file(l, fd, name[i]->d_name, e);
		free(name[i]);
	}
	free(name);
	return rc;
}

static int read_source(struct loading *l, struct pm_err *e)
{
	const struct pm_archive_sink sink = { member_begin, member_data, member_end, member_skipped,
					      l };
	int fd = open(l->source, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), rc;
	struct stat st;

	if (fd < 0)
		return pm_err(e, "%s: %m", l->source);
	if (fstat(fd, &st) < 0) {
		close(fd);
		return pm_err(e, "%s: %m", l->source);
	}
	l->owner = st.st_uid;
	if (S_ISDIR(st.st_mode)) {
		rc = read_directory(l, fd, e);
	} else if (S_ISREG(st.st_mode)) {
		rc = pm_archive_read(l->source, &sink, e);
		/* What was whole still loads. */
		if (rc > 0) {
			pm_warn("%s", e->text);
			l->faulty = true;
			rc = 0;
		}
	} else {
		rc = pm_err(e, "%s: neither a directory nor an archive", l->source);
	}
	close(fd);
	if (rc == 0 && l->jobs == 0)
		rc = pm_err(e, "%s: no job in it: no job-*.json, *.tsv or *.series", l->source);
	return rc;
}

int pm_load_source(struct pm_db *db, const char *path, const struct pm_load_options *o,
		   struct pm_err *e)
{
	struct loading l = { .db = db, .o = o, .source = path, .began_us = now_us() };
	int rc = read_source(&l, e), failed = rc < 0;

	for (size_t i = 0; i < l.jobs; i++) {
		if (rc == 0 && load_job(&l, l.job[i], e) < 0) {
			failed = 1;
			pm_err_prefix(e, "%s", l.job[i]->directory);
			/* The others still load; the caller gets to say what the last failure was.
			 */
			if (i + 1 < l.jobs)
				pm_warn("%s", e->text);
		}
		pm_gather_free(l.job[i]);
		free(l.job[i]);
	}
	free(l.job);
	if (failed)
		return -1;
	return l.faulty ? 1 : 0;
}
