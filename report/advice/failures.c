/* Advice on failures: the job, and crashed processes. */
#include "config.h"

#include "report/advice/rule.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The job's own command failed. */
bool pm_advice_job_failed(const struct pm_facts *f, struct pm_advice *a)
{
	char t[PM_FORMAT_MAX];

	pm_advice_cost_share(a, f, 1);
	if (f->unstarted)
		return pm_advice_say(
			a, "The job's command could not be started: it %s (exit status %d).",
			f->exit_status == 127 ? "was not found" : "cannot be executed here",
			(int)f->exit_status);
	if (f->exit_signal > 0)
		return pm_advice_say(
			a, "The job's command was ended by %s. What it computed may be incomplete.",
			pm_format_signal(t, f->exit_signal));
	if (f->exit_status > 0)
		return pm_advice_say(
			a,
			"The job's command ended with status %d: it reported a failure. See the "
			"first error message in its output%s.",
			(int)f->exit_status, f->failures ? ", and the failed processes" : "");
	return false;
}

/* The kernel killed processes of the job for lack of memory: by its own count in the control group,
 * of version 1 or 2. */
bool pm_advice_out_of_memory(const struct pm_facts *f, struct pm_advice *a)
{
	int64_t peak = f->rss_tree > f->rss ? f->rss_tree : f->rss;
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX], p[PM_FORMAT_MAX];
	size_t named = 0;

	if (f->oom_kills <= 0)
		return false;
	pm_advice_cost_share(a, f, 1);
	a->cost_bytes = peak >= 0 ? peak : PM_UNKNOWN;
	pm_advice_say(a, "The kernel killed %s of the job for lack of memory",
		      pm_advice_processes(n, f->oom_kills));
	for (size_t i = 0; i < f->failures && named < PM_ADVICE_NAMED; i++)
		if (f->failure[i].exit_signal == SIGKILL) {
			if (named == 0) {
				memcpy(a->program, f->failure[i].label, sizeof a->program);
				a->pid = f->failure[i].pid;
			}
			pm_advice_append(a, "%s%s",
					 named++ ? ", " : " (SIGKILL: ", f->failure[i].label);
		}
	pm_advice_append(a, "%s", named ? ")" : "");
	if (f->memory >= 0)
		pm_advice_append(a, ": %s %s",
				 f->limited ? "its control group may use" : "the host has",
				 pm_format_bytes(m, f->memory));
	if (peak >= 0)
		pm_advice_append(a, "%s %s%s", f->memory >= 0 ? ", of which" : ":",
				 pm_format_bytes(p, peak),
				 peak == f->rss ? " in one process are recorded"
						: " in all processes were sampled");
	pm_advice_append(a, ". Ask for more memory, or run fewer processes per host.");
	return true;
}

/* Describe the possible sender of SIGKILL, given the kernel's own count of out-of-memory kills. */
static const char *describe_killer(const struct pm_facts *f)
{
	if (f->oom_kills < 0)
		return " (sender not recorded: a person, a time limit, another program, the "
		       "process "
		       "itself, or the kernel for lack of memory)";
	return " (sender not recorded: a person, a time limit, another program or the "
	       "process itself, but not the kernel for lack of memory)";
}

/* A clause for a signal that means a crash or an exceeded limit, NULL for any other signal. Pipes
 * closed early (SIGPIPE) and deliberate ends (SIGTERM, SIGINT, SIGHUP, SIGALRM) are ordinary. */
static const char *why_crashed(int64_t signal)
{
	static const struct {
		int signal;
		const char *why;
	} bad[] = {
		{ SIGXCPU, ", the signal of the limit on CPU time" },
		{ SIGXFSZ, ", the signal of the limit on the size of files" },
		{ SIGSEGV, ": it crashed" },
		{ SIGBUS, ": it crashed" },
		{ SIGABRT, ": it crashed" },
		{ SIGILL, ": it crashed" },
		{ SIGFPE, ": it crashed" },
		{ SIGSYS, ": it crashed" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (bad[i].signal == signal)
			return bad[i].why;
	return NULL;
}

bool pm_advice_crashed(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], s[PM_FORMAT_MAX];
	size_t found = 0;
	int64_t more = 0, spared = 0;
	bool killed = false;

	for (size_t i = 0; i < f->failures; i++) {
		const struct pm_fact_failure *x = &f->failure[i];
		const char *why = why_crashed(x->exit_signal);

		/* Explain SIGKILL only once, for all programs; what the kernel killed for memory is
		 * told by its own rule. */
		if (x->exit_signal == SIGKILL && f->oom_kills > 0) {
			spared += x->count;
			if (spared <= f->oom_kills)
				continue;
		}
		if (x->exit_signal == SIGKILL) {
			why = killed ? "" : describe_killer(f);
			killed = true;
		}
		if (!why)
			continue;
		if (found == 0) {
			memcpy(a->program, x->label, sizeof a->program);
			a->pid = x->pid;
		}
		if (found++ < PM_ADVICE_NAMED)
			pm_advice_append(a, "%s%s of %s ended by %s%s", found > 1 ? "; " : "",
					 pm_advice_processes(n, x->count), x->label,
					 pm_format_signal(s, x->exit_signal), why);
		else
			more += x->count;
	}
	if (more > 0)
		pm_advice_append(a, "; and %s more", pm_advice_processes(n, more));
	if (found > 0)
		pm_advice_append(a, ".");
	return found > 0;
}
