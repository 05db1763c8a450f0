/* Advice on CPUs: idle, contended, spent in the kernel. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>

/* The program with the most CPU time, NULL for none. */
static const struct pm_fact_program *hottest_program(const struct pm_facts *f)
{
	return f->by_cpu_n && f->by_cpu[0].cpu_us > 0 ? &f->by_cpu[0] : NULL;
}

/* Threads were runnable without a CPU for a fifth of the time that they wanted to run, and long
 * enough to matter. */
bool pm_advice_starved(const struct pm_facts *f)
{
	double share = pm_format_ratio(f->time_waiting_us,
				       pm_format_add(f->time_oncpu_us, f->time_waiting_us));

	return f->time_oncpu_us >= 0 && share >= 0.2 && f->time_waiting_us >= 2000000;
}

/* The average number of runnable threads tells whether the job itself or other
 * work on the host caused the waits. */
bool pm_advice_waiting_for_cpu(const struct pm_facts *f, struct pm_advice *a)
{
	int64_t wanted = pm_format_add(f->time_oncpu_us, f->time_waiting_us);
	double share = pm_format_ratio(f->time_waiting_us, wanted);
	double runnable = pm_format_ratio(wanted, f->wall_us);
	double got = pm_format_ratio(f->time_oncpu_us, f->wall_us);
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX], n[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	if (!pm_advice_starved(f))
		return false;
	pm_advice_cost_share(a, f, share);
	pm_format_duration(t, f->time_waiting_us);
	pm_format_share(u, share);
	/* If threads wait for the job's own threads, its CPUs are busy; otherwise they wait for
	 * other work. */
	if (f->cpus > 0 && (runnable <= (double)f->cpus || got < 0.8 * (double)f->cpus))
		return pm_advice_say(
			a,
			"Threads that could have run waited %s for a free CPU, %s of the time they "
			"wanted to run, though the job had enough CPUs: it used %s of its %s. "
			"Other "
			"work on the host used them, or threads are bound to the same CPUs.",
			t, u, pm_format_number(n, got), pm_format_count(c, f->cpus));
	if (f->cpus <= 0)
		return pm_advice_say(
			a,
			"Threads that could have run waited %s for a free CPU, %s of the time they "
			"wanted to run: on average %s threads got %s CPUs. How many CPUs the "
			"job was allowed is not recorded: they were too few, or other work used "
			"them.",
			t, u, pm_format_number(n, runnable), pm_format_number(c, got));
	return pm_advice_say(
		a,
		"Threads that could have run waited %s for a free CPU, %s of the time they wanted "
		"to run: on average %s threads shared %s. Start fewer (OMP_NUM_THREADS, make -j), "
		"or ask for more CPUs.",
		t, u, pm_format_number(n, runnable), pm_format_things(c, f->cpus, "CPU"));
}

/* The job kept about one of several CPUs busy, most of it in one program. 1.15 allows for helper
 * processes, 0.5 excludes jobs that wait. */
static bool one_thread(const struct pm_facts *f)
{
	const struct pm_fact_program *p = hottest_program(f);
	double share = p ? pm_format_ratio(p->cpu_us, f->cpu_us) : NAN, cpus = pm_advice_busy(f);

	return f->cpus >= 2 && cpus >= 0.5 && cpus <= 1.15 && share >= 0.5 && !pm_advice_starved(f);
}

bool pm_advice_single_threaded(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_program *p = hottest_program(f);
	double share = p ? pm_format_ratio(p->cpu_us, f->cpu_us) : NAN, cpus = pm_advice_busy(f);
	char n[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	if (!one_thread(f))
		return false;
	pm_advice_about(a, p);
	pm_advice_cost_share(a, f, 1 - cpus / (double)f->cpus);
	if (p->numtids == 1 && p->runs == 1)
		return pm_advice_say(
			a,
			"The job kept %s of its %d CPUs busy: %s has one thread and used %s of "
			"the CPU time. Let it run in parallel, or ask for one CPU.",
			pm_format_number(n, cpus), (int)f->cpus, p->label,
			pm_format_share(b, share));
	return pm_advice_say(
		a,
		"The job kept %s of its %d CPUs busy, most of it in %s (%s of the CPU time), "
		"which hardly ran in parallel. Check its number of threads, or ask for one CPU.",
		pm_format_number(n, cpus), (int)f->cpus, p->label, pm_format_share(b, share));
}

/* Allocated CPUs were idle, and not because threads waited for them. With samples: some CPUs were
 * idle for three quarters of the time. Without: less than 70 % were busy on average. */
bool pm_advice_idle_cpus(const struct pm_facts *f, struct pm_advice *a)
{
	double b = pm_advice_busy(f), share = f->efficiency;
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];

	if (f->cpus < 2 || !(b >= 0.5) || !(share < 0.7) || one_thread(f) || pm_advice_starved(f))
		return false;
	pm_advice_cost_share(a, f, 1 - share);
	if (f->sampled && f->cpus < 64) {
		for (int n = 0; n < f->cpus; n++) {
			double time = f->busy_at_most[n];

			if (!(time >= 0.75))
				continue;
			return pm_advice_say(
				a,
				"%d of %d allocated CPUs were idle %s of the time. Ask for fewer "
				"CPUs, or run more in parallel.",
				(int)f->cpus - n, (int)f->cpus, pm_format_share(t, time));
		}
	}
	return pm_advice_say(
		a,
		"On average %s of %d allocated CPUs were busy (%s). Ask for fewer CPUs, or run "
		"more in parallel.",
		pm_format_number(t, b), (int)f->cpus, pm_format_share(u, share));
}

/* Programs rarely spend a third of their CPU time in the kernel; such programs start processes, do
 * tiny I/O, or fault memory in and out. */
bool pm_advice_system_time(const struct pm_facts *f, struct pm_advice *a)
{
	double share = pm_format_ratio(f->system_us, f->cpu_us), of_program;
	const struct pm_fact_program *worst = NULL;
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];

	if (!(share >= 0.33))
		return false;
	for (size_t i = 0; i < f->by_cpu_n; i++)
		if (!worst || f->by_cpu[i].system_us > worst->system_us)
			worst = &f->by_cpu[i];
	pm_advice_cost_spread(a, f, f->system_us);
	of_program = worst ? pm_format_ratio(worst->system_us, f->system_us) : NAN;
	if (of_program >= 0.2) {
		pm_advice_about(a, worst);
		return pm_advice_say(
			a,
			"%s of the CPU time was spent in the kernel, %s of that by %s. Usual "
			"reasons: starting many processes, many small reads and writes, memory "
			"allocated and freed again and again.",
			pm_format_share(t, share), pm_format_share(u, of_program), worst->label);
	}
	return pm_advice_say(
		a,
		"%s of the CPU time was spent in the kernel. Usual reasons: starting many "
		"processes, many small reads and writes, memory allocated and freed again and "
		"again.",
		pm_format_share(t, share));
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
