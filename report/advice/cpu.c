/* Advice on CPUs: idle, contended, spent in the kernel. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>
#include <string.h>

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

/* In a tenth of its periods, for a second in all. */
bool pm_advice_throttled(const struct pm_facts *f)
{
	return pm_format_ratio(f->cgroup.throttled, f->cgroup.periods) >= 0.1 &&
	       f->cgroup.throttled_us >= 1000000;
}

/* The CPUs that its threads could stand still on: those of the hosts, and no more than there were
 * threads; at least one. */
static double stopped_cpus(const struct pm_facts *f)
{
	double threads = (double)f->most_threads, cpus = 0;

	for (int i = 0; i < PM_FACTS_STEPS; i++)
		threads = f->active.step[i] > threads ? f->active.step[i] : threads;
	for (size_t i = 0; i < f->hosts; i++)
		cpus += f->host[i].cpus_online > 0 ? (double)f->host[i].cpus_online : 0;
	return fmax(1, fmin(threads, cpus));
}

double pm_advice_stopped(const struct pm_facts *f)
{
	return pm_format_ratio(f->cgroup.throttled_us, f->wall_us) / stopped_cpus(f);
}

/* A quota is used up before the period ends, and all threads stand still until the next one. */
bool pm_advice_cpu_quota(const struct pm_facts *f, struct pm_advice *a)
{
	char s[PM_FORMAT_MAX], t[PM_FORMAT_MAX], c[PM_FORMAT_MAX];
	const double got = pm_advice_busy(f);

	if (!pm_advice_throttled(f))
		return false;
	pm_advice_cost_share(a, f, pm_advice_stopped(f));
	pm_advice_say(
		a,
		"The CPU quota of the job's control group stopped it in %s of the quota's periods; "
		"its threads stood still for %s in all, since they wanted more CPU than it allows",
		pm_format_share(s, pm_format_ratio(f->cgroup.throttled, f->cgroup.periods)),
		pm_format_duration(t, f->cgroup.throttled_us));
	if (got >= 0)
		pm_advice_append(a, ": they got %s CPUs on average", pm_format_number(c, got));
	/* Fewer than one thread cannot be started. */
	pm_advice_append(a, got >= 1 ? ". Ask for more CPUs, or start fewer threads "
				       "(OMP_NUM_THREADS, make -j)."
				     : ". Ask for more CPUs.");
	return true;
}

/* CPUs of a host that other work kept busy on average, from the samples of the nodes. */
struct foreign {
	double cpus;      /* NaN unless all hosts were sampled */
	bool matters;     /* they are a tenth of those of the host */
	const char *host; /* the one where other work had most */
};

static struct foreign foreign_cpus(const struct pm_facts *f)
{
	struct foreign most = { -1, false, "" };

	for (size_t i = 0; i < f->hosts; i++) {
		const struct pm_fact_host *h = &f->host[i];
		double busy = h->summary[PM_NODESUMMARY_cpu_avg_utilization_pct] / 100 *
			      (double)h->cpus_online;
		double other = busy - pm_format_ratio(h->cpu_us, f->wall_us);
		int64_t cpus = pm_facts_cpus(h);

		if (h->cpus_online <= 0 || isnan(other))
			return (struct foreign){ NAN, false, "" };
		if (other > most.cpus) {
			most.cpus = other > 0 ? other : 0;
			most.host = f->hosts > 1 ? pm_facts_hostname(h) : "the host";
		}
		most.matters |= other >= 0.1 * (double)(cpus > 0 ? cpus : h->cpus_online);
	}
	if (f->hosts == 0)
		most.cpus = NAN;
	return most;
}

/* The program with the most threads in a process, where they are more than the CPUs; or NULL. */
static const struct pm_fact_program *most_threads(const struct pm_facts *f)
{
	const struct pm_fact_program *most = NULL;

	for (size_t i = 0; i < f->by_cpu_n; i++)
		if (f->by_cpu[i].numtids > f->cpus &&
		    (!most || f->by_cpu[i].numtids > most->numtids))
			most = &f->by_cpu[i];
	return most;
}

/* What used the CPUs that the job did not get, where that is known. */
static void say_others(const struct pm_facts *f, struct pm_advice *a)
{
	const struct foreign others = foreign_cpus(f);
	char n[PM_FORMAT_MAX];

	if (others.matters)
		pm_advice_append(a,
				 " Other work on %s used %s CPUs meanwhile: ask for CPUs of "
				 "its own, or the whole node.",
				 others.host, pm_format_number(n, others.cpus));
	else if (others.cpus >= 0)
		pm_advice_append(a, " Hardly anything else used the others: its threads wanted to "
				    "run at the same "
				    "moments, or are bound to the same CPUs.");
	else
		pm_advice_append(a, " Other work on the host used them, its threads wanted to run "
				    "at the same moments, or they are bound to the same CPUs.");
}

