/* Advice on GPUs, and on devices that were slowed down. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>
#include <string.h>

/* A job that is shorter may not have come to its GPUs. */
#define GPU_US 60000000

/* An average over a shorter job says little. */
#define GPU_USED_US 20000000

/* GPUs that were never busy: all that were sampled, or some where no others than the job's were.
 * What is unknown is no idleness. */
bool pm_advice_idle_gpus(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (f->gpu.asked == PM_UNKNOWN || f->gpu.idle <= 0 || f->wall_us < GPU_US)
		return false;
	pm_advice_cost_share(a, f, pm_format_ratio(f->gpu.idle, f->gpu.seen));
	if (f->gpu.idle == f->gpu.seen)
		return pm_advice_say(
			a,
			"The job had GPUs and used none: no sample of %s ever saw a kernel run. "
			"Without them it might have started sooner; if it was to use them, see "
			"whether the program was built for them and finds them.",
			pm_format_things(n, f->gpu.seen, "GPU"));
	if (f->gpu.asked == 0 || f->gpu.most > f->gpu.asked)
		return false;
	return pm_advice_say(
		a,
		"%s of the job's %s %s never busy in any sample: see whether the program "
		"uses more than one, or ask for fewer.",
		pm_format_count(n, f->gpu.idle), pm_format_things(m, f->gpu.seen, "GPU"),
		f->gpu.idle == 1 ? "was" : "were");
}

/* GPUs that were used, but less than 30 % of the time; those that were not have a rule of their
 * own. */
bool pm_advice_low_gpu(const struct pm_facts *f, struct pm_advice *a)
{
	const int64_t used = f->gpu.sampled - (f->gpu.idle > 0 ? f->gpu.idle : 0);
	const double busy = used > 0 ? f->gpu.busy * (double)f->gpu.sampled / (double)used : NAN;
	char s[PM_FORMAT_MAX], n[PM_FORMAT_MAX];

	if (f->gpu.asked == PM_UNKNOWN || f->gpu.sampled <= 0 || !(busy < 0.3) ||
	    f->wall_us < GPU_USED_US)
		return false;
	pm_advice_cost_share(a, f, 1 - busy);
	pm_advice_say(a, "%s %s used, and busy %s of the time on average",
		      pm_format_things(n, used, "GPU"), used == 1 ? "was" : "were",
		      pm_format_share(s, busy));
	if (f->efficiency >= 0.8)
		pm_advice_append(
			a,
			", while the job kept %s of its %s busy. Often the GPU's work waits for "
			"what the CPUs prepare, or a thread spins while it waits for the GPU. "
			"Prepare less (keep what was prepared, leave more of it "
			"to "
			"the GPU), or ask for more CPUs%s.",
			pm_format_share(s, f->efficiency), pm_format_things(n, f->cpus, "CPU"),
			used > 1 ? " or fewer GPUs" : "");
	else
		pm_advice_append(
			a,
			"%s%s%s. Often it waits for input, for copies, or for the thread that "
			"feeds it. "
			"Use larger batches, prepare input in other threads or processes%s.",
			isnan(f->efficiency) ? "" : ", the CPUs ",
			isnan(f->efficiency) ? "" : pm_format_share(s, f->efficiency),
			isnan(f->efficiency) ? "" : " of it",
			used > 1 ? ", or ask for fewer GPUs" : "");
	return true;
}

/* A hundredth of the time slowed by heat is a fault of the cooling; a power cap is meant to work,
 * and worth knowing from a fifth of the time on. */
bool pm_advice_slowed(const struct pm_facts *f, struct pm_advice *a)
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
	double most = 0;

	for (int k = 0; k < PM_FACTS_SLOWS; k++) {
		const struct pm_fact_slow *x = &f->slow[k];

		if (x->share < slow[k].least)
			continue;
		if (x->share > most) {
			most = x->share;
			memcpy(a->host, x->host, sizeof a->host);
		}
		pm_advice_append(a, "%s%s of the time %s %s on %s %s", *a->text ? "; for " : "For ",
				 pm_format_share(share, x->share < 1 ? x->share : 1), slow[k].begin,
				 x->device, x->host, slow[k].end);
	}
	if (!*a->text)
		return false;
	pm_advice_append(a, ".");
	pm_advice_cost_share(a, f, most);
	return true;
}
