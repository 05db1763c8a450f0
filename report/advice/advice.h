/*
 * Advice: what stands out in the facts of a job, found by rules, each with what it may cost and the
 * section of a report that shows it. Knows no output: report in a terminal, JSON, pages and PDF all
 * print the same list.
 *
 *	struct pm_advice list[PM_ADVICE_RULES];
 *	size_t n = pm_advice_list(&facts, list);
 */
#ifndef PM_REPORT_ADVICE_ADVICE_H
#define PM_REPORT_ADVICE_ADVICE_H

#include "report/facts/facts.h"

/* What stands above the effects in a list. */
#define PM_ADVICE_EFFECTS "Probably effects of the above:"

/* Room for the sentences of an advice. */
#define PM_ADVICE_MAX 640

/* Jobs below either limit are too small for advice on performance: their figures are noise. */
#define PM_ADVICE_MIN_WALL_US 5000000
#define PM_ADVICE_MIN_CPU_US  1000000

/* How bad it is, the worst first. */
enum pm_advice_severity {
	PM_ADVICE_FAILED, /* the job, or a process of it, failed */
	PM_ADVICE_RISK,   /* a job like this may fail: a limit is near */
	PM_ADVICE_COST,   /* time or resources are wasted */
	/* The same, by a figure that other causes may explain: behind those that do. */
	PM_ADVICE_SYMPTOM,
	PM_ADVICE_DATA, /* nothing of the job's: how far its figures can be trusted */
	PM_ADVICE_SEVERITIES
};

/* The section of a report that shows the facts behind an advice. The names, for links and for
 * --section, come from pm_advice_section(). */
enum pm_advice_section {
	PM_ADVICE_SUMMARY,
	PM_ADVICE_PROGRAMS,
	PM_ADVICE_IO,
	PM_ADVICE_GPU,
	PM_ADVICE_ENERGY,
	PM_ADVICE_FAILURES,
	PM_ADVICE_COUNTERS,
	PM_ADVICE_TIMELINE,
	PM_ADVICE_PHASES,
	PM_ADVICE_NODES,
	PM_ADVICE_THREADS,
	PM_ADVICE_QUALITY,
	PM_ADVICE_SECTIONS
};

/* Number of rules; each gives one advice at most. */
enum {
#define PM_ADVICE_RULE(id, find, severity, section, any_size, symptom, explains)                   \
	PM_ADVICE_RULE_##find,
#include "report/advice/rules.def"
#undef PM_ADVICE_RULE
	PM_ADVICE_RULES
};

struct pm_advice {
	const char *id; /* stable name of the rule, such as "tiny-io" */
	enum pm_advice_severity severity;
	enum pm_advice_section section;
	/* A symptom that a cause may account for: a third of its cost at least. */
	bool effect;
	char text[PM_ADVICE_MAX]; /* one or more sentences, safe to print */
	/* What is at stake, both estimates: wall time of the job in microseconds, at most all of
	 * it, the unit in which all advice compares; and bytes, of memory or moved. PM_UNKNOWN
	 * where it does not apply. */
	int64_t cost_us, cost_bytes;
	/* What the advice is about, for links and filters: a program (its label), a host, a
	 * process, a part of the time (microseconds since 1970). "" or PM_UNKNOWN: the whole job.
	 */
	char program[PM_PROCESSNAME_MAX], host[PM_PROCESSNAME_MAX];
	int64_t pid, start_us, end_us;
};

/* Apply all rules. Fills the list, the most important first: by severity, where costs, symptoms and
 * doubtful figures are one, then by what is at stake; effects come last. Returns the number of
 * advices. */
size_t pm_advice_list(const struct pm_facts *f, struct pm_advice list[PM_ADVICE_RULES]);

/* What is at stake, for people: "up to 42.0 s of wall time", "15.0 GB", "" where it is unknown.
 * Needs PM_FORMAT_MAX * 2 bytes; returns dst. */
const char *pm_advice_stake(char *dst, const struct pm_advice *a);

/* Stable names: "failed", "risk", "cost", "symptom", "data"; "summary", "programs", "io" and so on.
 */
const char *pm_advice_severity(enum pm_advice_severity severity);
const char *pm_advice_section(enum pm_advice_section section);

/* Whether the job is big enough for advice on performance. */
bool pm_advice_big_enough(const struct pm_facts *f);

/* Where there is no advice: why, in a sentence. */
const char *pm_advice_none(const struct pm_facts *f);

#endif
