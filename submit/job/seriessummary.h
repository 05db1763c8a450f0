/* Summaries of the nodes of a job, from the blocks of its samples. */
#ifndef PM_SUBMIT_JOB_SERIESSUMMARY_H
#define PM_SUBMIT_JOB_SERIESSUMMARY_H

#include "submit/job/seriesstore.h"

/* Receives the summary and the energy meters of a host. Returns 0 or -1 with e filled. */
typedef int pm_series_summary_fn(void *ctx, uint32_t host, const struct pm_nodesummary_of *n,
				 const struct pm_energy_meters *meters, struct pm_err *e);

/* Sum up the samples of the hosts 0 to hosts - 1, tick by tick in the order of the monotonic clock,
 * after pm_series_order(). Ticks of one monotonic time are one tick. Returns 0 or -1 with e filled.
 */
int pm_series_sum_up(struct pm_series *s, uint32_t hosts, pm_series_summary_fn *each, void *ctx,
		     struct pm_err *e);

#endif
