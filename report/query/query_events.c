/* Facts of a job: counters of the sampler on its hosts, and the metrics computed from them. */
#include "config.h"

#include "common/text.h"
#include "db/samples.h"
#include "report/rows/counters.h"
#include "report/query/query.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT, ENABLED, RUNNING, SERIES };
static const char *const series_name[SERIES] = { "count", "enabled", "running" };

/* One event on one host. */
struct counted {
	bool there, known;
	double sum[SERIES], last[SERIES]; /* NaN before the first value */
	double value; /* the count, extrapolated where the event was not counted all the time; NaN:
		       * unknown */
	double ratio; /* share of the time in which the event was counted */
	char reason[sizeof((struct pm_fact_reason *)0)->text];
};

struct state {
	char *name[PM_COUNTERS_MAX]; /* names of the events, sorted; owned */
	size_t events;
	struct counted event[PM_COUNTERS_MAX]; /* on the host being read */
	struct pm_formula *formula;
	int formulas;
	double *sum; /* by formula and event, over the hosts that have all events of the formula */
	double span_us; /* longest sampled time of a host */
	double first_us, last_us;
	struct pm_facts *f;
};

static void begin_host(struct state *s)
{
	for (size_t i = 0; i < s->events; i++)
		s->event[i] =
			(struct counted){ .last = { NAN, NAN, NAN }, .value = NAN, .ratio = 1 };
	s->first_us = s->last_us = NAN;
}

/* Extrapolate the count to the time in which the kernel did not count the event (multiplexing). */
static void estimate_count(struct counted *c)
{
	const double enabled = c->sum[ENABLED], running = c->sum[RUNNING];

	if (!c->known)
		return;
	c->value = c->sum[COUNT];
	if (enabled > running) {
		c->ratio = running / enabled;
		c->value = running > 0 ? c->value / c->ratio : NAN;
	}
}

static void add_reason(struct pm_fact_counter *x, const char *reason)
{
	size_t i = 0;

	while (i < x->reasons && strcmp(x->reason[i].text, reason) != 0)
		i++;
	if (i == PM_FACTS_REASONS)
		return;
	if (i == x->reasons)
		snprintf(x->reason[x->reasons++].text, sizeof x->reason[i].text, "%s", reason);
	x->reason[i].count++;
}

static void add_event(struct pm_fact_counter *x, const struct counted *c)
{
	if (isnan(c->value)) {
		x->unknown++;
		add_reason(x, c->known ? "multiplexed" : c->reason);
		return;
	}
	x->known++;
	if (c->ratio < x->ratio)
		x->ratio = c->ratio;
	if (x->known == 1)
		x->sum = 0;
	/* A sum that overflows stays unknown. */
	if (x->sum != PM_UNKNOWN && fabs((double)x->sum + c->value) < 9e18 && fabs(c->value) < 9e18)
		x->sum += (int64_t)llround(c->value);
	else
		x->sum = PM_UNKNOWN;
}

/* Add a host to a metric only if the host has all events of the metric: a host without one of them
 * would distort the result. */
static void add_metric(struct state *s, int m)
{
	const struct pm_formula *x = &s->formula[m];
	struct pm_fact_metric *to = &s->f->sampled_metric[m];

	for (size_t i = 0; i < x->terms; i++)
		if (isnan(s->event[x->term[i]].value))
			return;
	for (size_t i = 0; i < x->terms; i++) {
		const struct counted *c = &s->event[x->term[i]];
		size_t k = 0;

		while (x->term[k] != x->term[i])
			k++;
		if (k == i)
			s->sum[(size_t)m * s->events + x->term[i]] += c->value;
		if (c->ratio < to->ratio)
			to->ratio = c->ratio;
	}
	to->processes++;
}

static void end_host(struct state *s)
{
	for (size_t i = 0; i < s->events; i++) {
		if (!s->event[i].there)
			continue;
		estimate_count(&s->event[i]);
		add_event(&s->f->sampled_counter[i], &s->event[i]);
	}
	for (int m = 0; m < s->formulas; m++)
		add_metric(s, m);
	if (pm_format_since(s->last_us, s->first_us) > s->span_us)
		s->span_us = pm_format_since(s->last_us, s->first_us);
}

/* Add a sample of a counter. Counters start at 0, and start again at 0 when the sampler is
 * restarted. */
static void add_sample(struct counted *c, int series, const struct pm_sample *x)
{
	double *last = &c->last[series], value = (double)x->value;

	c->there = true;
	if (!x->known) {
		if (series == COUNT)
			snprintf(c->reason, sizeof c->reason, "%s", x->reason);
		return;
	}
	c->known = c->known || series == COUNT;
	c->sum[series] += isnan(*last) || value < *last ? value : value - *last;
	*last = value;
}

