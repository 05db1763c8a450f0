/* The series of a job for a page. */
#include "config.h"

#include "report/web/webseries.h"

#include "common/grow.h"
#include "common/text.h"
#include "report/print/jsonvalue.h"
#include "report/rows/query_row.h"
#include "report/web/seriessteps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of the grid: more are finer than screens are. */
#define STEPS_MOST  1000
#define STEPS_LEAST 60

/* Values of all series together that a page takes. */
#define VALUES_MOST 6e6

/* Series that a page takes, or more where the figures of all nodes are: beyond it, those of single
 * CPUs and details are left out, and figures of nodes come first. */
#define SERIES_MOST 4000

/* Samples of a job up to which each is read; beyond it blocks of them are. */
#define SAMPLES_MOST 10000000

/* Values are rounded to this part of the largest. */
#define LEVELS 20000

/* Shown units of the units of series: of gauges, and of the rates of counters. */
static const struct unit {
	const char *unit, *kind, *shown;
	double factor;
} units[] = {
	{ "us", "counter", "CPUs", 1e-6 },
	{ "ns", "counter", "CPUs", 1e-9 },
	{ "uJ", "counter", "W", 1e-6 },
	{ "n", "counter", "/s", 1 },
	{ "B", "counter", "B/s", 1 },
	{ "0.01%", "gauge", "%", 0.01 },
	{ "uW", "gauge", "W", 1e-6 },
	{ "n", "gauge", "", 1 },
	{ "mC", "gauge",
	  "\xc2\xb0"
	  "C",
	  0.001 },
};

/* Sources whose series are details where there are too many. */
static const char *const detailed[] = { "vmstat", "taskstats", "programs", "interrupts", "tcp" };

/* The figures by which nodes are compared: series of whole nodes. */
static const struct node_figure {
	const char *source, *metric, *title;
} node_figures[] = {
	{ "cpu", "busy", "CPUs busy" },
	{ "memory", "used", "Memory used" },
	{ "disk", "read_bytes", "Read from disks" },
	{ "disk", "write_bytes", "Written to disks" },
	{ "network", "rx_bytes", "Received from the network" },
	{ "network", "tx_bytes", "Sent to the network" },
	{ "lustre", "read_bytes", "Read from Lustre" },
	{ "lustre", "write_bytes", "Written to Lustre" },
	{ "pm_counters", "power", "Power" },
	{ "cpu", "running", "Runnable threads" },
};

#define NODE_FIGURES (sizeof node_figures / sizeof node_figures[0])

/* What a CPU does when it is busy: together they are the figure "busy" of a node. */
static const char *const busy[] = { "user", "nice", "system", "irq", "softirq" };

#define BUSY (sizeof busy / sizeof busy[0])

/* Which series a pass reads: all, or where there are too many the figures of nodes, then the rest.
 */
enum part { ALL, FIGURES, REST };

struct pass {
	struct pm_webseries *w;
	struct pm_db *db;
	const struct pm_facts *f;
	enum part part;
	size_t most;                 /* series that the page takes */
	struct pm_seriessteps steps; /* of the series being read */
	/* CPUs busy on a host, in steps: the sum of the parts read so far. */
	struct pm_stepline busy;
	int64_t busy_host;
	size_t busy_parts;
};

/* Totals of a series over its steps. */
struct totals {
	double least, mean, most; /* of the known steps; NAN: none */
	bool constant;            /* all known steps have one value */
	bool band;                /* a step has different values */
	bool whole;               /* all means are integers */
};

static struct totals add_up(const struct pm_stepline *l)
{
	struct totals t = { NAN, NAN, NAN, true, false, true };
	double sum = 0, us = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct pm_step *s = &l->step[i];
		const double mean = pm_stepline_mean(s);

		if (isnan(mean))
			continue;
		t.least = us > 0 ? fmin(t.least, s->least) : s->least;
		t.most = us > 0 ? fmax(t.most, s->most) : s->most;
		t.band |= s->most > s->least;
		t.whole &= mean == floor(mean);
		sum += s->sum;
		us += s->us;
	}
	if (us > 0)
		t.mean = fmin(fmax(sum / us, t.least), t.most);
	t.constant = !(t.most > t.least);
	return t;
}

/* What one step of the integers in the page stands for. */
static double scale_of(const struct totals *t)
{
	double most = fmax(fabs(t->least), fabs(t->most));

	return t->whole && !t->band && most <= LEVELS ? 1 : most / LEVELS;
}

static void add_rounded(struct pm_column *c, const struct pm_step *s, double value, double scale)
{
	pm_column_add(c, s->us > 0 ? (int64_t)round(value / scale) : PM_UNKNOWN);
}

