/* The advice rules. Each threshold is in the rule that uses it; the comment of the rule gives the
 * reason. */
#include "config.h"

#include "report/job/advice.h"

#include "common/safe/uncounted.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SAY(...) (snprintf(text, PM_ADVICE_MAX, __VA_ARGS__), true)

/* Format a number of processes: "1 process", "12 processes". */
static const char *format_processes(char *t, int64_t n)
{
	return pm_format_things(t, n, n == 1 ? "process" : "processe");
}

/* Average number of busy CPUs; NaN if unknown, also while processes run, whose CPU time is unknown.
 */
static double busy_cpus(const struct pm_facts *f)
{
	return f->running > 0 ? NAN : pm_format_ratio(f->cpu_us, f->wall_us);
}

/* Maximum number of items listed in a sentence. */
#define NAMED 3

/* Append to a sentence. Returns its new length. */
static size_t __attribute__((format(printf, 3, 4)))
append_text(char *text, size_t len, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text + len, PM_ADVICE_MAX - len, format, list);
	va_end(list);
	return n < 0 || len + (size_t)n >= PM_ADVICE_MAX ? PM_ADVICE_MAX - 1 : len + (size_t)n;
}

/* The program with the most CPU time, NULL for none. */
static const struct pm_fact_program *hottest_program(const struct pm_facts *f)
{
	return f->by_cpu_n && f->by_cpu[0].cpu_us > 0 ? &f->by_cpu[0] : NULL;
}

/* The job's own command failed. */
static bool job_failed(const struct pm_facts *f, char *text)
{
	char t[PM_FORMAT_MAX];

	if (f->unstarted)
		return SAY("The job's command could not be started: it %s (exit status %d).",
			   f->exit_status == 127 ? "was not found" : "cannot be executed here",
			   (int)f->exit_status);
	if (f->exit_signal > 0)
		return SAY("The job's command was ended by %s. What it computed may be incomplete.",
			   pm_format_signal(t, f->exit_signal));
	if (f->exit_status > 0)
		return SAY("The job's command ended with status %d: it reported a failure. See the "
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
		 format_processes(n, f->oom_kills), f->limited ? " (limit " : "",
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

static bool crashed(const struct pm_facts *f, char *text)
{
	char n[PM_FORMAT_MAX], s[PM_FORMAT_MAX], room[160];
	size_t found = 0, len = 0;
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
		if (found++ < NAMED)
			len = append_text(text, len, "%s%s of %s ended by %s%s", len ? "; " : "",
					  format_processes(n, x->count), x->label,
					  pm_format_signal(s, x->exit_signal), why);
		else
			more += x->count;
	}
	if (more > 0)
		len = append_text(text, len, "; and %s more", format_processes(n, more));
	if (len > 0)
		append_text(text, len, ".");
	return len > 0;
}

/* Threads were runnable without a CPU for a fifth of the time that they wanted to run, and long
 * enough to matter. The average number of runnable threads tells whether the job itself or other
 * work on the host caused the waits. */
static bool waiting_for_cpu(const struct pm_facts *f, char *text)
{
	int64_t wanted = pm_format_add(f->time_oncpu_us, f->time_waiting_us);
	double share = pm_format_ratio(f->time_waiting_us, wanted);
	double runnable = pm_format_ratio(wanted, f->wall_us);
	double got = pm_format_ratio(f->time_oncpu_us, f->wall_us);
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX], n[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	if (f->time_oncpu_us < 0 || !(share >= 0.2) || f->time_waiting_us < 2000000)
		return false;
	pm_format_duration(t, f->time_waiting_us);
	pm_format_share(u, share);
	/* If threads wait for the job's own threads, its CPUs are busy; otherwise they wait for
	 * other work. */
	if (f->cpus > 0 && (runnable <= (double)f->cpus || got < 0.8 * (double)f->cpus))
		return SAY(
			"Threads that could have run waited %s for a free CPU, %s of the time they "
			"wanted to run, though the job had enough CPUs: it used %s of its %s. "
			"Other "
			"work on the host used them, or threads are bound to the same CPUs.",
			t, u, pm_format_number(n, got), pm_format_count(c, f->cpus));
	if (f->cpus <= 0)
		return SAY(
			"Threads that could have run waited %s for a free CPU, %s of the time they "
			"wanted to run: on average %s threads got %s CPUs. How many CPUs the "
			"job was allowed is not recorded: they were too few, or other work used "
			"them.",
			t, u, pm_format_number(n, runnable), pm_format_number(c, got));
	return SAY(
		"Threads that could have run waited %s for a free CPU, %s of the time they wanted "
		"to run: on average %s threads shared %s. Start fewer (OMP_NUM_THREADS, make -j), "
		"or ask for more CPUs.",
		t, u, pm_format_number(n, runnable), pm_format_things(c, f->cpus, "CPU"));
}

/* The job kept about one of several CPUs busy, most of it in one program. 1.15 allows for helper
 * processes, 0.5 excludes jobs that wait. */
static bool single_threaded(const struct pm_facts *f, char *text)
{
	const struct pm_fact_program *p = hottest_program(f);
	double share = p ? pm_format_ratio(p->cpu_us, f->cpu_us) : NAN, cpus = busy_cpus(f);
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], other[PM_ADVICE_MAX];

	if (f->cpus < 2 || !(cpus >= 0.5 && cpus <= 1.15) || !(share >= 0.5) ||
	    waiting_for_cpu(f, other))
		return false;
	if (p->numtids == 1 && p->runs == 1)
		return SAY("The job kept %s of its %d CPUs busy: %s has one thread and used %s of "
			   "the CPU time. Let it run in parallel, or ask for one CPU.",
			   pm_format_number(a, cpus), (int)f->cpus, p->label,
			   pm_format_share(b, share));
	return SAY("The job kept %s of its %d CPUs busy, most of it in %s (%s of the CPU time), "
		   "which hardly ran in parallel. Check its number of threads, or ask for one CPU.",
		   pm_format_number(a, cpus), (int)f->cpus, p->label, pm_format_share(b, share));
}

