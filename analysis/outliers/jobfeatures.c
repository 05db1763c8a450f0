/* Read figures of many jobs. */
#include "config.h"

#include "analysis/outliers/jobfeatures.h"

#include "analysis/select/jobgroup.h"
#include "common/grow.h"
#include "common/job/jobidentity.h"
#include "common/memtext.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What adds up over the processes of a job, or is its largest, by the table of columns; not what
 * the collector itself took. */
#define FIGURE_COUNTER(name, unit) { name, unit, false },
#define FIGURE_PEAK(name, unit)    { name, unit, true },
#define FIGURE_WORK(name, unit)    { name, unit, false },
#define FIGURE_KEY(name, unit)
#define FIGURE_TEXT(name, unit)
#define FIGURE_LIST(name, unit)
#define FIGURE_GAUGE(name, unit)
#define FIGURE_TIME(name, unit)
#define FIGURE_CHILDREN(name, unit)
#define FIGURE_SPAN(name, unit)
#define FIGURE_OWN(name, unit)

/* clang-format off */
static const struct pm_feature features[] = {
	{ "duration_us", "us", false },
	{ "cpu_time", "us", false },
	{ "processes", "", false },
	{ "threads", "", false },
	{ "failed", "", false },
	{ "efficiency", "", true },
	{ "energy_uj", "uJ", false },
#define PM_COLUMN(id, kind, unit, scope, records, since, source, help) FIGURE_##kind(#id, unit)
#include "common/safe/columns.def"
#undef PM_COLUMN
};
/* clang-format on */

#define ALL   (sizeof features / sizeof features[0])
#define USUAL 3

_Static_assert(ALL <= PM_FEATURES_MAX, "all features at once");

const struct pm_feature *pm_jobfeatures_find(const char *name, size_t n)
{
	for (size_t i = 0; i < ALL; i++)
		if (strlen(features[i].name) == n && memcmp(features[i].name, name, n) == 0)
			return &features[i];
	return NULL;
}

size_t pm_jobfeatures_at(const struct pm_jobfeatures *x, const struct pm_feature *feature)
{
	size_t k = 0;

	while (k < x->features && x->feature[k] != feature)
		k++;
	return k;
}

/* Add a feature by its name. Returns 0 or -1 with e filled. */
static int add_feature(struct pm_jobfeatures *x, const char *name, size_t n, struct pm_err *e)
{
	const struct pm_feature *feature = pm_jobfeatures_find(name, n);

	if (feature) {
		if (pm_jobfeatures_at(x, feature) == x->features)
			x->feature[x->features++] = feature;
		return 0;
	}
	pm_err(e, "'%.*s' is no figure:", (int)(n < 80 ? n : 80), name);
	for (size_t i = 0; i < ALL; i++) {
		const size_t have = strlen(e->text);

		snprintf(e->text + have, sizeof e->text - have, "%s %s", i ? "," : "",
			 features[i].name);
	}
	errno = EINVAL;
	return -1;
}

int pm_jobfeatures_choose(struct pm_jobfeatures *x, const char *words, struct pm_err *e)
{
	memset(x, 0, sizeof *x);
	errno = 0;
	if (!words || strcmp(words, "*") == 0) {
		x->features = words ? ALL : USUAL;
		for (size_t i = 0; i < x->features; i++)
			x->feature[i] = &features[i];
		return 0;
	}
	for (;; words++) {
		const size_t n = strcspn(words, ",");

		if (add_feature(x, words, n, e) < 0)
			return -1;
		words += n;
		if (!*words)
			return 0;
	}
}

int pm_jobfeatures_check(const char *words, struct pm_err *e)
{
	struct pm_jobfeatures x;

	return pm_jobfeatures_choose(&x, words, e);
}

#define TAG(name)                                                                                  \
	"(SELECT value FROM tag_set WHERE tag_set.job_id = job.id AND tag_set.id = 0 AND "         \
	"tag_set.name = '" name "')"

/* Columns before the features. */
#define HEAD                                                                                       \
	"id, " PM_JOBIDENTITY_SHOWN("") ", \"user\", start_us, name, " TAG("exp_name") ", " TAG(   \
		"exp_component") ", " TAG("exp_time")
enum {
	AT_ID,
	AT_JOBID,
	AT_USER,
	AT_START,
	AT_NAME,
	AT_EXPERIMENT,
	AT_COMPONENT,
	AT_SEGMENT,
	AT_FEATURES
};

/* The SQL of the rows, to be freed; NULL if out of memory. */
static char *make_sql(const struct pm_jobfeatures *x, const struct pm_jobfilter *f)
{
	char *sql;
	size_t n;
	FILE *out = open_memstream(&sql, &n);

	if (!out)
		return NULL;
	fputs("SELECT " HEAD, out);
	/* What a job has used so far is no figure of it. */
	for (size_t i = 0; i < x->features; i++)
		fprintf(out, ", CASE WHEN coalesce(running, 0) = 0 THEN %s END",
			x->feature[i]->name);
	fprintf(out, " FROM job%s ORDER BY %s", f->where, f->order);
	if (f->limit)
		fprintf(out, " LIMIT %" PRId64, f->limit);
	return pm_memtext_end(out, &sql);
}

