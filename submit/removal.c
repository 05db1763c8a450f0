/* Decide which loaded sources to remove: everything in them is in the database, and no process adds
 * to them any more. */
#include "config.h"

#include "submit/loading.h"

#include "common/job/living.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Number returned by a query about a job, and a host unless h is NULL; -1 with e filled. */
static int64_t query_number(struct pm_db *db, const char *sql, int64_t job, const struct pm_host *h,
			    struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t n;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	if (h) {
		pm_db_bind_str(q, 2, h->boot_id);
		pm_db_bind_str(q, 3, h->hostname);
	}
	n = pm_db_step(q, e) > 0 ? pm_db_int(q, 0) : -1;
	pm_db_finish(q);
	return n;
}

/* Number of rejected lines of a job's files. Files that were gathered a second time, once the job's
 * user was known, are counted in the database. Returns -1 with e filled. */
static int64_t count_rejected(struct pm_loading *l, const struct pm_gather *g, int64_t job,
			      struct pm_err *e)
{
	if (!g->users.unsettled || job == 0)
		return (int64_t)g->reject_count;
	return query_number(l->db, "SELECT count(*) FROM reject WHERE job_id = ?", job, NULL, e);
}

/* Whether all hosts of the files have closed the job, according to the gathered metadata or,
 * without any, to those in the database. Returns 1, 0, or -1 with e filled. */
static int is_over(struct pm_loading *l, const struct pm_gather *g, int64_t job, struct pm_err *e)
{
	for (size_t i = 0; i < g->metas && !g->nameless; i++)
		if (!g->meta[i].set[PM_JOB_stop_time_us])
			return 0;
	for (size_t i = 0; i < g->images.hosts && g->nameless; i++) {
		int64_t n = query_number(
			l->db,
			"SELECT count(*) FROM host WHERE job_id = ? AND (boot_id = ? OR "
			"(boot_id IS NULL AND hostname = ?)) AND stop_time_us IS NOT NULL",
			job, &g->images.host[i], e);

		if (n <= 0)
			return (int)n;
	}
	return !g->nameless || g->images.hosts > 0;
}

int pm_removal_judge(struct pm_loading *l, const struct pm_gather *g, int64_t job, struct pm_err *e)
{
	int64_t rejected = count_rejected(l, g, job, e);
	int over = is_over(l, g, job, e);

	if (rejected < 0 || over < 0)
		return -1;
	/* Faults reported by an earlier load of the files count, too. */
	if (!over)
		l->kept = g->nameless ? "it has no metadata that show that its job has ended"
				      : "a job in it has not ended";
	else if (!l->kept && (rejected > 0 || g->faulty))
		l->kept = "a job in it has faults";
	return 0;
}

/* Check that no process recorded in a source, a directory, is still alive. Returns 0, or -1 with e
 * filled. */
static int no_one_lives(const char *path, struct pm_err *e)
{
	char names[PM_LIVING_NAMES];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), n;

	/* The source is an archive, or will not be removed anyway. */
	if (fd < 0)
		return 0;
	n = pm_living_find(fd, NULL, names, sizeof names, e);
	close(fd);
	if (n < 0)
		return pm_err_prefix(e, "%s", path);
	return n == 0 ? 0
		      : pm_err(e,
			       "%s: %d process%s of the job %s still there: %s; submit it again "
			       "later",
			       path, n, n == 1 ? "" : "es", n == 1 ? "is" : "are", names);
}

int pm_removal_sources(struct pm_loading *l, size_t g, const char *why_not)
{
	const struct pm_load_set *s = l->set;
	int stay = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct pm_operand *o = &s->operand[i];
		struct pm_err why = { "" };
		int rc;

		if (s->group[i] != g)
			continue;
		if (!why_not && o->input)
			rc = pm_err(&why, "-: standard input");
		else
			rc = why_not ? pm_err(&why, "%s: %s", o->path, why_not)
				     : no_one_lives(o->path, &why);
		/* A process that ends later has already written to its files, which
		 * pm_remove_source notices. */
		if (rc == 0)
			rc = pm_remove_source(&l->taken, i, o->path, l->o->dry, &why);
		l->o->removed(l->o->ctx, o->path, rc < 0 ? &why : NULL);
		stay = stay || rc < 0;
	}
	pm_remove_free(&l->taken);
	return stay;
}
