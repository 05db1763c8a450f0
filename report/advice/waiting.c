/* Advice on waiting, and on input and output. */
#include "config.h"

#include "report/advice/rule.h"

#include <string.h>

/* Less than half a CPU was busy over the whole job. Waits for a CPU, and for a quota, are
 * reported by other rules.
 */
bool pm_advice_mostly_waiting(const struct pm_facts *f, struct pm_advice *a)
{
	double b = pm_advice_busy(f), blkio = pm_format_ratio(f->blkio_us, f->wall_us);
	double wanted = pm_format_ratio(pm_format_add(f->cpu_us, f->time_waiting_us), f->wall_us);
	int64_t moved = pm_format_add(f->read_bytes, f->write_bytes);
	double network = pm_advice_network_rate(f);
	double woken = pm_format_ratio(f->vol_ctxsw, f->wall_us) * 1e6;
	char c[PM_FORMAT_MAX], w[PM_FORMAT_MAX], x[PM_FORMAT_MAX];

	if (!(b < 0.5) || f->wall_us < 2 * PM_ADVICE_MIN_WALL_US ||
	    (wanted >= 0.5 && pm_advice_starved(f)) ||
	    (pm_advice_throttled(f) && pm_advice_stopped(f) >= (1 - b) / 3))
		return false;
	pm_advice_cost_share(a, f, 1 - (wanted < 1 ? wanted : b));
	pm_advice_say(a, "The job mostly waited: %s of CPU time in %s",
		      pm_format_duration(c, f->cpu_us), pm_format_duration(w, f->wall_us));
	if (blkio >= 0.1)
		pm_advice_append(a, ". Its processes waited %s for storage.",
				 pm_format_duration(x, f->blkio_us));
	else if (pm_format_ratio(f->cgroup.io_us, f->wall_us) >= 0.1)
		pm_advice_append(a, ". For %s some of its processes waited for storage.",
				 pm_format_duration(x, f->cgroup.io_us));
	/* A busy shared file system may leave no more than 20 MB/s to one job. */
	else if (moved > 0 && (double)moved / (double)f->wall_us >= 20)
		pm_advice_append(
			a, ", while it moved %s from and to storage. Storage is the likely limit.",
			pm_format_bytes(x, moved));
	else if (network >= 10)
		pm_advice_append(a,
				 ", while its hosts sent and received %s through their networks. "
				 "The network, or a "
				 "host at its other end, is the likely limit.",
				 pm_format_bytes(x, (int64_t)(network * (double)f->wall_us)));
	else
		pm_advice_append(
			a, ", and no wait for storage was recorded. %s",
			woken >= 1000 ? "Its threads slept and woke all the time: locks, "
					"messages between processes, timers."
			: woken >= 0 && woken < 10
				? "Its threads hardly woke: they slept, or waited for another "
				  "program, another host, or input."
				: "Usual reasons: sleeping, the network, locks, input from "
				  "people.");
	return true;
}

/* Time of a call that moves a few bytes, about: entry into the kernel, page cache, locks. */
#define CALL_US 1

/* What tiny calls of a program cost: no more than all its time in the kernel. */
static int64_t cost_of(const struct pm_fact_program *p, bool reads, bool writes)
{
	int64_t us = pm_format_scale(
		pm_format_add(reads ? p->tiny_reads : 0, writes ? p->tiny_writes : 0), CALL_US);

	return p->system_us >= 0 && p->system_us < us ? p->system_us : us;
}

static void say_calls(struct pm_advice *a, int64_t calls, const char *kind, int64_t bytes)
{
	char n[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	pm_advice_append(a, "%s %s calls of %s bytes each", pm_format_count(n, calls), kind,
			 pm_format_number(b, pm_format_ratio(bytes, calls)));
}

/* At least 100 000 calls in processes whose calls move less than 512 bytes on average. Other
 * processes of the same program do not count. */
bool pm_advice_tiny_io(const struct pm_facts *f, struct pm_advice *a)
{
	bool read = false, written = false;
	size_t found = 0;
	int64_t cost_us = 0;
	char n[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->by_tiny_n; i++) {
		const struct pm_fact_program *p = &f->by_tiny[i];
		bool reads = p->tiny_reads >= 100000, writes = p->tiny_writes >= 100000;

		read |= reads;
		written |= writes;
		if (!reads && !writes)
			continue;
		if (found == 0)
			pm_advice_about(a, p);
		cost_us = pm_format_add(cost_us, cost_of(p, reads, writes));
		if (found++ >= PM_ADVICE_NAMED)
			continue;
		pm_advice_append(a, "%s%s made ", found > 1 ? ", " : "", p->label);
		if (reads)
			say_calls(a, p->tiny_reads, "read", p->tiny_read_bytes);
		if (reads && writes)
			pm_advice_append(a, " and ");
		if (writes)
			say_calls(a, p->tiny_writes, "write", p->tiny_write_bytes);
		pm_advice_append(a, " on average");
	}
	if (found == 0)
		return false;
	if (found > PM_ADVICE_NAMED)
		pm_advice_append(
			a, ", and so did %s",
			pm_format_things(n, (int64_t)(found - PM_ADVICE_NAMED), "more program"));
	pm_advice_append(a, ". %s in larger pieces (a buffer of 64 kB) to save most of them.",
			 read && written ? "Read and write"
			 : read          ? "Read"
					 : "Write");
	pm_advice_cost_spread(a, f, cost_us);
	return true;
}
