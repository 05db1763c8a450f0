/* Take the options that say which jobs. */
#include "config.h"

#include "report/jobwords.h"

#include "analysis/select/when.h"
#include "common/grow.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "db/condition.h"
#include "report/select.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options that say which jobs, and their place among the words of a filter. */
static const struct {
	enum pm_option option;
	size_t word;
} filters[] = {
#define FILTER(name)                                                                               \
	{                                                                                          \
		PM_OPT_##name, offsetof(struct pm_jobfilter_words, name)                           \
	}
	FILTER(user),  FILTER(name),   FILTER(account), FILTER(queue),
	FILTER(host),  FILTER(status), FILTER(tag),     FILTER(annotation),
	FILTER(after), FILTER(before), FILTER(when),
#undef FILTER
};

/* Where a verb takes tags of processes, those of jobs have an option of their own. */
static enum pm_option option_of(const struct pm_cli *cli, enum pm_option filter)
{
	return filter == PM_OPT_tag && pm_verb_takes(cli->verb, PM_OPT_job_tag) ? PM_OPT_job_tag
										: filter;
}

const char *pm_jobwords_take(const struct pm_cli *cli, struct pm_jobfilter_words *w)
{
	const char *last = NULL;

	*w = (struct pm_jobfilter_words){ .order = cli->value[PM_OPT_order] };
	for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
		const enum pm_option o = option_of(cli, filters[i].option);
		const char *text = cli->value[o];

		*(const char **)((char *)w + filters[i].word) = text;
		if (text)
			last = pm_option_info[o].name;
	}
	return last;
}

int pm_jobwords_filter(const struct pm_jobfilter_words *words, struct pm_db *db,
		       struct pm_jobfilter *f, struct pm_err *e)
{
	struct pm_jobfilter_words w = *words;
	const int64_t now_us = pm_now_us();
	struct pm_err ignored;
	int64_t us;
	int rc;

	if (w.when && pm_when_parse(w.when, now_us, &us, &ignored) < 0) {
		rc = pm_select_named(db, w.when, &w.when_job, e);
		if (rc < 0)
			return PM_EXIT_FAILED;
		if (rc == 0) {
			pm_err(e,
			       "--when: '%s' is neither a time, such as 2026-11-20T08:00 or -7d, "
			       "nor a job in %s",
			       w.when, pm_db_name(db));
			return PM_EXIT_USAGE;
		}
		w.when = NULL;
	}
	return pm_jobfilter_make(f, &w, now_us, e) < 0 ? PM_EXIT_USAGE : PM_EXIT_OK;
}

bool pm_jobwords_given(const struct pm_cli *cli)
{
	struct pm_jobfilter_words ignored;

	return pm_jobwords_take(cli, &ignored) || cli->value[PM_OPT_where];
}

int pm_jobwords_check(const struct pm_cli *cli, struct pm_err *e)
{
	const char *where = cli->value[PM_OPT_where];

	return where && pm_condition_check(where, e) < 0 ? pm_err_prefix(e, "--where") : 0;
}

int pm_jobwords_guard(struct pm_db *db, struct pm_err *e)
{
	return pm_db_guard(db, pm_config_int(PM_SET_statement_timeout) / 1000, e);
}

int pm_jobwords_explain(struct pm_db *db, const char *table, struct pm_err *e)
{
	struct pm_err why = *e;

	if (pm_db_failure(db) == ETIME)
		return pm_err_prefix(e, "--where");
	return pm_err(
		e,
		"--where: %s; it takes a condition in SQL, such as \"%s\", on the columns that "
		"perfmon list %s --columns help names",
		why.text, strcmp(table, "jobs") == 0 ? "hosts > 4" : "duration_us > 1000000",
		table);
}

/* Read the numbers of the jobs that a filter selects. Returns 0 or -1 with e filled. */
static int read_ids(struct pm_db *db, const struct pm_jobfilter *f, int64_t limit, int64_t **id,
		    size_t *n, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t room = 0;
	char *sql;
	int rc;

	if (asprintf(&sql, "SELECT id FROM job%s ORDER BY %s LIMIT ?", f->where, f->order) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, pm_jobfilter_bind(f, q, 1), limit);
	while ((rc = pm_db_step(q, e)) > 0) {
		if (!PM_GROW(*id, *n, room, 64)) {
			rc = pm_err(e, "out of memory");
			break;
		}
		(*id)[(*n)++] = pm_db_int(q, 0);
	}
	pm_db_finish(q);
	return rc;
}

int pm_jobwords_select(const struct pm_cli *cli, struct pm_db *db, struct pm_jobfilter *f,
		       struct pm_err *e)
{
	const char *where = cli->value[PM_OPT_where];
	struct pm_jobfilter_words words;
	int status;

	*f = (struct pm_jobfilter){ .where = NULL };
	if (pm_jobwords_check(cli, e) < 0)
		return PM_EXIT_USAGE;
	pm_jobwords_take(cli, &words);
	status = pm_jobwords_filter(&words, db, f, e);
	if (status == PM_EXIT_OK && where &&
	    (pm_jobfilter_add(f, where, NULL, e) < 0 || pm_jobwords_guard(db, e) < 0))
		status = PM_EXIT_FAILED;
	return status;
}

int pm_jobwords_find(const struct pm_cli *cli, struct pm_db *db, int64_t limit, int64_t **id,
		     size_t *n, struct pm_err *e)
{
	return pm_jobwords_find_tagged(cli, db, NULL, limit, id, n, e);
}

int pm_jobwords_find_tagged(const struct pm_cli *cli, struct pm_db *db, const char *tag,
			    int64_t limit, int64_t **id, size_t *n, struct pm_err *e)
{
	struct pm_jobfilter f;
	int status = pm_jobwords_select(cli, db, &f, e);

	*id = NULL;
	*n = 0;
	if (status == PM_EXIT_OK && tag && pm_jobfilter_tagged(&f, tag, e) < 0)
		status = PM_EXIT_FAILED;
	if (status == PM_EXIT_OK && read_ids(db, &f, limit, id, n, e) < 0) {
		if (cli->value[PM_OPT_where])
			pm_jobwords_explain(db, "jobs", e);
		status = PM_EXIT_FAILED;
	}
	pm_db_unguard(db);
	pm_jobfilter_free(&f);
	return status;
}
