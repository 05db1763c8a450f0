/* The verb plot: draw series of a job. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/outfile.h"
#include "common/path.h"
#include "report/plot/plotchart.h"
#include "report/plot/plotformat.h"
#include "report/plot/plotlist.h"
#include "report/print/options.h"
#include "report/select.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size of a chart in mm. */
#define WIDTH  180.
#define HEIGHT 80.

/* Most charts in a file. */
#define CHARTS_MAX 24

enum scale { SCALE_OWN, SCALE_LINEAR, SCALE_LOG };

struct request {
	const struct pm_cli *cli;
	const char *job; /* NULL: which one, pm_select_job() says */
	char **word;     /* the metrics */
	int words;
	enum scale scale;
	int format; /* -1: not told */
	struct pm_selection s;
	struct pm_plotread_job about;
};

/* What a word of the command line asks for. */
struct wanted {
	const struct pm_plots_info *info; /* NULL: a series */
	struct pm_plots_series series[PM_PLOTLIST_SERIES];
	size_t n;
	struct pm_plotchart chart;
};

static bool is_metric(const char *word)
{
	return pm_plots_find(word) || pm_plots_is_series(word);
}

/* Take the operands: metrics, then a job. Returns PM_EXIT_OK, or PM_EXIT_USAGE with e filled. */
static int take_operands(struct request *r, struct pm_err *e)
{
	const struct pm_cli *cli = r->cli;
	const bool charts = !cli->given[PM_OPT_all] && !cli->given[PM_OPT_list];
	int n = cli->argc;

	/* The last one is a job unless it is called as a metric is and no file has that name. */
	if (n > 0 && (!is_metric(cli->argv[n - 1]) || access(cli->argv[n - 1], F_OK) == 0))
		r->job = cli->argv[--n];
	r->word = cli->argv;
	r->words = n;
	for (int i = 0; i < n; i++)
		if (!is_metric(cli->argv[i])) {
			pm_err(e, "plot: %s is no metric: perfmon plot --list shows them",
			       cli->argv[i]);
			return PM_EXIT_USAGE;
		}
	if (charts ? n == 0 : n > 0) {
		pm_err(e, charts ? "plot: which metrics? perfmon plot --list shows them"
				 : "plot: --all and --list take no metrics");
		return PM_EXIT_USAGE;
	}
	if (n > CHARTS_MAX) {
		pm_err(e, "plot: at most %d metrics in a file", CHARTS_MAX);
		return PM_EXIT_USAGE;
	}
	return PM_EXIT_OK;
}

/* Check the options. Returns PM_EXIT_OK, or PM_EXIT_USAGE with e filled. */
static int take_options(struct request *r, struct pm_err *e)
{
	const struct pm_cli *cli = r->cli;
	const bool all = cli->given[PM_OPT_all], list = cli->given[PM_OPT_list];
	const char *scale = cli->value[PM_OPT_scale], *format = cli->value[PM_OPT_format];
	const char *file = cli->value[PM_OPT_file], *directory = cli->value[PM_OPT_directory];

	r->format = format ? pm_plotformat_named(format) : file ? pm_plotformat_path(file) : -1;
	if (all && list)
		pm_err(e, "plot: --all or --list, not both");
	else if (cli->given[PM_OPT_json] && !list)
		pm_err(e, "plot: --json goes with --list");
	else if (list && (file || directory || format || scale))
		pm_err(e, "plot: --list draws nothing");
	else if (all && (file || !directory))
		pm_err(e, "plot: --all writes files into a directory: -d DIR");
	else if (!all && directory)
		pm_err(e, "plot: --directory goes with --all");
	else if (!all && !list && !file)
		pm_err(e, "plot: into which file? -o FILE, such as -o plot.svg");
	else if (format && r->format < 0)
		pm_err(e, "--format %s: one of svg, pdf and png is needed", format);
	else if (file && r->format < 0)
		pm_err(e, "%s: a name that ends in .svg, .pdf or .png is needed, or --format",
		       file);
	else if (scale && strcmp(scale, "linear") != 0 && strcmp(scale, "log") != 0)
		pm_err(e, "--scale %s: linear or log is needed", scale);
	else if (file && strcmp(file, "-") == 0 && r->format != PM_CANVAS_SVG &&
		 isatty(STDOUT_FILENO))
		pm_err(e, "plot: a terminal cannot show it: redirect standard output");
	else
		return PM_EXIT_OK;
	return PM_EXIT_USAGE;
}

