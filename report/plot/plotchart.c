/* Charts of plots. */
#include "config.h"

#include "report/plot/plotchart.h"

#include "report/print/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What both charts have. */
static void begin(struct pm_chart *chart, const struct pm_plotchart *x,
		  const struct pm_plotread_job *j, const struct pm_plotread *p)
{
	*chart = (struct pm_chart){ .unit = p->unit.unit, .log = x->log, .to = j->to };
	if (x->unit && *x->unit)
		chart->unit = (struct pm_ticks_unit){ x->unit, PM_TICKS_NONE };
	if (x->binary && *chart->unit.name == 'B')
		chart->unit.prefix = PM_TICKS_BINARY;
	snprintf(chart->origin, sizeof chart->origin, "%s", j->origin);
	snprintf(chart->nothing, sizeof chart->nothing, "%s", p->nothing);
	pm_plotread_gaps(chart->note, p);
}

/* Put a sentence before the note. */
static void add_note(struct pm_chart *chart, const char *text)
{
	char note[sizeof chart->note];

	memcpy(note, chart->note, sizeof note);
	snprintf(chart->note, sizeof chart->note, "%s%s%.380s", text, *note ? "; " : "", note);
}

static void add_line(struct pm_chart *chart, const struct pm_line *line, const char *name,
		     enum pm_chart_style style, bool level)
{
	struct pm_chart_line *l = &chart->line[chart->lines++];

	*l = (struct pm_chart_line){ .line = line, .style = style, .level = level };
	snprintf(l->name, sizeof l->name, "%s", name);
}

/* Say "mean 12.3 W, max 45.6 W". */
static void put_figures(struct pm_chart *chart, const char *of, double mean, double most,
			double steps)
{
	char a[PM_TICKS_LABEL], b[PM_TICKS_LABEL], c[PM_FORMAT_MAX];
	size_t n = (size_t)snprintf(chart->figures, sizeof chart->figures, "mean %s%s, max %s",
				    pm_ticks_value(a, mean, chart->unit), of,
				    pm_ticks_value(b, most, chart->unit));

	/* What all nodes had at one time is known as closely as the lines are drawn. */
	if (steps > 0 && n < sizeof chart->figures)
		snprintf(chart->figures + n, sizeof chart->figures - n, " (means of %s)",
			 pm_format_duration(c, (int64_t)(steps * 1e6)));
}

void pm_plotchart_whole(struct pm_chart *chart, const struct pm_plotchart *x,
			const struct pm_plotread_job *j, const struct pm_plotread *p)
{
	/* Without a moment at which all are known: of those that are. */
	const struct pm_line *l = p->whole.n ? &p->whole : &p->part;
	const char *noun = x->objects ? "object" : "node";
	char count[PM_FORMAT_MAX], text[2 * PM_FORMAT_MAX];

	begin(chart, x, j, p);
	snprintf(chart->title, sizeof chart->title, "%s %s", x->average ? "Average" : "Total",
		 x->name);
	if (*chart->nothing)
		return;
	if (p->nodes == 1) {
		snprintf(chart->title + strlen(chart->title),
			 sizeof chart->title - strlen(chart->title), ", %s", p->line[0].name);
		add_line(chart, &p->line[0].line, "", PM_CHART_SOLID, p->level);
		put_figures(chart, "", p->mean, p->most, 0);
	} else {
		snprintf(chart->title + strlen(chart->title),
			 sizeof chart->title - strlen(chart->title), ", %s",
			 pm_format_things(count, (int64_t)p->nodes, noun));
		add_line(chart, &p->whole, p->part.n ? "all of them" : "", PM_CHART_SOLID,
			 p->level);
		if (p->part.n)
			add_line(chart, &p->part, "not all of them", PM_CHART_PART, p->level);
		put_figures(chart, "", pm_line_mean(l), l->most, l->width);
	}
	if (p->nodes < j->hosts && !x->objects) {
		snprintf(text, sizeof text, "not sampled: %s",
			 pm_format_things(count, (int64_t)(j->hosts - p->nodes), "node"));
		add_note(chart, text);
	}
}

void pm_plotchart_nodes(struct pm_chart *chart, const struct pm_plotchart *x,
			const struct pm_plotread_job *j, const struct pm_plotread *p)
{
	const char *noun = x->objects ? "object" : "node";
	char count[PM_FORMAT_MAX], text[PM_CHART_NAME];

	begin(chart, x, j, p);
	snprintf(chart->title, sizeof chart->title, "%s per %s", x->name, noun);
	if (*chart->nothing)
		return;
	if (p->nodes > p->lines) {
		add_line(chart, &p->range, "mean and range of all", PM_CHART_RANGE, p->level);
		snprintf(text, sizeof text, "the highest and the lowest of %s",
			 pm_format_things(count, (int64_t)p->nodes, noun));
		add_note(chart, text);
	}
	for (size_t i = 0; i < p->lines; i++)
		add_line(chart, &p->line[i].line, p->line[i].name, PM_CHART_SOLID, p->level);
	snprintf(text, sizeof text, " per %s", noun);
	put_figures(chart, p->nodes > 1 ? text : "", p->mean, p->most, 0);
}
