/* The verb explore: the components of an experiment over the time segments of its model. */
#include "config.h"

#include "analysis/outliers/explore.h"
#include "common/cli/verb.h"
#include "common/log.h"
#include "common/memtext.h"
#include "common/settings/readconfig.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/jobwords.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/table.h"
#include "report/print/values.h"
#include "report/verbpage.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Components that are shown without --limit. */
#define USUAL_LIMIT 10

/* What is asked for, and found. */
struct outcome {
	const char *experiment;
	struct pm_explore x;
	struct pm_explore_range range; /* of the segments that there should be */
	bool ranged;
	int64_t limit;
};

static const char *unit_of(const struct outcome *o)
{
	return o->x.jobs.feature[0]->unit;
}

/* What is made of the values of several jobs. */
static const char *together(const struct outcome *o)
{
	return o->x.jobs.feature[0]->level ? "mean" : "sum";
}

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static const char *title(const struct outcome *o)
{
	return o->x.jobs.feature[0]->level ? "Mean" : "Sum";
}

/* The share of a component: that of the sum of all. */
static double share_of_all(const struct outcome *o, const struct pm_explore_component *c)
{
	return o->x.jobs.feature[0]->level ? NAN : share_of(c->sum, o->x.sum);
}

static void safe_cell(struct pm_table *t, const char *text)
{
	char safe[256];

	pm_text_safe(safe, sizeof safe, text, strlen(text), t->page->utf8);
	pm_table_cell(t, safe);
}

static void value_cell(struct pm_table *t, const struct outcome *o, double value)
{
	char text[PM_FORMAT_MAX];

	pm_table_value(t, value);
	pm_table_cell(t, pm_figure_format(text, value, unit_of(o)));
}

static void mark_cells(struct pm_table *t, unsigned marks)
{
	char text[PM_FIGURE_METHODS];

	pm_cell_count(t, (int64_t)pm_outlier_score(marks));
	pm_table_cell(t, pm_figure_methods(text, marks));
}

static size_t shown(const struct outcome *o)
{
	return (uint64_t)o->limit < o->x.components ? (size_t)o->limit : o->x.components;
}

static int print_components(const struct outcome *o, const struct pm_page *p)
{
	/* Means have no shares. */
	const bool level = o->x.jobs.feature[0]->level;
	const struct pm_table_column columns[] = {
		{ "Component", false, 16, 0 }, { "Jobs", true, 0, 0 },
		{ title(o), true, 0, 0 },      { level ? "" : "Share", true, 0, level ? -1 : 0 },
		{ "Least", true, 0, 1 },       { "Greatest", true, 0, 2 },
		{ "Variation", true, 0, 3 },
	};
	struct pm_table t;

	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t i = 0; i < shown(o); i++) {
		const struct pm_explore_component *c = &o->x.component[i];
		const bool known = c->of.known > 0;

		safe_cell(&t, *c->name ? c->name : "none");
		pm_cell_count(&t, (int64_t)c->jobs);
		value_cell(&t, o, known ? c->sum : NAN);
		if (level)
			pm_table_cell(&t, "");
		else
			pm_cell_share(&t, share_of_all(o, c));
		value_cell(&t, o, known ? c->of.least : NAN);
		value_cell(&t, o, known ? c->of.greatest : NAN);
		pm_cell_share(&t, known ? share_of(c->of.deviation, c->of.mean) : NAN);
	}
	return pm_table_finish(&t);
}

static int print_jobs(const struct outcome *o, const struct pm_page *p,
		      const struct pm_explore_component *c)
{
	static const struct pm_table_column columns[] = {
		{ "Segment", false, 8, 0 }, { "Job", false, 10, 0 }, { "User", false, 0, 1 },
		{ "Value", true, 0, 0 },    { "Score", true, 0, 0 }, { "By", false, 0, 2 },
	};
	char safe[256];
	struct pm_table t;

	pm_text_safe(safe, sizeof safe, c->name, strlen(c->name), p->utf8);
	fputc('\n', p->f);
	pm_page_title(p, *safe ? safe : "none");
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t k = c->first; k < c->first + c->jobs; k++) {
		const size_t i = o->x.order[k];
		const struct pm_jobfeatures_job *j = &o->x.jobs.job[i];

		safe_cell(&t, j->segment ? j->segment : "");
		safe_cell(&t, j->jobid);
		safe_cell(&t, j->user);
		value_cell(&t, o, o->x.jobs.value[i]);
		mark_cells(&t, o->x.marks[i]);
	}
	return pm_table_finish(&t);
}

static int print_segments(const struct outcome *o, const struct pm_page *p)
{
	const struct pm_table_column columns[] = {
		{ "Segment", false, 8, 0 }, { "Jobs", true, 0, 1 }, { title(o), true, 0, 0 },
		{ "Score", true, 0, 0 },    { "By", false, 0, 2 },
	};
	struct pm_table t;

	if (!o->x.segments)
		return 0;
	fputc('\n', p->f);
	pm_page_title(p, "All components");
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < o->x.segments; i++) {
		const struct pm_explore_segment *s = &o->x.segment[i];

		safe_cell(&t, s->name);
		pm_cell_count(&t, (int64_t)s->jobs);
		value_cell(&t, o, s->sum);
		mark_cells(&t, s->marks);
	}
	return pm_table_finish(&t);
}

