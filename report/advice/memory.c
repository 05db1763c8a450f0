/* Advice on memory. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>

/* The job used 85 % of the memory: close to the limit the kernel starts to reclaim memory and to
 * kill. */
bool pm_advice_memory_limit(const struct pm_facts *f, struct pm_advice *a)
{
	bool tree = f->rss_tree > f->rss;
	int64_t peak = tree ? f->rss_tree : f->rss;
	double share = f->hosts_count == 1 || !tree ? pm_format_ratio(peak, f->memory) : NAN;
	char p[PM_FORMAT_MAX], s[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (!(share >= 0.85))
		return false;
	a->cost_bytes = peak;
	return pm_advice_say(a,
			     "%s %s at its peak, %s of %s %s. Little more would make the system "
			     "swap or kill it: use fewer processes per host, or %s.",
			     tree ? "The job's processes held" : "One process held",
			     pm_format_bytes(p, peak), pm_format_share(s, share),
			     f->limited ? "what its control group may use," : "the host's",
			     pm_format_bytes(m, f->memory),
			     f->limited ? "ask for more memory" : "a host with more memory");
}

/* Time of a major fault from a solid-state disk, about: the least that it costs. */
#define FAULT_US 100

/* At least twenty major faults a second; each takes some milliseconds on a disk. Starting programs
 * from a cold cache causes a few hundred in all. */
bool pm_advice_major_faults(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], r[PM_FORMAT_MAX];
	double rate;

	if (f->majflt < 1000 || f->wall_us <= 0)
		return false;
	rate = (double)f->majflt * 1e6 / (double)f->wall_us;
	if (rate < 20)
		return false;
	pm_advice_cost_spread(
		a, f, f->blkio_us >= 0 ? f->blkio_us : pm_format_scale(f->majflt, FAULT_US));
	return pm_advice_say(
		a,
		"Memory had to be read from storage %s times (%s a second): the host was short of "
		"memory, or large files mapped into memory were read for the first time.",
		pm_format_count(n, f->majflt), pm_format_number(r, rate));
}
