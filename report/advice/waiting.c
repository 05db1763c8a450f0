/* Advice on waiting. */
#include "config.h"

#include "report/advice/rule.h"

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