static void write_one(void *ctx, const struct pm_segment *s)
{
	fprintf(ctx, " %04d%02d%02d", s->year, s->month, s->day);
}

/* The segments that a component lacks. Returns 0, or -1 if out of memory. */
static int print_missing(const struct outcome *o, const struct pm_page *p,
			 const struct pm_explore_component *c)
{
	char safe[256], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int named;

	if (!f)
		return -1;
	pm_text_safe(safe, sizeof safe, c->name, strlen(c->name), p->utf8);
	named = fprintf(f, "Missing of %s:", *safe ? safe : "none");
	pm_explore_missing(&o->x, c, &o->range, write_one, f);
	if (!pm_memtext_end(f, &text))
		return -1;
	if (strlen(text) > (size_t)named) {
		fputc('\n', p->f);
		pm_page_text(p, "", text);
	}
	free(text);
	return 0;
}

static int print_text(const void *ctx, const struct pm_page *p, struct pm_err *e)
{
	const struct outcome *o = ctx;
	char safe[256], jobs[PM_FORMAT_MAX], sum[PM_FORMAT_MAX], text[512];
	int rc;

	pm_text_safe(safe, sizeof safe, o->experiment, strlen(o->experiment), p->utf8);
	snprintf(text, sizeof text, "%s: %s, %s %s %s", safe,
		 pm_format_things(jobs, (int64_t)o->x.jobs.jobs, "job"),
		 pm_figure_title(o->x.jobs.feature[0]->name),
		 pm_figure_format(sum, o->x.sum, unit_of(o)),
		 o->x.jobs.feature[0]->level ? "on average" : "in all");
	pm_page_text(p, "", text);
	fputc('\n', p->f);
	rc = print_components(o, p);
	if (rc == 0 && shown(o) < o->x.components) {
		snprintf(text, sizeof text, "further components, which --limit 0 shows, too: %zu",
			 o->x.components - shown(o));
		pm_page_text(p, "", text);
	}
	for (size_t i = 0; rc == 0 && i < shown(o); i++)
		rc = print_jobs(o, p, &o->x.component[i]);
	if (rc == 0)
		rc = print_segments(o, p);
	for (size_t i = 0; rc == 0 && o->ranged && i < shown(o); i++)
		rc = print_missing(o, p, &o->x.component[i]);
	return rc < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

/* Write the page that --html asks for. Returns 0 or -1 with e filled. */
static int write_page(const struct pm_cli *cli, const struct outcome *o, struct pm_err *e)
{
	char title[PM_VERBPAGE_TITLE];

	snprintf(title, sizeof title, "Experiment %s", o->experiment);
	return pm_verbpage_write(cli, title, print_text, o, e);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void pack_one(void *ctx, const struct pm_segment *s)
{
	char text[32];

	snprintf(text, sizeof text, "%04d%02d%02d", s->year, s->month, s->day);
	json_array_append_new(ctx, json_string(text));
}

static json_t *pack_jobs(const struct outcome *o, const struct pm_explore_component *c)
{
	json_t *list = json_array();

	for (size_t k = c->first; k < c->first + c->jobs; k++) {
		const size_t i = o->x.order[k];
		const struct pm_jobfeatures_job *j = &o->x.jobs.job[i];

		json_array_append_new(
			list, json_pack("{s:o, s:I, s:o, s:o, s:o, s:i, s:o}", "segment",
					j->segment ? pm_values_safe(j->segment) : json_null(), "id",
					(json_int_t)j->id, "jobid", pm_values_safe(j->jobid),
					"user", pm_values_safe(j->user), "value",
					pm_figure_json(o->x.jobs.value[i]), "score",
					(int)pm_outlier_score(o->x.marks[i]), "methods",
					pm_figure_methods_json(o->x.marks[i])));
	}
	return list;
}

static json_t *pack_components(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < shown(o); i++) {
		const struct pm_explore_component *c = &o->x.component[i];
		const bool known = c->of.known > 0;
		json_t *missing = o->ranged ? json_array() : json_null();

		if (o->ranged)
			pm_explore_missing(&o->x, c, &o->range, pack_one, missing);
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "component",
					*c->name ? pm_values_safe(c->name) : json_null(),
					together(o), pm_figure_json(known ? c->sum : NAN), "share",
					pm_figure_json(share_of_all(o, c)), "least",
					pm_figure_json(known ? c->of.least : NAN), "greatest",
					pm_figure_json(known ? c->of.greatest : NAN), "variation",
					pm_figure_json(known ? share_of(c->of.deviation, c->of.mean)
							     : NAN),
					"missing", missing, "jobs", pack_jobs(o, c)));
	}
	return list;
}