/* Allocated CPUs were idle, and not because threads waited for them. With samples: some CPUs were
 * idle for three quarters of the time. Without: less than 70 % were busy on average. */
static bool idle_cpus(const struct pm_facts *f, char *text)
{
	double b = busy_cpus(f), share = f->efficiency;
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX], other[PM_ADVICE_MAX];

	if (f->cpus < 2 || !(b >= 0.5) || !(share < 0.7) || single_threaded(f, other) ||
	    waiting_for_cpu(f, other))
		return false;
	if (f->sampled && f->cpus < 64) {
		for (int n = 0; n < f->cpus; n++) {
			double time = f->busy_at_most[n];

			if (!(time >= 0.75))
				continue;
			return SAY(
				"%d of %d allocated CPUs were idle %s of the time. Ask for fewer "
				"CPUs, or run more in parallel.",
				(int)f->cpus - n, (int)f->cpus, pm_format_share(t, time));
		}
	}
	return SAY("On average %s of %d allocated CPUs were busy (%s). Ask for fewer CPUs, or run "
		   "more in parallel.",
		   pm_format_number(t, b), (int)f->cpus, pm_format_share(u, share));
}

/* Less than half a CPU was busy over the whole job. Waits for a CPU are reported by another rule.
 */
static bool mostly_waiting(const struct pm_facts *f, char *text)
{
	double b = busy_cpus(f), blkio = pm_format_ratio(f->blkio_us, f->wall_us);
	double wanted = pm_format_ratio(pm_format_add(f->cpu_us, f->time_waiting_us), f->wall_us);
	int64_t moved = pm_format_add(f->read_bytes, f->write_bytes);
	char c[PM_FORMAT_MAX], w[PM_FORMAT_MAX], x[PM_FORMAT_MAX], other[PM_ADVICE_MAX];

	if (!(b < 0.5) || f->wall_us < 2 * PM_ADVICE_MIN_WALL_US ||
	    (wanted >= 0.5 && waiting_for_cpu(f, other)))
		return false;
	pm_format_duration(c, f->cpu_us);
	pm_format_duration(w, f->wall_us);
	if (blkio >= 0.1)
		return SAY(
			"The job mostly waited: %s of CPU time in %s. Its processes waited %s for "
			"storage.",
			c, w, pm_format_duration(x, f->blkio_us));
	/* A busy shared file system may leave no more than 20 MB/s to one job. */
	if (moved > 0 && (double)moved / (double)f->wall_us >= 20)
		return SAY(
			"The job mostly waited: %s of CPU time in %s, while it moved %s from and "
			"to storage. Storage is the likely limit.",
			c, w, pm_format_bytes(x, moved));
	return SAY("The job mostly waited: %s of CPU time in %s, and no wait for storage was "
		   "recorded. Usual reasons: sleeping, the network, locks, input from people.",
		   c, w);
}

