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
			"first error message in its output, and the failed processes above.",
			(int)f->exit_status);
	return false;
}

/* Describe the possible sender of SIGKILL, given the kernel's own count of out-of-memory kills. */
static const char *describe_killer(const struct pm_facts *f, char why[160])
{
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (f->oom_kills < 0)
		return " (sender not recorded: a person, a time limit, another program, the "
		       "process "
		       "itself, or the kernel for lack of memory)";
	if (f->oom_kills == 0)
		return " (sender not recorded: a person, a time limit, another program or the "
		       "process itself, but not the kernel for lack of memory)";
	snprintf(why, 160, ": the kernel killed %s of the job for lack of memory%s%s%s",
		 pm_advice_processes(n, f->oom_kills), f->limited ? " (limit " : "",
		 f->limited ? pm_format_bytes(m, f->memory) : "", f->limited ? ")" : "");
	return why;
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
	char n[PM_FORMAT_MAX], s[PM_FORMAT_MAX], room[160];
	size_t found = 0;
	int64_t more = 0;
	bool killed = false;

	for (size_t i = 0; i < f->failures; i++) {
		const struct pm_fact_failure *x = &f->failure[i];
		const char *why = why_crashed(x->exit_signal);

		/* Explain SIGKILL only once, for all programs. */
		if (x->exit_signal == SIGKILL) {
			why = killed ? "" : describe_killer(f, room);
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