static int print_json(const struct outcome *o, struct pm_err *e)
{
	json_t *segments = json_array(), *all;

	for (size_t i = 0; i < o->x.segments; i++) {
		const struct pm_explore_segment *s = &o->x.segment[i];

		json_array_append_new(
			segments,
			json_pack("{s:o, s:I, s:o, s:i, s:o}", "segment", pm_values_safe(s->name),
				  "jobs", (json_int_t)s->jobs, together(o), pm_figure_json(s->sum),
				  "score", (int)pm_outlier_score(s->marks), "methods",
				  pm_figure_methods_json(s->marks)));
	}
	all = json_pack("{s:o, s:s, s:s, s:o, s:o, s:I, s:o}", "experiment",
			pm_values_safe(o->experiment), "metric", o->x.jobs.feature[0]->name, "unit",
			unit_of(o), together(o), pm_figure_json(o->x.sum), "components",
			pack_components(o), "components_left_out",
			(json_int_t)(o->x.components - shown(o)), "segments", segments);
	return pm_values_dump(all, e);
}

/* --- the verb --------------------------------------------------------------------------------- */

/* Read FROM,TO,STEP. Returns whether it is one. */
static bool read_range(const char *text, struct pm_explore_range *range)
{
	char part[3][16];
	int end = 0;

	return sscanf(text, "%15[^,],%15[^,],%15[^,]%n", part[0], part[1], part[2], &end) == 3 &&
	       text[end] == '\0' && pm_segment_parse(part[0], &range->first) &&
	       pm_segment_parse(part[1], &range->last) &&
	       pm_segment_step_parse(part[2], &range->step) && pm_explore_range_is(range);
}

/* The experiment as a list of one tag, to be freed; NULL if out of memory. */
static char *tag_of(const char *experiment)
{
	char *tag = malloc(sizeof "exp_name:" + 2 * strlen(experiment)), *to;

	if (!tag)
		return NULL;
	to = stpcpy(tag, "exp_name:");
	for (const char *p = experiment; *p; p++) {
		if (*p == ',' || *p == ';')
			*to++ = '\\';
		*to++ = *p;
	}
	*to = '\0';
	return tag;
}

/* Find the jobs and print them. Returns an exit status, with e filled unless it is PM_EXIT_OK. */
static int explore(const struct pm_cli *cli, struct outcome *o, const struct pm_page *page,
		   struct pm_db *db, struct pm_err *e)
{
	const char *metric = cli->value[PM_OPT_metric];
	struct pm_jobfilter_words words = { .user = NULL };
	struct pm_jobfilter filter = { .where = NULL };
	char *tag = tag_of(o->experiment);
	bool given;
	int status;

	given = pm_jobwords_take(cli, &words) != NULL;
	words.tag = tag;
	status = tag ? pm_jobwords_filter(&words, db, &filter, e) : PM_EXIT_FAILED;
	if (!tag)
		pm_err(e, "out of memory");
	if (status == PM_EXIT_OK &&
	    pm_explore_read(&o->x, db, &filter, metric ? metric : "duration_us", e) < 0)
		status = errno == EINVAL ? PM_EXIT_USAGE : PM_EXIT_FAILED;
	free(tag);
	pm_jobfilter_free(&filter);
	if (status != PM_EXIT_OK)
		return status;
	if (o->x.jobs.features != 1) {
		pm_err(e, "--metric %s: one figure is needed", metric);
		return PM_EXIT_USAGE;
	}
	if (o->x.jobs.jobs == 0) {
		pm_err(e, "explore: no job in %s has the tag exp_name as %s%s", pm_db_name(db),
		       o->experiment, given ? ", of those that the options take" : "");
		return PM_EXIT_FAILED;
	}
	if (!o->ranged) {
		const int rc = pm_explore_range_of(&o->x, &o->range);

		o->ranged = rc > 0;
		if (rc < 0)
			pm_warn("explore: which segments are missing is not said: from the first "
				"to the last there are more than 10 000 steps; --segments "
				"FROM,TO,STEP says which there should be");
	}
	if ((cli->given[PM_OPT_html]   ? write_page(cli, o, e)
	     : cli->given[PM_OPT_json] ? print_json(o, e)
				       : print_text(o, page, e)) < 0)
		return PM_EXIT_FAILED;
	return pm_options_flush(e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

int pm_verb_explore(const struct pm_cli *cli, struct pm_err *e)
{
	const char *segments = cli->value[PM_OPT_segments];
	struct outcome o = { .ranged = segments != NULL };
	struct pm_page page;
	struct pm_db *db;
	int status;

	if (cli->argc != 1) {
		pm_err(e, "explore takes an experiment, the value of the tag exp_name");
		return PM_EXIT_USAGE;
	}
	o.experiment = cli->argv[0];
	if (segments && !read_range(segments, &o.range)) {
		pm_err(e,
		       "--segments %s: FROM,TO,STEP is needed, such as 18540101,20090101,5y, "
		       "forwards and of 10 000 steps at most",
		       segments);
		return PM_EXIT_USAGE;
	}
	if (pm_verbpage_check(cli, e) < 0 || pm_options_page(cli, &page, e) < 0 ||
	    pm_options_limit(cli, USUAL_LIMIT, &o.limit, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0)
		return PM_EXIT_FAILED;
	status = explore(cli, &o, &page, db, e);
	pm_explore_free(&o.x);
	pm_db_close(db);
	return status;
}
