/* Say what was found. */
#include "config.h"

#include "manage/analyze_news.h"

#include "common/grow.h"
#include "common/log.h"
#include "common/memtext.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "common/text.h"
#include "manage/analyze_command.h"
#include "report/figure.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many commands may fail before no more are run. */
#define FAILURES_MAX 3

/* Time after which a call that did not say what it found is taken for ended. */
#define UNTOLD_US INT64_C(3600000000)

/* Untold results that are read at a time. */
#define UNTOLD_MAX 500

struct pm_news_item {
	int64_t id;
	char *jobid, *user, *title, *model; /* owned */
	json_t *result;
};

static void free_item(struct pm_news_item *i)
{
	free(i->jobid);
	free(i->user);
	free(i->title);
	free(i->model);
	json_decref(i->result);
}

int pm_news_add(struct pm_news *n, const struct pm_jobfeatures_job *job, const char *model,
		const char *result, struct pm_err *e)
{
	struct pm_news_item *i;

	if (!PM_GROW(n->item, n->count, n->room, 16))
		return pm_err(e, "out of memory");
	i = &n->item[n->count++];
	*i = (struct pm_news_item){
		.id = job->id,
		.jobid = strdup(job->jobid),
		.user = strdup(job->user),
		.title = pm_jobfeatures_title(job),
		.model = strdup(model),
		.result = json_loads(result, 0, NULL),
	};
	return i->jobid && i->user && i->title && i->model && i->result
		       ? 0
		       : pm_err(e, "out of memory");
}

void pm_news_drop(struct pm_news *n)
{
	while (n->count > n->said)
		free_item(&n->item[--n->count]);
}

static void safe_text(char *to, size_t size, const char *text)
{
	pm_text_safe(to, size, text, strlen(text), pm_terminal_utf8());
}

/* Write the line of a figure that stands out. */
static void write_figure(FILE *out, const json_t *v)
{
	const char *name = json_string_value(json_object_get(v, "feature")), *gap = "";
	const struct pm_feature *feature = name ? pm_jobfeatures_find(name, strlen(name)) : NULL;
	char value[PM_FORMAT_MAX], median[PM_FORMAT_MAX];
	const json_t *methods = json_object_get(v, "methods"), *method;
	size_t k;

	if (!feature)
		return;
	fprintf(out, "  %s %s, median %s (", name,
		pm_figure_format(value, pm_figure_value(json_object_get(v, "value")),
				 feature->unit),
		pm_figure_format(median, pm_figure_value(json_object_get(v, "median")),
				 feature->unit));
	json_array_foreach (methods, k, method) {
		fprintf(out, "%s%s", gap, json_string_value(method));
		gap = " ";
	}
	fputs(")\n", out);
}

/* The lines about a job, as a new text; NULL if out of memory. What users wrote may be meant for
 * the terminal, or the mail program. */
static char *make_lines(const struct pm_news_item *i)
{
	char jobid[256], user[128], title[512], model[128], *text = NULL;
	const json_t *weighted = json_object_get(i->result, "pca_weighted"), *v;
	size_t size, k;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	safe_text(jobid, sizeof jobid, i->jobid);
	safe_text(user, sizeof user, i->user);
	safe_text(title, sizeof title, i->title);
	safe_text(model, sizeof model, i->model);
	fprintf(out, "job %s (#%lld) of %s, %s, beside %lld %s%s:\n", jobid, (long long)i->id, user,
		title, (long long)json_integer_value(json_object_get(i->result, "beside")),
		*model ? "jobs of model " : "comparable jobs", model);
	json_array_foreach (json_object_get(i->result, "outliers"), k, v)
		write_figure(out, v);
	if (weighted)
		fprintf(out, "  principal components: weighted score %.1f\n",
			json_number_value(weighted));
	return pm_memtext_end(out, &text);
}

/* Run the command for a job. */
static void run_command(struct pm_news *n, const struct pm_news_item *i, const char *lines)
{
	const char *command = pm_config_get(PM_SET_analyze_command);
	char id[32];
	const char *args[] = { id, i->jobid, i->user, NULL };
	struct pm_err e;

	if (!*command || n->dry || n->failures >= FAILURES_MAX)
		return;
	snprintf(id, sizeof id, "%lld", (long long)i->id);
	if (pm_analyze_command(command, args, lines, pm_config_int(PM_SET_analyze_limit), &e) == 0)
		return;
	n->failures++;
	pm_warn("job #%s: %s%s", id, e.text,
		n->failures == FAILURES_MAX ? "; it is not run for further jobs" : "");
}

