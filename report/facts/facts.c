/* The facts of a job: initialise, aggregate and free them. */
#include "config.h"

#include "report/facts/facts.h"

#include "common/grow.h"
#include "report/facts/processfold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pm_facts_init(struct pm_facts *f, size_t limit)
{
	int64_t *const unknown[] = {
		&f->job,
		&f->start_us,
		&f->end_us,
		&f->exit_status,
		&f->exit_signal,
		&f->hosts_count,
		&f->memory,
		&f->wall_us,
		&f->cpu_us,
		&f->user_us,
		&f->system_us,
		&f->cpus,
		&f->processes,
		&f->runs,
		&f->threads,
		&f->most_threads,
		&f->ranks,
		&f->rss,
		&f->rss_tree,
		&f->rchar,
		&f->wchar,
		&f->syscr,
		&f->syscw,
		&f->read_bytes,
		&f->write_bytes,
		&f->cancelled_write_bytes,
		&f->minflt,
		&f->majflt,
		&f->gpu_us,
		&f->gpu_cycles,
		&f->gpu_memory,
		&f->time_oncpu_us,
		&f->time_waiting_us,
		&f->blkio_us,
		&f->short_runs,
		&f->short_cpu_us,
		&f->failed,
		&f->killed,
		&f->line_start_us,
		&f->line_us,
		&f->running,
		&f->without_end,
		&f->reaped_only,
		&f->rejected,
		&f->late,
		&f->charged_us,
		&f->unknown_cpu,
		&f->own_us,
		&f->own_cpu_us,
		&f->samples,
		&f->lost,
		&f->folded,
		&f->folded_us,
		&f->submit_us,
		&f->epoch_us,
		&f->unseen,
		&f->tasks_unrecorded,
		&f->oom_kills,
		&f->threads_known,
		&f->asked,
		&f->ends_known,
		&f->failures_more,
		&f->energy.uj,
		&f->energy.mean_uw,
		&f->energy.peak_uw,
		&f->energy.hosts,
		&f->gpu.asked,
		&f->vol_ctxsw,
		&f->request.nodes,
		&f->request.tasks,
		&f->request.cpus_per_task,
		&f->request.memory_node,
		&f->request.memory_cpu,
		&f->request.wall_us,
		&f->request.gpus,
		&f->cgroup.periods,
		&f->cgroup.throttled,
		&f->cgroup.throttled_us,
		&f->cgroup.limit_hits,
		&f->cgroup.anonymous,
		&f->cgroup.limit,
		&f->cgroup.swap,
		&f->cgroup.io_us,
		&f->cgroup.memory_us,
		&f->swapped.count,
		&f->swapped.of,
		&f->retransmits.count,
		&f->retransmits.of,
		&f->iowait_us.count,
		&f->iowait_us.of,
		&f->refaulted.count,
		&f->refaulted.of,
		&f->sleeper.switches,
		&f->burst.starts,
	};

	memset(f, 0, sizeof *f);
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		*unknown[i] = PM_UNKNOWN;
	f->efficiency = f->coverage = f->energy.coverage = f->gpu.busy = NAN;
	for (int k = 0; k < PM_FACTS_PARTS; k++)
		f->energy.part_uj[k] = f->energy.part_hosts[k] = PM_UNKNOWN;
	for (size_t i = 0; i < sizeof f->busy_at_most / sizeof f->busy_at_most[0]; i++)
		f->busy_at_most[i] = NAN;
	for (size_t i = 0; i < PM_FACTS_STEPS; i++)
		f->cpu.step[i] = f->rss_line.step[i] = f->active.step[i] = NAN;
	f->cpu.peak = f->rss_line.peak = f->active.peak = NAN;
	f->limit = limit;
}

struct pm_fact_host *pm_facts_host(struct pm_facts *f)
{
	struct pm_fact_host *h;

	if (!PM_GROW(f->host, f->hosts, f->hosts_room, 1))
		return NULL;
	h = &f->host[f->hosts++];
	memset(h, 0, sizeof *h);
	h->cpus_online = h->cpus_allowed = h->cpus_allocated = h->memory = PM_UNKNOWN;
	h->samples = h->unknown = h->resets = h->jobs = PM_UNKNOWN;
	h->energy.uj = h->energy.mean_uw = h->energy.peak_uw = PM_UNKNOWN;
	h->energy.covered_us = h->energy.time_us = PM_UNKNOWN;
	h->cpu_us = h->oncpu_us = h->waiting_us = PM_UNKNOWN;
	h->memory_limit = h->rss = h->rss_peak = PM_UNKNOWN;
	h->group_limit = h->group_anonymous = PM_UNKNOWN;
	h->swapped = h->segments = h->retransmits = PM_UNKNOWN;
	h->iowait_us = h->refaulted = PM_UNKNOWN;
	h->coverage = h->frequency_hz = NAN;
	for (int k = 0; k < PM_NODESUMMARIES; k++)
		h->summary[k] = NAN;
	return h;
}

