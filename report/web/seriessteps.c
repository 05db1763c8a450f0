/* Series of samples as steps of a page's time. */
#include "config.h"

#include "report/web/seriessteps.h"

#include "db/samples.h"
#include "report/print/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A sample's value holds until the next one, but no longer than this many usual intervals. */
#define HOLD 2.5

static int reason_number(struct pm_seriessteps *p, const char *text)
{
	for (int i = 0; i < p->reasons; i++)
		if (strcmp(p->reason[i], text) == 0)
			return i + 1;
	if (p->reasons == PM_SERIESSTEPS_REASONS)
		return PM_SERIESSTEPS_REASONS;
	snprintf(p->reason[p->reasons], sizeof p->reason[0], "%s", text);
	return ++p->reasons;
}

/* Add a value that holds from one time to another. */
static void add_value(struct pm_seriessteps *p, double from, double to, double value)
{
	pm_stepline_add(&p->line, from, to, value, value, value);
}

/* The rise of a counter per second, in the shown unit. */
static double rate_of(const struct pm_series *s, double rise, double us)
{
	return rise * 1e6 / us * s->factor;
}

static double since(const struct pm_seriessteps *p, int64_t time_us)
{
	return (double)time_us - (double)p->start_us;
}

/* Add what a sample says. */
static void add_sample(struct pm_seriessteps *p, const struct pm_series *s,
		       const struct pm_sample *last, const struct pm_sample *x, double usual)
{
	double from = since(p, last->time_us), to = since(p, x->time_us);

	if (!(to > from))
		return;
	if (!last->known || (s->counter && !x->known)) {
		const char *why = last->known ? x->reason : last->reason;

		pm_stepline_unknown(&p->line, from, to, reason_number(p, why ? why : "unknown"));
	} else if (!s->counter) {
		add_value(p, from, fmin(to, from + HOLD * usual), (double)last->value * s->factor);
	} else if (x->value >= last->value) {
		add_value(p, from, to,
			  rate_of(s, (double)x->value - (double)last->value, to - from));
	} else {
		pm_stepline_unknown(&p->line, from, to, reason_number(p, "reset"));
	}
}

static int read_samples(struct pm_seriessteps *p, const struct pm_series *s, struct pm_err *e)
{
	struct pm_samples *r = pm_samples_new(p->db, p->job, s->id, e);
	double usual = s->samples > 1 ? ((double)s->end_us - (double)s->begin_us) /
						(double)(s->samples - 1)
				      : p->line.step_us;
	struct pm_sample x, last = { 0 };
	bool any = false;
	int rc;

	if (!r)
		return -1;
	while ((rc = pm_samples_next(r, &x, e)) > 0) {
		if (any)
			add_sample(p, s, &last, &x, usual);
		last = x;
		/* The reason lives in the block. */
		if (x.reason)
			last.reason = p->reason[reason_number(p, x.reason) - 1];
		any = true;
	}
	/* The last value of a gauge holds as long as the others. */
	if (rc == 0 && any && !s->counter) {
		x = last;
		x.time_us = pm_format_since(last.time_us, -(int64_t)fmin(usual, 1e15));
		add_sample(p, s, &last, &x, usual);
	}
	pm_samples_free(r);
	return rc;
}

/* Add a block of a gauge, or what a counter rose from its first value to that of the next one. */
static int read_blocks(struct pm_seriessteps *p, const struct pm_series *s, struct pm_err *e)
{
	double last_first = 0, last_begin = 0, last_end = 0, last_most = 0;
	bool any = false;
	int rc;

	pm_db_reset(p->blocks);
	pm_db_bind_int(p->blocks, 1, p->job);
	pm_db_bind_int(p->blocks, 2, s->id);
	while ((rc = pm_db_step(p->blocks, e)) > 0) {
		double begin = since(p, pm_db_int(p->blocks, 0)),
		       end = since(p, pm_db_int(p->blocks, 1));
		double first = (double)pm_db_int(p->blocks, 3), mean = pm_db_real(p->blocks, 6);

		if (pm_db_int(p->blocks, 2) == 0) {
			pm_stepline_unknown(&p->line, begin, end, reason_number(p, "unknown"));
			any = false;
			continue;
		}
		if (!s->counter) {
			pm_stepline_add(&p->line, begin, end, mean * s->factor,
					(double)pm_db_int(p->blocks, 4) * s->factor,
					(double)pm_db_int(p->blocks, 5) * s->factor);
		} else if (any && first >= last_first && begin > last_begin) {
			add_value(p, last_begin, begin,
				  rate_of(s, first - last_first, begin - last_begin));
		}
		last_first = first;
		last_begin = begin;
		last_end = end;
		last_most = (double)pm_db_int(p->blocks, 5);
		any = true;
	}
	if (rc == 0 && any && s->counter && last_end > last_begin && last_most >= last_first)
		add_value(p, last_begin, last_end,
			  rate_of(s, last_most - last_first, last_end - last_begin));
	return rc;
}

int pm_seriessteps_use_blocks(struct pm_seriessteps *p, struct pm_err *e)
{
	return pm_db_prepare(p->db,
			     "SELECT begin_us, end_us, known, first, minimum, maximum, mean"
			     " FROM sample_block WHERE job_id = ? AND series_id = ? ORDER BY id",
			     &p->blocks, e);
}

void pm_seriessteps_end(struct pm_seriessteps *p)
{
	pm_db_finish(p->blocks);
	p->blocks = NULL;
}

int pm_seriessteps_read(struct pm_seriessteps *p, const struct pm_series *s, struct pm_err *e)
{
	pm_stepline_clear(&p->line);
	p->reasons = 0;
	return p->blocks ? read_blocks(p, s, e) : read_samples(p, s, e);
}

const char *pm_seriessteps_reason(const struct pm_seriessteps *p, int reason)
{
	return p->reason[reason - 1];
}