/* That the job had more threads ready to run than CPUs, and which program started them. */
static void say_too_many(const struct pm_facts *f, struct pm_advice *a, double runnable)
{
	const struct pm_fact_program *threaded = most_threads(f);
	char n[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	pm_advice_append(a, ": on average %s threads shared %s.", pm_format_number(n, runnable),
			 pm_format_things(c, f->cpus, "CPU"));
	if (threaded) {
		pm_advice_about(a, threaded);
		pm_advice_append(a, " A process of %s had %s.", threaded->label,
				 pm_format_things(n, threaded->numtids, "thread"));
	} else if (f->by_cpu_n && f->by_cpu[0].runs > f->cpus)
		pm_advice_append(a, " %s ran %s times.", f->by_cpu[0].label,
				 pm_format_count(n, f->by_cpu[0].runs));
	pm_advice_append(a, " Start fewer %s, or ask for more CPUs.",
			 threaded ? "(OMP_NUM_THREADS)"
				  : "at a time (make -j, xargs -P, a pool's size)");
}

/* The CPU time in the kernel of a program that has more threads than CPUs, where these went to
 * sleep so often that switching accounts for a tenth of it (4 us each); else 0. */
static int64_t switching(const struct pm_facts *f)
{
	return most_threads(f) && pm_advice_in_kernel(f) &&
			       4 * (double)f->vol_ctxsw >= (double)f->system_us / 10
		       ? f->system_us
		       : 0;
}

/* The average number of runnable threads tells whether the job itself or other work on the host
 * caused the waits; what a quota caused is told by its own rule. */
bool pm_advice_waiting_for_cpu(const struct pm_facts *f, struct pm_advice *a)
{
	int64_t wanted = pm_format_add(f->time_oncpu_us, f->time_waiting_us);
	double share = pm_format_ratio(f->time_waiting_us, wanted);
	double runnable = pm_format_ratio(wanted, f->wall_us);
	/* The time on a CPU is known only of processes whose end was recorded. */
	double got = pm_format_ratio(f->cpu_us > f->time_oncpu_us ? f->cpu_us : f->time_oncpu_us,
				     f->wall_us);
	const struct foreign others = foreign_cpus(f);
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX], n[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	/* Of processes that still run it is not known. */
	if (f->running > 0 || !pm_advice_starved(f) ||
	    (pm_advice_throttled(f) && 2 * f->cgroup.throttled_us >= f->time_waiting_us))
		return false;
	pm_advice_cost_share(a, f, share);
	pm_advice_say(a,
		      "Threads that could have run waited %s for a free CPU, %s of the time they "
		      "wanted to run",
		      pm_format_duration(t, f->time_waiting_us), pm_format_share(u, share));
	if (f->cpus <= 0) {
		pm_advice_append(a,
				 ": on average %s threads got %s CPUs. How many CPUs the job was "
				 "allowed is not "
				 "recorded: they were too few, or other work used them.",
				 pm_format_number(n, runnable), pm_format_number(c, got));
		pm_advice_bound_waits(a, f);
		return true;
	}
	/* A quarter more threads are ready than CPUs only if the job itself has them: where other
	 * work takes CPUs, too, they wait for both. */
	if (runnable <= (double)f->cpus ||
	    (got < 0.8 * (double)f->cpus && runnable <= 1.25 * (double)f->cpus)) {
		pm_advice_append(a, ", though the job used %s of its %s on average.",
				 pm_format_number(n, got), pm_format_count(c, f->cpus));
		pm_advice_bound_waits(a, f);
		say_others(f, a);
		return true;
	}
	/* Without the waits it still needs its CPU time, but for what so many threads spend in the
	 * kernel to take turns. */
	pm_advice_cost_share(
		a, f,
		fmin(share, 1 - pm_format_ratio(f->cpu_us - switching(f), f->cpus * f->wall_us)));
	if (switching(f) == 0)
		pm_advice_bound_waits(a, f);
	say_too_many(f, a, runnable);
	if (got < 0.8 * (double)f->cpus && others.matters)
		pm_advice_append(a, " Other work on %s used %s CPUs meanwhile.", others.host,
				 pm_format_number(n, others.cpus));
	return true;
}

/* Whether the largest process had several threads that did about as much each: they waited, and
 * were not too few. */
static bool threads_shared(const struct pm_facts *f)
{
	const struct pm_fact_threads *t = &f->of_threads;

	return t->working >= 2 && 2 * t->mean_working >= (double)t->most &&
	       t->mean_working * (double)t->working >= (double)f->cpu_us / 2;
}

/* The job kept about one of several CPUs busy, most of it in one program. 1.15 allows for helper
 * processes, 0.5 excludes jobs that wait. Ranks of a parallel program have rules of their own. */
static bool one_thread(const struct pm_facts *f)
{
	const struct pm_fact_program *p = hottest_program(f);
	double share = p ? pm_format_ratio(p->cpu_us, f->cpu_us) : NAN, cpus = pm_advice_busy(f);

	return f->cpus >= 2 && f->ranks <= 1 && cpus >= 0.5 && cpus <= 1.15 && share >= 0.5 &&
	       !threads_shared(f) && !pm_advice_starved(f) && !pm_advice_contended(f);
}

bool pm_advice_single_threaded(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_fact_program *p = hottest_program(f);
	double share = p ? pm_format_ratio(p->cpu_us, f->cpu_us) : NAN, cpus = pm_advice_busy(f);
	const double serial = f->sampled ? f->busy_at_most[1] : NAN;
	char n[PM_FORMAT_MAX], b[PM_FORMAT_MAX], t[PM_FORMAT_MAX];

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
	/* It can do so, and did for a time. */
	if (serial < 0.97 && p->numtids > 1)
		return pm_advice_say(
			a,
			"The job kept %s of its %d CPUs busy, most of it in %s (%s of the CPU "
			"time): for "
			"%s of the time no more than one was busy. Let that part run in parallel, "
			"too, or ask for one CPU.",
			pm_format_number(n, cpus), (int)f->cpus, p->label,
			pm_format_share(b, share), pm_format_share(t, serial));
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
	if (f->ranks >= 2 && f->ranks < f->cpus && f->most_threads == 1 &&
	    b >= 0.7 * (double)f->ranks)
		return pm_advice_say(
			a,
			"The %d ranks have one thread each, and %d CPUs: on average %s were busy. "
			"Give the ranks threads, start more of them, or ask for fewer CPUs.",
			(int)f->ranks, (int)f->cpus, pm_format_number(t, b));
	if (f->sampled && f->cpus < 64) {
		for (int n = 0; n < f->cpus; n++) {
			double time = f->busy_at_most[n];

			if (!(time >= 0.75))
				continue;
			pm_advice_say(a,
				      "For %s of the time the job used no more CPU time than %d of "
				      "its %d "
				      "CPUs could give",
				      pm_format_share(t, time), n, (int)f->cpus);
			return pm_advice_say_more(a,
						  ". Ask for fewer CPUs, or run more in parallel.");
		}
	}
	return pm_advice_say(
		a,
		"On average %s of %d allocated CPUs were busy (%s). Ask for fewer CPUs, or run "
		"more in parallel.",
		pm_format_number(t, b), (int)f->cpus, pm_format_share(u, share));
}

/* Steps of the timeline outside of a serial phase, at least: fewer may be a rounding of time. */
#define PARALLEL_STEPS 3

/* Steps of the timeline in which about one CPU was busy. */
static bool one_busy(double step)
{
	return step >= 0.3 && step <= 1.3;
}

/* The longest run of such steps. Returns its length, and its first step. */
static int longest_serial(const struct pm_facts *f, int *first)
{
	int best = 0;

	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		int n = 0;

		while (i + n < PM_FACTS_STEPS && one_busy(f->cpu.step[i + n]))
			n++;
		if (n > best) {
			best = n;
			*first = i;
		}
		i += n;
	}
	return best;
}