/* Whether there was energy of GPUs, and what its share by program follows from is gone. */
static bool gpus_are_retired(const struct pm_facts *f)
{
	return f->retired && f->energy.gpu_uj > 0;
}

double pm_facts_energy(const struct pm_facts *f, const struct pm_fact_program *p)
{
	double share = pm_format_ratio(p->cpu_us, f->cpu_us);

	if (f->energy.uj == PM_UNKNOWN || !(share <= 1) || gpus_are_retired(f))
		return NAN;
	return share * ((double)f->energy.uj - f->energy.gpu_uj) + p->gpu_energy_uj;
}

double pm_facts_sampled_gpu_us(const struct pm_facts *f)
{
	double sum = NAN;

	for (size_t i = 0; i < f->gpu_programs; i++)
		if (f->gpu_program[i].sampled && !isnan(f->gpu_program[i].gpu_us))
			sum = (isnan(sum) ? 0 : sum) + f->gpu_program[i].gpu_us;
	return sum;
}

double pm_facts_energy_left(const struct pm_facts *f)
{
	double share = f->cpu_us > 0 ? f->programs_cpu_us / (double)f->cpu_us : NAN, left;

	if (f->energy.uj == PM_UNKNOWN || !(share <= 1) || (f->retired && f->runs == PM_UNKNOWN) ||
	    gpus_are_retired(f))
		return NAN;
	left = (1 - share) * ((double)f->energy.uj - f->energy.gpu_uj) + f->energy.gpu_uj -
	       f->energy.gpu_shared_uj;
	return left > 0 ? left : 0; /* less is rounding */
}

const char *pm_facts_hostname(const struct pm_fact_host *h)
{
	return *h->name ? h->name : "unknown host";
}

int64_t pm_facts_cpus(const struct pm_fact_host *h)
{
	return h->cpus_allocated > 0 ? h->cpus_allocated : h->cpus_allowed;
}

const char *pm_facts_on(char dst[PM_PROCESSNAME_MAX + 16], const struct pm_facts *f, int64_t id,
			const char *before)
{
	const int64_t i = pm_facts_host_index(f, id);

	dst[0] = '\0';
	if (f->hosts_count > 1 && i >= 0)
		snprintf(dst, PM_PROCESSNAME_MAX + 16, "%s%s", before,
			 pm_facts_hostname(&f->host[i]));
	return dst;
}

int64_t pm_facts_host_index(const struct pm_facts *f, int64_t id)
{
	for (size_t i = 0; i < f->hosts; i++)
		if (f->host[i].id == id)
			return (int64_t)i;
	return -1;
}

struct pm_fact_node pm_facts_node(const struct pm_facts *f, enum pm_nodesummary_id summary)
{
	struct pm_fact_node n = { .least = NAN, .mean = NAN, .most = NAN };
	double sum = 0;

	for (size_t i = 0; i < f->hosts; i++) {
		double v = f->host[i].summary[summary];

		if (isnan(v))
			continue;
		n.hosts++;
		sum += v;
		if (!(n.least <= v)) {
			n.least = v;
			n.least_host = f->host[i].name;
		}
		if (!(n.most >= v)) {
			n.most = v;
			n.most_host = f->host[i].name;
		}
	}
	if (n.hosts)
		n.mean = sum / (double)n.hosts;
	return n;
}

size_t pm_facts_sampled(const struct pm_facts *f)
{
	size_t sampled = 0;

	for (size_t i = 0; i < f->hosts; i++)
		for (int k = 0; k < PM_NODESUMMARIES; k++)
			if (!isnan(f->host[i].summary[k])) {
				sampled++;
				break;
			}
	return sampled;
}

double pm_facts_busy(const struct pm_fact_mark *m)
{
	return m->wall_us > 0 ? m->cpu_us / (double)m->wall_us : NAN;
}

void pm_facts_free(struct pm_facts *f)
{
	for (size_t i = 0; i < f->hosts; i++)
		free(f->host[i].gpu);
	free(f->host);
	free(f->by_cpu);
	free(f->by_rss);
	free(f->by_io);
	free(f->by_tiny);
	free(f->failure);
	free(f->gpu_program);
	free(f->counter);
	free(f->metric);
	free(f->sampled_counter);
	free(f->sampled_metric);
	if (f->path)
		pm_criticalpath_free(f->path);
	free(f->path);
	f->path = NULL;
	pm_processfold_free(f->fold);
	f->fold = NULL;
	if (f->parallel)
		pm_ranks_free(f->parallel);
	free(f->parallel);
	f->parallel = NULL;
	f->host = NULL;
	f->hosts = f->hosts_room = 0;
	f->by_cpu = f->by_rss = f->by_io = NULL;
	f->gpu_program = NULL;
	f->gpu_programs = f->gpu_programs_room = 0;
	f->failure = NULL;
	f->counter = NULL;
	f->metric = f->sampled_metric = NULL;
	f->sampled_counter = NULL;
}
