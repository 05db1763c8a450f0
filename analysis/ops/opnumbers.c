/* The numbers that every operation has, by their names. */
#include "config.h"

#include "analysis/ops/opnumbers.h"

#include <string.h>

const struct pm_opnumber pm_opnumbers[PM_OPNUMBERS] = {
	{ "jobs", "", "jobs that have such processes" },
	{ "processes", "", "processes" },
	{ "threads", "", "threads of these processes" },
	{ "threads_known", "", "processes whose threads are known" },
	{ "start_us", "us", "start of the first process, since 1970" },
	{ "finish_us", "us", "end of the last process, since 1970" },
	{ "runs", "", "intervals in which at least one process was there" },
	{ "timed", "", "processes whose start and end are known, in order" },
	{ "duration_sum_us", "us", "sum of the durations of the processes" },
	{ "duration_known", "", "processes whose duration is known" },
	{ "duration_union_us", "us", "time in which at least one process was there" },
	{ "duration_span_us", "us", "from the start of the first process to the end of the last" },
};

void pm_opnumbers_of(const struct pm_op *op, int64_t to[PM_OPNUMBERS])
{
	const struct pm_knownsum *duration = &op->value[PM_OPS_DURATION];
	const struct pm_knownsum *threads = &op->value[PM_OPS_THREADS];
	const int64_t number[PM_OPNUMBERS] = {
		op->jobs,
		op->processes,
		threads->sum,
		threads->known,
		op->start_us,
		op->finish_us,
		(int64_t)op->runs.count,
		op->timed,
		duration->sum,
		duration->known,
		pm_ops_union(op),
		pm_ops_span(op),
	};

	memcpy(to, number, sizeof number);
}
