/* The report's section on how good the data are: what was recorded of the job, and what was not. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/advice/advice.h"

#include <math.h>
static void own_cost(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], d[PM_FORMAT_MAX];

	if (f->own_us < 0) {
		pm_page_pair(p, "Cost", "unknown: no process recorded the cost of perfmon");
		return;
	}
	if (f->own_cpu_us <= 0) {
		pm_page_pairf(p, "Cost",
			      "perfmon took at least %s of elapsed time in the job's processes",
			      pm_format_duration(a, f->own_us));
		return;
	}
	pm_page_pairf(
		p, "Cost",
		"perfmon used at least %s of CPU time in the job's processes: %s each, %s of the "
		"job's CPU time",
		pm_format_duration(c, f->own_cpu_us),
		pm_format_duration(b, f->processes > 0
					      ? (f->own_cpu_us + f->processes / 2) / f->processes
					      : PM_UNKNOWN),
		pm_format_share(d, pm_format_ratio(f->own_cpu_us, f->cpu_us)));
	/* Elapsed time includes waiting for CPUs and storage. */
	if (f->own_us - f->own_cpu_us > f->own_cpu_us)
		pm_page_pairf(
			p, "",
			"perfmon's elapsed time there was %s, mostly waiting for a CPU or storage",
			pm_format_duration(a, f->own_us));
}

/* Print the coverage of each of several hosts; of many hosts, only the lowest. */
static void host_coverage(const struct pm_page *p, const struct pm_facts *f)
{
	const struct pm_fact_host *least = NULL;
	char a[PM_FORMAT_MAX];

	for (size_t i = 0; f->hosts > 1 && i < f->hosts; i++) {
		const struct pm_fact_host *h = &f->host[i];

		if (isnan(h->coverage))
			continue;
		if (f->hosts <= PM_REPORT_HOSTS)
			pm_page_pairf(p, "", "%s on %s", pm_format_share(a, h->coverage),
				      pm_facts_hostname(h));
		else if (!least || h->coverage < least->coverage)
			least = h;
	}
	if (least)
		pm_page_pairf(p, "", "%s on %s, the lowest of all hosts: perfmon list hosts%s",
			      pm_format_share(a, least->coverage), pm_facts_hostname(least),
			      f->named);
}

/* The coverage: recorded CPU time as a share of the CPU time known to have been used. */
static double recorded_share(const struct pm_facts *f)
{
	const int64_t part[] = { f->cpu_us, f->own_cpu_us, f->excluded_us, f->folded_us };
	double sum = 0;

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		sum += part[i] > 0 ? (double)part[i] : 0;
	return f->cpu_us >= 0 && f->charged_us > 0 ? sum / (double)f->charged_us : NAN;
}

static void print_coverage(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];
	double most = recorded_share(f);

	if (!isnan(f->coverage) && f->coverage > 1.02)
		pm_page_pairf(
			p, "Coverage",
			"%s of the %s CPU time charged by the kernel when the job was closed%s",
			pm_format_share(a, f->coverage), pm_format_duration(b, f->charged_us),
			f->late > 0 ? ": some of its processes ran on" : "");
	else if (!isnan(f->coverage))
		pm_page_pairf(p, "Coverage",
			      "%s of the %s CPU time charged by the kernel was recorded%s%s",
			      pm_format_share(a, f->coverage), pm_format_duration(b, f->charged_us),
			      f->excluded > 0 ? " or excluded" : "",
			      f->coverage < 0.95 && f->charged_us >= PM_ADVICE_MIN_CPU_US
				      ? "; the rest is programs that perfmon could not see"
				      : "");
	else if (f->unstarted && f->processes <= 0)
		pm_page_pair(p, "Coverage", "none: there was nothing to record");
	else if (f->processes <= 0 && f->folded <= 0)
		pm_page_pair(p, "Coverage", "unknown: no process was recorded");
	else if (f->open)
		pm_page_pair(p, "Coverage", "unknown until the job is closed");
	else
		pm_page_pair(p, "Coverage",
			     "unknown: no CPU accounting of the kernel covers the whole job. A job "
			     "has one if it runs in a control group of its own, or, outside of a "
			     "batch system, if root runs it with `perfmon -a run`");
	if (isnan(f->coverage) && most < 0.95)
		pm_page_pairf(p, "",
			      "at most %s: the processes that were waited for used %s of CPU time",
			      pm_format_share(a, most), pm_format_duration(b, f->charged_us));
	if (f->unseen > 0)
		pm_page_pairf(p, "",
			      "at least %s %s not seen: started by exec, they left no record, and "
			      "no recorded process waited for them",
			      pm_format_things(a, f->unseen, "program"),
			      f->unseen == 1 ? "was" : "were");
}

