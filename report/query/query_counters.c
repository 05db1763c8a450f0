/* Facts of a job: counters of its processes, and the metrics computed from them. */
#include "config.h"

#include "common/text.h"
#include "report/rows/counters.h"
#include "report/query/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums for a metric of the job, over the processes in which all its events are known. */
struct sums {
	double *value; /* per event */
	int64_t processes;
	double ratio;
};

static void count_reason(struct pm_fact_counter *x, const char *reason)
{
	size_t i = 0;

	while (i < x->reasons && strcmp(x->reason[i].text, reason) != 0)
		i++;
	if (i == PM_FACTS_REASONS)
		return;
	if (i == x->reasons) {
		snprintf(x->reason[i].text, sizeof x->reason[i].text, "%s", reason);
		x->reasons++;
	}
	x->reason[i].count++;
}

static void add_process(struct pm_facts *f, const struct pm_counters *c)
{
	for (size_t i = 0; i < c->events; i++) {
		const struct pm_counters_event *from = &c->event[i];
		struct pm_fact_counter *x = &f->counter[i];

		if (!from->there)
			continue;
		if (from->value == PM_UNKNOWN) {
			x->unknown++;
			count_reason(x, from->reason);
			continue;
		}
		x->known++;
		if (*from->scope)
			memcpy(x->scope, from->scope, sizeof x->scope);
		if (from->ratio < x->ratio)
			x->ratio = from->ratio;
		/* A sum that overflows stays unknown. */
		if (strcmp(x->scope, "rate") == 0)
			continue;
		if (x->known == 1 || (*x->scope && from->value > x->sum))
			x->sum = from->value;
		else if (*x->scope)
			continue;
		else if (x->sum != PM_UNKNOWN &&
			 __builtin_add_overflow(x->sum, from->value, &x->sum))
			x->sum = PM_UNKNOWN;
	}
}

static void add_metrics(const struct pm_counters *c, struct sums *s)
{
	for (int m = 0; m < c->formulas; m++) {
		const struct pm_formula *x = &c->formula[m];
		double ratio = pm_counters_ratio(c, x);
		bool known = true;

		for (size_t i = 0; i < x->terms; i++)
			known = known && !isnan(c->value[x->term[i]]);
		if (!known)
			continue;
		for (size_t i = 0; i < c->events; i++)
			if (!isnan(c->value[i]))
				s[m].value[i] += c->value[i];
		s[m].processes++;
		if (ratio < s[m].ratio)
			s[m].ratio = ratio;
	}
}

static void compute_metrics(struct pm_facts *f, const struct pm_counters *c, const struct sums *s)
{
	double seconds = f->wall_us >= 0 ? (double)f->wall_us / 1e6 : NAN;

	for (int m = 0; m < c->formulas; m++) {
		const struct pm_formula *x = &c->formula[m];
		struct pm_fact_metric *to = &f->metric[f->metrics++];

		to->info = x->info;
		memcpy(to->domain, x->domain, sizeof to->domain);
		to->processes = s[m].processes;
		to->ratio = s[m].ratio;
		to->value = s[m].processes ? pm_formula_value(x, s[m].value, seconds) : NAN;
	}
}

static int read_processes(struct pm_facts *f, struct pm_counters *c, bool utf8, struct pm_err *e)
{
	struct sums *s = calloc((size_t)c->formulas + 1, sizeof *s);
	double *value = calloc(((size_t)c->formulas + 1) * c->events, sizeof *value);
	int rc = -1;

	f->counter = calloc(c->events, sizeof *f->counter);
	f->metric = calloc((size_t)c->formulas + 1, sizeof *f->metric);
	if (!s || !value || !f->counter || !f->metric) {
		pm_err(e, "out of memory");
		goto out;
	}
	f->counters = c->events;
	f->counters_cut = c->cut;
	for (size_t i = 0; i < c->events; i++) {
		pm_text_field(f->counter[i].name, sizeof f->counter[i].name, c->event[i].name,
			      utf8);
		f->counter[i].ratio = 1;
		f->counter[i].sum = PM_UNKNOWN;
	}
	for (int m = 0; m < c->formulas; m++)
		s[m] = (struct sums){ .value = value + (size_t)m * c->events, .ratio = 1 };
	while ((rc = pm_counters_next(c, e)) > 0) {
		f->counted++;
		add_process(f, c);
		add_metrics(c, s);
	}
	compute_metrics(f, c, s);
out:
	free(s);
	free(value);
	return rc;
}

int pm_query_counters(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e)
{
	struct pm_counters c;
	int rc = pm_counters_begin(&c, db, job, e);

	if (rc == 0 && c.events > 0)
		rc = read_processes(f, &c, utf8, e);
	pm_counters_end(&c);
	return rc;
}
