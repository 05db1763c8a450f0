/* The report as text: its sections, and the advice. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/advice/advice.h"
#include "report/job/report_ranks.h"

#include <string.h>

static void print_bullet(const struct pm_page *p, enum pm_advice_severity severity)
{
	static const enum pm_style style[] = {
		[PM_ADVICE_FAILED] = PM_STYLE_BAD,
		[PM_ADVICE_RISK] = PM_STYLE_BAD,
		[PM_ADVICE_COST] = PM_STYLE_FAIR,
		[PM_ADVICE_SYMPTOM] = PM_STYLE_FAIR,
		[PM_ADVICE_DATA] = PM_STYLE_PLAIN,
	};

	_Static_assert(sizeof style / sizeof style[0] == PM_ADVICE_SEVERITIES, "a style for each");
	fprintf(p->f, "  %s-%s ", pm_page_style(p, style[severity]),
		pm_page_style(p, PM_STYLE_PLAIN));
}

static void print_advice(const struct pm_page *p, const struct pm_facts *f)
{
	struct pm_advice list[PM_ADVICE_RULES];
	size_t n = pm_advice_list(f, list);
	char text[PM_ADVICE_MAX + 3 * PM_FORMAT_MAX], stake[2 * PM_FORMAT_MAX];

	pm_page_heading(p, "Advice");
	for (size_t i = 0; i < n; i++) {
		pm_advice_stake(stake, &list[i]);
		snprintf(text, sizeof text, "%s%s%s%s", list[i].text, *stake ? " At stake: " : "",
			 stake, *stake ? "." : "");
		if (list[i].effect && (i == 0 || !list[i - 1].effect))
			pm_page_text(p, "  ", PM_ADVICE_EFFECTS);
		print_bullet(p, list[i].severity);
		pm_page_wrap(p, 4, text);
	}
	if (n == 0)
		pm_page_text(p, "  ", pm_advice_none(f));
}

/* Adapters to the type of a section; `alone`: without the sections before it, which may have said
 * some of it. */
static int header(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	pm_report_header(p, f);
	return 0;
}

static int summary(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	pm_report_summary(p, f);
	return 0;
}

static int programs(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_programs(p, f);
}

static int io(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all;
	if (alone) {
		pm_page_heading(p, "Input and output");
		pm_report_moved(p, f);
	}
	return pm_report_io(p, f);
}

static int gpu(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_gpu_programs(p, f);
}

static int energy(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all;
	if (alone) {
		pm_page_heading(p, "Energy");
		if (f->energy.hosts == PM_UNKNOWN)
			pm_page_text(p, "  ", "Unknown: no meter of energy was read.");
		pm_report_energy(p, f);
	}
	return 0;
}

static int threads(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all;
	if (alone) {
		pm_page_heading(p, "Processes and threads");
		pm_report_processes(p, f);
	}
	return 0;
}

static int failures(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_failures(p, f);
}

static int counters(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_counters(p, f) < 0 || pm_report_events(p, f) < 0 ? -1 : 0;
}

static int timeline(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	pm_report_line(p, f);
	return 0;
}

static int critical(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_path(p, f);
}

static int ranks(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_ranks(p, f);
}

static int phases(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_marks(p, f);
}

static int nodes(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)alone;
	return pm_report_nodes(p, f, all);
}

static int quality(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	pm_report_quality(p, f);
	return 0;
}

static int requested(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	return pm_report_request(p, f);
}

static int advice(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all, (void)alone;
	print_advice(p, f);
	return 0;
}

static int overview(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone)
{
	(void)all;
	if (alone)
		pm_report_overview(p, f);
	return 0;
}

/* The sections in their order, by the names of pm_advice_section() where advice links to them. */
static const struct {
	const char *name;
	int (*print)(const struct pm_page *p, const struct pm_facts *f, bool all, bool alone);
} section[] = {
	{ "overview", overview }, { "header", header },
	{ "summary", summary },   { "requested", requested },
	{ "programs", programs }, { "io", io },
	{ "gpu", gpu },           { "energy", energy },
	{ "threads", threads },   { "failures", failures },
	{ "counters", counters }, { "timeline", timeline },
	{ "critical", critical }, { "ranks", ranks },
	{ "phases", phases },     { "nodes", nodes },
	{ "quality", quality },   { "advice", advice },
};

#define SECTIONS (sizeof section / sizeof section[0])

_Static_assert(SECTIONS <= 32, "a bit for each");

static int name_sections(struct pm_err *e, const char *name, size_t len)
{
	char names[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < SECTIONS; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
				      section[i].name);
	return pm_err(e, "--section %.*s: no such section; there are %s", (int)len, name, names);
}

int pm_report_find_sections(const char *list, uint32_t *sections, struct pm_err *e)
{
	*sections = 0;
	for (const char *p = list;; p++) {
		size_t len = strcspn(p, ","), i = 0;

		while (i < SECTIONS &&
		       (strlen(section[i].name) != len || strncmp(section[i].name, p, len) != 0))
			i++;
		if (i == SECTIONS)
			return name_sections(e, p, len);
		*sections |= UINT32_C(1) << i;
		p += len;
		if (!*p)
			return 0;
	}
}

int pm_report_sections(const struct pm_page *p, const struct pm_facts *f, bool all,
		       uint32_t sections)
{
	int rc = 0;

	pm_report_title(p, f);
	for (size_t i = 0; i < SECTIONS; i++)
		if (sections >> i & 1 && section[i].print(p, f, all, true) < 0)
			rc = -1;
	return rc;
}

int pm_report_text(const struct pm_page *p, const struct pm_facts *f, bool all)
{
	int rc = 0;

	pm_report_title(p, f);
	for (size_t i = 0; i < SECTIONS; i++)
		if (section[i].print(p, f, all, false) < 0)
			rc = -1;
	fputc('\n', p->f);
	pm_page_text(
		p, "",
		"Sizes are decimal (1 MB = 1 000 000 bytes). Values not measured are 'unknown'.");
	return rc;
}
