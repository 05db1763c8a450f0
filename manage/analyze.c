/*
 * perfmon analyze: judge the jobs that were loaded since the last time, by the models that fit,
 * else beside comparable jobs; note what was found, print it, and run a command for it. Jobs are
 * taken in batches, each in a transaction of its own.
 */
#include "config.h"

#include "analysis/outliers/judge.h"
#include "common/cli/verb.h"
#include "common/grow.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "manage/analyze_news.h"
#include "report/figure.h"
#include "report/jobwords.h"
#include "report/judgewords.h"
#include "report/print/options.h"
#include "report/print/values.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs of a batch. */
#define BATCH 500

struct run {
	const struct pm_cli *cli;
	struct pm_db *db;
	const char *features;
	struct pm_judge_how how;
	struct pm_models models;
	bool dry;
	struct pm_stmt *clear, *insert, *mark;
	int64_t now_us;
	struct pm_news news;
	size_t jobs,
		outliers; /* analyzed, and values of them that were found by a model or peers */
};

/* What was found of a job. */
struct finding {
	const struct pm_jobfeatures_job *job;
	const struct pm_judge *judge;
	size_t number; /* of the job, among those judged */
	const char *model;
};

/* --- what was found --------------------------------------------------------------------------- */

/* The values of a job that stand out, as JSON. *n gets how many. */
static json_t *pack_values(const struct finding *f, int64_t *n)
{
	const struct pm_judge *j = f->judge;
	json_t *list = json_array();

	*n = 0;
	for (size_t i = 0; i < j->count; i++) {
		const struct pm_judge_found *v = &j->found[i];

		if (v->job != f->number)
			continue;
		(*n)++;
		json_array_append_new(
			list, json_pack("{s:s, s:o, s:o, s:o, s:i, s:o}", "feature",
					j->x->feature[v->feature]->name, "value",
					pm_figure_json(v->value), "median",
					pm_figure_json(pm_judge_middle(j, v->feature)), "known",
					json_integer((json_int_t)j->reference[v->feature].known),
					"score", (int)pm_outlier_score(v->marks), "methods",
					pm_figure_methods_json(v->marks)));
	}
	return list;
}

/* The weighted score of a job along principal components; NULL where it does not stand out. */
static json_t *pack_weighted(const struct finding *f)
{
	for (size_t i = 0; i < f->judge->components; i++)
		if (f->judge->component[i].job == f->number)
			return json_real(f->judge->component[i].weighted);
	return NULL;
}

/* The result as a new text, with *n the number of figures that stand out; NULL if out of memory. */
static char *make_result(const struct finding *f, int64_t *n)
{
	json_t *all = json_pack("{s:o, s:I}", "outliers", pack_values(f, n), "beside",
				(json_int_t)(f->judge->how->model ? f->judge->how->model->jobs
								  : f->judge->by_jobs));
	json_t *weighted = pack_weighted(f);
	char *text;

	if (weighted) {
		json_object_set_new(all, "pca_weighted", weighted);
		(*n)++;
	}
	text = json_dumps(all, PM_VALUES_DUMP);
	json_decref(all);
	return text;
}

/* --- notes in the database -------------------------------------------------------------------- */

/* Note a result: found < 0 where the job could not be judged. Returns 0 or -1 with e filled. */
static int note(struct run *r, int64_t job, const char *model, int64_t found, const char *result,
		struct pm_err *e)
{
	if (r->dry)
		return 0;
	pm_db_bind_int(r->insert, 1, job);
	pm_db_bind_str(r->insert, 2, model);
	pm_db_bind_int(r->insert, 3, r->now_us);
	if (found >= 0)
		pm_db_bind_int(r->insert, 4, found);
	pm_db_bind_str(r->insert, 5, result);
	return pm_db_run(r->insert, e);
}

/* Begin with a job: forget what was found before, and note that it is analyzed now. */
static int begin_job(struct run *r, int64_t job, struct pm_err *e)
{
	if (r->dry)
		return 0;
	pm_db_bind_int(r->clear, 1, job);
	if (pm_db_run(r->clear, e) < 0)
		return -1;
	pm_db_bind_int(r->mark, 1, r->now_us);
	pm_db_bind_int(r->mark, 2, job);
	return pm_db_run(r->mark, e);
}