/* Copy a tag, if there is one. Returns false if out of memory. */
static bool take_tag(char **to, struct pm_stmt *q, int at)
{
	const char *text = pm_db_text(q, at, NULL);

	*to = text ? strdup(text) : NULL;
	return !text || *to;
}

/* Texts of a row, for one job. */
static bool take_texts(struct pm_jobfeatures_job *j, struct pm_stmt *q)
{
	const char *jobid = pm_db_text(q, AT_JOBID, NULL), *user = pm_db_text(q, AT_USER, NULL);

	j->jobid = strdup(jobid ? jobid : "");
	j->user = strdup(user ? user : "");
	j->group =
		pm_jobgroup_make(pm_db_text(q, AT_NAME, NULL), pm_db_text(q, AT_EXPERIMENT, NULL),
				 pm_db_text(q, AT_COMPONENT, NULL));
	return j->jobid && j->user && j->group && take_tag(&j->component, q, AT_COMPONENT) &&
	       take_tag(&j->segment, q, AT_SEGMENT);
}

static int read_rows(struct pm_jobfeatures *x, struct pm_stmt *q, struct pm_err *e)
{
	size_t room = 0, cells = 0;
	int rc;

	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_jobfeatures_job *j;

		if (!PM_GROW(x->job, x->jobs, room, 64) ||
		    !PM_GROW_BY(x->value, x->jobs * x->features, x->features, cells, 256))
			return pm_err(e, "out of memory");
		j = &x->job[x->jobs++];
		*j = (struct pm_jobfeatures_job){ .id = pm_db_int(q, AT_ID),
						  .start_us = pm_db_int(q, AT_START) };
		if (!take_texts(j, q))
			return pm_err(e, "out of memory");
		for (size_t k = 0; k < x->features; k++)
			x->value[(x->jobs - 1) * x->features + k] =
				pm_db_is_null(q, AT_FEATURES + (int)k)
					? NAN
					: pm_db_real(q, AT_FEATURES + (int)k);
	}
	return rc;
}

/* For sorting: a job's number, and the texts of all. */
static int by_group(const void *a, const void *b, void *ctx)
{
	const struct pm_jobfeatures *x = ctx;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const int order = strcmp(x->job[i].group, x->job[k].group);

	return order ? order : (i > k) - (i < k);
}

/* Bring jobs of a group together. */
static int sort_jobs(struct pm_jobfeatures *x, struct pm_err *e)
{
	struct pm_jobfeatures_job *job = malloc((x->jobs + 1) * sizeof *job);
	double *value = malloc((x->jobs * x->features + 1) * sizeof *value);
	size_t *number = malloc((x->jobs + 1) * sizeof *number);

	if (!job || !value || !number) {
		free(job);
		free(value);
		free(number);
		return pm_err(e, "out of memory");
	}
	for (size_t i = 0; i < x->jobs; i++)
		number[i] = i;
	qsort_r(number, x->jobs, sizeof *number, by_group, x);
	for (size_t i = 0; i < x->jobs; i++) {
		job[i] = x->job[number[i]];
		memcpy(value + i * x->features, x->value + number[i] * x->features,
		       x->features * sizeof *value);
	}
	free(number);
	free(x->job);
	free(x->value);
	x->job = job;
	x->value = value;
	return 0;
}

int pm_jobfeatures_read(struct pm_jobfeatures *x, struct pm_db *db, const struct pm_jobfilter *f,
			const char *words, struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	if (pm_jobfeatures_choose(x, words, e) < 0)
		return -1;
	sql = make_sql(x, f);
	if (!sql)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_jobfilter_bind(f, q, 1);
	rc = read_rows(x, q, e);
	pm_db_finish(q);
	return rc < 0 ? -1 : sort_jobs(x, e);
}

void pm_jobfeatures_values(const struct pm_jobfeatures *x, size_t first, size_t n, size_t feature,
			   double *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] = x->value[(first + i) * x->features + feature];
}

size_t pm_jobfeatures_group(const struct pm_jobfeatures *x, size_t first)
{
	size_t n = 1;

	/* Jobs without a name have nothing in common. */
	if (!*x->job[first].group)
		return 1;
	while (first + n < x->jobs && strcmp(x->job[first + n].group, x->job[first].group) == 0)
		n++;
	return n;
}

char *pm_jobfeatures_title(const struct pm_jobfeatures_job *j)
{
	const struct pm_jobgroup g = pm_jobgroup_split(j->group);
	char *title;

	if (!g.tags)
		return strdup(g.first);
	return asprintf(&title, "%.*s / %.*s", (int)g.n, g.first, (int)g.m, g.second) < 0 ? NULL
											  : title;
}

void pm_jobfeatures_free(struct pm_jobfeatures *x)
{
	for (size_t i = 0; i < x->jobs; i++) {
		free(x->job[i].jobid);
		free(x->job[i].user);
		free(x->job[i].group);
		free(x->job[i].component);
		free(x->job[i].segment);
	}
	free(x->job);
	free(x->value);
	memset(x, 0, sizeof *x);
}