/* Note that a result was told. Returns 0 or -1 with e filled. */
static int note_told(struct pm_news *n, int64_t job, const char *model, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (n->dry)
		return 0;
	if (pm_db_prepare(n->db,
			  "UPDATE analysis SET told_us = ? WHERE job_id = ? AND name = 'outliers' "
			  "AND model = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, pm_now_us());
	pm_db_bind_int(q, 2, job);
	pm_db_bind_str(q, 3, model);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* Say one. Returns 0 or -1 with e filled. */
static int tell_one(struct pm_news *n, const struct pm_news_item *i, struct pm_err *e)
{
	char *lines = make_lines(i);
	int rc = 0;

	if (!lines)
		return pm_err(e, "out of memory");
	if (n->json)
		json_array_append_new(
			n->json,
			json_pack("{s:I, s:o, s:o, s:o, s:O}", "id", (json_int_t)i->id, "jobid",
				  pm_values_safe(i->jobid), "user", pm_values_safe(i->user),
				  "model", *i->model ? pm_values_safe(i->model) : json_null(),
				  "result", i->result));
	else if (pm_log_level >= 0)
		fputs(lines, stdout);
	/* What was printed comes before what the command prints. */
	if (!n->json)
		rc = pm_options_flush(e);
	if (rc == 0)
		run_command(n, i, lines);
	free(lines);
	return rc < 0 || n->json ? rc : note_told(n, i->id, i->model, e);
}

int pm_news_tell(struct pm_news *n, struct pm_err *e)
{
	int rc = 0;

	for (size_t k = n->said; k < n->count && rc == 0; k++)
		rc = tell_one(n, &n->item[k], e);
	if (n->json && rc == 0)
		n->said = n->count;
	pm_news_drop(n);
	return rc;
}

/* A result that was not told. */
struct untold {
	int64_t id;
	char *model, *result; /* owned */
};

static void free_untold(struct untold *u, size_t n)
{
	while (n-- > 0) {
		free(u[n].model);
		free(u[n].result);
	}
}

/* Read the next ones behind `last`, which is the last one then. Returns their number, or -1 with e
 * filled; to be freed in any case. */
static int read_untold(struct pm_news *n, const struct pm_jobfilter *filter, int64_t before_us,
		       struct untold to[UNTOLD_MAX], size_t *count, int64_t *last, struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	*count = 0;
	if (asprintf(&sql,
		     "SELECT job_id, model, result FROM analysis WHERE name = 'outliers' "
		     "AND " PM_SCHEMA_ANALYSIS_UNTOLD
		     " AND job_id > ? AND analyzed_us < ? AND job_id IN (SELECT id FROM job%s) "
		     "ORDER BY job_id LIMIT %d",
		     filter->where ? filter->where : "", UNTOLD_MAX) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(n->db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, *last);
	pm_db_bind_int(q, 2, before_us);
	pm_jobfilter_bind(filter, q, 3);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct untold *u = &to[(*count)++];
		const char *model = pm_db_text(q, 1, NULL), *result = pm_db_text(q, 2, NULL);

		*u = (struct untold){ pm_db_int(q, 0), strdup(model ? model : ""),
				      strdup(result ? result : "") };
		if (!u->model || !u->result) {
			rc = pm_err(e, "out of memory");
			break;
		}
	}
	pm_db_finish(q);
	/* A job may have more of them, by other models. */
	if (rc == 0 && *count == UNTOLD_MAX && to[0].id < to[*count - 1].id)
		for (const int64_t job = to[*count - 1].id; to[*count - 1].id == job;)
			free_untold(&to[--*count], 1);
	if (rc == 0 && *count)
		*last = to[*count - 1].id;
	return rc;
}

/* Add one to what is to be said. A result that cannot be read is none. Returns 0 or -1 with e
 * filled. */
static int add_untold(struct pm_news *n, const struct untold *u, struct pm_err *e)
{
	struct pm_jobfeatures x = { .job = NULL };
	struct pm_jobfilter filter;
	json_t *result = json_loads(u->result, 0, NULL);
	int rc;

	json_decref(result);
	if (!result) {
		pm_warn("job #%lld: a result of an earlier call cannot be read, and is left out",
			(long long)u->id);
		return note_told(n, u->id, u->model, e);
	}
	rc = pm_jobfilter_ids(&filter, &u->id, 1, e);
	filter.order = "id";
	if (rc == 0)
		rc = pm_jobfeatures_read(&x, n->db, &filter, "processes", e);
	if (rc == 0 && x.jobs)
		rc = pm_news_add(n, &x.job[0], u->model, u->result, e);
	pm_jobfeatures_free(&x);
	pm_jobfilter_free(&filter);
	return rc;
}

int pm_news_tell_untold(struct pm_news *n, const struct pm_jobfilter *filter, int64_t now_us,
			struct pm_err *e)
{
	struct untold u[UNTOLD_MAX];
	int64_t last = 0;
	size_t count = 1;
	int rc = 0;

	while (!n->dry && rc == 0 && count) {
		rc = read_untold(n, filter, now_us - UNTOLD_US, u, &count, &last, e);
		for (size_t i = 0; i < count && rc == 0; i++)
			rc = add_untold(n, &u[i], e);
		free_untold(u, count);
		if (rc == 0)
			rc = pm_news_tell(n, e);
	}
	return rc;
}

int pm_news_finish(struct pm_news *n, size_t jobs, struct pm_err *e)
{
	int rc;

	if (!n->json)
		return pm_options_flush(e);
	rc = pm_values_dump(json_pack("{s:I, s:O}", "jobs", (json_int_t)jobs, "outliers", n->json),
			    e);
	if (rc == 0)
		rc = pm_options_flush(e);
	for (size_t k = 0; k < n->said && rc == 0; k++)
		rc = note_told(n, n->item[k].id, n->item[k].model, e);
	return rc;
}

void pm_news_free(struct pm_news *n)
{
	n->said = 0;
	pm_news_drop(n);
	free(n->item);
	json_decref(n->json);
}
