/* Add up the processes of a job by their set of tags, and write the sums. */
#include "config.h"

#include "db/tagsums.h"

#include "common/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pm_tagfigure pm_tagfigures[PM_TAGSUM_FIGURES] = {
#define SUM                              false
#define PEAK                             true
#define PM_TAGFIGURE(column, unit, kind) [PM_TAGSUM_##column] = { #column, unit, kind },
#include "sql/tagfigures.def"
#undef PM_TAGFIGURE
#undef SUM
#undef PEAK
};

const char pm_tagsums_columns[] = "tag_set, processes, timed, start_us, finish_us"
#define PM_TAGFIGURE(column, unit, kind) ", " #column ", " #column "_known"
#include "sql/tagfigures.def"
#undef PM_TAGFIGURE
				  ", runs";

_Static_assert(PM_TAGSUMS_LEAST == 512 && PM_TAGSUMS_MOST == 1048576 && PM_TAGSUMS_SETS == 4096 &&
		       PM_TAGSUMS_PER_SET == 8,
	       "the help in sql/tables.c says so");

/* Places of the hash table at first, a power of two. */
#define PLACES 64

struct pm_tagsums {
	struct pm_tagsum *sum;
	size_t sums, room;
	uint32_t *place; /* hash table of indexes + 1, half empty at least */
	size_t places;
	int64_t processes;
	size_t last;   /* index of the set that was added to last */
	bool too_many; /* of sets or processes: there are no rows */
};

struct pm_tagsums *pm_tagsums_new(void)
{
	return calloc(1, sizeof(struct pm_tagsums));
}

/* Forget all sums. */
static void clear(struct pm_tagsums *s)
{
	for (size_t i = 0; i < s->sums; i++)
		pm_intervals_free(&s->sum[i].runs);
	free(s->sum);
	free(s->place);
	s->sum = NULL;
	s->place = NULL;
	s->sums = s->room = s->places = s->last = 0;
}

void pm_tagsums_free(struct pm_tagsums *s)
{
	if (!s)
		return;
	clear(s);
	free(s);
}

/* The place of a set in the hash table, or the empty one where it belongs. */
static uint32_t *place_of(struct pm_tagsums *s, int64_t set)
{
	size_t i = (size_t)((uint64_t)set * 0x9e3779b97f4a7c15 >> 32) & (s->places - 1);

	while (s->place[i] && s->sum[s->place[i] - 1].set != set)
		i = (i + 1) & (s->places - 1);
	return &s->place[i];
}

/* Make sure that half of the places are empty. Returns false if out of memory. */
static bool widen(struct pm_tagsums *s)
{
	const size_t places = s->places ? 2 * s->places : PLACES;
	uint32_t *place;

	if (2 * (s->sums + 1) <= s->places)
		return true;
	place = calloc(places, sizeof *place);
	if (!place)
		return false;
	free(s->place);
	s->place = place;
	s->places = places;
	for (size_t i = 0; i < s->sums; i++)
		*place_of(s, s->sum[i].set) = (uint32_t)i + 1;
	return true;
}

/* Find the sums of a set, or begin them. Returns NULL if out of memory. */
static struct pm_tagsum *sum_of(struct pm_tagsums *s, int64_t set)
{
	struct pm_tagsum *sum;
	uint32_t *place;

	/* Processes with the same tags often follow each other. */
	if (s->last < s->sums && s->sum[s->last].set == set)
		return &s->sum[s->last];
	if (!widen(s))
		return NULL;
	place = place_of(s, set);
	if (!*place) {
		if (!PM_GROW(s->sum, s->sums, s->room, 8))
			return NULL;
		sum = &s->sum[s->sums++];
		*sum = (struct pm_tagsum){ .set = set,
					   .start_us = PM_KNOWNSUM_UNKNOWN,
					   .finish_us = PM_KNOWNSUM_UNKNOWN };
		for (size_t i = 0; i < PM_TAGSUM_FIGURES; i++)
			sum->value[i].sum = PM_KNOWNSUM_UNKNOWN;
		*place = (uint32_t)s->sums;
	}
	s->last = *place - 1;
	return &s->sum[s->last];
}

static void add_values(struct pm_knownsum *to, const struct pm_tagsum_process *p)
{
	for (size_t i = 0; i < PM_TAGSUM_FIGURES; i++)
		if (p->value[i] != PM_KNOWNSUM_UNKNOWN)
			pm_knownsum_add(&to[i], p->value[i], pm_tagfigures[i].peak);
}

int pm_tagsums_add(struct pm_tagsums *s, const struct pm_tagsum_process *p)
{
	const bool started = p->start_us != PM_KNOWNSUM_UNKNOWN;
	const bool ended = p->end_us != PM_KNOWNSUM_UNKNOWN;
	struct pm_tagsum *sum;

	if (s->too_many)
		return 0;
	sum = sum_of(s, p->set);
	if (!sum)
		return -1;
	if (++s->processes > PM_TAGSUMS_MOST || s->sums > PM_TAGSUMS_SETS) {
		clear(s);
		s->too_many = true;
		return 0;
	}
	sum->processes++;
	if (started && (sum->start_us == PM_KNOWNSUM_UNKNOWN || p->start_us < sum->start_us))
		sum->start_us = p->start_us;
	/* What is unknown is less than any time. */
	if (p->end_us > sum->finish_us)
		sum->finish_us = p->end_us;
	add_values(sum->value, p);
	if (!started || !ended || !pm_intervals_valid(p->start_us, p->end_us))
		return 0;
	sum->timed++;
	return pm_intervals_add(&sum->runs, p->start_us, p->end_us) ? 0 : -1;
}

