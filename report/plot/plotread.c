/* Read the lines of a plot. */
#include "config.h"

#include "report/plot/plotread.h"

#include "common/text.h"
#include "db/erase.h"
#include "report/draw/combine.h"
#include "report/plot/plotevents.h"
#include "report/plot/plotwhy.h"
#include "report/print/format.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The series of one line. */
struct group {
	int64_t host;
	char object[PM_PLOTS_OBJECT], name[PM_CHART_NAME];
	struct pm_plotseries_part part[PM_PLOTSERIES_MAX];
	size_t parts, metric[PM_PLOTSERIES_MAX];
	bool total[PM_PLOTS_METRICS]; /* the metric has a series over all its objects */
	bool each[PM_PLOTSERIES_MAX]; /* the part is of one object of several */
	bool counter, cut;
};

struct state {
	struct pm_plotread *p;
	const struct pm_plotread_job *j;
	struct pm_db *db;
	const struct pm_plots_series *series;
	const struct pm_plotevents *events;
	struct pm_combine combine;
	bool average, combining;
	double sum; /* of the means */
	struct group group;
};

/* Each table is asked for the number itself, so that PostgreSQL reads one partition. */
int pm_plotread_job(struct pm_plotread_job *j, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] =
		"SELECT start_us, end_us, (SELECT count(*) FROM host WHERE job_id = ?),"
		" (SELECT min(begin_us) FROM series_summary WHERE job_id = ?),"
		" (SELECT max(end_us) FROM series_summary WHERE job_id = ?),"
		" CASE WHEN " PM_ERASE_GONE_PROCESSES " THEN 1 ELSE 0 END FROM job WHERE id = ?";
	char text[PM_FORMAT_MAX];
	int64_t first, last, end;
	struct pm_stmt *q;
	int rc;

	*j = (struct pm_plotread_job){ .job = job };
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	for (int i = 2; i <= 4; i++)
		pm_db_bind_int(q, i, job);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		j->base_us = pm_query_int(q, 0);
		end = pm_query_int(q, 1);
		j->hosts = (size_t)pm_query_int(q, 2);
		first = pm_query_int(q, 3);
		last = pm_query_int(q, 4);
		j->retired = pm_db_int(q, 5) != 0;
		j->sampled = first != PM_UNKNOWN;
		if (j->base_us == PM_UNKNOWN || (j->sampled && first < j->base_us))
			j->base_us = first;
		if (end == PM_UNKNOWN || (j->sampled && last > end))
			end = last;
		j->to = fmax(((double)end - (double)j->base_us) / 1e6, 0);
		snprintf(j->origin, sizeof j->origin, "%s", pm_format_time(text, j->base_us));
	} else if (rc == 0) {
		rc = pm_err(e, "the job is gone");
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Keep a line if there is room, or in place of one that is nearer to the middle; else free it. */
static void keep_line(struct pm_plotread *p, struct pm_plotread_line *x)
{
	size_t i;

	if (++p->nodes <= PM_CHART_LINES) {
		p->line[p->lines++] = *x;
		return;
	}
	/* From the highest to the lowest from now on; of those between, none is needed. */
	for (i = 0; p->nodes == PM_CHART_LINES + 1 && i < p->lines; i++)
		for (size_t k = i + 1; k < p->lines; k++)
			if (p->line[k].mean > p->line[i].mean) {
				struct pm_plotread_line y = p->line[i];

				p->line[i] = p->line[k];
				p->line[k] = y;
			}
	for (; p->lines > 2 * PM_PLOTREAD_EXTREMES; p->lines--) {
		pm_line_free(&p->line[PM_PLOTREAD_EXTREMES].line);
		memmove(&p->line[PM_PLOTREAD_EXTREMES], &p->line[PM_PLOTREAD_EXTREMES + 1],
			(p->lines - PM_PLOTREAD_EXTREMES - 1) * sizeof p->line[0]);
	}
	if (x->mean > p->line[PM_PLOTREAD_EXTREMES - 1].mean) {
		pm_line_free(&p->line[PM_PLOTREAD_EXTREMES - 1].line);
		for (i = PM_PLOTREAD_EXTREMES - 1; i > 0 && x->mean > p->line[i - 1].mean; i--)
			p->line[i] = p->line[i - 1];
	} else if (x->mean < p->line[PM_PLOTREAD_EXTREMES].mean) {
		pm_line_free(&p->line[PM_PLOTREAD_EXTREMES].line);
		for (i = PM_PLOTREAD_EXTREMES; i + 1 < p->lines && x->mean < p->line[i + 1].mean;
		     i++)
			p->line[i] = p->line[i + 1];
	} else {
		pm_line_free(&x->line);
		return;
	}
	p->line[i] = *x;
}

/* Which kind of line the series of a group make. */
static enum pm_plotseries_kind find_kind(const struct state *s, const struct group *g)
{
	if (s->series->formula)
		return PM_PLOTSERIES_FORMULA;
	if (s->series->share)
		return PM_PLOTSERIES_SHARE;
	if (g->counter)
		return PM_PLOTSERIES_RATE;
	return s->p->unit.adds ? PM_PLOTSERIES_TOTAL : PM_PLOTSERIES_AVERAGE;
}

/* Leave out objects of metrics that have a series over all of them; and extremes and means, which
 * sums of several series do not have. */
static void choose_parts(struct group *g)
{
	size_t n = 0, values = 0;

	for (size_t i = 0; i < g->parts; i++)
		if (!g->each[i] || !g->total[g->metric[i]])
			values += g->part[i].role == PM_PLOTSERIES_VALUE;
	for (size_t i = 0; i < g->parts; i++) {
		const enum pm_plotseries_role role = g->part[i].role;

		if ((g->each[i] && g->total[g->metric[i]]) ||
		    (values > 1 && role >= PM_PLOTSERIES_LEAST && role <= PM_PLOTSERIES_COUNT))
			continue;
		g->part[n++] = g->part[i];
	}
	g->parts = n;
}

/* Read the group, and begin the next one. Returns 0 or -1 with e filled. */
static int end_group(struct state *s, struct pm_err *e)
{
	struct group *g = &s->group;
	struct pm_plotread *p = s->p;
	struct pm_plotread_line x;
	struct pm_plotseries series = { .part = g->part, .base_us = s->j->base_us };

	if (g->cut)
		return pm_err(e, "%s.%s has more than %d series on %s: name an object",
			      s->series->source, s->series->metric[0], PM_PLOTSERIES_MAX, g->name);
	if (g->parts == 0)
		return 0;
	choose_parts(g);
	series.parts = g->parts;
	series.kind = find_kind(s, g);
	p->level = series.kind == PM_PLOTSERIES_TOTAL || series.kind == PM_PLOTSERIES_AVERAGE;
	series.factor = p->unit.factor;
	if (s->events) {
		series.formula = &s->events->formula;
		series.events = s->events->events;
	}
	memcpy(x.name, g->name, sizeof x.name);
	g->parts = 0;
	memset(g->total, 0, sizeof g->total);
	if (pm_line_init(&x.line, PM_CHART_CELLS) < 0)
		return pm_err(e, "out of memory");
	if (pm_plotseries_read(&series, s->db, s->j->job, &x.line, &p->why, e) < 0) {
		pm_line_free(&x.line);
		return -1;
	}
	if (x.line.n == 0) {
		pm_line_free(&x.line);
		return 0;
	}
	if (!s->combining) {
		s->combining = true;
		if (pm_combine_begin(&s->combine, &x.line, 0, s->j->to) < 0) {
			pm_line_free(&x.line);
			return pm_err(e, "out of memory");
		}
	}
	pm_combine_add(&s->combine, &x.line);
	x.mean = pm_line_mean(&x.line);
	s->sum += x.mean;
	p->most = fmax(p->most, x.line.most);
	p->gaps += x.line.gaps;
	p->gap_s += x.line.gap_s;
	keep_line(p, &x);
	return 0;
}

/* The role of a series by its metric and kind. Returns false where it has none. */
static bool find_role(const struct state *s, const char *metric, const char *object,
		      const char *kind, struct pm_plotseries_part *part, size_t *number)
{
	static const struct {
		const char *kind;
		enum pm_plotseries_role role;
	} of_kind[] = {
		{ "gauge", PM_PLOTSERIES_VALUE }, { "counter", PM_PLOTSERIES_VALUE },
		{ "min", PM_PLOTSERIES_LEAST },   { "max", PM_PLOTSERIES_MOST },
		{ "sum", PM_PLOTSERIES_SUM },     { "count", PM_PLOTSERIES_COUNT },
	};
	size_t i = 0;

	if (s->events)
		return pm_plotevents_role(s->events, metric, object, part);
	while (i < s->series->metrics && strcmp(s->series->metric[i], metric) != 0)
		i++;
	if (i == s->series->metrics)
		return false;
	*number = i;
	for (size_t k = 0; k < sizeof of_kind / sizeof of_kind[0]; k++)
		if (strcmp(of_kind[k].kind, kind) == 0) {
			part->role = of_kind[k].role;
			if (s->series->share && i >= s->series->share)
				part->role = PM_PLOTSERIES_REST;
			return true;
		}
	return false;
}

/* Begin the group of a series. */
static void begin_group(struct state *s, int64_t host, const char *hostname, const char *object)
{
	struct group *g = &s->group;
	char safe[PM_CHART_NAME];
	size_t n;

	g->host = host;
	g->parts = 0;
	g->cut = false;
	snprintf(g->object, sizeof g->object, "%s", object);
	pm_text_safe(g->name, sizeof g->name, hostname, strlen(hostname), true);
	if (strcmp(s->series->object, "*") != 0 || !*object)
		return;
	pm_text_field(safe, sizeof safe, object, true);
	n = s->j->hosts == 1 ? 0 : strlen(g->name);
	snprintf(g->name + n, sizeof g->name - n, "%s%s", n ? " " : "", safe);
}

/* Take a series: host, its name, metric, object, unit, kind, id. Returns 0 or -1 with e filled. */
static int take_series(struct state *s, struct pm_stmt *q, struct pm_err *e)
{
	const char *hostname = pm_db_text(q, 1, NULL), *metric = pm_db_text(q, 2, NULL);
	const char *object = pm_db_text(q, 3, NULL), *unit = pm_db_text(q, 4, NULL);
	const char *kind = pm_db_text(q, 5, NULL);
	struct pm_plotseries_part part = { .series = pm_db_int(q, 6) };
	const bool each = strcmp(s->series->object, "*") == 0;
	struct group *g = &s->group;
	size_t number = 0;
	bool one; /* of several objects */

	hostname = hostname ? hostname : "unknown host";
	object = object ? object : "";
	one = !s->events && !each && *object;
	if (!metric || !unit || !kind || !find_role(s, metric, object, kind, &part, &number))
		return 0;
	if (g->host != pm_db_int(q, 0) || (each && strcmp(g->object, object) != 0)) {
		if (end_group(s, e) < 0)
			return -1;
		begin_group(s, pm_db_int(q, 0), hostname, object);
	}
	if (each && !*object)
		return 0;
	/* A total comes before its parts, which may be more than a group holds: those of many CPUs.
	 */
	if (one && g->total[number])
		return 0;
	if (g->parts == PM_PLOTSERIES_MAX) {
		g->cut = true;
		return 0;
	}
	if (!s->events && !s->series->share && s->p->nodes == 0) {
		pm_text_safe(s->p->unit_name, sizeof s->p->unit_name, unit, strlen(unit), true);
		s->p->unit = pm_plots_unit(s->p->unit_name, strcmp(kind, "counter") == 0);
	}
	g->counter = strcmp(kind, "counter") == 0;
	g->each[g->parts] = one;
	g->total[number] = g->total[number] || (!s->events && !*object);
	g->metric[g->parts] = number;
	g->part[g->parts++] = part;
	return 0;
}

static int read_groups(struct state *s, struct pm_err *e)
{
	/* By the objects, so that those of a host are together. */
	static const char sql[] =
		"SELECT s.host_id, h.hostname, s.metric, s.object, s.unit, s.kind, s.id FROM "
		"series s"
		" JOIN host h ON h.job_id = s.job_id AND h.id = s.host_id"
		" WHERE s.job_id = ? AND s.source = ? AND (? = '' OR s.object = ?)"
		" ORDER BY s.host_id, s.object, s.id";
	const bool one = *s->series->object && strcmp(s->series->object, "*") != 0;
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(s->db, sql, s->j->job, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 2, s->series->source);
	pm_db_bind_str(q, 3, one ? s->series->object : "");
	pm_db_bind_str(q, 4, one ? s->series->object : "");
	s->group.host = -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (take_series(s, q, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc < 0 ? -1 : end_group(s, e);
}

/* Combine the lines: as sum or average, and as range. Returns 0 or -1 with e filled. */
static int combine(struct state *s, struct pm_err *e)
{
	struct pm_plotread *p = s->p;

	if (!s->combining)
		return 0;
	p->mean = s->sum / (double)p->nodes;
	if (pm_combine_end(&s->combine, s->average, &p->whole, &p->part) < 0 ||
	    pm_combine_range(&s->combine, &p->range) < 0)
		return pm_err(e, "out of memory");
	return 0;
}

/* Find the first alternative that has known values, else the first that has series, else the first.
 * Returns its index, or -1 with e filled. */
static int find_series(struct pm_db *db, int64_t job, const struct pm_plots_series *series,
		       size_t n, struct pm_err *e)
{
	size_t found = 0;
	int64_t best = -1;

	for (size_t i = 0; i < n && best <= 0; i++) {
		int64_t known = -1;

		for (size_t k = 0; k < series[i].metrics && known <= 0; k++)
			if (pm_plotwhy_known(&known, db, job, &series[i], k, e) < 0)
				return -1;
		if (known > best) {
			best = known;
			found = i;
		}
	}
	return (int)found;
}

int pm_plotread(struct pm_plotread *p, const struct pm_plotread_job *j, struct pm_db *db,
		const struct pm_plots_series *series, size_t n, bool average, struct pm_err *e)
{
	struct state *s = calloc(1, sizeof *s);
	struct pm_plotevents events;
	int found, rc;

	*p = (struct pm_plotread){ .mean = NAN, .most = -INFINITY };
	p->unit = pm_plots_unit("", false);
	events.events = 0;
	if (!s)
		return pm_err(e, "out of memory");
	found = find_series(db, j->job, series, n, e);
	rc = found < 0 ? -1 : 0;
	if (rc == 0) {
		*s = (struct state){
			.p = p, .j = j, .db = db, .series = &series[found], .average = average
		};
		if (s->series->formula) {
			rc = pm_plotevents_find(&events, db, j->job, s->series->metric[0], e);
			if (rc == 0 && events.events)
				s->events = &events;
			if (s->events)
				p->unit = pm_plots_unit(events.formula.info->unit, false);
		}
		if (s->series->share)
			p->unit = (struct pm_plots_unit){ 1, { "%", PM_TICKS_NONE }, false };
		if (rc == 0 && (!s->series->formula || s->events))
			rc = read_groups(s, e);
		if (rc == 0)
			rc = combine(s, e);
		if (rc == 0 && p->lines == 0 && j->retired)
			snprintf(p->nothing, sizeof p->nothing,
				 "Deleted: the samples of the job were retired (perfmon retire).");
		else if (rc == 0 && p->lines == 0)
			rc = pm_plotwhy(p->nothing, sizeof p->nothing, db, j->job, j->sampled,
					series, n, &p->why, e);
		pm_combine_free(&s->combine);
	}
	pm_plotevents_free(&events);
	free(s);
	return rc;
}

void pm_plotread_free(struct pm_plotread *p)
{
	for (size_t i = 0; i < p->lines; i++)
		pm_line_free(&p->line[i].line);
	p->lines = 0;
	pm_line_free(&p->whole);
	pm_line_free(&p->part);
	pm_line_free(&p->range);
}

void pm_plotread_gaps(char *text, const struct pm_plotread *p)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];
	size_t n;

	*text = '\0';
	if (p->gaps == 0)
		return;
	n = (size_t)snprintf(text, PM_CHART_NAME, "%s, %s in all",
			     pm_format_things(a, (int64_t)p->gaps, "gap"),
			     pm_format_duration(b, (int64_t)fmin(p->gap_s * 1e6, 9e18)));
	for (size_t i = 0; i < p->why.n && n < PM_CHART_NAME; i++)
		n += (size_t)snprintf(text + n, PM_CHART_NAME - n, "%s%s", i ? ", " : ": ",
				      p->why.reason[i].text);
	if (p->why.resets && n < PM_CHART_NAME)
		snprintf(text + n, PM_CHART_NAME - n, "%scounters began anew",
			 p->why.n ? ", " : ": ");
}
