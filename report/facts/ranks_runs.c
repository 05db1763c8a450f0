/* Sums of ranks, and the runs of parallel programs that they belong to. */
#include "config.h"

#include "report/facts/ranks_sums.h"

#include "common/grow.h"
#include "report/print/format.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t pm_ranks_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == PM_UNKNOWN || b == PM_UNKNOWN)
		return a == PM_UNKNOWN ? b : a;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void pm_ranks_sums_init(struct pm_ranks_sums *s)
{
	s->start_us = s->end_us = PM_UNKNOWN;
	for (int k = 0; k < PM_RANKS_FIGURES; k++)
		s->value[k] = PM_UNKNOWN;
	memset(s->incomplete, 0, sizeof s->incomplete);
}

void pm_ranks_sums_add(struct pm_ranks_sums *to, const struct pm_ranks_sums *s)
{
	for (int k = 0; k < PM_RANKS_FIGURES; k++) {
		to->incomplete[k] |= s->incomplete[k] || s->value[k] == PM_UNKNOWN;
		if (k != PM_RANKS_RSS)
			to->value[k] = pm_ranks_sum(to->value[k], s->value[k]);
	}
	if (s->value[PM_RANKS_RSS] > to->value[PM_RANKS_RSS])
		to->value[PM_RANKS_RSS] = s->value[PM_RANKS_RSS];
	if (s->start_us != PM_UNKNOWN && (to->start_us == PM_UNKNOWN || s->start_us < to->start_us))
		to->start_us = s->start_us;
	if (s->end_us > to->end_us)
		to->end_us = s->end_us;
	to->value[PM_RANKS_WALL] = PM_UNKNOWN;
	if (to->start_us != PM_UNKNOWN && to->end_us != PM_UNKNOWN)
		to->value[PM_RANKS_WALL] = pm_format_since(to->end_us, to->start_us);
}

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int pm_ranks_count(void **tree, int64_t number, int64_t *count)
{
	int64_t *new;

	if (tfind(&number, tree, by_number))
		return 0;
	new = malloc(sizeof *new);
	if (!new)
		return -1;
	*new = number;
	if (!tsearch(new, tree, by_number)) {
		free(new);
		return -1;
	}
	++*count;
	return 0;
}

void pm_ranks_add(struct pm_ranks_spread *s, int64_t value, int64_t at)
{
	const double v = (double)value;

	if (value == PM_UNKNOWN)
		return;
	if (s->known == 0 || v < s->least) {
		s->least = v;
		s->least_at = at;
	}
	if (s->known == 0 || v > s->most) {
		s->most = v;
		s->most_at = at;
	}
	s->mean += (v - s->mean) / (double)++s->known;
}

double pm_ranks_imbalance(const struct pm_ranks_spread *s)
{
	return s->known > 1 && s->most > 0 ? (s->most - s->mean) / s->most : NAN;
}

const struct pm_ranks_run *pm_ranks_uneven(const struct pm_ranks *r)
{
	const struct pm_ranks_run *worst = NULL;
	double most = -1;

	for (size_t i = 0; r && i < r->runs; i++) {
		const struct pm_ranks_spread *cpu = &r->run[i].spread[PM_RANKS_CPU];

		if (isnan(r->run[i].imbalance) || !(cpu->most - cpu->mean > most))
			continue;
		most = cpu->most - cpu->mean;
		worst = &r->run[i];
	}
	return worst;
}

/* --- runs ---------------------------------------------------------------------------------------
 */

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_process(const void *a, const void *b)
{
	const struct pm_ranks_member *x = a, *y = b;
	int c = compare(x->host, y->host);

	c = c ? c : compare(x->pid, y->pid);
	c = c ? c : compare(x->starttime, y->starttime);
	c = c ? c : compare(x->rank, y->rank);
	return c ? c : compare(x->sums.start_us, y->sums.start_us);
}

static int by_program(const struct pm_ranks_member *x, const struct pm_ranks_member *y)
{
	int c = compare((int64_t)x->step, (int64_t)y->step);

	c = c ? c : strcmp(x->label, y->label);
	return c ? c : compare(x->size, y->size);
}

static int by_rank(const void *a, const void *b)
{
	const struct pm_ranks_member *x = a, *y = b;
	int c = by_program(x, y);

	c = c ? c : compare(x->rank, y->rank);
	c = c ? c : compare(x->sums.start_us, y->sums.start_us);
	return c ? c : compare(x->pid, y->pid);
}