static int by_set(const void *a, const void *b)
{
	const struct pm_tagsum *x = a, *y = b;

	return (x->set > y->set) - (x->set < y->set);
}

const struct pm_tagsum *pm_tagsums_rows(struct pm_tagsums *s, size_t *n)
{
	*n = 0;
	if (s->too_many || s->processes < PM_TAGSUMS_LEAST ||
	    s->processes < PM_TAGSUMS_PER_SET * (int64_t)s->sums)
		return NULL;
	*n = s->sums;
	qsort(s->sum, s->sums, sizeof *s->sum, by_set);
	for (size_t i = 0; i < s->sums; i++)
		pm_intervals_merge(&s->sum[i].runs);
	/* Their places have changed. */
	memset(s->place, 0, s->places * sizeof *s->place);
	for (size_t i = 0; i < s->sums; i++)
		*place_of(s, s->sum[i].set) = (uint32_t)i + 1;
	return s->sum;
}

/* NULL is read as 0. */
static int64_t number_of(struct pm_stmt *q, int i)
{
	const int64_t v = pm_db_int(q, i);

	return v || !pm_db_is_null(q, i) ? v : PM_KNOWNSUM_UNKNOWN;
}

/* Take the current row. Returns whether the process has tags. */
static bool take_process(struct pm_tagsum_process *p, struct pm_stmt *q)
{
	p->set = pm_db_int(q, 0);
	p->start_us = number_of(q, 1);
	p->end_us = number_of(q, 2);
	for (int i = 0; i < PM_TAGSUM_FIGURES; i++)
		p->value[i] = number_of(q, 3 + i);
	return !pm_db_is_null(q, 0);
}

int pm_tagsums_query(struct pm_tagsums *s, struct pm_db *db, int64_t job,
		     struct pm_knownsum all[PM_TAGSUM_FIGURES], struct pm_err *e)
{
	static const char sql[] = "SELECT tag_set, start_us, end_us"
#define PM_TAGFIGURE(column, unit, kind) ", " #column
#include "sql/tagfigures.def"
#undef PM_TAGFIGURE
				  " FROM process WHERE job_id = ?";
	struct pm_tagsum_process p;
	struct pm_stmt *q;
	int rc = 0;

	for (size_t i = 0; all && i < PM_TAGSUM_FIGURES; i++)
		all[i] = (struct pm_knownsum){ PM_KNOWNSUM_UNKNOWN, 0 };
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((all || !s->too_many) && (rc = pm_db_step(q, e)) > 0) {
		const bool tagged = take_process(&p, q);

		if (all)
			add_values(all, &p);
		if (tagged && pm_tagsums_add(s, &p) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "add up processes") : 0;
}

static void bind_known(struct pm_stmt *q, int at, int64_t v)
{
	if (v != PM_KNOWNSUM_UNKNOWN)
		pm_db_bind_int(q, at, v);
}

static int write_row(struct pm_stmt *q, int64_t job, const struct pm_tagsum *sum, struct pm_err *e)
{
	uint8_t *runs;
	const int64_t bytes = pm_intervals_encode(&sum->runs, &runs);
	int rc, at = 7;

	if (bytes < 0)
		return pm_err(e, "out of memory");
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, sum->set);
	pm_db_bind_int(q, 3, sum->processes);
	pm_db_bind_int(q, 4, sum->timed);
	bind_known(q, 5, sum->start_us);
	bind_known(q, 6, sum->finish_us);
	for (size_t i = 0; i < PM_TAGSUM_FIGURES; i++) {
		bind_known(q, at++, sum->value[i].sum);
		pm_db_bind_int(q, at++, sum->value[i].known);
	}
	if (bytes)
		pm_db_bind_blob(q, at, runs, (size_t)bytes);
	rc = pm_db_run(q, e);
	free(runs);
	return rc;
}

int pm_tagsums_write(struct pm_tagsums *s, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t n;
	const struct pm_tagsum *sum = pm_tagsums_rows(s, &n);
	int rc = 0;

	if (!n)
		return 0;
	if (pm_db_insert(db, "tag_summary", false, &q, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = write_row(q, job, &sum[i], e);
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write sums of tags") : 0;
}

int pm_tagsums_renew(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_tagsums *s;
	int rc;

	if (pm_db_run_about(db, "DELETE FROM tag_summary WHERE job_id = ?", job, e) < 0)
		return -1;
	/* Most jobs have too few processes, or no tags. */
	rc = pm_db_run_about(db,
			     "SELECT 1 FROM job j WHERE id = ? AND processes >= 512 AND EXISTS "
			     "(SELECT 1 FROM tag_set t WHERE t.job_id = j.id AND t.id > 0)",
			     job, e);
	if (rc <= 0)
		return rc;
	s = pm_tagsums_new();
	rc = s ? pm_tagsums_query(s, db, job, NULL, e) : pm_err(e, "out of memory");
	if (rc == 0)
		rc = pm_tagsums_write(s, db, job, e);
	pm_tagsums_free(s);
	return rc;
}
