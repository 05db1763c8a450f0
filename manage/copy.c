/* perfmon copy: jobs from one database to another. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/settings/config_parse.h"
#include "common/terminal.h"
#include "db/copy.h"
#include "manage/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct copy {
	const struct pm_cli *cli;
	struct pm_db *from, *to;
	int64_t count[4]; /* by enum pm_copy_state */
};

static void print_job(const struct copy *c, const struct pm_jobs_one *job, enum pm_copy_state state)
{
	static const char *const did[] = { "copied", "replaced", "already there",
					   "gone meanwhile" };
	static const char *const would[] = { "would be copied", "would be replaced",
					     "already there", "gone meanwhile" };

	/* Thousands of jobs may be there already, so each gets a line only with -v. */
	if (pm_log_level < 0 || (state == PM_COPY_THERE && pm_log_level < 1))
		return;
	pm_terminal_print(stdout, "job %s: %s, %lld process%s\n", job->name,
			  (c->cli->given[PM_OPT_dry_run] ? would : did)[state],
			  (long long)job->processes, job->processes == 1 ? "" : "es");
}

static int copy_jobs(struct copy *c, const struct pm_jobs *jobs, struct pm_err *e)
{
	bool dry = c->cli->given[PM_OPT_dry_run];
	struct pm_jobs_one one;

	for (size_t i = 0; i < jobs->n; i++) {
		enum pm_copy_state state = PM_COPY_GONE;
		int rc = pm_jobs_read(&one, c->from, jobs->id[i], e);

		if (rc > 0 && pm_copy_job(c->from, c->to, one.id, c->cli->given[PM_OPT_replace],
					  dry, &state, e) < 0)
			return pm_err_prefix(e, "copy job %s to %s", one.name,
					     c->to ? pm_db_name(c->to) : c->cli->argv[1]);
		if (rc < 0)
			return -1;
		if (rc > 0)
			print_job(c, &one, state);
		c->count[state]++;
	}
	if (pm_log_level >= 0)
		printf("%lld job%s %s, %lld already there%s\n",
		       (long long)(c->count[PM_COPY_NEW] + c->count[PM_COPY_REPLACED]),
		       c->count[PM_COPY_NEW] + c->count[PM_COPY_REPLACED] == 1 ? "" : "s",
		       dry ? "would be copied" : "copied", (long long)c->count[PM_COPY_THERE],
		       c->count[PM_COPY_THERE] ? ", left as they are" : "");
	return 0;
}

/* Whether two settings name one database. */
static bool is_same(const char *a, const char *b)
{
	struct pm_err ignored;
	char *x = pm_db_path(a, &ignored), *y = pm_db_path(b, &ignored);
	struct stat s, t;
	bool same = strcmp(a, b) == 0;

	if (x && y && stat(x, &s) == 0 && stat(y, &t) == 0)
		same = s.st_dev == t.st_dev && s.st_ino == t.st_ino;
	free(x);
	free(y);
	return same;
}

static int open_both(struct copy *c, struct pm_err *e)
{
	bool dry = c->cli->given[PM_OPT_dry_run];
	const char *const *name = (const char *const *)c->cli->argv;

	if (pm_db_open(&c->from, name[0], PM_DB_READ, e) < 0)
		return -1;
	errno = 0;
	if (pm_db_open(&c->to, name[1], dry ? PM_DB_READ : PM_DB_WRITE, e) == 0)
		return 0;
	if (!dry || errno != ENOENT)
		return -1;
	/* The database would be created. */
	e->text[0] = '\0';
	return 0;
}

int pm_verb_copy(const struct pm_cli *cli, struct pm_err *e)
{
	struct copy c = { .cli = cli };
	struct pm_jobs jobs = { 0 };
	int status;

	if (cli->argc < 2) {
		pm_err(e, "copy: name two databases as in --db, FROM and TO, then the jobs to copy "
			  "(default: all)");
		return PM_EXIT_USAGE;
	}
	if (pm_database_check(cli->argv[0], e) < 0 || pm_database_check(cli->argv[1], e) < 0)
		return PM_EXIT_USAGE;
	if (is_same(cli->argv[0], cli->argv[1])) {
		pm_err(e, "copy: both are the same database");
		return PM_EXIT_USAGE;
	}
	status = open_both(&c, e) < 0 ? PM_EXIT_FAILED : pm_jobs_find(&jobs, c.from, cli, 2, e);
	if (status == PM_EXIT_OK && copy_jobs(&c, &jobs, e) < 0)
		status = PM_EXIT_FAILED;
	pm_jobs_free(&jobs);
	pm_db_close(c.from);
	pm_db_close(c.to);
	return status;
}
