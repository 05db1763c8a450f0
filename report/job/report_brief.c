/* Six lines about a job, in ASCII, of 80 columns at most: for an Epilog, a mail, the job's output.
 */
#include "config.h"

#include "report/job/report_text.h"

#include "common/text.h"
#include "report/advice/advice.h"
#include "report/advice/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define COLUMNS 80

/* Write a line, cut to its width. */
static void __attribute__((format(printf, 3, 4)))
put(const struct pm_page *p, const char *name, const char *format, ...)
{
	char line[4 * PM_VERDICT_MAX], text[4 * PM_VERDICT_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	pm_text_fit(text, sizeof text, line, COLUMNS - 8, false);
	fprintf(p->f, "%-8s%s\n", name, text);
}

static void put_number(const struct pm_page *p, const char *name, const struct pm_verdict *v)
{
	put(p, name, "%s%s%s%s%s", v->number, *v->word ? ", " : "", v->word, *v->detail ? ": " : "",
	    v->detail);
}

/* The program with the most CPU time; use of GPUs and energy where there are any. */
static void put_most(const struct pm_page *p, const struct pm_facts *f, const struct pm_verdict *v)
{
	char text[PM_PROCESSNAME_MAX + PM_FORMAT_MAX], share[PM_FORMAT_MAX];
	const struct pm_verdict *gpu = &v[PM_VERDICT_GPU], *energy = &v[PM_VERDICT_ENERGY];

	snprintf(text, sizeof text,
		 f->retired ? "the programs were retired" : "no program recorded");
	if (f->by_cpu_n && !(f->cpu_us > 0 && f->by_cpu[0].cpu_us > 0))
		snprintf(text, sizeof text, "%.60s", f->by_cpu[0].label);
	else if (f->by_cpu_n)
		snprintf(text, sizeof text, "%s of CPU time by %.40s",
			 pm_format_share(share, pm_format_ratio(f->by_cpu[0].cpu_us, f->cpu_us)),
			 f->by_cpu[0].label);
	put(p, "Most", "%s%s%s%s%s", text, isnan(gpu->share) ? "" : "; GPU busy ",
	    isnan(gpu->share) ? "" : gpu->number, f->energy.uj < 0 ? "" : "; energy ",
	    f->energy.uj < 0 ? "" : energy->number);
}

void pm_report_brief(const struct pm_page *p, const struct pm_facts *f)
{
	struct pm_advice list[PM_ADVICE_RULES];
	size_t n = pm_advice_list(f, list);
	struct pm_verdict v[PM_VERDICTS];
	char outcome[PM_VERDICT_MAX], t[PM_FORMAT_MAX], h[PM_FORMAT_MAX], r[PM_FORMAT_MAX],
		w[PM_FORMAT_MAX];

	pm_verdicts(f, v);
	put(p, "Job", "%s%s%s%s%.30s%s %s, %s%s on %s", f->jobid, *f->array_task ? "_" : "",
	    f->array_task, *f->name ? " (" : "", f->name, *f->name ? ")" : "",
	    pm_verdict_outcome(outcome, f), pm_format_duration(t, f->wall_us),
	    f->open ? " so far" : "", pm_format_things(h, f->hosts_count, "host"));
	put_number(p, "CPU", &v[PM_VERDICT_CPU]);
	put_number(p, "Memory", &v[PM_VERDICT_MEMORY]);
	if (f->rchar < 0 && f->wchar < 0)
		put(p, "I/O", "unknown: no process recorded it");
	else
		put(p, "I/O", "%s read, %s written, %s; %s", pm_format_bytes(r, f->rchar),
		    pm_format_bytes(w, f->wchar), v[PM_VERDICT_IO].word, v[PM_VERDICT_IO].detail);
	put_most(p, f, v);
	if (n)
		put(p, "Advice", "%s%s%s",
		    list[0].cost_us > 0 ? pm_format_duration(t, list[0].cost_us) : "",
		    list[0].cost_us > 0 ? ": " : "", list[0].text);
	else
		put(p, "Advice", "%s", pm_advice_none(f));
}
