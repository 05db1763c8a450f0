/* Advice on processes and threads: time in the kernel, many short ones, starts, locks. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>
#include <string.h>

/* What takes programs into the kernel: counts that account for a tenth of the time there, by what
 * one costs about (measured on a machine of 2024; a call that moves much, 5 GB a second). Returns
 * how many were said; *unknown becomes true where some are not known. */
static int say_counts(const struct pm_facts *f, struct pm_advice *a, bool *unknown)
{
	const int64_t calls = pm_format_add(f->syscr, f->syscw);
	const struct {
		int64_t count;
		double each_us;
		const char *what;
	} of[] = {
		{ f->runs, 500, "programs started" },
		{ calls, 1 + pm_format_ratio(pm_format_add(f->rchar, f->wchar), calls) / 5000,
		  "reads and writes" },
		{ f->minflt, 1, "page faults, as of memory allocated and freed again" },
		{ f->majflt, 30, "faults that read from storage" },
		{ f->vol_ctxsw, 4,
		  "times that a thread went to sleep, as at locks and barriers and in waits for "
		  "storage or the network" },
	};
	char n[PM_FORMAT_MAX];
	int said = 0;

	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		*unknown |= of[i].count == PM_UNKNOWN;
		if ((double)of[i].count * of[i].each_us >= 0.1 * (double)f->system_us)
			pm_advice_append(a, "%s%s %s", said++ ? ", " : " Its counts: ",
					 pm_format_count(n, of[i].count), of[i].what);
	}
	if (said)
		pm_advice_append(a, ".");
	return said;
}

/* Sleeps a second that are many for threads that do not wait for storage. */
#define SLEEPS 1000

/* What may be behind time in the kernel that no count accounts for. */
static void say_uncounted(const struct pm_facts *f, struct pm_advice *a, bool unknown)
{
	const double sleeps =
		f->most_threads > 1 ? pm_format_ratio(f->vol_ctxsw, f->wall_us) * 1e6 : NAN;
	char n[PM_FORMAT_MAX];

	pm_advice_append(a, " %s",
			 unknown ? "What for is not known of all processes."
			 : sleeps >= SLEEPS
				 ? "Reads, writes, page faults and starts do not account for it."
				 : "Reads, writes, page faults, sleeps and starts do not "
				   "account for it.");
	if (sleeps >= SLEEPS)
		pm_advice_append(a,
				 " Threads went to sleep %s times a second, as they do where they "
				 "fight over a lock.",
				 pm_format_count(n, (int64_t)sleeps));
	else if (f->most_threads > 1)
		pm_advice_append(a, " Threads that fight over a lock look like this, and so do "
				    "sched_yield and clock calls.");
	pm_advice_append(a, " See which calls it makes: strace -c -f, or perf trace -s.");
}

bool pm_advice_in_kernel(const struct pm_facts *f)
{
	return pm_format_ratio(f->system_us, f->cpu_us) >= 0.33;
}

/* Programs rarely spend a third of their CPU time in the kernel. */
bool pm_advice_system_time(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_program *worst = NULL;
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];
	bool unknown = false;
	double of_program;

	if (!pm_advice_in_kernel(f))
		return false;
	for (size_t i = 0; i < f->by_cpu_n; i++)
		if (!worst || f->by_cpu[i].system_us > worst->system_us)
			worst = &f->by_cpu[i];
	pm_advice_cost_spread(a, f, f->system_us);
	of_program = worst ? pm_format_ratio(worst->system_us, f->system_us) : NAN;
	pm_advice_say(a, "%s of the CPU time was spent in the kernel",
		      pm_format_share(t, pm_format_ratio(f->system_us, f->cpu_us)));
	if (of_program >= 0.2) {
		pm_advice_about(a, worst);
		pm_advice_append(a, ", %s of that by %s", pm_format_share(u, of_program),
				 worst->label);
	}
	pm_advice_append(a, ".");
	if (say_counts(f, a, &unknown) == 0)
		say_uncounted(f, a, unknown);
	return true;
}

/* A fifth of the CPU time was used by at least a hundred processes that lived under 50 ms. */
bool pm_advice_short_processes(const struct pm_facts *f, struct pm_advice *a)
{
	double share = pm_format_ratio(f->short_cpu_us, f->cpu_us);
	char n[PM_FORMAT_MAX], t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];

	if (f->short_runs < 100 || !(share >= 0.2))
		return false;
	pm_advice_cost_spread(a, f, f->short_cpu_us);
	return pm_advice_say(
		a,
		"%s lived less than 50 ms each; together they used %s of CPU time (%s). Much of "
		"that is the cost of starting them: do more per process, for instance with "
		"shell built-ins or one call for many files.",
		pm_advice_processes(n, f->short_runs), pm_format_duration(t, f->short_cpu_us),
		pm_format_share(u, share));
}

/* Many processes started in one second: 50, 8 for each CPU and five times the usual number, and
 * then waited for CPUs for 2 s in all, each for a thousandth of the job's time. */
bool pm_advice_start_burst(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], w[PM_FORMAT_MAX], m[PM_FORMAT_MAX];
	double usual = (double)f->runs * 1e6 / (double)f->wall_us;

	if (f->burst.starts < 50 || f->cpus <= 0 || f->burst.starts < 8 * f->cpus ||
	    f->burst.waiting_us < 2000000 ||
	    f->burst.waiting_us / f->burst.starts < f->wall_us / 1000 ||
	    (double)f->burst.starts < 5 * usual)
		return false;
	pm_advice_cost_share(a, f,
			     pm_format_ratio(f->burst.waiting_us / f->burst.starts, f->wall_us));
	a->start_us = f->burst.start_us;
	a->end_us = pm_format_add(f->burst.start_us, 1000000);
	return pm_advice_say(
		a,
		"%s started in one second, %s into the job, and waited %s for a CPU: all load "
		"their "
		"program, libraries and input at once. Start them one after another, as many at a "
		"time as there are CPUs.",
		pm_advice_processes(n, f->burst.starts),
		pm_format_duration(m, pm_format_since(f->burst.start_us, f->start_us)),
		pm_format_duration(w, f->burst.waiting_us));
}