/* Code the steps: means, and where they differ, the least and the largest. */
static struct pm_column *code_steps(const struct pm_stepline *l, const struct totals *t,
				    double scale, struct pm_err *e)
{
	struct pm_column *c = pm_column_new(PM_COLUMN_DELTA, NULL);

	if (!c) {
		pm_err(e, "out of memory");
		return NULL;
	}
	for (size_t i = 0; i < l->n; i++)
		add_rounded(c, &l->step[i], pm_stepline_mean(&l->step[i]), scale);
	for (size_t i = 0; i < l->n && t->band; i++)
		add_rounded(c, &l->step[i], l->step[i].least, scale);
	for (size_t i = 0; i < l->n && t->band; i++)
		add_rounded(c, &l->step[i], l->step[i].most, scale);
	if (pm_column_finish(c, e) < 0) {
		pm_column_free(c);
		return NULL;
	}
	return c;
}

/* The steps of which nothing is known, as an array of runs: [step, steps, reason]. */
static json_t *list_gaps(const struct pass *p, const struct pm_stepline *l)
{
	json_t *gaps = json_array();
	size_t i = 0;

	while (i < l->n) {
		size_t from = i;

		if (l->step[i].us > 0) {
			i++;
			continue;
		}
		while (i < l->n && !(l->step[i].us > 0) &&
		       l->step[i].reason == l->step[from].reason)
			i++;
		json_array_append_new(
			gaps,
			json_pack("[I, I, s]", (json_int_t)from, (json_int_t)(i - from),
				  l->step[from].reason
					  ? pm_seriessteps_reason(&p->steps, l->step[from].reason)
					  : "not sampled"));
	}
	return gaps;
}

static json_t *describe(struct pass *p, const struct pm_series *s, const struct pm_stepline *line,
			const struct totals *t, double scale, const char *id)
{
	char metric[128], object[256], source[64], unit[64], kind[64], title[512];

	pm_text_safe(unit, sizeof unit, s->unit, strlen(s->unit), true);
	pm_text_safe(kind, sizeof kind, s->kind, strlen(s->kind), true);
	pm_text_safe(source, sizeof source, s->source, strlen(s->source), true);
	pm_text_safe(metric, sizeof metric, s->metric, strlen(s->metric), true);
	pm_text_safe(object, sizeof object, s->object, strlen(s->object), true);
	snprintf(title, sizeof title, "%s%s%s", metric, *object ? " " : "", object);
	return json_pack("{sI ss ss ss ss ss ss ss sf sb ss? so so so so}", "host",
			 (json_int_t)pm_facts_host_index(p->f, s->host), "source", source, "metric",
			 metric, "object", object, "unit", unit, "kind", kind, "title", title,
			 "unit_shown", s->shown, "scale", scale, "band", t->band, "id", id, "gaps",
			 list_gaps(p, line), "min", pm_json_real(t->least), "mean",
			 pm_json_real(t->mean), "max", pm_json_real(t->most));
}

/* The number of the figure by which nodes are compared that a series is, or -1. */
static int figure_of(const struct pm_series *s)
{
	for (size_t i = 0; i < NODE_FIGURES && !*s->object; i++)
		if (strcmp(node_figures[i].source, s->source) == 0 &&
		    strcmp(node_figures[i].metric, s->metric) == 0)
			return (int)i;
	return -1;
}

/* Note that a series, the last one so far, is a figure by which nodes are compared. */
static void note_figure(struct pass *p, const struct pm_series *s)
{
	const int64_t host = pm_facts_host_index(p->f, s->host);
	const int figure = figure_of(s);
	json_t *of;

	if (figure < 0 || host < 0)
		return;
	of = json_array_get(p->w->nodes, (size_t)figure);
	json_array_set_new(json_object_get(of, "series"), (size_t)host,
			   json_integer((json_int_t)p->w->n - 1));
	json_object_set_new(of, "unit", json_string(s->shown));
}

/* Add the steps that were just read to the page. Returns 0 or -1 with e filled. */
static int put_series(struct pass *p, const struct pm_series *s, const struct pm_stepline *line,
		      struct pm_err *e)
{
	struct pm_webseries *w = p->w;
	struct pm_webseries_one one = { 0 };
	struct totals t;
	double scale = 1;
	json_t *what;

	t = add_up(line);
	if (!t.constant) {
		scale = scale_of(&t);
		one.column = code_steps(line, &t, scale, e);
		if (!one.column)
			return -1;
	}
	if (!PM_GROW(w->one, w->n, w->room, 64)) {
		pm_column_free(one.column);
		return pm_err(e, "out of memory");
	}
	snprintf(one.id, sizeof one.id, "pm-s-%zu", w->n);
	w->one[w->n++] = one;
	what = describe(p, s, line, &t, scale, one.column ? one.id : NULL);
	if (!what || json_array_append_new(w->list, what) < 0)
		return pm_err(e, "out of memory");
	note_figure(p, s);
	return 0;
}

