/* The verb ops: operations, the processes that have given tags, of one or many jobs. */
#include "config.h"

#include "report/ops/ops.h"

#include "analysis/select/retired.h"
#include "common/cli/verb.h"
#include "common/grow.h"
#include "common/job/jobidentity.h"
#include "common/settings/readconfig.h"
#include "common/text.h"
#include "report/jobwords.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "report/retired.h"
#include "report/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that ask for something else than sums, one at a time. */
static const enum pm_option parts[] = { PM_OPT_intervals, PM_OPT_roots, PM_OPT_processes,
					PM_OPT_keys, PM_OPT_data_movement };

/* A page with room for more than one figure, in columns. */
#define WIDE 110

int pm_ops_job(struct pm_db *db, int64_t id, struct pm_ops_job *job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	*job = (struct pm_ops_job){ .jobid = "" };
	if (pm_db_prepare(db, "SELECT " PM_JOBIDENTITY_SHOWN("") ", \"user\" FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		const char *jobid = pm_db_text(q, 0, NULL), *user = pm_db_text(q, 1, NULL);

		snprintf(job->jobid, sizeof job->jobid, "%s", jobid ? jobid : "");
		snprintf(job->user, sizeof job->user, "%s", user ? user : "");
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

json_t *pm_ops_number(int64_t v)
{
	return v == PM_OPS_UNKNOWN ? json_null() : json_integer(v);
}

/* --- which jobs ------------------------------------------------------------------------------- */

static int add_job(struct pm_ops_look *l, int64_t id, struct pm_err *e)
{
	if (!PM_GROW(l->job, l->jobs, l->room, 16))
		return pm_err(e, "out of memory");
	l->job[l->jobs++] = id;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* In the order of the ids, and each once. */
static void sort_jobs(struct pm_ops_look *l)
{
	size_t n = 0;

	if (!l->jobs)
		return;
	qsort(l->job, l->jobs, sizeof *l->job, by_id);
	for (size_t i = 0; i < l->jobs; i++)
		if (!n || l->job[n - 1] != l->job[i])
			l->job[n++] = l->job[i];
	l->jobs = n;
}

/* All jobs that the options take. Returns an exit status. */
static int take_filtered(struct pm_ops_look *l, const struct pm_cli *cli, struct pm_err *e)
{
	const int status = pm_jobwords_find(cli, l->db, INT64_MAX, &l->job, &l->jobs, e);

	if (status != PM_EXIT_OK || l->jobs)
		return status;
	pm_err(e, "ops: no job in %s is one of those that the options take", pm_db_name(l->db));
	return PM_EXIT_FAILED;
}

/* Find the jobs: operands, those that options take, or the one that is meant without either.
 * Returns an exit status. */
static int take_jobs(struct pm_ops_look *l, const struct pm_cli *cli, struct pm_selection *s,
		     struct pm_err *e)
{
	const bool which = pm_jobwords_given(cli);
	int status = PM_EXIT_OK;

	if (which && (cli->argc || cli->value[PM_OPT_job])) {
		pm_err(e, "ops: jobs, or options that say which, not both");
		return PM_EXIT_USAGE;
	}
	if (which || cli->argc > 1) {
		if (pm_select_database(cli, NULL, s, e) < 0)
			return PM_EXIT_FAILED;
		l->db = s->db;
		if (which)
			status = take_filtered(l, cli, e);
		for (int i = 0; status == PM_EXIT_OK && i < cli->argc; i++) {
			int64_t id;

			if (pm_select_named(l->db, cli->argv[i], &id, e) <= 0 ||
			    add_job(l, id, e) < 0)
				status = PM_EXIT_FAILED;
		}
	} else {
		if (pm_select_job(cli, cli->argc ? cli->argv[0] : NULL, s, e) < 0)
			return PM_EXIT_FAILED;
		l->db = s->db;
		if (add_job(l, s->job, e) < 0)
			status = PM_EXIT_FAILED;
	}
	sort_jobs(l);
	/* A single job may be of an archive, whose database is in memory. */
	if (status == PM_EXIT_OK)
		pm_connections_open(&l->connection, l->db, which || cli->argc > 1 ? l->jobs : 1);
	return status;
}

/* --- the verb --------------------------------------------------------------------------------- */

static int print_part(struct pm_ops_look *l, enum pm_option part, struct pm_err *e)
{
	switch (part) {
	case PM_OPT_roots:
	case PM_OPT_processes:
		return pm_ops_print_processes(l, part == PM_OPT_roots, e);
	case PM_OPT_keys:
		return pm_ops_print_keys(l, e);
	case PM_OPT_data_movement:
		return pm_ops_print_movement(l, pm_config_get(PM_SET_data_movers), e);
	default:
		return pm_ops_print(l, part == PM_OPT_intervals, e);
	}
}

static int take_figures(struct pm_ops_look *l, const char *names, struct pm_err *e)
{
	const bool text = l->form == PM_OPS_TEXT;

	/* Each that is read takes its time: none for which there is no room. */
	if (!names)
		names = !text                  ? "*"
			: l->page.width < WIDE ? "cpu_time"
					       : "cpu_time,rssmax,rchar,wchar";
	if (pm_ops_choose(&l->ops, names, e) < 0)
		return -1;
	if (text && l->ops.metrics - PM_OPS_FIXED > PM_OPS_FIGURES)
		return pm_err(e,
			      "--metric: a table has room for %d figures; --json and --csv have it "
			      "for all",
			      PM_OPS_FIGURES);
	return 0;
}

/* Take what is asked for. Returns an exit status. */
static int take_options(struct pm_ops_look *l, const struct pm_cli *cli, enum pm_option *part,
			struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json], csv = cli->given[PM_OPT_csv];

	*part = PM_OPTIONS;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!cli->given[parts[i]])
			continue;
		if (*part != PM_OPTIONS) {
			pm_err(e, "ops: --%s or --%s, not both", pm_option_info[*part].name,
			       pm_option_info[parts[i]].name);
			return PM_EXIT_USAGE;
		}
		*part = parts[i];
	}
	if (csv && (json || *part != PM_OPTIONS)) {
		pm_err(e, "ops: --csv is of sums, and not with --%s",
		       json ? "json" : pm_option_info[*part].name);
		return PM_EXIT_USAGE;
	}
	l->form = json ? PM_OPS_JSON : csv ? PM_OPS_CSV : PM_OPS_TEXT;
	l->per_job = cli->given[PM_OPT_per_job];
	if (pm_options_page(cli, &l->page, e) < 0 || pm_options_limit(cli, 0, &l->limit, e) < 0 ||
	    take_figures(l, cli->value[PM_OPT_metric], e) < 0 ||
	    pm_opselect_make(&l->select, cli->value[PM_OPT_tag], cli->value[PM_OPT_by], e) < 0)
		return PM_EXIT_USAGE;
	return PM_EXIT_OK;
}

int pm_verb_ops(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_ops_look l = { .limit = 0 };
	struct pm_selection s = { 0 };
	enum pm_option part;
	int status = take_options(&l, cli, &part, e);

	if (status == PM_EXIT_OK)
		status = take_jobs(&l, cli, &s, e);
	if (status == PM_EXIT_OK && (pm_retired_among(l.db, l.job, l.jobs, &l.retired, e) < 0 ||
				     print_part(&l, part, e) < 0))
		status = PM_EXIT_FAILED;
	if (status == PM_EXIT_OK && pm_options_flush(e) < 0)
		status = PM_EXIT_FAILED;
	if (status == PM_EXIT_OK)
		pm_retired_warn(l.retired);
	free(l.job);
	pm_ops_free(&l.ops);
	pm_opselect_free(&l.select);
	pm_connections_close(&l.connection);
	pm_select_close(&s);
	return status;
}
