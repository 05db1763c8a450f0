/* Read series side by side. */
#include "config.h"

#include "report/plot/plotseries.h"

#include "db/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After so many ticks with their time since the one before known, one that comes after more than
 * this many times the longest of them follows a gap. */
#define STEPS    4
#define GAP_STEP 3

struct reader {
	struct pm_samples *samples;
	struct pm_sample next;
	bool at_end, here; /* `here`: it has a value in the tick */
	/* Its value in the tick before. */
	bool known;
	int64_t value;
	double difference; /* since then; NAN: unknown */
};

struct state {
	const struct pm_plotseries *s;
	struct reader *reader;
	struct pm_line *l;
	struct pm_plotseries_reasons *why;
	double *event; /* by event: count, time enabled, time running, value */
	/* The tick before. */
	bool any;
	int64_t time_us, monotonic_us;
	double step[STEPS]; /* of the last ticks, in seconds */
	size_t steps;
};

enum { COUNT, ENABLED, RUNNING, VALUE, EVENT };

static void add_reason(struct pm_plotseries_reasons *w, const char *text)
{
	size_t i = 0;

	while (i < w->n && strcmp(w->reason[i].text, text) != 0)
		i++;
	if (i == PM_PLOTSERIES_REASONS)
		return;
	if (i == w->n)
		snprintf(w->reason[w->n++].text, sizeof w->reason[0].text, "%s", text);
	w->reason[i].count++;
}

/*
 * Compare the values of a tick with those before. Returns the number of known ones, of differences
 * where they are asked for; 0 where one is missing that the sum had before. An object that is gone
 * is no longer part of the sum.
 */
static size_t take_values(struct state *s, bool differences)
{
	const char *reason = NULL;
	bool reset = false;
	size_t known = 0;

	for (size_t i = 0; i < s->s->parts; i++) {
		struct reader *r = &s->reader[i];
		int64_t difference;

		r->difference = NAN;
		if (!r->here) {
			r->known = false;
			continue;
		}
		if (!r->next.known) {
			const char *why = r->next.reason ? r->next.reason : "";

			if (r->known && strcmp(why, "absent") != 0)
				reason = why;
			else if (!s->any)
				add_reason(s->why, why);
			r->known = false;
			continue;
		}
		if (differences && r->known) {
			if (__builtin_sub_overflow(r->next.value, r->value, &difference) ||
			    difference < 0)
				reset = true;
			else
				r->difference = (double)difference;
			known++;
		}
		known += !differences;
		r->known = true;
		r->value = r->next.value;
	}
	s->why->resets += reset;
	if (reason)
		add_reason(s->why, reason);
	return reason || reset ? 0 : known;
}

/* Add up the differences, or with `values` the values, of a role. */
static double add_up(const struct state *s, enum pm_plotseries_role role, bool values, size_t *n)
{
	double sum = 0;

	*n = 0;
	for (size_t i = 0; i < s->s->parts; i++) {
		const struct reader *r = &s->reader[i];
		const double v = values ? (double)r->value : r->difference;

		if (s->s->part[i].role != role || !r->here || !r->known || isnan(v))
			continue;
		sum += v;
		++*n;
	}
	return sum;
}

static double formula_value(struct state *s, double seconds)
{
	for (size_t i = 0; i < s->s->events * EVENT; i++)
		s->event[i] = NAN;
	for (size_t i = 0; i < s->s->parts; i++)
		if (s->s->part[i].role >= PM_PLOTSERIES_EVENT)
			s->event[s->s->part[i].event * EVENT + s->s->part[i].role -
				 PM_PLOTSERIES_EVENT] = s->reader[i].difference;
	for (size_t i = 0; i < s->s->events; i++) {
		double *x = &s->event[i * EVENT];

		/* The kernel counted only part of the time (multiplexing). */
		x[VALUE] = x[ENABLED] > x[RUNNING]
				   ? x[RUNNING] > 0 ? x[COUNT] * x[ENABLED] / x[RUNNING] : NAN
				   : x[COUNT];
	}
	for (size_t i = 0; i < s->s->events; i++)
		s->event[s->s->events * EVENT + i] = s->event[i * EVENT + VALUE];
	return pm_formula_value(s->s->formula, s->event + s->s->events * EVENT, seconds);
}

/* Add a level; where the sampler thinned it, with its extremes and its mean. */
static void add_level(struct state *s, double from, double to)
{
	size_t values, n, counts;
	double v = add_up(s, PM_PLOTSERIES_VALUE, true, &values);
	double least = add_up(s, PM_PLOTSERIES_LEAST, true, &n), most, sum, count;
	const bool thinned = n == 1 && values == 1;

	if (values == 0) {
		pm_line_gap(s->l);
		return;
	}
	if (s->s->kind == PM_PLOTSERIES_AVERAGE)
		v /= (double)values;
	v *= s->s->factor;
	if (!thinned) {
		pm_line_add(s->l, from, to, v, v, v);
		return;
	}
	most = add_up(s, PM_PLOTSERIES_MOST, true, &n);
	sum = add_up(s, PM_PLOTSERIES_SUM, true, &n);
	count = add_up(s, PM_PLOTSERIES_COUNT, true, &counts);
	least *= s->s->factor;
	most *= s->s->factor;
	sum *= s->s->factor;
	pm_line_add(s->l, from, to, fmin(least, v), counts == 1 && count > 0 ? sum / count : v,
		    fmax(most, v));
}

