/* perfmon model: make, list, show, enable, disable and delete reference models. */
#include "config.h"

#include "manage/model.h"

#include "analysis/outliers/model.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "manage/jobs.h"
#include "report/connections.h"
#include "report/jobwords.h"
#include "report/judgewords.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names are words of the command line, and safe on any terminal. */
static bool is_name(const char *name)
{
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "._+-";
	const size_t n = strlen(name);

	return n > 0 && n <= PM_MODEL_NAME && strspn(name, good) == n && *name != '-';
}

/* Run a statement about a model, and about what its last parameter names. Returns 0 or -1 with e
 * filled. */
static int run_about(struct pm_db *db, const char *sql, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, name);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* --- create ----------------------------------------------------------------------------------- */

/* Choose the jobs. Returns an exit status, with e filled unless it is PM_EXIT_OK. */
static int choose_jobs(const struct pm_cli *cli, struct pm_db *db, struct pm_jobfilter *f,
		       struct pm_err *e)
{
	struct pm_jobfilter_words words = { .user = NULL };
	const bool filters = pm_jobwords_take(cli, &words) != NULL;
	struct pm_jobs jobs;
	int rc;

	if (filters == (cli->argc > 2)) {
		pm_err(e, filters ? "model create: name the jobs, or choose them by filters, not "
				    "both"
				  : "model create: name the jobs, or choose them by filters such "
				    "as --name");
		return PM_EXIT_USAGE;
	}
	if (filters)
		return pm_jobwords_filter(&words, db, f, e);
	rc = pm_jobs_find(&jobs, db, cli, 2, e);
	if (rc == PM_EXIT_OK && pm_jobfilter_ids(f, jobs.id, jobs.n, e) < 0)
		rc = PM_EXIT_FAILED;
	pm_jobs_free(&jobs);
	return rc;
}

/* Warn where the jobs cannot be compared. */
static void warn_of_groups(const struct pm_jobfeatures *x)
{
	size_t groups = 0, first = 0, nameless = 0;
	char *title[2] = { NULL, NULL };

	while (first < x->jobs) {
		const size_t n = pm_jobfeatures_group(x, first);

		nameless += !*x->job[first].group;
		if (groups < 2)
			title[groups] = pm_jobfeatures_title(&x->job[first]);
		groups++;
		first += n;
	}
	if (groups > 1)
		pm_warn("the jobs are not comparable: their names, or tags exp_name and "
			"exp_component, differ ('%s', '%s'%s); analyze does not judge by this "
			"model, only outliers --model and rootcause --model do",
			title[0] ? title[0] : "", title[1] ? title[1] : "",
			groups > 2 ? ", ..." : "");
	else if (nameless)
		pm_warn("the job has no name: analyze does not judge by this model");
	free(title[0]);
	free(title[1]);
}

/* Write the model in a transaction. Returns 0 or -1 with e filled. */
static int store(struct pm_db *db, struct pm_model *m, const struct pm_jobfeatures *x,
		 struct pm_err *e)
{
	struct pm_model other = { .name = NULL };
	int rc = pm_db_begin(db, e);

	if (rc < 0)
		return -1;
	rc = pm_db_lock(db, "model", e);
	if (rc == 0)
		rc = pm_model_read(&other, db, m->name, e);
	if (rc > 0)
		rc = pm_err(e, "there is a model '%s' already; perfmon model delete deletes it",
			    m->name);
	pm_model_free(&other);
	if (rc == 0)
		e->text[0] = '\0';
	if (rc == 0)
		rc = pm_model_write(db, m, x, e);
	if (rc == 0)
		rc = pm_db_commit(db, e);
	if (rc < 0)
		pm_db_rollback(db);
	return rc;
}

/* Add the operations that the options name to a model of the jobs of a filter. Returns 0, or -1
 * with e filled, and errno EINVAL where the options cannot be meant. */
