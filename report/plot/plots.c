/* The table of plots, and units. */
#include "config.h"

#include "report/plot/plots.h"

#include <stdio.h>
#include <string.h>

enum { AVERAGE = 1, TOTAL = 0, LOG = 1, LINEAR = 0 };

const struct pm_plots_info pm_plots_info[PM_PLOTS] = {
#define PM_PLOT(id, page, name, whole, scale, unit, series)                                        \
	{ #id, PM_PLOTS_##page, name, whole, scale, unit, series },
#include "report/plot/plots.def"
#undef PM_PLOT
};

const char *const pm_plots_page_name[PM_PLOTS_PAGES] = {
	[PM_PLOTS_CPU] = "CPU, memory, bandwidth",
	[PM_PLOTS_NETWORK] = "Network",
	[PM_PLOTS_INTERCONNECT] = "Interconnect",
	[PM_PLOTS_POWER] = "Power",
	[PM_PLOTS_JOB] = "Processes of the job",
	[PM_PLOTS_STORAGE] = "Storage",
	[PM_PLOTS_GPU] = "GPUs",
};

bool pm_plots_always(enum pm_plots_page page)
{
	return page <= PM_PLOTS_POWER;
}

bool pm_plots_next(const char **text, struct pm_plots_series *s)
{
	memset(s, 0, sizeof *s);
	for (;;) {
		const char *word = *text + strspn(*text, " ");
		const size_t n = strcspn(word, " ");

		*text = word + n;
		if (n == 0 || *word == '|')
			return *s->source != '\0';
		if (!*s->source) {
			snprintf(s->source, sizeof s->source, "%.*s", (int)n, word);
		} else if (*word == '/') {
			s->share = s->metrics;
		} else if (s->metrics < PM_PLOTS_METRICS) {
			s->formula = *word == '=';
			snprintf(s->metric[s->metrics++], sizeof s->metric[0], "%.*s",
				 (int)(n - s->formula), word + s->formula);
		}
	}
}

/* Length of a name of a source or metric. */
static size_t name_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

bool pm_plots_is_series(const char *word)
{
	const size_t source = name_length(word);
	size_t metric;

	if (source == 0 || word[source] != '.')
		return false;
	metric = name_length(word + source + 1);
	word += source + 1 + metric;
	return metric > 0 && (*word == '\0' || (*word == ':' && word[1] != '\0'));
}

int pm_plots_word(const char *word, struct pm_plots_series *s, struct pm_err *e)
{
	const size_t source = name_length(word), metric = name_length(word + source + 1);
	const char *object = word + source + 1 + metric;

	memset(s, 0, sizeof *s);
	if (source >= PM_PLOTS_NAME || metric >= PM_PLOTS_NAME || strlen(object) > PM_PLOTS_OBJECT)
		return pm_err(e, "the name of a metric is too long");
	memcpy(s->source, word, source);
	memcpy(s->metric[0], word + source + 1, metric);
	s->metrics = 1;
	if (*object)
		snprintf(s->object, sizeof s->object, "%s", object + 1);
	return 0;
}

const struct pm_plots_info *pm_plots_find(const char *id)
{
	for (size_t i = 0; i < PM_PLOTS; i++)
		if (strcmp(pm_plots_info[i].id, id) == 0)
			return &pm_plots_info[i];
	return NULL;
}

struct pm_plots_unit pm_plots_unit(const char *name, bool rate)
{
	static const struct {
		const char *name;
		double factor;
		const char *level, *rate;
		enum pm_ticks_prefix prefix;
		bool adds;
	} unit[] = {
		{ "B", 1, "B", "B/s", PM_TICKS_LARGE, true },
		{ "B/s", 1, "B/s", "B/s\xc2\xb2", PM_TICKS_LARGE, true },
		{ "n", 1, "", "/s", PM_TICKS_LARGE, true },
		{ "us", 1e-6, "s", "s/s", PM_TICKS_SI, true },
		{ "ns", 1e-9, "s", "s/s", PM_TICKS_SI, true },
		{ "uJ", 1e-6, "J", "W", PM_TICKS_SI, true },
		{ "uW", 1e-6, "W", "W/s", PM_TICKS_SI, true },
		{ "0.01%", 0.01, "%", "%/s", PM_TICKS_NONE, false },
		{ "0.01", 0.01, "", "/s", PM_TICKS_NONE, false },
		{ "mdegC", 1e-3,
		  "\xc2\xb0"
		  "C",
		  "\xc2\xb0"
		  "C/s",
		  PM_TICKS_NONE, false },
		{ "Hz", 1, "Hz", "Hz/s", PM_TICKS_LARGE, false },
		{ "rpm", 1, "/min", "/min/s", PM_TICKS_NONE, false },
		{ "1/min", 1, "/min", "/min/s", PM_TICKS_NONE, false },
		{ "mV", 1e-3, "V", "V/s", PM_TICKS_SI, false },
		{ "uV", 1e-6, "V", "V/s", PM_TICKS_SI, false },
		{ "mA", 1e-3, "A", "A/s", PM_TICKS_SI, true },
		{ "uA", 1e-6, "A", "A/s", PM_TICKS_SI, true },
		{ "mask", 1, "", "/s", PM_TICKS_NONE, false },
		/* Of metrics of formulas.def. */
		{ "MB/s", 1e6, "B/s", "B/s\xc2\xb2", PM_TICKS_LARGE, true },
	};

	for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
		if (strcmp(unit[i].name, name) == 0)
			return (struct pm_plots_unit){ unit[i].factor,
						       { rate ? unit[i].rate : unit[i].level,
							 unit[i].prefix },
						       unit[i].adds };
	return (struct pm_plots_unit){ 1, { name, PM_TICKS_NONE }, true };
}

void pm_plots_file(char *name, const struct pm_plots_info *info, bool per_node)
{
	snprintf(name, 128, "%s%s%s",
		 per_node        ? ""
		 : info->average ? "Average "
				 : "Total ",
		 info->name, per_node ? " per node" : " all nodes");
	for (; *name; name++)
		if (*name == ' ')
			*name = '_';
}
