/* Advice as outputs print it: names, and what is at stake. */
#include "config.h"

#include "report/advice/advice.h"

#include <stdio.h>

bool pm_advice_big_enough(const struct pm_facts *f)
{
	return f->wall_us >= PM_ADVICE_MIN_WALL_US && f->cpu_us >= PM_ADVICE_MIN_CPU_US;
}

const char *pm_advice_none(const struct pm_facts *f)
{
	if (f->retired)
		return "None of what is kept: the job's processes and samples were retired.";
	if (f->processes == 0 && f->stopped)
		return "None: no process was recorded. Between `perfmon start` and `perfmon stop`, "
		       "record commands with `perfmon run` or `eval $(perfmon source)`.";
	if (pm_advice_big_enough(f))
		return "Nothing stands out.";
	if (f->open)
		return "None so far: advice takes 5 s, and 1 s of CPU time.";
	if (f->wall_us < 0 || f->cpu_us < 0)
		return "None: the job's wall time or CPU time is unknown.";
	return "None: the job is too short (advice takes 5 s, and 1 s of CPU time).";
}

const char *pm_advice_stake(char *dst, const struct pm_advice *a)
{
	char t[PM_FORMAT_MAX], b[PM_FORMAT_MAX];
	const bool time = a->cost_us > 0, bytes = a->cost_bytes > 0;

	snprintf(dst, 2 * PM_FORMAT_MAX, "%s%s%s%s%s", time ? "up to " : "",
		 time ? pm_format_duration(t, a->cost_us) : "", time ? " of wall time" : "",
		 time && bytes ? ", " : "", bytes ? pm_format_bytes(b, a->cost_bytes) : "");
	return dst;
}

const char *pm_advice_severity(enum pm_advice_severity severity)
{
	static const char *const name[] = {
		[PM_ADVICE_FAILED] = "failed", [PM_ADVICE_RISK] = "risk",
		[PM_ADVICE_COST] = "cost",     [PM_ADVICE_SYMPTOM] = "symptom",
		[PM_ADVICE_DATA] = "data",
	};

	_Static_assert(sizeof name / sizeof name[0] == PM_ADVICE_SEVERITIES, "a name for each");
	return name[severity];
}

const char *pm_advice_section(enum pm_advice_section section)
{
	static const char *const name[] = {
		[PM_ADVICE_SUMMARY] = "summary",
		[PM_ADVICE_PROGRAMS] = "programs",
		[PM_ADVICE_IO] = "io",
		[PM_ADVICE_GPU] = "gpu",
		[PM_ADVICE_ENERGY] = "energy",
		[PM_ADVICE_FAILURES] = "failures",
		[PM_ADVICE_COUNTERS] = "counters",
		[PM_ADVICE_TIMELINE] = "timeline",
		[PM_ADVICE_PHASES] = "phases",
		[PM_ADVICE_NODES] = "nodes",
		[PM_ADVICE_THREADS] = "threads",
		[PM_ADVICE_QUALITY] = "quality",
	};

	_Static_assert(sizeof name / sizeof name[0] == PM_ADVICE_SECTIONS, "a name for each");
	return name[section];
}