static int add_ops(const struct pm_cli *cli, struct pm_db *db, const struct pm_jobfilter *f,
		   struct pm_model *m, struct pm_err *e)
{
	const char *tag = cli->value[PM_OPT_op_tag], *by = cli->value[PM_OPT_by];
	struct pm_opselect select = { .group = NULL };
	struct pm_connections c = { .count = 0 };
	struct pm_opfeatures x = { .rows = 0 };
	int rc = 0;

	if (!tag && !by)
		return 0;
	if (pm_opselect_make(&select, tag, by, e) < 0) {
		errno = EINVAL;
		rc = -1;
	}
	pm_opselect_sort(&select);
	if (rc == 0)
		rc = pm_opfeatures_begin(&x, db, f, cli->value[PM_OPT_feature], e);
	if (rc == 0) {
		errno = 0;
		x.together = true;
		pm_connections_open(&c, db, x.jobs.jobs);
		rc = pm_opfeatures_read(&x, c.db, c.count, &select, e);
		if (rc == 0)
			rc = pm_model_add_ops(m, &x, e);
		if (rc == 0 && m->ops == 0)
			rc = pm_err(e,
				    "model create: no operation with such tags is in %d of the "
				    "jobs; perfmon ops --keys lists the tags",
				    PM_MODEL_LEAST);
	}
	pm_opfeatures_free(&x);
	pm_opselect_free(&select);
	pm_connections_close(&c);
	return rc;
}

/* Make the model of jobs that were read. Returns 0, or -1 with e filled, and errno EINVAL where the
 * options cannot be meant. */
static int make(const struct pm_cli *cli, struct pm_db *db, const struct pm_jobfilter *f,
		const struct pm_jobfeatures *x, const struct pm_judge_how *how, struct pm_err *e)
{
	const bool dry = cli->given[PM_OPT_dry_run];
	struct pm_model m;
	char ops[64] = "";
	int rc;

	errno = 0;
	if (x->jobs < PM_MODEL_LEAST)
		return pm_err(
			e,
			"model create: %zu job%s, and %d are needed at least: two are equally "
			"far from their middle, so that any other would stand out",
			x->jobs, x->jobs == 1 ? "" : "s", PM_MODEL_LEAST);
	rc = pm_model_make(&m, cli->argv[1], x, how->methods, how->share, e);
	if (rc == 0)
		rc = add_ops(cli, db, f, &m, e);
	if (rc == 0) {
		warn_of_groups(x);
		if (how->share > 0 && m.pca.pca.components == 0)
			pm_warn("the figures of these jobs do not vary: there are no principal "
				"components");
		rc = dry ? 0 : store(db, &m, x, e);
	}
	if (rc == 0 && m.ops)
		snprintf(ops, sizeof ops, ", %zu operation%s", m.ops, m.ops == 1 ? "" : "s");
	if (rc == 0 && pm_log_level >= 0)
		printf("%s model %s of %zu jobs: %zu figure%s%s%s\n",
		       dry ? "would create" : "created", m.name, m.jobs, m.features,
		       m.features == 1 ? "" : "s", ops,
		       m.pca.pca.components ? ", principal components" : "");
	pm_model_free(&m);
	return rc;
}

static int create(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e)
{
	struct pm_jobfilter filter = { .where = NULL };
	struct pm_jobfeatures x = { .job = NULL };
	struct pm_judge_how how;
	int rc;

	if (!is_name(cli->argv[1])) {
		pm_err(e,
		       "model create: a name of at most %d letters, digits and . _ + - is needed, "
		       "then the jobs",
		       PM_MODEL_NAME);
		return PM_EXIT_USAGE;
	}
	if (pm_judgewords_take(cli, &how, e) < 0)
		return PM_EXIT_USAGE;
	rc = choose_jobs(cli, db, &filter, e);
	if (rc == PM_EXIT_OK &&
	    pm_jobfeatures_read(&x, db, &filter, cli->value[PM_OPT_feature], e) < 0)
		rc = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	if (rc == PM_EXIT_OK && make(cli, db, &filter, &x, &how, e) < 0)
		rc = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	pm_jobfeatures_free(&x);
	pm_jobfilter_free(&filter);
	return rc;
}