static int prepare(struct run *r, struct pm_err *e)
{
	if (r->dry)
		return 0;
	if (pm_db_prepare(r->db, "DELETE FROM analysis WHERE job_id = ? AND name = 'outliers'",
			  &r->clear, e) < 0 ||
	    pm_db_prepare(r->db,
			  "INSERT INTO analysis (job_id, name, model, analyzed_us, found, result) "
			  "VALUES (?, 'outliers', ?, ?, ?, ?)",
			  &r->insert, e) < 0)
		return -1;
	return pm_db_prepare(r->db, "UPDATE job SET analyzed_us = ? WHERE id = ?", &r->mark, e);
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* Judge, and note and print what was found. Returns 0 or -1 with e filled. */
static int judge(struct run *r, struct pm_judge *j, const char *model, struct pm_err *e)
{
	int rc = pm_judge_run(j, e);

	for (size_t i = 0; i < j->jobs && rc == 0; i++) {
		const struct finding f = { &j->x->job[j->first + i], j, i, model };
		int64_t n;
		char *result = make_result(&f, &n);

		rc = result ? note(r, f.job->id, model, n, result, e) : pm_err(e, "out of memory");
		if (rc == 0 && n > 0) {
			r->outliers++;
			rc = pm_news_add(&r->news, f.job, model, result, e);
		}
		free(result);
	}
	pm_judge_free(j);
	return rc;
}

/* Read jobs by their ids. Returns 0 or -1 with e filled. */
static int read_jobs(struct run *r, const int64_t *id, size_t n, const char *features,
		     struct pm_jobfeatures *x, struct pm_err *e)
{
	struct pm_jobfilter filter;
	int rc = pm_jobfilter_ids(&filter, id, n, e);

	if (rc == 0) {
		filter.order = "id";
		rc = pm_jobfeatures_read(x, r->db, &filter, features, e);
	}
	pm_jobfilter_free(&filter);
	return rc;
}

/* Number of the first job of a group; x->jobs where there is none. */
static size_t find_group(const struct pm_jobfeatures *x, const char *group)
{
	size_t i = 0;

	while (i < x->jobs && strcmp(x->job[i].group, group) != 0)
		i++;
	return i;
}

/* Read the figures that peers are compared by, of jobs of a group. Returns 0 or -1 with e filled.
 */
static int read_own(struct run *r, const struct pm_jobfeatures *all, size_t first, size_t jobs,
		    struct pm_jobfeatures *x, struct pm_err *e)
{
	int64_t id[BATCH];

	for (size_t i = 0; i < jobs; i++)
		id[i] = all->job[first + i].id;
	return read_jobs(r, id, jobs, r->features, x, e);
}

/* Judge jobs of a group beside the newest ones. Returns 1, 0 where these are too few, or -1 with e
 * filled. */
static int judge_beside_peers(struct run *r, const struct pm_jobfeatures *all, size_t first,
			      size_t jobs, struct pm_err *e)
{
	const char *group = all->job[first].group;
	struct pm_jobfilter filter;
	struct pm_jobfeatures peers = { .job = NULL }, own = { .job = NULL };
	int rc = pm_jobfilter_group(&filter, group, PM_JUDGE_PEERS, e);

	if (rc == 0)
		rc = pm_jobfeatures_read(&peers, r->db, &filter, r->features, e);
	if (rc == 0)
		rc = read_own(r, all, first, jobs, &own, e);
	if (rc == 0) {
		struct pm_judge j = { .how = &r->how, .x = &own, .jobs = own.jobs, .by = &peers };

		j.by_first = find_group(&peers, group);
		j.by_jobs = j.by_first < peers.jobs ? pm_jobfeatures_group(&peers, j.by_first) : 0;
		if (pm_judge_is_possible(&j))
			rc = judge(r, &j, "", e) < 0 ? -1 : 1;
	}
	pm_jobfeatures_free(&own);
	pm_jobfeatures_free(&peers);
	pm_jobfilter_free(&filter);
	return rc;
}

/* Note that jobs of a group were not judged. Returns 0 or -1 with e filled. */
static int note_alone(struct run *r, const struct pm_jobfeatures *x, size_t first, size_t jobs,
		      struct pm_err *e)
{
	int rc = 0;

	for (size_t i = first; i < first + jobs && rc == 0; i++)
		rc = note(r, x->job[i].id, "", -1,
			  *x->job[i].group ? "{\"reason\":\"no model fits, and there are no four "
					     "comparable jobs\"}"
					   : "{\"reason\":\"the job has no name, so that none is "
					     "comparable\"}",
			  e);
	return rc;
}

/* Analyze the jobs of a group. Returns 0 or -1 with e filled. */
static int analyze_group(struct run *r, const struct pm_jobfeatures *x, size_t first, size_t jobs,
			 struct pm_err *e)
{
	const char *group = x->job[first].group;
	size_t fitting = 0;
	int rc = 0;

	for (size_t i = first; i < first + jobs && rc == 0; i++)
		rc = begin_job(r, x->job[i].id, e);
	for (size_t m = 0; m < r->models.count && rc == 0 && *group; m++) {
		const struct pm_model *model = &r->models.model[m];
		struct pm_judge_how how = r->how;
		struct pm_judge j = { .how = &how, .x = x, .by = x, .first = first };

		if (!model->group || strcmp(model->group, group) != 0 ||
		    !pm_model_knows_jobs(model))
			continue;
		how.model = model;
		j.jobs = jobs;
		fitting++;
		rc = judge(r, &j, model->name, e);
	}
	if (rc < 0 || fitting)
		return rc;
	rc = *group ? judge_beside_peers(r, x, first, jobs, e) : 0;
	return rc == 0 ? note_alone(r, x, first, jobs, e) : rc < 0 ? -1 : 0;
}

/*
 * Find the next jobs after *after, at most BATCH, which *after passes, and keep others from
 * changing them until the transaction ends. Those that others are changing now are left out, rather
 * than waited for: a load can take long, and makes them due again. Returns how many, or -1 with e
 * filled.
 */
static int choose_jobs(struct run *r, const struct pm_jobfilter_words *words, int64_t *after,
		       int64_t *id, struct pm_err *e)
{
	struct pm_jobfilter f = { .where = NULL };
	struct pm_stmt *q = NULL;
	char *sql = NULL;
	int n = 0, rc = pm_jobwords_filter(words, r->db, &f, e) == PM_EXIT_OK ? 0 : -1;

	if (rc == 0)
		rc = pm_jobfilter_over(&f, r->cli->given[PM_OPT_all] > 0, *after, BATCH, e);
	if (rc == 0 &&
	    asprintf(&sql, "SELECT id FROM job%s ORDER BY %s LIMIT %" PRId64 "%s", f.where, f.order,
		     f.limit, r->dry ? "" : pm_db_lock_rows(r->db, true)) < 0)
		rc = pm_err(e, "out of memory");
	if (rc == 0)
		rc = pm_db_prepare(r->db, sql, &q, e);
	if (rc == 0)
		pm_jobfilter_bind(&f, q, 1);
	while (rc == 0 && n < BATCH && (rc = pm_db_step(q, e)) > 0) {
		*after = id[n++] = pm_db_int(q, 0);
		rc = 0;
	}
	pm_db_finish(q);
	pm_jobfilter_free(&f);
	free(sql);
	return rc < 0 ? -1 : n;
}

/* Analyze the next jobs after *after. Returns how many there were, or -1 with e filled. */
static int analyze_some(struct run *r, const struct pm_jobfilter_words *words, int64_t *after,
			struct pm_err *e)
{
	struct pm_jobfeatures x = { .job = NULL };
	int64_t id[BATCH];
	size_t jobs;
	int n = choose_jobs(r, words, after, id, e), rc;

	if (n <= 0)
		return n;
	/* Models have figures of their own. */
	rc = read_jobs(r, id, (size_t)n, r->models.count ? "*" : r->features, &x, e);
	for (size_t first = 0; rc == 0 && first < x.jobs; first += jobs) {
		jobs = pm_jobfeatures_group(&x, first);
		rc = analyze_group(r, &x, first, jobs, e);
	}
	pm_jobfeatures_free(&x);
	return rc < 0 ? -1 : n;
}

/* The same in a transaction, which keeps other runs out. What was found is said when it is
 * committed, and no command runs while others wait for the database. */
static int analyze_batch(struct run *r, const struct pm_jobfilter_words *words, int64_t *after,
			 struct pm_err *e)
{
	int n = r->dry ? 0 : pm_db_begin(r->db, e);

	if (n < 0)
		return -1;
	r->now_us = pm_now_us();
	if (!r->dry)
		n = pm_db_lock(r->db, "analyze", e);
	if (n == 0)
		n = analyze_some(r, words, after, e);
	if (!r->dry && (n < 0 || pm_db_commit(r->db, e) < 0)) {
		pm_db_rollback(r->db);
		n = -1;
	}
	if (n < 0)
		pm_news_drop(&r->news);
	else if (pm_news_tell(&r->news, e) < 0)
		n = -1;
	return n;
}

/* Analyze all jobs that are due. Returns 0 or -1 with e filled. */
static int analyze_all(struct run *r, struct pm_err *e)
{
	struct pm_jobfilter_words words = { .user = NULL };
	struct pm_jobfilter filter = { .where = NULL };
	int64_t after = 0;
	int n;

	pm_jobwords_take(r->cli, &words);
	n = pm_jobwords_filter(&words, r->db, &filter, e) == PM_EXIT_OK ? 0 : -1;
	if (n == 0 && (pm_models_read(&r->models, r->db, e) < 0 || prepare(r, e) < 0 ||
		       pm_news_tell_untold(&r->news, &filter, r->now_us, e) < 0))
		n = -1;
	pm_jobfilter_free(&filter);
	if (n < 0)
		return -1;
	while ((n = analyze_batch(r, &words, &after, e)) > 0)
		r->jobs += (size_t)n;
	return n;
}

int pm_verb_analyze(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobfilter_words words = { .user = NULL };
	struct pm_jobfilter filter = { .where = NULL };
	struct run r = { .cli = cli,
			 .features = cli->value[PM_OPT_feature],
			 .dry = cli->given[PM_OPT_dry_run] > 0,
			 .now_us = pm_now_us() };
	int rc;

	if (cli->argc > 0) {
		pm_err(e, "analyze takes no operands; filters say which jobs");
		return PM_EXIT_USAGE;
	}
	if (pm_judgewords_take(cli, &r.how, e) < 0 || pm_jobfeatures_check(r.features, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_db_open(&r.db, pm_config_get(PM_SET_db), r.dry ? PM_DB_READ : PM_DB_CHANGE, e) < 0)
		return PM_EXIT_FAILED;
	/* What the user wrote is wrong at once, or not at all. */
	pm_jobwords_take(cli, &words);
	rc = pm_jobwords_filter(&words, r.db, &filter, e);
	pm_jobfilter_free(&filter);
	r.news = (struct pm_news){ .db = r.db,
				   .json = cli->given[PM_OPT_json] ? json_array() : NULL,
				   .dry = r.dry };
	if (rc == PM_EXIT_OK) {
		struct pm_err print_error;
		const bool done = analyze_all(&r, e) == 0;
		/* What batches before a failure found is noted, and is not found again. */
		const bool printed = pm_news_finish(&r.news, r.jobs, &print_error) == 0;

		if (done && !printed)
			*e = print_error;
		if (!done || !printed || r.news.failures)
			rc = PM_EXIT_FAILED;
	}
	pm_info("%zu jobs were analyzed: %zu findings", r.jobs, r.outliers);
	pm_db_finish(r.clear);
	pm_db_finish(r.insert);
	pm_db_finish(r.mark);
	pm_models_free(&r.models);
	pm_news_free(&r.news);
	pm_db_close(r.db);
	return rc;
}