/* Whether a series is a part of a host's busy CPUs. */
static bool is_busy_part(const struct pm_series *s)
{
	bool part = false;

	for (size_t i = 0; i < BUSY; i++)
		part |= strcmp(busy[i], s->metric) == 0;
	return part && strcmp(s->source, "cpu") == 0 && !*s->object && s->counter;
}

/* Add the steps of a part of a host's busy CPUs; with the last part, the sum to the page. */
static int add_busy(struct pass *p, const struct pm_series *s, struct pm_err *e)
{
	struct pm_series sum = *s;

	if (p->busy_host != s->host || p->busy_parts == BUSY) {
		p->busy_host = s->host;
		p->busy_parts = 0;
		pm_stepline_clear(&p->busy);
	}
	pm_stepline_sum(&p->busy, &p->steps.line, p->busy_parts == 0);
	if (++p->busy_parts < BUSY)
		return 0;
	sum.metric = "busy";
	return put_series(p, &sum, &p->busy, e);
}

/* Read a series and add it to the page, or as a part of busy CPUs to their sum. Returns 0 or -1
 * with e filled. */
static int take_series(struct pass *p, const struct pm_series *s, struct pm_err *e)
{
	const bool part = is_busy_part(s);

	if (pm_seriessteps_read(&p->steps, s, e) < 0)
		return -1;
	if (!(part && p->part == FIGURES) && put_series(p, s, &p->steps.line, e) < 0)
		return -1;
	return part && p->part != REST ? add_busy(p, s, e) : 0;
}

/* What is shown of a series: its unit, and what a value in its own unit is in that. */
static void find_unit(struct pm_series *s, char *room, size_t size)
{
	char safe[48];

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].unit, s->unit) == 0 &&
		    (strcmp(units[i].kind, "counter") == 0) == s->counter) {
			s->shown = units[i].shown;
			s->factor = units[i].factor;
			return;
		}
	s->factor = 1;
	pm_text_safe(safe, sizeof safe, s->unit, strlen(s->unit), true);
	snprintf(room, size, "%s%s", safe, s->counter ? "/s" : "");
	s->shown = room;
}

/* Whether a series is one of those that a page with too many leaves out. */
static bool is_detail(const struct pm_series *s)
{
	if (strcmp(s->source, "cpu") == 0)
		return *s->object != '\0';
	for (size_t i = 0; i < sizeof detailed / sizeof detailed[0]; i++)
		if (strcmp(detailed[i], s->source) == 0)
			return true;
	return false;
}

/* An entry for each figure of nodes: no host has it yet. */
static json_t *list_figures(const struct pm_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < NODE_FIGURES; i++) {
		json_t *numbers = json_array();

		for (size_t k = 0; k < f->hosts; k++)
			json_array_append_new(numbers, json_null());
		json_array_append_new(list, json_pack("{ss so}", "title", node_figures[i].title,
						      "series", numbers));
	}
	return list;
}

static void take_row(struct pm_series *s, struct pm_stmt *q)
{
	*s = (struct pm_series){
		.id = pm_db_int(q, 0),
		.host = pm_db_int(q, 1),
		.source = pm_db_text(q, 2, NULL),
		.metric = pm_db_text(q, 3, NULL),
		.object = pm_db_text(q, 4, NULL),
		.unit = pm_db_text(q, 5, NULL),
		.kind = pm_db_text(q, 6, NULL),
		.samples = pm_db_int(q, 7),
		.known = pm_db_int(q, 8),
		.begin_us = pm_db_int(q, 9),
		.end_us = pm_db_int(q, 10),
	};
	s->counter = strcmp(s->kind, "counter") == 0;
}