/* Whether values of a series differ by orders of magnitude: bytes and packets that move. */
static bool moves(const struct pm_plotread *p, const struct pm_plots_series *s)
{
	const size_t n = strlen(s->metric[0]);

	return !p->level && (strcmp(p->unit.unit.name, "B/s") == 0 ||
			     (n > 7 && strcmp(s->metric[0] + n - 7, "packets") == 0));
}

/* Find out what a word asks for. Returns 0 or -1 with e filled. */
static int take_word(struct wanted *w, const char *word, struct pm_err *e)
{
	*w = (struct wanted){ .info = pm_plots_find(word), .n = 1 };
	w->chart.name = word;
	if (!w->info)
		return pm_plots_word(word, &w->series[0], e);
	w->n = pm_plotlist_series(w->info, w->series);
	w->chart.name = w->info->name;
	w->chart.average = w->info->average;
	w->chart.log = w->info->log;
	w->chart.unit = w->info->unit;
	return 0;
}

/* Read the lines of a chart. Returns 0 or -1 with e filled; pm_plotread_free() in either case. */
static int read_chart(struct pm_plotread *p, struct wanted *w, const struct request *r,
		      struct pm_err *e)
{
	/* Of levels, such as temperatures, the average says more, of counts the total. */
	const bool average = w->info ? w->info->average : true;

	if (pm_plotread(p, &r->about, r->s.db, w->series, w->n, average, e) < 0)
		return -1;
	if (!w->info && !p->level && p->unit.adds) {
		pm_plotread_free(p);
		if (pm_plotread(p, &r->about, r->s.db, w->series, w->n, false, e) < 0)
			return -1;
		w->chart.average = false;
	} else if (!w->info) {
		w->chart.average = true;
	}
	if (r->scale != SCALE_OWN)
		w->chart.log = r->scale == SCALE_LOG;
	else if (!w->info)
		w->chart.log = moves(p, &w->series[0]);
	w->chart.binary = r->cli->given[PM_OPT_binary];
	w->chart.objects = strcmp(w->series[0].object, "*") == 0;
	return 0;
}

static void draw_chart(struct pm_canvas *c, const struct wanted *w, const struct request *r,
		       const struct pm_plotread *p, bool whole, double y)
{
	struct pm_chart chart;

	if (whole)
		pm_plotchart_whole(&chart, &w->chart, &r->about, p);
	else
		pm_plotchart_nodes(&chart, &w->chart, &r->about, p);
	pm_chart_draw(c, &chart, 3, y + 2, WIDTH - 6, HEIGHT - 4);
}

/* Draw the metrics into one file, one below the other. Returns an exit status, with e filled unless
 * it is 0. */