/* Start and imports of such an interpreter take about a tenth of a second, often more. */
#define START_US 100000

/* Interpreters whose start and imports take long; their names may end in a version. A shell starts
 * at once. */
static bool starts_slowly(const char *label)
{
	static const char *const names[] = { "python", "pypy",   "R",      "Rscript",
					     "julia",  "MATLAB", "octave", "node" };
	size_t n = strcspn(label, " ");

	while (n > 0 && strchr("0123456789.-", label[n - 1]))
		n--;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == n && strncmp(label, names[i], n) == 0)
			return true;
	return false;
}

/* A script of such an interpreter ran twenty times, with a third of the job's CPU time in all and
 * up to five seconds of it each. How much of that is the start is not measured. */
bool pm_advice_repeated_start(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->by_cpu_n; i++) {
		const struct pm_fact_program *p = &f->by_cpu[i];

		if (!starts_slowly(p->label) || p->runs < 20 || p->cpu_us < f->cpu_us / 3 ||
		    p->cpu_us / p->runs > 5000000)
			continue;
		pm_advice_about(a, p);
		pm_advice_cost_spread(a, f,
				      p->cpu_us / p->runs < START_US
					      ? p->cpu_us
					      : pm_format_scale(p->runs, START_US));
		return pm_advice_say(
			a,
			"%s ran %s times, with %s of CPU time each, %s in all. Each run starts the "
			"interpreter and loads its modules anew: see how long that takes (python3 "
			"-X "
			"importtime), and let one process do the work of many runs.",
			p->label, pm_format_count(n, p->runs),
			pm_format_duration(t, p->cpu_us / p->runs),
			pm_format_duration(u, p->cpu_us));
	}
	return false;
}

/* CPUs that the threads of the sleeping process could use. */
static int64_t cpus_of(const struct pm_facts *f)
{
	return f->cpus > 0 && f->cpus < f->sleeper.threads ? f->cpus : f->sleeper.threads;
}

/* Threads of a process put themselves to sleep 2000 times a second, not to read or write, and use
 * less than 80 % of the CPUs that they could: they wait for each other. One that sleeps alone waits
 * for a timer, or for other processes. */
bool pm_advice_contended(const struct pm_facts *f)
{
	const struct pm_fact_sleeper *x = &f->sleeper;

	return x->switches >= 10000 && x->wall_us >= 1000000 && x->sleeping != 1 &&
	       (double)x->switches * 1e6 / (double)x->wall_us >= 2000 &&
	       pm_format_ratio(x->cpu_us, x->wall_us) < 0.8 * (double)cpus_of(f);
}

bool pm_advice_lock_contention(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_sleeper *x = &f->sleeper;
	int64_t could = cpus_of(f);
	double busy = pm_format_ratio(x->cpu_us, x->wall_us);
	char t[PM_FORMAT_MAX], r[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX];
	char host[PM_PROCESSNAME_MAX + 16];
	double rate;

	if (!pm_advice_contended(f))
		return false;
	rate = (double)x->switches * 1e6 / (double)x->wall_us;
	memcpy(a->program, x->label, sizeof a->program);
	a->pid = x->pid;
	pm_advice_cost_share(a, f,
			     pm_format_ratio(x->wall_us, f->wall_us) * (1 - busy / (double)could));
	return pm_advice_say(
		a,
		"The %s of %s (pid %lld%s) went to sleep %s times a second, not to read or write "
		"files: "
		"they wait for each other at locks or barriers, or for messages, and used %s of %s "
		"CPUs. "
		"Hold locks for a shorter time, share less, or give each thread larger pieces of "
		"work.",
		pm_format_things(t, x->threads, "thread"), x->label, (long long)x->pid,
		pm_facts_on(host, f, x->host, " on "), pm_format_count(r, (int64_t)rate),
		pm_format_number(b, busy), pm_format_count(c, could));
}

/* Half of the threads of a process worked, and one of them a quarter more than the mean of those,
 * and a fifth of the wall time. Threads that wait busily hide it: their waiting is CPU time. */
bool pm_advice_uneven_threads(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_threads *t = &f->of_threads;
	char m[PM_FORMAT_MAX], n[PM_FORMAT_MAX], w[PM_FORMAT_MAX], all[PM_FORMAT_MAX];
	char host[PM_PROCESSNAME_MAX + 16];

	if (t->working < 2 || 2 * t->working < t->threads ||
	    (double)t->most < 1.25 * t->mean_working || t->most < f->wall_us / 5)
		return false;
	memcpy(a->program, t->label, sizeof a->program);
	a->pid = t->pid;
	pm_advice_cost_share(a, f, ((double)t->most - t->mean_working) / (double)f->wall_us);
	return pm_advice_say(
		a,
		"The %s of %s (pid %lld%s) had uneven work: the busiest used %s of CPU time, the "
		"mean of the %s that worked is %s. Where they work together, all wait for it: "
		"distribute the work more evenly, in smaller pieces (schedule(dynamic)).",
		pm_format_things(all, t->threads, "thread"), t->label, (long long)t->pid,
		pm_facts_on(host, f, t->host, " on "), pm_format_duration(m, t->most),
		pm_format_count(w, t->working), pm_format_duration(n, (int64_t)t->mean_working));
}
