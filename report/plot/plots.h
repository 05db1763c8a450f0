/* The plots of a job, and which series each is of. */
#ifndef PM_REPORT_PLOT_PLOTS_H
#define PM_REPORT_PLOT_PLOTS_H

#include "common/err.h"
#include "report/draw/ticks.h"

#include <stdbool.h>
#include <stddef.h>

enum pm_plots_page {
	PM_PLOTS_CPU,
	PM_PLOTS_NETWORK,
	PM_PLOTS_INTERCONNECT,
	PM_PLOTS_POWER,
	PM_PLOTS_JOB,
	PM_PLOTS_STORAGE,
	PM_PLOTS_GPU,
	PM_PLOTS_PAGES
};

enum {
	PM_PLOTS = 0
#define PM_PLOT(id, page, name, whole, scale, unit, series) +1
#include "report/plot/plots.def"
#undef PM_PLOT
};

struct pm_plots_info {
	const char *id;
	enum pm_plots_page page;
	const char *name;
	bool average, log;
	const char *unit, *series;
};

extern const struct pm_plots_info pm_plots_info[PM_PLOTS];

/* What a page of plots is about, such as "CPU, memory, bandwidth". */
extern const char *const pm_plots_page_name[PM_PLOTS_PAGES];

/* Whether the page is one of SKA's report, which stands there without samples, too. */
bool pm_plots_always(enum pm_plots_page page);

#define PM_PLOTS_METRICS 8
#define PM_PLOTS_NAME    64
#define PM_PLOTS_OBJECT  256

/* Series of one source. */
struct pm_plots_series {
	char source[PM_PLOTS_NAME];
	char metric[PM_PLOTS_METRICS][PM_PLOTS_NAME];
	size_t metrics, share;        /* share > 0: the sum of so many metrics first, in % of all */
	bool formula;                 /* the metric is one of formulas.def */
	char object[PM_PLOTS_OBJECT]; /* "": all added up; "*": a line for each */
};

/* Read the next alternative of info->series and step *text over it. Returns false at the end. */
bool pm_plots_next(const char **text, struct pm_plots_series *s);

/* Whether a word has the form of a metric: SOURCE.METRIC or SOURCE.METRIC:OBJECT. */
bool pm_plots_is_series(const char *word);

/* Take such a word apart. Returns 0, or -1 with e filled where a name is too long. */
int pm_plots_word(const char *word, struct pm_plots_series *s, struct pm_err *e);

/* Find a plot by its id; NULL where there is none. */
const struct pm_plots_info *pm_plots_find(const char *id);

/* How values of a unit of the sampler are drawn. */
struct pm_plots_unit {
	double factor;
	struct pm_ticks_unit unit;
	bool adds; /* values of several objects are added, else averaged */
};

/* Look up a unit; `rate`: of a counter, per second. The names in it live as long as `name`. */
struct pm_plots_unit pm_plots_unit(const char *name, bool rate);

/* Name of SKA's file for a plot, without its suffix: "Average_CPU_Load_all_nodes", or per node
 * "CPU_Load_per_node". Writes 128 bytes. */
void pm_plots_file(char *name, const struct pm_plots_info *info, bool per_node);

#endif