static int draw_words(struct request *r, struct pm_err *e)
{
	struct pm_plotread *plot = calloc((size_t)r->words, sizeof *plot);
	struct wanted *w = calloc((size_t)r->words, sizeof *w);
	struct pm_canvas *c = NULL;
	struct pm_outfile f = { 0 };
	int drawn = 0, rc = plot && w ? 0 : pm_err(e, "out of memory");

	for (int i = 0; rc == 0 && i < r->words; i++) {
		rc = take_word(&w[i], r->word[i], e);
		if (rc == 0)
			rc = read_chart(&plot[i], &w[i], r, e);
		if (rc == 0 && plot[i].nothing[0])
			pm_warn("%s: %s", r->word[i], plot[i].nothing);
		drawn += rc == 0 && !plot[i].nothing[0];
	}
	if (rc == 0 && drawn == 0)
		rc = pm_err(e, "nothing to plot");
	if (rc == 0 && (rc = pm_outfile_open(&f, r->cli->value[PM_OPT_file], e)) == 0) {
		c = pm_canvas_new(f.f, (enum pm_canvas_format)r->format, WIDTH, HEIGHT * r->words,
				  e);
		for (int i = 0; c && i < r->words; i++)
			draw_chart(c, &w[i], r, &plot[i], r->cli->given[PM_OPT_combined],
				   HEIGHT * i);
		rc = c ? pm_canvas_finish(c, e) : -1;
		rc = rc < 0 ? rc : pm_outfile_commit(&f, e);
		pm_outfile_abandon(&f);
	}
	for (int i = 0; plot && i < r->words; i++)
		pm_plotread_free(&plot[i]);
	free(plot);
	free(w);
	if (rc == 0 && drawn < r->words)
		pm_err(e, "%d of %d metrics were not sampled", r->words - drawn, r->words);
	return rc < 0 || drawn < r->words ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* Write the two files of a plot. Returns 0 or -1 with e filled. */
static int draw_files(const struct request *r, const struct wanted *w, const struct pm_plotread *p,
		      struct pm_err *e)
{
	const enum pm_canvas_format format =
		r->format < 0 ? PM_CANVAS_PNG : (enum pm_canvas_format)r->format;

	for (int whole = 1; whole >= 0; whole--) {
		char name[128], path[4096];
		struct pm_outfile f;
		struct pm_canvas *c;
		int rc;

		pm_plots_file(name, w->info, !whole);
		if ((size_t)snprintf(path, sizeof path, "%s/%s.%s", r->cli->value[PM_OPT_directory],
				     name, pm_plotformat_suffix(format)) >= sizeof path)
			return pm_err(e, "--directory is too long");
		if (pm_outfile_open(&f, path, e) < 0)
			return -1;
		c = pm_canvas_new(f.f, format, WIDTH, HEIGHT, e);
		if (c)
			draw_chart(c, w, r, p, whole, 0);
		rc = c ? pm_canvas_finish(c, e) : -1;
		rc = rc < 0 ? rc : pm_outfile_commit(&f, e);
		pm_outfile_abandon(&f);
		if (rc < 0)
			return -1;
		puts(path);
	}
	return 0;
}

/* Draw every plot that has samples. Returns an exit status, with e filled unless it is 0. */
static int draw_all(struct request *r, struct pm_err *e)
{
	int drawn = 0;

	if (pm_canvas_check(e) < 0 || pm_path_make(r->cli->value[PM_OPT_directory], e) < 0)
		return PM_EXIT_FAILED;
	for (size_t i = 0; i < PM_PLOTS; i++) {
		struct pm_plotread p;
		struct wanted w;
		int rc;

		if (take_word(&w, pm_plots_info[i].id, e) < 0)
			return PM_EXIT_FAILED;
		rc = read_chart(&p, &w, r, e);
		if (rc == 0 && p.nothing[0])
			pm_info("%s: %s", w.info->name, p.nothing);
		else if (rc == 0 && (rc = draw_files(r, &w, &p, e)) == 0)
			drawn++;
		pm_plotread_free(&p);
		if (rc < 0)
			return PM_EXIT_FAILED;
	}
	if (drawn == 0) {
		pm_err(e, "nothing to plot: the job was not sampled");
		return PM_EXIT_FAILED;
	}
	return pm_options_flush(e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

int pm_verb_plot(const struct pm_cli *cli, struct pm_err *e)
{
	struct request r = { .cli = cli };
	const char *scale = cli->value[PM_OPT_scale];
	struct pm_page page;
	int status = take_options(&r, e);

	if (status == PM_EXIT_OK)
		status = take_operands(&r, e);
	if (status == PM_EXIT_OK && pm_options_page(cli, &page, e) < 0)
		status = PM_EXIT_USAGE;
	if (status != PM_EXIT_OK)
		return status;
	if (scale)
		r.scale = strcmp(scale, "log") == 0 ? SCALE_LOG : SCALE_LINEAR;
	status = PM_EXIT_FAILED;
	if (!cli->given[PM_OPT_list] && pm_canvas_check(e) < 0)
		return status;
	if (pm_select_job(cli, r.job, &r.s, e) == 0) {
		if (cli->given[PM_OPT_list])
			status = pm_plotlist(&page, cli->given[PM_OPT_json], r.s.db, r.s.job, e) <
							 0 ||
						 pm_options_flush(e) < 0
					 ? PM_EXIT_FAILED
					 : PM_EXIT_OK;
		else if (pm_plotread_job(&r.about, r.s.db, r.s.job, e) == 0)
			status = cli->given[PM_OPT_all] ? draw_all(&r, e) : draw_words(&r, e);
	}
	pm_select_close(&r.s);
	return status;
}