static int by_run(const void *a, const void *b)
{
	const struct pm_ranks_member *x = a, *y = b;
	int c = by_program(x, y);

	c = c ? c : compare((int64_t)x->run, (int64_t)y->run);
	return c ? c : compare(x->rank, y->rank);
}

/* Make one member of the images of a process, with the label of the last. Returns their new number.
 */
static size_t join_images(struct pm_ranks_member *member, size_t members)
{
	size_t n = 0;

	qsort(member, members, sizeof *member, by_process);
	for (size_t i = 0; i < members; i++) {
		struct pm_ranks_member *last = n ? &member[n - 1] : NULL, *m = &member[i];

		if (last && m->pid != PM_UNKNOWN && last->host == m->host && last->pid == m->pid &&
		    last->starttime == m->starttime && last->rank == m->rank) {
			pm_ranks_sums_add(&last->sums, &m->sums);
			memcpy(last->label, m->label, sizeof last->label);
			continue;
		}
		if (&member[n] != m)
			member[n] = *m;
		n++;
	}
	return n;
}

/* Of the processes of a program with the same rank, each is of another run, in order of starts. */
static void number_runs(struct pm_ranks_member *member, size_t members)
{
	qsort(member, members, sizeof *member, by_rank);
	for (size_t i = 1; i < members; i++) {
		struct pm_ranks_member *last = &member[i - 1], *m = &member[i];

		if (by_program(last, m) == 0 && last->rank == m->rank)
			m->run = last->run + 1;
	}
	qsort(member, members, sizeof *member, by_run);
}

/* A figure of a rank: unknown where it is of one of its processes, save the time from start to end.
 */
static int64_t figure_of(const struct pm_ranks_member *m, int k)
{
	return k != PM_RANKS_WALL && m->sums.incomplete[k] ? PM_UNKNOWN : m->sums.value[k];
}

/* Make a run of n members. Returns 0, or -1 if out of memory. */
static int make_run(const struct pm_ranks_member *m, size_t n, struct pm_ranks_run *run)
{
	struct pm_ranks_sums all;
	void *hosts = NULL;
	int rc = 0;

	memset(run, 0, sizeof *run);
	pm_ranks_sums_init(&all);
	snprintf(run->label, sizeof run->label, "%s", m->label);
	memcpy(run->step, m->step_name, sizeof run->step);
	run->ranks = (int64_t)n;
	run->size = m->size;
	for (size_t i = 0; i < n && rc == 0; i++) {
		pm_ranks_sums_add(&all, &m[i].sums);
		for (int k = 0; k < PM_RANKS_FIGURES; k++)
			pm_ranks_add(&run->spread[k], figure_of(&m[i], k), m[i].rank);
		rc = pm_ranks_count(&hosts, m[i].host, &run->hosts);
	}
	tdestroy(hosts, free);
	for (size_t i = 0; i < n; i++)
		if (m[i].rank == run->spread[PM_RANKS_CPU].most_at)
			run->busiest_host = m[i].host;
	run->start_us = all.start_us;
	run->end_us = all.end_us;
	run->imbalance = run->spread[PM_RANKS_CPU].known < run->ranks
				 ? NAN
				 : pm_ranks_imbalance(&run->spread[PM_RANKS_CPU]);
	run->cost_us = run->spread[PM_RANKS_WALL].known
			       ? run->imbalance * run->spread[PM_RANKS_WALL].most
			       : NAN;
	return rc;
}

static int runs_by_start(const void *a, const void *b)
{
	const struct pm_ranks_run *x = a, *y = b;
	int c = compare(x->start_us, y->start_us);

	return c ? c : strcmp(x->label, y->label);
}

int pm_ranks_make_runs(struct pm_ranks *r, struct pm_ranks_member *member, size_t members)
{
	size_t room = 0;

	if (members == 0)
		return 0;
	members = join_images(member, members);
	number_runs(member, members);
	for (size_t i = 0, n; i < members; i += n) {
		const struct pm_ranks_member *first = &member[i];

		for (n = 1; i + n < members && by_program(first, first + n) == 0 &&
			    first[n].run == first->run;)
			n++;
		if (n < 2)
			continue;
		if (r->runs == PM_RANKS_RUNS) {
			r->runs_cut = true;
			break;
		}
		if (!PM_GROW(r->run, r->runs, room, 4) || make_run(first, n, &r->run[r->runs]) < 0)
			return -1;
		r->runs++;
	}
	if (r->runs)
		qsort(r->run, r->runs, sizeof *r->run, runs_by_start);
	return 0;
}
