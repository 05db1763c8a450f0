/* Say what was found. */
#include "config.h"

#include "manage/analyze_news.h"

#include "common/grow.h"
#include "common/log.h"
#include "common/memtext.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
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
	pm_text_safe(to, size, text, strlen(text), false);
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
static int note_told(struct pm_news *n, const struct pm_news_item *i, struct pm_err *e)
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
	pm_db_bind_int(q, 2, i->id);
	pm_db_bind_str(q, 3, i->model);
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
	return rc < 0 || n->json ? rc : note_told(n, i, e);
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

/* Read results that were not told. Returns 0 or -1 with e filled. */
static int read_untold(struct pm_news *n, struct pm_stmt *q, struct pm_err *e)
{
	int rc;

	while ((rc = pm_db_step(q, e)) > 0) {
		const int64_t id = pm_db_int(q, 0);
		struct pm_jobfeatures x = { .job = NULL };
		struct pm_jobfilter filter;

		rc = pm_jobfilter_ids(&filter, &id, 1, e);
		filter.order = "id";
		if (rc == 0)
			rc = pm_jobfeatures_read(&x, n->db, &filter, "processes", e);
		if (rc == 0 && x.jobs)
			rc = pm_news_add(n, &x.job[0], pm_db_text(q, 1, NULL),
					 pm_db_text(q, 2, NULL), e);
		pm_jobfeatures_free(&x);
		pm_jobfilter_free(&filter);
		if (rc < 0)
			return -1;
	}
	return rc;
}

int pm_news_tell_untold(struct pm_news *n, int64_t now_us, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (n->dry)
		return 0;
	if (pm_db_prepare(n->db,
			  "SELECT job_id, model, result FROM analysis WHERE name = 'outliers' "
			  "AND " PM_SCHEMA_ANALYSIS_UNTOLD
			  " AND analyzed_us < ? ORDER BY job_id LIMIT ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, now_us - UNTOLD_US);
	pm_db_bind_int(q, 2, UNTOLD_MAX);
	rc = read_untold(n, q, e);
	pm_db_finish(q);
	return rc < 0 ? -1 : pm_news_tell(n, e);
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
		rc = note_told(n, &n->item[k], e);
	return rc;
}

void pm_news_free(struct pm_news *n)
{
	n->said = 0;
	pm_news_drop(n);
	free(n->item);
	json_decref(n->json);
}