/* Read the series of a part. Returns 0 or -1 with e filled. */
static int read_series(struct pass *p, enum part part, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.id, s.host_id, s.source, s.metric, s.object, s.unit, s.kind, t.samples,"
		" t.known, t.begin_us, t.end_us FROM series s"
		" JOIN series_summary t ON t.job_id = s.job_id AND t.series_id = s.id"
		" WHERE s.job_id = ? ORDER BY s.id";
	struct pm_stmt *q;
	int rc;

	p->part = part;
	if (pm_query_prepare(p->db, sql, p->f->job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_series s;
		char room[64];

		take_row(&s, q);
		find_unit(&s, room, sizeof room);
		if (part == FIGURES) {
			if ((is_busy_part(&s) || figure_of(&s) >= 0) &&
			    (rc = take_series(p, &s, e)) < 0)
				break;
			continue;
		}
		if (part == REST && figure_of(&s) >= 0)
			continue;
		if (part == REST && is_detail(&s))
			p->w->left_out++;
		else if (p->w->n >= p->most)
			p->w->cut++;
		else if ((rc = take_series(p, &s, e)) < 0)
			break;
	}
	pm_db_finish(q);
	return rc;
}

/* Choose the grid: as fine as samples are, if the page has room for that. */
static void choose_steps(struct pm_webseries *w, const struct pm_facts *f, int64_t series,
			 int64_t samples)
{
	double most = series ? VALUES_MOST / (double)series / 3 : STEPS_MOST;
	double n = fmin(fmin((double)samples, most), STEPS_MOST);

	if (n < STEPS_LEAST)
		n = STEPS_LEAST;
	w->step_us = (int64_t)((double)f->line_us / n);
	if (w->step_us < 1)
		w->step_us = 1;
	w->steps = f->line_us / w->step_us + (f->line_us % w->step_us != 0);
}

int pm_webseries_read(struct pm_webseries *w, struct pm_db *db, const struct pm_facts *f,
		      struct pm_err *e)
{
	static const char totals[] =
		"SELECT COUNT(*), max(samples),"
		" sum(CAST(samples AS double precision)) FROM series_summary WHERE job_id = ?";
	struct pass p = { .w = w,
			  .db = db,
			  .f = f,
			  .steps = { .db = db, .job = f->job, .start_us = f->line_start_us } };
	struct pm_stmt *q = NULL;
	int64_t series = 0;
	int rc = -1;

	memset(w, 0, sizeof *w);
	w->list = json_array();
	w->nodes = list_figures(f);
	if (!w->list || !w->nodes)
		return pm_err(e, "out of memory");
	if (f->line_us <= 0)
		return 0;
	if (pm_query_prepare(db, totals, f->job, &q, e) < 0)
		return -1;
	if (pm_db_step(q, e) > 0) {
		series = pm_db_int(q, 0);
		p.most = f->hosts * NODE_FIGURES > SERIES_MOST ? f->hosts * NODE_FIGURES
							       : SERIES_MOST;
		choose_steps(w, f, series < (int64_t)p.most ? series : (int64_t)p.most,
			     pm_db_int(q, 1));
		w->from_blocks = pm_query_real(q, 2) > SAMPLES_MOST;
		rc = 0;
	}
	pm_db_finish(q);
	if (rc < 0 || series == 0)
		return rc;
	if (pm_stepline_init(&p.steps.line, (size_t)w->steps, (double)w->step_us) < 0)
		return pm_err(e, "out of memory");
	if (pm_stepline_init(&p.busy, (size_t)w->steps, (double)w->step_us) < 0) {
		free(p.steps.line.step);
		return pm_err(e, "out of memory");
	}
	rc = w->from_blocks ? pm_seriessteps_use_blocks(&p.steps, e) : 0;
	if (rc == 0 && series > SERIES_MOST) {
		rc = read_series(&p, FIGURES, e);
		if (rc == 0)
			rc = read_series(&p, REST, e);
	} else if (rc == 0) {
		rc = read_series(&p, ALL, e);
	}
	pm_seriessteps_end(&p.steps);
	free(p.steps.line.step);
	free(p.busy.step);
	return rc;
}

void pm_webseries_free(struct pm_webseries *w)
{
	for (size_t i = 0; i < w->n; i++)
		pm_column_free(w->one[i].column);
	free(w->one);
	json_decref(w->list);
	json_decref(w->nodes);
}

json_t *pm_webseries_index(const struct pm_webseries *w)
{
	return json_pack("{sI sI sI sb sO}", "steps", (json_int_t)w->steps, "step_us",
			 (json_int_t)w->step_us, "left_out", (json_int_t)(w->left_out + w->cut),
			 "from_blocks", w->from_blocks, "list", w->list);
}

json_t *pm_webseries_nodes(const struct pm_webseries *w)
{
	json_t *list = json_array(), *one;
	size_t i;

	/* Those that no host has are left out. */
	json_array_foreach (w->nodes, i, one)
		if (json_object_get(one, "unit"))
			json_array_append(list, one);
	return json_pack("{so}", "metrics", list);
}

void pm_webseries_write(const struct pm_webseries *w, FILE *f)
{
	for (size_t i = 0; i < w->n; i++) {
		if (!w->one[i].column)
			continue;
		fprintf(f, "<script type=\"application/octet-stream\" id=\"%s\">", w->one[i].id);
		pm_column_write(w->one[i].column, f);
		fputs("</script>\n", f);
	}
}