/* Mean number of busy CPUs in the steps outside of a run. */
static double busy_elsewhere(const struct pm_facts *f, int first, int n)
{
	double sum = 0;
	int steps = 0;

	for (int i = 0; i < PM_FACTS_STEPS; i++)
		if ((i < first || i >= first + n) && !isnan(f->cpu.step[i])) {
			sum += f->cpu.step[i];
			steps++;
		}
	return steps ? sum / steps : NAN;
}

/* A tenth of a job in one piece used one CPU, the rest of it at least two, or one and a
 * half of two. */
bool pm_advice_serial_phase(const struct pm_facts *f, struct pm_advice *a)
{
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX], n[PM_FORMAT_MAX];
	const struct pm_fact_phase *during = NULL;
	int first = 0, steps;
	int64_t step = f->line_us / PM_FACTS_STEPS, from, to;
	double elsewhere;

	if (!f->cpu.known || f->line_us <= 0 || f->cpus < 2 || f->running > 0)
		return false;
	steps = longest_serial(f, &first);
	elsewhere = busy_elsewhere(f, first, steps);
	if (steps < PM_FACTS_STEPS / 10 + 1 || !(elsewhere >= (f->cpus > 2 ? 2 : 1.5)) ||
	    PM_FACTS_STEPS - steps < PARALLEL_STEPS)
		return false;
	from = first * step;
	to = from + steps * step;
	for (size_t i = 0; i < f->phases && !during; i++)
		if (f->phase[i].start_us <= from + step && f->phase[i].end_us >= to - step &&
		    pm_format_since(f->phase[i].end_us, f->phase[i].start_us) / 2 < to - from)
			during = &f->phase[i];
	a->start_us = f->line_start_us + from;
	a->end_us = f->line_start_us + to;
	pm_advice_cost_share(
		a, f,
		(double)steps / PM_FACTS_STEPS *
			(1 - 1 / (elsewhere < (double)f->cpus ? elsewhere : (double)f->cpus)));
	pm_advice_say(
		a, "For %s, from %s after its start on, the job used one CPU, else %s on average",
		pm_format_duration(t, to - from), pm_format_duration(u, from),
		pm_format_number(n, elsewhere));
	if (during) {
		memcpy(a->program, during->label, sizeof a->program);
		pm_advice_append(a, "; %s ran then", during->label);
	}
	pm_advice_append(a,
			 ". Let that part run in parallel, or in a job of its own with one CPU.");
	return true;
}