/* Programs rarely spend a third of their CPU time in the kernel; such programs start processes, do
 * tiny I/O, or fault memory in and out. */
static bool system_time(const struct pm_facts *f, char *text)
{
	double share = pm_format_ratio(f->system_us, f->cpu_us), of_program;
	const struct pm_fact_program *worst = NULL;
	char t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];

	if (!(share >= 0.33))
		return false;
	for (size_t i = 0; i < f->by_cpu_n; i++)
		if (!worst || f->by_cpu[i].system_us > worst->system_us)
			worst = &f->by_cpu[i];
	of_program = worst ? pm_format_ratio(worst->system_us, f->system_us) : NAN;
	if (of_program >= 0.2)
		return SAY("%s of the CPU time was spent in the kernel, %s of that by %s. Usual "
			   "reasons: starting many processes, many small reads and writes, memory "
			   "allocated and freed again and again.",
			   pm_format_share(t, share), pm_format_share(u, of_program), worst->label);
	return SAY("%s of the CPU time was spent in the kernel. Usual reasons: starting many "
		   "processes, many small reads and writes, memory allocated and freed again and "
		   "again.",
		   pm_format_share(t, share));
}

/* A fifth of the CPU time was used by at least a hundred processes that lived under 50 ms. */
static bool short_processes(const struct pm_facts *f, char *text)
{
	double share = pm_format_ratio(f->short_cpu_us, f->cpu_us);
	char n[PM_FORMAT_MAX], t[PM_FORMAT_MAX], u[PM_FORMAT_MAX];

	if (f->short_runs < 100 || !(share >= 0.2))
		return false;
	return SAY("%s lived less than 50 ms each; together they used %s of CPU time (%s). Much of "
		   "that is the cost of starting them: do more per process, for instance with "
		   "shell built-ins or one call for many files.",
		   format_processes(n, f->short_runs), pm_format_duration(t, f->short_cpu_us),
		   pm_format_share(u, share));
}

/* The job used 85 % of the memory: close to the limit the kernel starts to reclaim memory and to
 * kill. */
