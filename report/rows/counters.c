/* The counters of a job, process by process. */
#include "config.h"

#include "report/rows/counters.h"

#include "common/text.h"
#include "report/print/format.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_names(struct pm_counters *c, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] = "SELECT DISTINCT name FROM counter WHERE job_id = ? AND "
				  "thread_id = 0 ORDER BY name LIMIT ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, PM_COUNTERS_MAX + 1);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *name = pm_db_text(q, 0, NULL);

		if (c->events == PM_COUNTERS_MAX) {
			c->cut = true;
			break;
		}
		c->event[c->events].name = strdup(name ? name : "");
		if (!c->event[c->events].name) {
			rc = pm_err(e, "out of memory");
			break;
		}
		c->events++;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_counters_march(const char **march, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	bool first = true;
	int rc;

	*march = NULL;
	if (pm_query_prepare(db, "SELECT cpu_id FROM host WHERE job_id = ?", job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *one = pm_formula_march(pm_db_text(q, 0, NULL));

		if (first)
			*march = one;
		else if (!one || !*march || strcmp(one, *march) != 0)
			*march = NULL;
		first = false;
	}
	pm_db_finish(q);
	return rc;
}

static int find_formulas(struct pm_counters *c, struct pm_db *db, int64_t job, struct pm_err *e)
{
	const char *name[PM_COUNTERS_MAX], *march;

	if (pm_counters_march(&march, db, job, e) < 0)
		return -1;
	for (size_t i = 0; i < c->events; i++)
		name[i] = c->event[i].name;
	c->formulas = pm_formula_find(name, c->events, march, &c->formula);
	return c->formulas < 0 ? pm_err(e, "out of memory") : 0;
}

int pm_counters_sampled(char *name[PM_COUNTERS_MAX], size_t *n, struct pm_db *db, int64_t job,
			struct pm_err *e)
{
	static const char sql[] =
		"SELECT DISTINCT object FROM series WHERE job_id = ? AND source = 'perf' "
		"AND metric = 'count' AND object <> '' ORDER BY object LIMIT ?";
	struct pm_stmt *q;
	int rc;

	*n = 0;
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, PM_COUNTERS_MAX);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *text = pm_db_text(q, 0, NULL);

		name[*n] = strdup(text ? text : "");
		if (!name[*n]) {
			rc = pm_err(e, "out of memory");
			break;
		}
		++*n;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_counters_begin(struct pm_counters *c, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] =
		"SELECT process_id, name, value, ratio, reason, scope FROM counter WHERE "
		"job_id = ? AND thread_id = 0 ORDER BY process_id, name";

	memset(c, 0, sizeof *c);
	c->event = calloc(PM_COUNTERS_MAX, sizeof *c->event);
	c->value = calloc(PM_COUNTERS_MAX, sizeof *c->value);
	if (!c->event || !c->value)
		return pm_err(e, "out of memory");
	if (find_names(c, db, job, e) < 0)
		return -1;
	if (c->events == 0)
		return 0;
	return find_formulas(c, db, job, e) < 0 || pm_query_prepare(db, sql, job, &c->q, e) < 0 ? -1
												: 0;
}

/* Store the current row of the query in its event, one of those from number `from` on: rows and
 * events have the same order. Returns the number behind it. */
static size_t take_row(struct pm_counters *c, size_t from)
{
	const char *name = pm_db_text(c->q, 1, NULL), *text;

	for (size_t i = from; i < c->events; i++) {
		struct pm_counters_event *x = &c->event[i];

		if (strcmp(x->name, name ? name : "") != 0)
			continue;
		x->there = true;
		x->value = pm_query_int(c->q, 2);
		if (!pm_db_is_null(c->q, 3))
			x->ratio = pm_db_real(c->q, 3);
		text = pm_db_text(c->q, 5, NULL);
		if (text)
			snprintf(x->scope, sizeof x->scope, "%s", text);
		text = pm_db_text(c->q, 4, NULL);
		pm_text_safe(x->reason, sizeof x->reason, text ? text : "", text ? strlen(text) : 0,
			     false);
		if (x->value != PM_UNKNOWN)
			c->value[i] = (double)x->value;
		return i + 1;
	}
	/* An event that is left out. */
	return from;
}

int pm_counters_next(struct pm_counters *c, struct pm_err *e)
{
	int rc = c->pending ? 1 : c->q ? pm_db_step(c->q, e) : 0;
	size_t at = 0;

	if (rc <= 0)
		return rc;
	c->process = pm_db_int(c->q, 0);
	for (size_t i = 0; i < c->events; i++) {
		c->event[i].there = false;
		c->event[i].value = PM_UNKNOWN;
		c->event[i].ratio = 1;
		c->event[i].scope[0] = '\0';
		c->value[i] = NAN;
	}
	do
		at = take_row(c, at);
	while ((rc = pm_db_step(c->q, e)) > 0 && pm_db_int(c->q, 0) == c->process);
	c->pending = rc > 0;
	if (rc == 0) {
		pm_db_finish(c->q);
		c->q = NULL;
	}
	return rc < 0 ? -1 : 1;
}

bool pm_counters_has(const struct pm_counters *c, const struct pm_formula *f)
{
	for (size_t i = 0; i < f->terms; i++)
		if (!c->event[f->term[i]].there)
			return false;
	return true;
}

double pm_counters_ratio(const struct pm_counters *c, const struct pm_formula *f)
{
	double least = 1;

	for (size_t i = 0; i < f->terms; i++)
		if (c->event[f->term[i]].ratio < least)
			least = c->event[f->term[i]].ratio;
	return least;
}

void pm_counters_end(struct pm_counters *c)
{
	for (size_t i = 0; i < c->events; i++)
		free(c->event[i].name);
	free(c->event);
	free(c->value);
	free(c->formula);
	if (c->q)
		pm_db_finish(c->q);
	memset(c, 0, sizeof *c);
}

const char *pm_counters_value(char *text, double v, const char *unit)
{
	int decimals = fabs(v) < 9.995 ? 2 : fabs(v) < 99.95 ? 1 : 0;
	char n[PM_FORMAT_MAX];

	if (isnan(v) || isinf(v)) {
		snprintf(text, PM_COUNTERS_TEXT, "unknown");
		return text;
	}
	if (v != 0 && fabs(v) < 0.005)
		snprintf(text, PM_COUNTERS_TEXT, "%.2g %s", v, unit);
	else if (v < 999.5)
		snprintf(text, PM_COUNTERS_TEXT, "%.*f %s", decimals, v, unit);
	else if (v < 1e15)
		snprintf(text, PM_COUNTERS_TEXT, "%s %s", pm_format_count(n, llround(v)), unit);
	else
		snprintf(text, PM_COUNTERS_TEXT, "%.3g %s", v, unit);
	if (!*unit && *text)
		text[strlen(text) - 1] = '\0';
	return text;
}
