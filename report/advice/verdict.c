/* The six numbers that sum up a job, each with a word that judges it. */
#include "config.h"

#include "report/advice/verdict.h"

#include "report/advice/memoryuse.h"
#include "report/advice/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bounds between the words of a number. The best comes first or last, by its direction. */
struct bounds {
	double fair, bad; /* the share from which on it is fair, bad */
	bool rising;      /* more is worse */
	const char *good_word, *fair_word, *bad_word;
};

static void judge(struct pm_verdict *v, const struct bounds *b)
{
	double x = b->rising ? v->share : -v->share;
	double fair = b->rising ? b->fair : -b->fair, bad = b->rising ? b->bad : -b->bad;

	if (isnan(v->share))
		return;
	v->level = x >= bad ? PM_VERDICT_BAD : x >= fair ? PM_VERDICT_FAIR : PM_VERDICT_GOOD;
	v->word = v->level == PM_VERDICT_BAD    ? b->bad_word
		  : v->level == PM_VERDICT_FAIR ? b->fair_word
						: b->good_word;
}

/* As advice on idle CPUs: below 70 % some could be spared; below 40 %, most. */
static void judge_cpu(struct pm_verdict *v, const struct pm_facts *f)
{
	static const struct bounds bounds = { 0.7, 0.4, false, "good", "fair", "low" };
	double busy = f->running > 0 ? NAN : pm_format_ratio(f->cpu_us, f->wall_us);
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	v->share = f->efficiency;
	pm_format_share(v->number, v->share);
	judge(v, &bounds);
	if (!isnan(v->share))
		snprintf(v->detail, sizeof v->detail, "%s of %s busy on average%s",
			 pm_format_number(a, busy), pm_format_things(b, f->cpus, "CPU"),
			 f->open ? " so far" : "");
	else if (f->running > 0)
		snprintf(v->detail, sizeof v->detail, "known when its processes end");
	else if (!isnan(busy))
		snprintf(v->detail, sizeof v->detail,
			 "%s CPUs busy on average, of how many is not recorded",
			 pm_format_number(a, busy));
	/* What it was busy with was not the job's own code. */
	if (!isnan(v->share) && pm_advice_in_kernel(f)) {
		const size_t n = strlen(v->detail);

		snprintf(v->detail + n, sizeof v->detail - n, ", %s of it in the kernel",
			 pm_format_share(a, pm_format_ratio(f->system_us, f->cpu_us)));
		if (v->level == PM_VERDICT_GOOD) {
			v->level = PM_VERDICT_FAIR;
			v->word = "busy, much in the kernel";
		}
	}
}

static const char *name_holder(const struct pm_facts *f, const struct pm_memoryuse *u)
{
	if (u->of == PM_MEMORYUSE_PROCESSES)
		return "all processes, sampled";
	if (u->of == PM_MEMORYUSE_GROUP)
		return "its control group, sampled";
	return *f->rss_label && u->peak == f->rss ? f->rss_label : "the largest process";
}

