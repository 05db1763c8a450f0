/*
 * Facts of a job: the phases that it marked. The samples of a host's processes are read into arrays
 * over time, and each phase of the host is measured from its part of the arrays.
 */
#include "config.h"

#include "report/query/query.h"

#include "common/text.h"
#include "report/rows/processticks.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values over time, sorted by time; all are known. */
struct line {
	int64_t *time_us;
	double *value;
	size_t n, cap;
	double *tree; /* segment tree of maxima, see largest_in() */
};

/* The data from which the phases of one host are measured. */
struct host {
	int64_t id;
	struct line cpu;    /* us of CPU time */
	struct line memory; /* bytes */
	struct line starts; /* start times of processes; the values are unused */
};

/* What all hosts are measured from, read in their order. */
struct hosts {
	struct pm_process_ticks *ticks; /* NULL: not begun */
	struct pm_stmt *starts;         /* host and time, by both */
	int more;                       /* it has a row */
};

static void free_line(struct line *l)
{
	free(l->time_us);
	free(l->value);
	free(l->tree);
	memset(l, 0, sizeof *l);
}

static int add_point(struct line *l, int64_t time_us, double value, struct pm_err *e)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 256;
		int64_t *t = realloc(l->time_us, cap * sizeof *t);
		double *v;

		if (t)
			l->time_us = t;
		v = t ? realloc(l->value, cap * sizeof *v) : NULL;
		if (!v)
			return pm_err(e, "out of memory");
		l->value = v;
		l->cap = cap;
	}
	l->time_us[l->n] = time_us;
	l->value[l->n++] = value;
	return 0;
}

/* Number of points before time_us; with `equal` also points at time_us. */
static size_t count_before(const struct line *l, int64_t time_us, bool equal)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->time_us[mid] < time_us || (equal && l->time_us[mid] == time_us))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The value of a counter at a time, interpolated between two samples; before the first and after
 * the last sample it is constant. */
static double value_at(const struct line *l, int64_t time_us)
{
	size_t i = count_before(l, time_us, false);
	double step, part;

	if (i == 0)
		return l->value[0];
	if (i == l->n)
		return l->value[l->n - 1];
	step = (double)l->time_us[i] - (double)l->time_us[i - 1];
	part = (double)time_us - (double)l->time_us[i - 1];
	return l->value[i - 1] + (l->value[i] - l->value[i - 1]) * (part / step);
}

/*
 * CPU time of a phase. NaN where the samples do not cover it. A tenth of the phase, or two sampling
 * periods, may be missing, since the sampler begins late and ends early.
 */
static double cpu_time_of(const struct line *l, int64_t from, int64_t to)
{
	double usual, missing = 0, length = (double)to - (double)from;

	if (l->n < 2 || to < from)
		return NAN;
	usual = ((double)l->time_us[l->n - 1] - (double)l->time_us[0]) / (double)(l->n - 1);
	if (from < l->time_us[0])
		missing = (double)l->time_us[0] - (double)from;
	if (to > l->time_us[l->n - 1])
		missing += (double)to - (double)l->time_us[l->n - 1];
	if (missing > fmax(2 * usual, 0.1 * length) || missing > length)
		return NAN;
	return value_at(l, to) - value_at(l, from);
}

/* Build the segment tree: nodes n to 2n-1 are the values, and every other node is the larger of its
 * two children. */
static int build_tree(struct line *l, struct pm_err *e)
{
	if (l->n == 0)
		return 0;
	l->tree = calloc(2 * l->n, sizeof l->tree[0]);
	if (!l->tree)
		return pm_err(e, "out of memory");
	memcpy(l->tree + l->n, l->value, l->n * sizeof l->value[0]);
	for (size_t i = l->n - 1; i > 0; i--)
		l->tree[i] = fmax(l->tree[2 * i], l->tree[2 * i + 1]);
	return 0;
}

/* The largest sample between two times; NaN for a phase between two samples. */
static double largest_in(const struct line *l, int64_t from, int64_t to)
{
	size_t a = count_before(l, from, false) + l->n, b = count_before(l, to, true) + l->n;
	double most = NAN;

	for (; l->tree && a < b; a /= 2, b /= 2) {
		if (a & 1)
			most = fmax(most, l->tree[a++]);
		if (b & 1)
			most = fmax(most, l->tree[--b]);
	}
	return most;
}

static int take_tick(void *ctx, const struct pm_process_tick *t, struct pm_err *e)
{
	const double memory[] = { t->memory, t->most_memory };
	struct host *h = ctx;

	for (int i = 0; i < 2; i++)
		if (!isnan(memory[i]) && add_point(&h->memory, t->time_us, memory[i], e) < 0)
			return -1;
	if (isnan(t->user_us) || isnan(t->system_us))
		return 0;
	/* A restarted sampler counts from the start of its root process. */
	if (h->cpu.n && t->system_us + t->user_us < h->cpu.value[h->cpu.n - 1])
		h->cpu.n = 0;
	return add_point(&h->cpu, t->time_us, t->system_us + t->user_us, e);
}