static bool memory_limit(const struct pm_facts *f, char *text)
{
	bool tree = f->rss_tree > f->rss;
	int64_t peak = tree ? f->rss_tree : f->rss;
	double share = f->hosts_count == 1 || !tree ? pm_format_ratio(peak, f->memory) : NAN;
	char p[PM_FORMAT_MAX], s[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (!(share >= 0.85))
		return false;
	return SAY("%s %s at its peak, %s of %s %s. Little more would make the system "
		   "swap or kill it: use fewer processes per host, or %s.",
		   tree ? "The job's processes held" : "One process held", pm_format_bytes(p, peak),
		   pm_format_share(s, share),
		   f->limited ? "what its control group may use," : "the host's",
		   pm_format_bytes(m, f->memory),
		   f->limited ? "ask for more memory" : "a host with more memory");
}

/* At least twenty major faults a second; each takes some milliseconds on a disk. Starting programs
 * from a cold cache causes a few hundred in all. */
static bool major_faults(const struct pm_facts *f, char *text)
{
	char n[PM_FORMAT_MAX], r[PM_FORMAT_MAX];
	double rate;

	if (f->majflt < 1000 || f->wall_us <= 0)
		return false;
	rate = (double)f->majflt * 1e6 / (double)f->wall_us;
	if (rate < 20)
		return false;
	return SAY(
		"Memory had to be read from storage %s times (%s a second): the host was short of "
		"memory, or large files mapped into memory were read for the first time.",
		pm_format_count(n, f->majflt), pm_format_number(r, rate));
}

/* At least 100 000 calls in processes whose calls move less than 512 bytes on average. Other
 * processes of the same program do not count. */
static bool tiny_io(const struct pm_facts *f, char *text)
{
	bool read = false, written = false;
	size_t found = 0, len = 0;
	char n[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->by_tiny_n; i++) {
		const struct pm_fact_program *p = &f->by_tiny[i];
		bool reads = p->tiny_reads >= 100000, writes = p->tiny_writes >= 100000;

		read |= reads;
		written |= writes;
		if ((!reads && !writes) || found++ >= NAMED)
			continue;
		len = append_text(
			text, len, "%s%s made %s %s calls of %s bytes each on average",
			len ? ", " : "", p->label,
			pm_format_count(n, reads ? p->tiny_reads : p->tiny_writes),
			reads ? "read" : "write",
			pm_format_number(
				b, reads ? pm_format_ratio(p->tiny_read_bytes, p->tiny_reads)
					 : pm_format_ratio(p->tiny_write_bytes, p->tiny_writes)));
	}
	if (found == 0)
		return false;
	if (found > NAMED)
		len = append_text(text, len, ", and so did %s",
				  pm_format_things(n, (int64_t)(found - NAMED), "more program"));
	append_text(text, len, ". %s in larger pieces (a buffer of 64 kB) to save most of them.",
		    read && written ? "Read and write"
		    : read          ? "Read"
				    : "Write");
	return true;
}

/* A good part of the job's CPU time is missing from the records. */
static bool low_coverage(const struct pm_facts *f, char *text)
{
	char c[PM_FORMAT_MAX], t[PM_FORMAT_MAX];

	if (!(f->coverage < 0.8) || f->charged_us < PM_ADVICE_MIN_CPU_US)
		return false;
	return SAY("Only %s of the job's CPU time (%s) is recorded here; read the figures "
		   "accordingly. Statically linked programs, set-uid programs and those that "
		   "clear their environment are not seen.",
		   pm_format_share(c, f->coverage), pm_format_duration(t, f->charged_us));
}

/* A metric of the job in any domain, NULL unless it is known for at least half of the processes. */
static const struct pm_fact_metric *find_metric(const struct pm_facts *f, const char *id)
{
	for (size_t i = 0; i < f->metrics; i++)
		if (strcmp(f->metric[i].info->id, id) == 0 && !isnan(f->metric[i].value) &&
		    2 * f->metric[i].processes >= f->counted)
			return &f->metric[i];
	return NULL;
}

/* Few instructions per cycle and many last-level cache misses: programs wait for memory. A miss
 * costs some 200 cycles, so 10 misses per 1000 instructions add 2 cycles to each instruction. */
static bool memory_bound(const struct pm_facts *f, char *text)
{
	const struct pm_fact_metric *ipc = find_metric(f, "ipc"),
				    *misses = find_metric(f, "llc_mpki");
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	if (!ipc || !misses || ipc->value >= 0.8 || misses->value < 10)
		return false;
	return SAY("Programs completed only %s instructions per cycle and missed the last-level "
		   "cache %s times per 1000 instructions: they wait for memory. Work on smaller "
		   "blocks, or access data in the order in which they lie in memory.",
		   pm_format_number(a, ipc->value), pm_format_number(b, misses->value));
}

/* An event was counted less than half of the time: where programs change their behaviour, its
 * extrapolated count is mostly a guess. */
static bool multiplexed(const struct pm_facts *f, char *text)
{
	const struct pm_fact_counter *worst = NULL;
	char a[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->counters; i++)
		if (f->counter[i].known && f->counter[i].ratio < 0.5 &&
		    (!worst || f->counter[i].ratio < worst->ratio))
			worst = &f->counter[i];
	if (!worst)
		return false;
	return SAY("There were more events than the processor counts at once: in some process %s "
		   "was counted only %s of the time and scaled up. For exact figures, count fewer "
		   "events per job.",
		   worst->name, pm_format_share(a, worst->ratio));
}

/* At least a tenth of the processes lost counters, more than an occasional daemon. */
static bool counters_closed(const struct pm_facts *f, char *text)
{
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];
	int64_t closed = 0;

	for (size_t i = 0; i < f->counters; i++)
		for (size_t k = 0; k < f->counter[i].reasons; k++)
			if (strcmp(f->counter[i].reason[k].text, PM_UNCOUNTED_TEXT(closed)) == 0 &&
			    f->counter[i].reason[k].count > closed)
				closed = f->counter[i].reason[k].count;
	if (closed == 0 || 10 * closed < f->counted)
		return false;
	return SAY("Counters were lost in %s of %s processes: the programs closed descriptors that "
		   "they had not opened, or reused their numbers. The totals leave these processes "
		   "out.",
		   pm_format_count(n, closed), pm_format_count(m, f->counted));
}