/* --- enable, disable, delete ------------------------------------------------------------------ */

/* What is done to each of the models that are named. */
static const struct change {
	const char *name, *done, *sql;
} changes[] = {
	{ "enable", "enabled", "UPDATE model SET enabled = 1 WHERE name = ?" },
	{ "disable", "disabled", "UPDATE model SET enabled = 0 WHERE name = ?" },
	{ "delete", "deleted", "DELETE FROM model WHERE name = ?" },
};

static const struct change *find_change(const char *name)
{
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
		if (strcmp(changes[i].name, name) == 0)
			return &changes[i];
	return NULL;
}

/* Change the models, all or none. */
static int change(const struct pm_cli *cli, const struct change *c, struct pm_db *db,
		  struct pm_err *e)
{
	const bool dry = cli->given[PM_OPT_dry_run];
	int rc = dry ? 0 : pm_db_begin(db, e);

	for (int i = 1; i < cli->argc && rc == 0; i++) {
		struct pm_model m;

		rc = pm_model_read(&m, db, cli->argv[i], e) > 0 ? 0 : -1;
		pm_model_free(&m);
		if (rc == 0 && !dry)
			rc = run_about(db, c->sql, cli->argv[i], e);
	}
	if (!dry && rc == 0)
		rc = pm_db_commit(db, e);
	if (!dry && rc < 0)
		pm_db_rollback(db);
	for (int i = 1; i < cli->argc && rc == 0 && pm_log_level >= 0; i++)
		pm_terminal_print(stdout, "%s model %s\n", dry ? "would have changed" : c->done,
				  cli->argv[i]);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* Filters choose the jobs of a new model; list takes --tag, of models; --json is for what prints.
 * Returns PM_EXIT_OK, or PM_EXIT_USAGE with e filled. */
static int check_options(const struct pm_cli *cli, const char *what, struct pm_err *e)
{
	struct pm_jobfilter_words ignored;
	struct pm_cli other = *cli;
	const char *filter;

	if (strcmp(what, "list") == 0)
		other.value[PM_OPT_tag] = NULL;
	if (cli->given[PM_OPT_json] && strcmp(what, "list") != 0 && strcmp(what, "show") != 0) {
		pm_err(e, "model %s: --json is for model list and model show", what);
		return PM_EXIT_USAGE;
	}
	filter = strcmp(what, "create") == 0 ? NULL : pm_jobwords_take(&other, &ignored);
	if (!filter)
		return PM_EXIT_OK;
	pm_err(e, "model %s: --%s chooses the jobs of a new model, for model create", what, filter);
	return PM_EXIT_USAGE;
}

int pm_verb_model(const struct pm_cli *cli, struct pm_err *e)
{
	const char *what = cli->argc > 0 ? cli->argv[0] : "";
	const struct change *c = find_change(what);
	const bool makes = strcmp(what, "create") == 0, lists = strcmp(what, "list") == 0,
		   shows = strcmp(what, "show") == 0;
	const bool reads = lists || shows || cli->given[PM_OPT_dry_run];
	struct pm_db *db;
	int rc;

	if (!c && !makes && !lists && !shows) {
		pm_err(e, "model takes create, list, show, enable, disable or delete");
		return PM_EXIT_USAGE;
	}
	if (lists ? cli->argc > 1 : shows ? cli->argc != 2 : cli->argc < 2) {
		pm_err(e, lists ? "model list takes no operands" : "model %s: name the model",
		       what);
		return PM_EXIT_USAGE;
	}
	if (check_options(cli, what, e) != PM_EXIT_OK)
		return PM_EXIT_USAGE;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), reads ? PM_DB_READ : PM_DB_CHANGE, e) < 0)
		return PM_EXIT_FAILED;
	rc = makes   ? create(cli, db, e)
	     : lists ? pm_model_list(cli, db, e)
	     : shows ? pm_model_show(cli, db, e)
		     : change(cli, c, db, e);
	pm_db_close(db);
	return rc;
}
