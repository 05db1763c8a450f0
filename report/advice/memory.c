/* Advice on memory. */
#include "config.h"

#include "report/advice/memoryuse.h"
#include "report/advice/rule.h"

#include <math.h>
#include <string.h>

/* Time of a major fault from a solid-state disk, about: the least that it costs. */
#define FAULT_US 100

/* Swap in bytes that is more than what lies unused. */
#define LEAST_SWAP 10000000

/* At least a thousand major faults, and twenty a second. Starting programs from a cold cache causes
 * a few hundred in all. */
static bool many_faults(const struct pm_facts *f)
{
	return f->majflt >= 1000 && f->wall_us > 0 &&
	       (double)f->majflt * 1e6 / (double)f->wall_us >= 20;
}

/* Whether programs filled the control group, or half of it where it came to its limit. */
static bool at_limit(const struct pm_facts *f)
{
	const struct pm_memoryuse u = pm_memoryuse(f);

	return u.limited && u.share >= (f->cgroup.limit_hits >= 10 ? 0.5 : 0.85);
}

/* The job used 85 % of the memory: close to the limit the kernel starts to reclaim memory and to
 * kill. Page cache fills a control group, too, but is given back: what counts is the memory of
 * programs, and half of the limit where that was reached ten times. */
bool pm_advice_memory_limit(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_memoryuse u = pm_memoryuse(f);
	char p[PM_FORMAT_MAX], s[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (!(u.share >= (f->cgroup.limit_hits >= 10 ? 0.5 : 0.85)) || f->oom_kills > 0)
		return false;
	snprintf(a->host, sizeof a->host, "%s", u.host);
	a->cost_bytes = u.peak;
	pm_advice_say(a, "%s %s%s%s at its peak, %s of %s %s",
		      u.of == PM_MEMORYUSE_PROCESS ? "One process held"
						   : "The job's processes held",
		      pm_format_bytes(p, u.peak), *u.host ? " on " : "", u.host,
		      pm_format_share(s, u.share),
		      u.limited ? "what its control group may use," : "the host's",
		      pm_format_bytes(m, u.allowed));
	if (f->cgroup.limit_hits > 0)
		pm_advice_append(a, ", and reached the limit %s times",
				 pm_format_count(m, f->cgroup.limit_hits));
	pm_advice_append(a, f->cgroup.swap >= LEAST_SWAP || f->swapped.count >= LEAST_SWAP ||
					    (many_faults(f) && f->cgroup.limit_hits >= 10)
				    ? ". What did not fit was swapped, or dropped and read again"
				    : ". Little more would make the system swap or kill it");
	pm_advice_append(a, ": ");
	if (f->runs > 1)
		pm_advice_append(a, "use fewer processes per host, or ");
	if (!u.limited)
		return pm_advice_say_more(a, "use a host with more memory.");
	pm_advice_append(a, "ask for more memory");
	/* Peaks that need not have been at the same time: what it takes at most. */
	if (f->hosts_count == 1 && f->cgroup.swap >= LEAST_SWAP)
		pm_advice_append(a, ": %s is what it held and had in swap",
				 pm_format_bytes(m, pm_format_add(u.peak, f->cgroup.swap)));
	return pm_advice_say_more(a, ".");
}

/* Swapping of 10 MB, and of 100 kB in each second of the job: on the node where it was most, else
 * what the job's control groups had in swap. */
bool pm_advice_swapping(const struct pm_facts *f, struct pm_advice *a)
{
	char b[PM_FORMAT_MAX], r[PM_FORMAT_MAX];

	if (f->swapped.count >= LEAST_SWAP && f->wall_us > 0 &&
	    (double)f->swapped.count / (double)f->wall_us >= 0.1) {
		a->cost_bytes = f->swapped.count;
		pm_advice_cost_spread(a, f, f->swapped.count / 4096 * FAULT_US);
		memcpy(a->host, f->swapped.host, sizeof a->host);
		return pm_advice_say(a,
				     "%s went to and from swap on %s, %s a second: %s was short "
				     "of memory, and what it holds had to be read back. Ask for "
				     "more memory%s.",
				     pm_format_bytes(b, f->swapped.count), f->swapped.host,
				     pm_format_bytes(r, (int64_t)((double)f->swapped.count * 1e6 /
								  (double)f->wall_us)),
				     at_limit(f) ? "the job's control group" : "it",
				     f->runs > 1 ? ", or run fewer processes there" : "");
	}
	if (f->cgroup.swap < LEAST_SWAP)
		return false;
	a->cost_bytes = f->cgroup.swap;
	return pm_advice_say(
		a,
		"Up to %s of the job's memory was in swap: its control group or host was short of "
		"memory. Ask for more%s.",
		pm_format_bytes(b, f->cgroup.swap), f->runs > 1 ? ", or run fewer processes" : "");
}

/* Each major fault takes some milliseconds on a disk. */
bool pm_advice_major_faults(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_memoryuse u = pm_memoryuse(f);
	char n[PM_FORMAT_MAX], r[PM_FORMAT_MAX];

	if (!many_faults(f))
		return false;
	pm_advice_cost_spread(
		a, f, f->blkio_us >= 0 ? f->blkio_us : pm_format_scale(f->majflt, FAULT_US));
	pm_advice_say(a, "Memory had to be read from storage %s times (%s a second): ",
		      pm_format_count(n, f->majflt),
		      pm_format_number(r, (double)f->majflt * 1e6 / (double)f->wall_us));
	/* Page cache reaches a limit, too: it is sure where programs hold half of it. */
	if (u.limited && f->cgroup.limit_hits >= 10)
		pm_advice_append(
			a,
			"the job reached the memory limit of its control group %s times, which %s",
			pm_format_count(n, f->cgroup.limit_hits),
			u.share >= 0.5 ? "took away what is read again. Ask for more memory."
				       : "may have taken away what is read again; or large files "
					 "mapped into memory were read for the first time. See "
					 "whether more memory helps.");
	else
		pm_advice_append(a,
				 "%s was short of memory, or large files mapped into memory were "
				 "read for the first time.",
				 at_limit(f) ? "the job's control group" : "the host");
	return true;
}