static void judge_memory(struct pm_verdict *v, const struct pm_facts *f)
{
	static const struct bounds bounds = { 0.7, 0.85, true, "fine", "much", "near the limit" };
	const struct pm_memoryuse u = pm_memoryuse(f);
	char p[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	v->share = u.share;
	judge(v, &bounds);
	if (f->oom_kills > 0) {
		v->level = PM_VERDICT_BAD;
		v->word = "ran out";
	}
	if (isnan(v->share))
		pm_format_bytes(v->number, u.peak);
	else
		pm_format_share(v->number, v->share);
	if (u.peak < 0)
		return;
	snprintf(v->detail, sizeof v->detail, "%s%s%s%s%s in %s", pm_format_bytes(p, u.peak),
		 u.allowed >= 0 ? " of " : "", u.allowed >= 0 ? pm_format_bytes(m, u.allowed) : "",
		 *u.host ? " on " : "", u.host, name_holder(f, &u));
	/* A limit holds cached files, too. */
	if (u.limited && f->cgroup.limit_hits >= 1000 && u.share < 0.7) {
		const size_t n = strlen(v->detail);

		snprintf(v->detail + n, sizeof v->detail - n,
			 "; the rest was not the programs' own, such as cached files");
	}
}

/* Tiny calls make it bad, waiting for storage a tenth of the time, too: as advice on both. */
static void judge_io(struct pm_verdict *v, const struct pm_facts *f)
{
	const bool known = f->rchar >= 0 && f->wchar >= 0;
	int64_t moved = known ? pm_format_add(f->rchar, f->wchar) : PM_UNKNOWN, tiny = 0;
	const double waited =
		fmax(pm_advice_storage_bound(f, pm_format_ratio(f->blkio_us, f->wall_us)),
		     pm_advice_storage_share(f));
	char r[PM_FORMAT_MAX], w[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->by_tiny_n; i++)
		tiny = pm_format_add(
			tiny, pm_format_add(f->by_tiny[i].tiny_reads, f->by_tiny[i].tiny_writes));
	pm_format_bytes(v->number, moved);
	if (moved < 0)
		return;
	snprintf(v->detail, sizeof v->detail, "storage: %s read, %s written",
		 pm_format_bytes(r, f->read_bytes), pm_format_bytes(w, f->write_bytes));
	/* Without programs it is not known whether calls were small. */
	if (f->retired && f->runs == PM_UNKNOWN && !(waited >= 0.1))
		return;
	v->level = waited >= 0.1 || tiny >= 1000000 ? PM_VERDICT_BAD
		   : tiny >= 100000                 ? PM_VERDICT_FAIR
						    : PM_VERDICT_GOOD;
	v->word = waited >= 0.1 ? "slow" : tiny >= 100000 ? "small calls" : "fine";
}

static void judge_wait(struct pm_verdict *v, const struct pm_facts *f)
{
	static const struct bounds bounds = { 0.05, 0.2, true, "fine", "some", "much" };
	char t[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	/* Known of processes that ended with a record: they must be most of the job. */
	v->share = f->running > 0 || f->time_oncpu_us < f->cpu_us / 2
			   ? NAN
			   : pm_format_ratio(f->time_waiting_us,
					     pm_format_add(f->time_oncpu_us, f->time_waiting_us));
	pm_format_share(v->number, v->share);
	judge(v, &bounds);
	if (!isnan(v->share))
		snprintf(v->detail, sizeof v->detail, "%s for a CPU%s%s%s",
			 pm_format_duration(t, f->time_waiting_us), f->blkio_us >= 0 ? ", " : "",
			 f->blkio_us >= 0 ? pm_format_duration(b, f->blkio_us) : "",
			 f->blkio_us >= 0 ? " for storage" : "");
}

static void judge_gpu(struct pm_verdict *v, const struct pm_facts *f)
{
	static const struct bounds bounds = { 0.7, 0.3, false, "good", "fair", "low" };
	char n[PM_FORMAT_MAX], t[PM_FORMAT_MAX];

	v->share = f->gpu.busy;
	pm_format_share(v->number, v->share);
	judge(v, &bounds);
	if (!isnan(v->share)) {
		if (f->gpu.idle > 0)
			snprintf(v->detail, sizeof v->detail, "%s of %s never busy",
				 pm_format_count(n, f->gpu.idle),
				 pm_format_things(t, f->gpu.sampled, "GPU"));
		else
			snprintf(v->detail, sizeof v->detail, "mean of %s",
				 pm_format_things(t, f->gpu.sampled, "GPU"));
	} else if (f->gpu_us > 0) {
		snprintf(v->detail, sizeof v->detail, "%s of engines",
			 pm_format_duration(t, f->gpu_us));
	} else if (f->gpu.seen == 0) {
		snprintf(v->number, sizeof v->number, "none seen");
	}
}

static void judge_energy(struct pm_verdict *v, const struct pm_facts *f)
{
	char t[PM_FORMAT_MAX];

	pm_format_energy(v->number, f->energy.uj);
	if (f->energy.uj >= 0 && f->energy.mean_uw >= 0)
		snprintf(v->detail, sizeof v->detail, "%s on average, by %s",
			 pm_format_power(t, f->energy.mean_uw),
			 *f->energy.method ? f->energy.method : "its meters");
	else if (f->energy.hosts == PM_UNKNOWN)
		snprintf(v->detail, sizeof v->detail, "no meter read");
}

void pm_verdicts(const struct pm_facts *f, struct pm_verdict v[PM_VERDICTS])
{
	static const struct {
		const char *name;
		void (*judge)(struct pm_verdict *v, const struct pm_facts *f);
	} number[] = {
		[PM_VERDICT_CPU] = { "CPU efficiency", judge_cpu },
		[PM_VERDICT_MEMORY] = { "Memory peak", judge_memory },
		[PM_VERDICT_IO] = { "Read, written", judge_io },
		[PM_VERDICT_WAIT] = { "Waited for CPU", judge_wait },
		[PM_VERDICT_GPU] = { "GPU busy", judge_gpu },
		[PM_VERDICT_ENERGY] = { "Energy", judge_energy },
	};

	_Static_assert(sizeof number / sizeof number[0] == PM_VERDICTS, "a function for each");
	for (int i = 0; i < PM_VERDICTS; i++) {
		v[i] = (struct pm_verdict){ .name = number[i].name, .word = "", .share = NAN };
		number[i].judge(&v[i], f);
	}
}

enum pm_verdict_level pm_verdict_of_outcome(const struct pm_facts *f)
{
	if (f->unstarted || f->exit_signal > 0 || f->exit_status > 0 || f->oom_kills > 0)
		return PM_VERDICT_BAD;
	return f->exit_status == 0 ? PM_VERDICT_GOOD : PM_VERDICT_NONE;
}

const char *pm_verdict_outcome(char *dst, const struct pm_facts *f)
{
	char s[PM_FORMAT_MAX];

	if (f->unstarted)
		snprintf(dst, PM_VERDICT_MAX, "not started: exit status %lld",
			 (long long)f->exit_status);
	else if (f->exit_signal > 0)
		snprintf(dst, PM_VERDICT_MAX, "ended by %s%s", pm_format_signal(s, f->exit_signal),
			 f->oom_kills > 0 ? ", out of memory" : "");
	else if (f->exit_status > 0)
		snprintf(dst, PM_VERDICT_MAX, "failed with exit status %lld%s",
			 (long long)f->exit_status, f->oom_kills > 0 ? ", out of memory" : "");
	else if (f->exit_status == 0)
		snprintf(dst, PM_VERDICT_MAX, "succeeded%s",
			 f->oom_kills > 0 ? ", but ran out of memory" : "");
	else if (f->running > 0)
		snprintf(dst, PM_VERDICT_MAX, "still running as far as recorded");
	else if (f->open)
		snprintf(dst, PM_VERDICT_MAX, "not closed yet");
	else
		snprintf(dst, PM_VERDICT_MAX, "ended, how is not recorded");
	return dst;
}