/* Print the programs without records of their own, and those whose records stop early. */
static void print_unrecorded(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX];
	int64_t rest;

	if (f->retired) {
		if (f->reaped_only > 0)
			pm_page_pairf(p, "", "%s known only from their parents",
				      pm_format_count(a, f->reaped_only));
		return;
	}
	rest = pm_format_since(f->reaped_only, f->refused.count + f->unsuited.count +
						       f->silent.count + f->killed_early);
	if (f->refused.count > 0)
		pm_page_pairf(p, "", "%s could not be started: %s",
			      pm_format_count(a, f->refused.count), f->refused.names);
	if (f->unsuited.count > 0)
		pm_page_pairf(p, "",
			      "%s cannot be recorded (known only from their parents, descendants "
			      "included): %s",
			      pm_format_count(a, f->unsuited.count), f->unsuited.names);
	if (f->silent.count > 0)
		pm_page_pairf(p, "",
			      "%s known only from their parents, started without perfmon's "
			      "environment or as another user: %s",
			      pm_format_count(a, f->silent.count), f->silent.names);
	if (f->killed_early > 0)
		pm_page_pairf(p, "", "%s killed before they could record anything",
			      pm_format_count(a, f->killed_early));
	if (rest > 0)
		pm_page_pairf(
			p, "",
			"%s known only from their parents: static or set-uid programs, or started "
			"without perfmon's environment%s",
			pm_format_count(a, rest),
			rest < f->processes ? ""
					    : ", or perfmon could not find its collector "
					      "(library in `perfmon config`)");
	if (f->departed.count > 0)
		pm_page_pairf(p, "",
			      "%s continued where nothing is recorded; their figures include the "
			      "processes that they started there: %s",
			      pm_format_count(a, f->departed.count), f->departed.names);
}

void pm_report_quality(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	pm_page_heading(p, "How good the data are");
	print_coverage(p, f);
	host_coverage(p, f);
	pm_page_pairf(p, "Records", "%s, one per program start and fork",
		      pm_format_count(a, f->processes));
	if (f->tasks_unrecorded > 0)
		pm_page_pairf(p, "",
			      "%s of Slurm went unrecorded: perfmon failed there, or would have "
			      "taken longer than a second",
			      pm_format_things(a, f->tasks_unrecorded, "task"));
	if (f->excluded > 0)
		pm_page_pairf(p, "",
			      "%s starts of programs were excluded by the settings exclude and "
			      "include; their CPU time, %s, counts as covered",
			      pm_format_count(a, f->excluded),
			      pm_format_duration(b, f->excluded_us));
	if (f->without_end > 0)
		pm_page_pairf(p, "",
			      "%s without an end: killed, or still running; their figures "
			      "are unknown or come from their parents",
			      pm_format_count(a, f->without_end));
	if (f->running > 0)
		pm_page_pairf(p, "", "%s still running, as far as recorded",
			      pm_format_count(a, f->running));
	print_unrecorded(p, f);
	if (f->unknown_cpu > 0)
		pm_page_pairf(p, "", "%s with unknown CPU time, left out of the totals",
			      pm_format_count(a, f->unknown_cpu));
	if (f->late > 0)
		pm_page_pairf(p, "", "%s ended after the job was closed",
			      pm_format_count(a, f->late));
	if (f->folded > 0)
		pm_page_pairf(p, "",
			      "%s more short processes, which used %s of CPU time, began after the "
			      "record files had reached max_bytes: only totals per program were "
			      "recorded (table folded_program)",
			      pm_format_count(a, f->folded), pm_format_duration(b, f->folded_us));
	if (f->lost > 0)
		pm_page_pairf(p, "", "%s could not be written (%s)",
			      pm_format_things(a, f->lost, "line"), f->lost_reasons);
	if (f->rejected > 0)
		pm_page_pairf(p, "", "%s left out (table reject)",
			      pm_format_things(a, f->rejected, "damaged line"));
	if (*f->problems)
		pm_page_pair(p, "Problems", f->problems);
	own_cost(p, f);
}
