/* What a report knows about a job: starting from nothing, and letting go. */
#include "config.h"

#include "report/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pm_facts_init(struct pm_facts *f, size_t limit)
{
	int64_t *const unknown[] = {
		&f->job,           &f->start_us,
		&f->end_us,        &f->exit_status,
		&f->exit_signal,   &f->hosts_count,
		&f->memory,        &f->wall_us,
		&f->cpu_us,        &f->user_us,
		&f->system_us,     &f->cpus,
		&f->processes,     &f->runs,
		&f->threads,       &f->most_threads,
		&f->ranks,         &f->rss,
		&f->rss_tree,      &f->rchar,
		&f->wchar,         &f->syscr,
		&f->syscw,         &f->read_bytes,
		&f->write_bytes,   &f->cancelled_write_bytes,
		&f->minflt,        &f->majflt,
		&f->time_oncpu_us, &f->time_waiting_us,
		&f->blkio_us,      &f->short_runs,
		&f->short_cpu_us,  &f->failed,
		&f->killed,        &f->line_start_us,
		&f->line_us,       &f->running,
		&f->without_end,   &f->reaped_only,
		&f->rejected,      &f->late,
		&f->charged_us,    &f->unknown_cpu,
		&f->own_us,        &f->own_cpu_us,
		&f->samples,       &f->lost,
		&f->folded,        &f->folded_us,
		&f->submit_us,     &f->epoch_us,
	};

	memset(f, 0, sizeof *f);
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		*unknown[i] = PM_UNKNOWN;
	f->efficiency = f->coverage = NAN;
	for (size_t i = 0; i < sizeof f->busy_at_most / sizeof f->busy_at_most[0]; i++)
		f->busy_at_most[i] = NAN;
	for (size_t i = 0; i < PM_FACTS_STEPS; i++)
		f->cpu.step[i] = f->rss_line.step[i] = f->active.step[i] = NAN;
	f->cpu.peak = f->rss_line.peak = f->active.peak = NAN;
	f->limit = limit;
}

void pm_facts_free(struct pm_facts *f)
{
	free(f->by_cpu);
	free(f->by_rss);
	free(f->by_io);
	free(f->failure);
	free(f->counter);
	free(f->metric);
	f->by_cpu = f->by_rss = f->by_io = NULL;
	f->failure = NULL;
	f->counter = NULL;
	f->metric = NULL;
}
