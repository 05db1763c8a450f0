/* Totals of series, as sums over their blocks. */
#include "config.h"

#include "db/seriestotal.h"

#include <stdio.h>

void pm_seriestotal_add(struct pm_seriestotal *to, const struct pm_seriestotal *block)
{
	bool none = to->samples == 0;

	if (block->known > 0) {
		bool first = to->known == 0;

		to->minimum = first || block->minimum < to->minimum ? block->minimum : to->minimum;
		to->maximum = first || block->maximum > to->maximum ? block->maximum : to->maximum;
		to->known += block->known;
		/* A sum of values could exceed the range of their mean. */
		to->mean += (block->mean - to->mean) * ((double)block->known / (double)to->known);
	}
	to->begin_us = none || block->begin_us < to->begin_us ? block->begin_us : to->begin_us;
	to->end_us = none || block->end_us > to->end_us ? block->end_us : to->end_us;
	to->samples += block->samples;
}

const char pm_seriestotal_columns[] = "samples, known, begin_us, end_us, minimum, maximum, mean";

struct pm_seriestotal pm_seriestotal_take(struct pm_stmt *q, int at)
{
	return (struct pm_seriestotal){
		.samples = pm_db_int(q, at),
		.known = pm_db_int(q, at + 1),
		.begin_us = pm_db_int(q, at + 2),
		.end_us = pm_db_int(q, at + 3),
		.minimum = pm_db_int(q, at + 4),
		.maximum = pm_db_int(q, at + 5),
		.mean = pm_db_real(q, at + 6),
	};
}

int pm_seriestotal_write(struct pm_stmt *q, int64_t job, int64_t series,
			 const struct pm_seriestotal *t, struct pm_err *e)
{
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, series);
	pm_db_bind_int(q, 3, t->samples);
	pm_db_bind_int(q, 4, t->known);
	pm_db_bind_int(q, 5, t->begin_us);
	pm_db_bind_int(q, 6, t->end_us);
	if (t->known > 0) {
		pm_db_bind_int(q, 7, t->minimum);
		pm_db_bind_int(q, 8, t->maximum);
		pm_db_bind_real(q, 9, t->mean);
	}
	return pm_db_run(q, e);
}

int pm_seriestotals_begin(struct pm_seriestotals *s, struct pm_db *db, int64_t job,
			  struct pm_err *e)
{
	char sql[224];

	snprintf(sql, sizeof sql,
		 "SELECT job_id, series_id, %s FROM sample_block%s ORDER BY job_id, series_id, id",
		 pm_seriestotal_columns, job ? " WHERE job_id = ?" : "");
	if (pm_db_prepare(db, sql, &s->blocks, e) < 0)
		return -1;
	if (job)
		pm_db_bind_int(s->blocks, 1, job);
	s->has = pm_db_step(s->blocks, e);
	if (s->has >= 0)
		return 0;
	pm_db_finish(s->blocks);
	return -1;
}

int pm_seriestotals_next(struct pm_seriestotals *s, int64_t *job, int64_t *series,
			 struct pm_seriestotal *t, struct pm_err *e)
{
	if (s->has <= 0)
		return s->has;
	*job = pm_db_int(s->blocks, 0);
	*series = pm_db_int(s->blocks, 1);
	*t = (struct pm_seriestotal){ .samples = 0 };
	do {
		struct pm_seriestotal block = pm_seriestotal_take(s->blocks, 2);

		pm_seriestotal_add(t, &block);
		s->has = pm_db_step(s->blocks, e);
	} while (s->has > 0 && pm_db_int(s->blocks, 0) == *job &&
		 pm_db_int(s->blocks, 1) == *series);
	return s->has < 0 ? -1 : 1;
}

void pm_seriestotals_end(struct pm_seriestotals *s)
{
	pm_db_finish(s->blocks);
}

int pm_seriestotal_fill(struct pm_db *db, struct pm_err *e)
{
	struct pm_seriestotals all;
	struct pm_seriestotal total;
	struct pm_stmt *q = NULL;
	int64_t job, series;
	int rc = pm_seriestotals_begin(&all, db, 0, e);

	if (rc < 0)
		return -1;
	rc = pm_db_insert(db, "series_summary", false, &q, e);
	while (rc == 0 && (rc = pm_seriestotals_next(&all, &job, &series, &total, e)) > 0)
		rc = pm_seriestotal_write(q, job, series, &total, e);
	pm_db_finish(q);
	pm_seriestotals_end(&all);
	return rc;
}