static int read_samples(struct pm_process_ticks *ticks, struct host *h, struct pm_err *e)
{
	return pm_process_ticks_read(ticks, h->id, take_tick, h, e) < 0 ? -1
									: build_tree(&h->memory, e);
}

/* Begin to read what the hosts are measured from. Returns 0, or -1 with e filled. */
static int begin_hosts(struct hosts *s, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] = "SELECT host_id, start_us FROM process WHERE job_id = ? "
				  "AND start_us IS NOT NULL"
				  " AND COALESCE(generation, 0) = 0 ORDER BY host_id, start_us";

	s->ticks = pm_process_ticks_new(db, job, e);
	if (!s->ticks || pm_query_prepare(db, sql, job, &s->starts, e) < 0)
		return -1;
	s->more = pm_db_step(s->starts, e);
	return s->more < 0 ? -1 : 0;
}

/* Take the starts of a host; hosts come in their order, and their processes are read once. */
static int read_starts(struct hosts *s, struct host *h, struct pm_err *e)
{
	for (; s->more > 0 && pm_db_int(s->starts, 0) <= h->id; s->more = pm_db_step(s->starts, e))
		if (pm_db_int(s->starts, 0) == h->id &&
		    add_point(&h->starts, pm_db_int(s->starts, 1), 0, e) < 0)
			return -1;
	return s->more < 0 ? -1 : 0;
}

static int read_host(struct hosts *s, int64_t id, struct host *h, struct pm_err *e)
{
	free_line(&h->cpu);
	free_line(&h->memory);
	free_line(&h->starts);
	h->id = id;
	return read_samples(s->ticks, h, e) < 0 ? -1 : read_starts(s, h, e);
}

/* Find the mark with a name, or add it; NULL if there is no room. */
static struct pm_fact_mark *find_mark(struct pm_facts *f, const char *name)
{
	struct pm_fact_mark *m;

	for (size_t i = 0; i < f->marks; i++)
		if (strcmp(f->mark[i].name, name) == 0)
			return &f->mark[i];
	if (f->marks == PM_FACTS_MARKS) {
		f->marks_cut = true;
		return NULL;
	}
	m = &f->mark[f->marks++];
	memset(m, 0, sizeof *m);
	snprintf(m->name, sizeof m->name, "%s", name);
	m->longest_us = m->first_us = PM_UNKNOWN;
	m->processes = f->retired ? PM_UNKNOWN : 0;
	m->memory = NAN;
	return m;
}

/* Add the figures of one phase. A time or a number of processes that is unknown for one phase is
 * unknown for all phases with its name. */
static void add_phase(struct pm_fact_mark *m, const struct host *h, int64_t begin_us,
		      int64_t end_us, int64_t duration_us, bool ended)
{
	bool known = begin_us != PM_UNKNOWN && end_us != PM_UNKNOWN;
	double memory;

	m->times++;
	m->unended += !ended;
	if (begin_us != PM_UNKNOWN && (m->first_us == PM_UNKNOWN || begin_us < m->first_us))
		m->first_us = begin_us;
	m->wall_us = m->wall_us == PM_UNKNOWN || duration_us == PM_UNKNOWN
			     ? PM_UNKNOWN
			     : pm_format_add(m->wall_us, duration_us);
	if (duration_us > m->longest_us)
		m->longest_us = duration_us;
	m->cpu_us += known ? cpu_time_of(&h->cpu, begin_us, end_us) : NAN;
	if (!known) {
		m->processes = PM_UNKNOWN;
		return;
	}
	if (m->processes != PM_UNKNOWN && end_us >= begin_us)
		m->processes += (int64_t)(count_before(&h->starts, end_us, true) -
					  count_before(&h->starts, begin_us, false));
	memory = largest_in(&h->memory, begin_us, end_us);
	if (!(m->memory >= memory) && !isnan(memory))
		m->memory = memory;
}

int pm_query_marks(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT host_id, name, begin_us, end_us, duration_us, ended FROM phase"
		" WHERE job_id = ? ORDER BY host_id, id";
	struct hosts hosts = { .ticks = NULL };
	struct host h = { .id = -1 };
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_fact_mark *m;
		char name[PM_PROCESSNAME_MAX];

		/* Most jobs mark nothing. */
		if ((!hosts.ticks && begin_hosts(&hosts, db, job, e) < 0) ||
		    (pm_db_int(q, 0) != h.id && read_host(&hosts, pm_db_int(q, 0), &h, e) < 0)) {
			rc = -1;
			break;
		}
		pm_text_field(name, sizeof name, pm_db_text(q, 1, NULL), utf8);
		m = find_mark(f, name);
		if (m)
			add_phase(m, &h, pm_query_int(q, 2), pm_query_int(q, 3), pm_query_int(q, 4),
				  pm_db_int(q, 5) != 0);
	}
	pm_db_finish(q);
	pm_process_ticks_free(hosts.ticks);
	pm_db_finish(hosts.starts);
	free_line(&h.cpu);
	free_line(&h.memory);
	free_line(&h.starts);
	return rc;
}
