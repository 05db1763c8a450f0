/* The head of a report: what was run, where and when, and how it ended. */
#include "config.h"

#include "report/job/report_text.h"

#include "common/text.h"

#include <string.h>

/* Maximum number of lines for the command. */
#define COMMAND_LINES 3

/* Show queue waits from one second on: batch systems have no finer times. */
#define QUEUED_MIN_US 1000000

/* A clause that explains the recorded exit reason where the signal or status alone does not. */
static const char *cause_clause(const struct pm_facts *f)
{
	static const char *const clause[][2] = {
		{ "memory", "; the kernel killed processes of the job for want of memory" },
		{ "cpu-limit", ", the signal of the limit on CPU time (ulimit -t)" },
		{ "file-limit", ", the signal of the limit on the size of files (ulimit -f)" },
	};

	for (size_t i = 0; i < sizeof clause / sizeof clause[0]; i++)
		if (strcmp(clause[i][0], f->exit_reason) == 0)
			return clause[i][1];
	return "";
}

/* Describe how the job ended. */
static const char *describe_ending(char *t, const struct pm_facts *f)
{
	char s[PM_FORMAT_MAX];

	if (f->unstarted)
		snprintf(t, 2 * PM_FORMAT_MAX, "not started: exit status %lld",
			 (long long)f->exit_status);
	else if (f->exit_signal > 0)
		snprintf(t, 2 * PM_FORMAT_MAX, "ended by %s", pm_format_signal(s, f->exit_signal));
	else if (f->exit_status > 0)
		snprintf(t, 2 * PM_FORMAT_MAX, "failed with exit status %lld",
			 (long long)f->exit_status);
	else if (f->exit_status == 0)
		snprintf(t, 2 * PM_FORMAT_MAX, "exit status 0: success");
	else if (!f->stopped)
		snprintf(t, 2 * PM_FORMAT_MAX, "unknown: the job was not closed yet");
	else if (f->command[0])
		snprintf(t, 2 * PM_FORMAT_MAX,
			 "unknown: `perfmon -a run` ended before the command's end was recorded");
	else
		snprintf(t, 2 * PM_FORMAT_MAX,
			 "unknown: recorded only for the command of `perfmon -a run`");
	return t;
}

static void print_hosts(const struct pm_page *p, const struct pm_facts *f)
{
	char mem[PM_FORMAT_MAX], n[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->hosts && i < PM_REPORT_HOSTS; i++) {
		const struct pm_fact_host *h = &f->host[i];
		/* Count CPUs as in the job's total. */
		int64_t usable = pm_facts_cpus(h);
		char line[3 * PM_PROCESSNAME_MAX];
		size_t len = (size_t)snprintf(line, sizeof line, "%s", pm_facts_hostname(h));

		if (h->cpus_online > 0 && usable > 0 && usable < h->cpus_online)
			len += (size_t)snprintf(line + len, sizeof line - len, ", %s of %s CPUs",
						pm_format_count(mem, usable),
						pm_format_count(n, h->cpus_online));
		else if (h->cpus_online > 0)
			len += (size_t)snprintf(line + len, sizeof line - len, ", %s CPUs",
						pm_format_count(n, h->cpus_online));
		if (h->memory > 0)
			len += (size_t)snprintf(line + len, sizeof line - len, ", %s memory",
						pm_format_bytes(mem, h->memory));
		if (*h->cpu_model)
			snprintf(line + len, sizeof line - len, ", %s", h->cpu_model);
		pm_page_pair(p, i ? "" : f->hosts_count > 1 ? "Hosts" : "Host", line);
	}
	if (f->hosts > PM_REPORT_HOSTS)
		pm_page_pairf(p, "", "and %s more: perfmon list hosts%s",
			      pm_format_count(n, (int64_t)(f->hosts - PM_REPORT_HOSTS)), f->named);
}

const char *pm_report_name(char name[PM_REPORT_NAME], const struct pm_facts *f)
{
	size_t len = (size_t)snprintf(name, PM_REPORT_NAME, "Job %s", f->jobid);

	if (*f->array_task)
		len += (size_t)snprintf(name + len, PM_REPORT_NAME - len, ", array task %s",
					f->array_task);
	if (*f->name)
		len += (size_t)snprintf(name + len, PM_REPORT_NAME - len, ": %s", f->name);
	if (*f->user)
		len += (size_t)snprintf(name + len, PM_REPORT_NAME - len, ", user %s", f->user);
	if (*f->cluster)
		snprintf(name + len, PM_REPORT_NAME - len, ", cluster %s", f->cluster);
	return name;
}

void pm_report_title(const struct pm_page *p, const struct pm_facts *f)
{
	char name[PM_REPORT_NAME], cut[PM_REPORT_NAME];

	pm_text_fit(cut, sizeof cut, pm_report_name(name, f), p->width, p->utf8);
	fprintf(p->f, "%s%s%s\n", pm_page_style(p, PM_STYLE_BOLD), cut,
		pm_page_style(p, PM_STYLE_PLAIN));
	for (int i = 0; i < p->width; i++)
		fputs(p->utf8 ? "\xe2\x94\x80" : "-", p->f);
	fputc('\n', p->f);
}

void pm_report_header(const struct pm_page *p, const struct pm_facts *f)
{
	char cut[4 * PM_COMMAND_MAX], a[PM_FORMAT_MAX], end[2 * PM_FORMAT_MAX];

	if (*f->command) {
		pm_text_fit(cut, sizeof cut, f->command, COMMAND_LINES * (p->width - 20), p->utf8);
		pm_page_pair(p, "Command", cut);
	}
	if (*f->cwd)
		pm_page_pair(p, "Directory", f->cwd);
	if (*f->script)
		pm_page_pair(p, "Script", f->script);
	print_hosts(p, f);
	pm_report_hostgpus(p, f);
	/* A job outside a batch system was never queued, even if the two times differ slightly. */
	if (f->submit_us >= 0 && pm_format_since(f->epoch_us, f->submit_us) >= QUEUED_MIN_US)
		pm_page_pairf(p, "Queued", "%s, since %s",
			      pm_format_duration(end, f->epoch_us - f->submit_us),
			      pm_format_time(a, f->submit_us));
	if (f->end_us >= 0)
		pm_page_pairf(p, "Time", "%s%s", pm_format_span(a, f->start_us, f->end_us),
			      f->running > 0 ? ", still running as far as recorded" : "");
	else
		pm_page_pairf(p, "Time", "%s, end unknown", pm_format_time(a, f->start_us));
	if (*f->queue || *f->account || *f->request.state)
		pm_page_pairf(p, "Batch system", "%s%s%s%s%s%s%s", f->scheduler,
			      *f->queue ? ", queue " : "", f->queue,
			      *f->account ? ", account " : "", f->account,
			      *f->request.state ? ", ended as " : "", f->request.state);
	if (*f->tags)
		pm_page_pair(p, "Tags", f->tags);
	if (*f->modules)
		pm_page_pair(p, "Modules", f->modules);
	if (*f->environment) {
		pm_text_fit(cut, sizeof cut, f->environment, COMMAND_LINES * (p->width - 20),
			    p->utf8);
		pm_page_pairf(p, "Environment", "changed during the job: %s", cut);
	}
	pm_page_pairf(p, "Result", "%s%s", describe_ending(end, f), cause_clause(f));
}