/* Add a value for the time since the tick before. */
static void add_difference(struct state *s, double from, double to, double seconds)
{
	double sum, rest, v = NAN;
	size_t n;

	switch (s->s->kind) {
	case PM_PLOTSERIES_RATE:
		v = add_up(s, PM_PLOTSERIES_VALUE, false, &n) * s->s->factor / seconds;
		break;
	case PM_PLOTSERIES_SHARE:
		sum = add_up(s, PM_PLOTSERIES_VALUE, false, &n);
		rest = add_up(s, PM_PLOTSERIES_REST, false, &n);
		v = sum + rest > 0 ? 100 * sum / (sum + rest) : NAN;
		break;
	default:
		v = formula_value(s, seconds) * s->s->factor;
	}
	pm_line_add(s->l, from, to, v, v, v);
}

/* Whether a time since the tick before is longer than sampling explains. */
static bool is_gap(struct state *s, double step)
{
	double longest = 0;
	bool gap;

	for (size_t i = 0; i < STEPS && i < s->steps; i++)
		longest = fmax(longest, s->step[i]);
	gap = s->steps >= 2 && step > GAP_STEP * longest;
	if (!gap)
		s->step[s->steps++ % STEPS] = step;
	return gap;
}

static void take_tick(struct state *s, int64_t time_us, int64_t monotonic_us)
{
	const bool level = s->s->kind == PM_PLOTSERIES_TOTAL || s->s->kind == PM_PLOTSERIES_AVERAGE;
	const size_t known = take_values(s, !level);
	const double to = ((double)time_us - (double)s->s->base_us) / 1e6;
	double from = to, seconds;

	/* A clock that was set back shows times that have been. */
	if (s->any && time_us <= s->time_us) {
		s->monotonic_us = INT64_MIN;
		return;
	}
	if (s->any)
		from = ((double)s->time_us - (double)s->s->base_us) / 1e6;
	seconds = to - from;
	if (s->any && s->monotonic_us != INT64_MIN && monotonic_us != INT64_MIN &&
	    (double)monotonic_us > (double)s->monotonic_us)
		seconds = ((double)monotonic_us - (double)s->monotonic_us) / 1e6;
	if (s->any && is_gap(s, to - from)) {
		pm_line_gap(s->l);
		if (level && known)
			add_level(s, to, to);
	} else if (level && known) {
		add_level(s, from, to);
	} else if (known && s->any) {
		add_difference(s, from, to, seconds);
	} else if (s->any || s->why->n) {
		pm_line_gap(s->l);
	}
	s->any = true;
	s->time_us = time_us;
	s->monotonic_us = monotonic_us;
}

/* Read on in a series. Returns 0 or -1 with e filled. */
static int step_reader(struct reader *r, struct pm_err *e)
{
	const int rc = pm_samples_next(r->samples, &r->next, e);

	r->at_end = rc == 0;
	return rc < 0 ? -1 : 0;
}

static int read_ticks(struct state *s, struct pm_err *e)
{
	for (;;) {
		const struct reader *first = NULL;
		int64_t time_us, monotonic_us;

		for (size_t i = 0; i < s->s->parts; i++)
			if (!s->reader[i].at_end &&
			    (!first || s->reader[i].next.time_us < first->next.time_us))
				first = &s->reader[i];
		if (!first)
			return 0;
		time_us = first->next.time_us;
		monotonic_us = first->next.monotonic_us;
		for (size_t i = 0; i < s->s->parts; i++)
			s->reader[i].here =
				!s->reader[i].at_end && s->reader[i].next.time_us == time_us;
		take_tick(s, time_us, monotonic_us);
		for (size_t i = 0; i < s->s->parts; i++)
			if (s->reader[i].here && step_reader(&s->reader[i], e) < 0)
				return -1;
	}
}

int pm_plotseries_read(const struct pm_plotseries *s, struct pm_db *db, int64_t job,
		       struct pm_line *l, struct pm_plotseries_reasons *why, struct pm_err *e)
{
	struct state state = { .s = s, .l = l, .why = why };
	int rc = 0;

	if (s->parts > PM_PLOTSERIES_MAX)
		return pm_err(e, "more than %d series would be added up: name an object",
			      PM_PLOTSERIES_MAX);
	state.reader = calloc(s->parts + 1, sizeof *state.reader);
	state.event = calloc(s->events * (EVENT + 1) + 1, sizeof *state.event);
	if (!state.reader || !state.event)
		rc = pm_err(e, "out of memory");
	for (size_t i = 0; rc == 0 && i < s->parts; i++) {
		state.reader[i].samples = pm_samples_new(db, job, s->part[i].series, e);
		rc = !state.reader[i].samples || step_reader(&state.reader[i], e) < 0 ? -1 : 0;
	}
	if (rc == 0)
		rc = read_ticks(&state, e);
	for (size_t i = 0; state.reader && i < s->parts; i++)
		pm_samples_free(state.reader[i].samples);
	free(state.reader);
	free(state.event);
	return rc;
}