/* A job that is shorter may not have come to its GPUs. */
#define GPU_US 60000000

/* GPUs that were never busy: all that were sampled, or some where no others than the job's were.
 * What is unknown is no idleness. */
static bool idle_gpus(const struct pm_facts *f, char *text)
{
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (f->gpu.asked == PM_UNKNOWN || f->gpu.idle == 0 || f->wall_us < GPU_US)
		return false;
	if (f->gpu.idle == f->gpu.seen)
		return SAY("The job had GPUs and used none: no sample of %s ever saw a kernel run. "
			   "Without them it might have started sooner; if it was to use them, see "
			   "whether the program was built for them and finds them.",
			   pm_format_things(n, f->gpu.seen, "GPU"));
	if (f->gpu.asked == 0 || f->gpu.most > f->gpu.asked)
		return false;
	return SAY("%s of the job's %s %s never busy in any sample: see whether the program "
		   "uses more than one, or ask for fewer.",
		   pm_format_count(n, f->gpu.idle), pm_format_things(m, f->gpu.seen, "GPU"),
		   f->gpu.idle == 1 ? "was" : "were");
}

/* A hundredth of the time slowed by heat is a fault of the cooling; a power cap is meant to work,
 * and worth knowing from a fifth of the time on. */
static bool slowed(const struct pm_facts *f, char *text)
{
	static const struct {
		const char *begin, *end;
		double least;
	} slow[PM_FACTS_SLOWS] = {
		[PM_FACTS_GPU_POWER] = { "the power limit kept the clocks of GPU", "low", 0.2 },
		[PM_FACTS_GPU_HEAT] = { "heat kept the clocks of GPU", "low", 0.01 },
		[PM_FACTS_CPU_HEAT] = { "heat slowed processor", "down", 0.01 },
	};
	char share[PM_FORMAT_MAX];
	size_t len = 0;

	for (int k = 0; k < PM_FACTS_SLOWS; k++) {
		const struct pm_fact_slow *x = &f->slow[k];

		if (x->share < slow[k].least)
			continue;
		len = append_text(text, len, "%s%s of the time %s %s on %s %s",
				  len ? "; for " : "For ",
				  pm_format_share(share, x->share < 1 ? x->share : 1),
				  slow[k].begin, x->device, x->host, slow[k].end);
	}
	if (len)
		append_text(text, len, ".");
	return len > 0;
}

const struct pm_advice_rule pm_advice_rules[] = {
	{ "job-failed", true, job_failed },
	{ "crashed", true, crashed },
	{ "low-coverage", false, low_coverage },
	{ "memory-limit", false, memory_limit },
	{ "single-threaded", false, single_threaded },
	{ "idle-cpus", false, idle_cpus },
	{ "idle-gpus", true, idle_gpus },
	{ "slowed", true, slowed },
	{ "waiting-for-cpu", false, waiting_for_cpu },
	{ "mostly-waiting", true, mostly_waiting },
	{ "system-time", false, system_time },
	{ "short-processes", false, short_processes },
	{ "tiny-io", false, tiny_io },
	{ "major-faults", false, major_faults },
	{ "memory-bound", false, memory_bound },
	{ "multiplexed", true, multiplexed },
	{ "counters-closed", true, counters_closed },
	{ NULL, false, NULL },
};

bool pm_advice_big_enough(const struct pm_facts *f)
{
	return f->wall_us >= PM_ADVICE_MIN_WALL_US && f->cpu_us >= PM_ADVICE_MIN_CPU_US;
}

bool pm_advice(const struct pm_advice_rule *rule, const struct pm_facts *f, char *text)
{
	text[0] = '\0';
	return (rule->any_size || pm_advice_big_enough(f)) && rule->say(f, text);
}