/* Read the samples of a series; `c` is its event, NULL if that is not among the job's. Returns 0 or
 * -1 with e filled. */
static int read_samples(struct state *s, struct pm_db *db, int64_t job, int64_t id,
			struct counted *c, int series, struct pm_err *e)
{
	struct pm_samples *samples = pm_samples_new(db, job, id, e);
	struct pm_sample x;
	int rc = samples ? 0 : -1;

	while (rc == 0 && (rc = pm_samples_next(samples, &x, e)) > 0) {
		const double at = (double)x.time_us;

		s->first_us = isnan(s->first_us) || at < s->first_us ? at : s->first_us;
		s->last_us = isnan(s->last_us) || at > s->last_us ? at : s->last_us;
		if (c)
			add_sample(c, series, &x);
		rc = 0;
	}
	pm_samples_free(samples);
	return rc;
}

/* Find the event and the part of it that a series counts. Returns the event, or NULL. */
static struct counted *find_event(struct state *s, const char *object, const char *metric,
				  int *series)
{
	for (size_t i = 0; i < s->events; i++)
		for (*series = 0; *series < SERIES && strcmp(s->name[i], object) == 0; ++*series)
			if (strcmp(metric, series_name[*series]) == 0)
				return &s->event[i];
	return NULL;
}

static int read_series(struct state *s, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] = "SELECT host_id, object, metric, id FROM series WHERE job_id = ?"
				  " AND source = 'perf' AND kind = 'counter' ORDER BY host_id, id";
	int64_t host = 0;
	bool any = false;
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct counted *c;
		int series;

		if (any && host != pm_db_int(q, 0))
			end_host(s);
		if (!any || host != pm_db_int(q, 0))
			begin_host(s);
		any = true;
		host = pm_db_int(q, 0);
		c = find_event(s, pm_db_text(q, 1, NULL), pm_db_text(q, 2, NULL), &series);
		if (read_samples(s, db, job, pm_db_int(q, 3), c, series, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	if (any)
		end_host(s);
	return rc;
}

/* Find the formulas and allocate the facts. */
static int allocate_facts(struct state *s, struct pm_db *db, int64_t job, bool utf8,
			  struct pm_err *e)
{
	struct pm_facts *f = s->f;
	const char *march;

	if (pm_counters_march(&march, db, job, e) < 0)
		return -1;
	s->formulas = pm_formula_find((const char *const *)s->name, s->events, march, &s->formula);
	if (s->formulas < 0)
		return pm_err(e, "out of memory");
	s->sum = calloc(((size_t)s->formulas + 1) * s->events, sizeof *s->sum);
	f->sampled_counter = calloc(s->events, sizeof *f->sampled_counter);
	f->sampled_metric = calloc((size_t)s->formulas + 1, sizeof *f->sampled_metric);
	if (!s->sum || !f->sampled_counter || !f->sampled_metric)
		return pm_err(e, "out of memory");
	f->sampled_counters = s->events;
	f->sampled_metrics = (size_t)s->formulas;
	for (size_t i = 0; i < s->events; i++) {
		struct pm_fact_counter *x = &f->sampled_counter[i];

		pm_text_field(x->name, sizeof x->name, s->name[i], utf8);
		x->ratio = 1;
		x->sum = PM_UNKNOWN;
	}
	for (int m = 0; m < s->formulas; m++) {
		struct pm_fact_metric *to = &f->sampled_metric[m];

		to->info = s->formula[m].info;
		memcpy(to->domain, s->formula[m].domain, sizeof to->domain);
		to->ratio = 1;
	}
	return 0;
}

int pm_query_events(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	struct state *s = calloc(1, sizeof *s);
	int rc;

	if (!s)
		return pm_err(e, "out of memory");
	s->f = f;
	rc = pm_counters_sampled(s->name, &s->events, db, job, e);
	if (rc == 0 && s->events) {
		rc = allocate_facts(s, db, job, utf8, e) < 0 || read_series(s, db, job, e) < 0 ? -1
											       : 0;
		for (int m = 0; rc == 0 && m < s->formulas; m++)
			f->sampled_metric[m].value =
				f->sampled_metric[m].processes
					? pm_formula_value(&s->formula[m],
							   s->sum + (size_t)m * s->events,
							   s->span_us / 1e6)
					: NAN;
	}
	for (size_t i = 0; i < s->events; i++)
		free(s->name[i]);
	free(s->formula);
	free(s->sum);
	free(s);
	return rc;
}
