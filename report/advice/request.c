/* Requested against used, and what to ask for the next time. */
#include "config.h"

#include "report/advice/request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room above what was used: of memory, whose peak varies between runs; of time, which varies more.
 */
#define MEMORY_ROOM 1.2
#define TIME_ROOM   1.25

static int64_t whole(double v)
{
	int64_t n = v < 9e18 ? (int64_t)v : INT64_MAX / 2;

	return (double)n < v ? n + 1 : n;
}

/* Round up to a multiple of a step. */
static int64_t up(double v, int64_t step)
{
	return whole(v / (double)step) * step;
}

/* CPUs that suffice for the job: all but 5 % of its sampled time, else the average with a tenth
 * more. */
static int64_t cpus_needed(const struct pm_facts *f, double busy)
{
	for (int n = 1; n < 64 && f->sampled && f->hosts_count == 1; n++)
		if (f->busy_at_most[n] >= 0.95)
			return n;
	return whole(1.1 * busy - 0.05);
}

static bool find_cpus(const struct pm_facts *f, struct pm_request *r)
{
	double busy = f->running > 0 ? NAN : pm_format_ratio(f->cpu_us, f->wall_us);
	const int64_t tasks = f->request.tasks > 1 ? f->request.tasks : 1;
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX], nodes[PM_FORMAT_MAX];
	int64_t needed;

	if (f->cpus <= 0)
		return false;
	r->asked_n = f->cpus;
	snprintf(r->asked, sizeof r->asked, "%s%s%s%s%s", pm_format_count(n, f->cpus),
		 f->request.tasks > 1 ? " for " : "",
		 f->request.tasks > 1 ? pm_format_things(m, f->request.tasks, "task") : "",
		 f->hosts_count > 1 ? " on " : "",
		 f->hosts_count > 1 ? pm_format_things(nodes, f->hosts_count, "node") : "");
	if (isnan(busy))
		return true;
	r->share = busy / (double)f->cpus;
	needed = cpus_needed(f, busy);
	needed = needed < 1 ? 1 : needed;
	r->used_n = needed;
	snprintf(r->used, sizeof r->used, "%s on average", pm_format_number(n, busy));
	/* A task has at least a CPU, and all have the same number. */
	needed = up((double)needed, tasks);
	if (needed >= f->cpus || r->share >= 0.7)
		return true;
	r->next_n = needed;
	if (tasks > 1)
		snprintf(r->next, sizeof r->next, "%s: %s a task", pm_format_count(n, needed),
			 pm_format_count(m, needed / tasks));
	else
		snprintf(r->next, sizeof r->next, "%s", pm_format_count(n, needed));
	return true;
}

/* The most that the job's processes held on a host, by the sampler; of a single process, its own
 * peak. PM_UNKNOWN: unknown, `least` says how much it was at least. */
static int64_t memory_used(const struct pm_facts *f, int64_t *least)
{
	int64_t peak = PM_UNKNOWN;

	for (size_t i = 0; i < f->hosts; i++)
		if (f->host[i].rss_peak > peak)
			peak = f->host[i].rss_peak;
	if (peak == PM_UNKNOWN && f->hosts_count <= 1)
		peak = f->rss_tree;
	if (f->cgroup.anonymous > peak)
		peak = f->cgroup.anonymous;
	*least = f->rss;
	if (f->rss > peak && (peak >= 0 || f->runs == 1))
		peak = f->rss;
	return peak;
}

/* Memory asked for on each node, PM_UNKNOWN where nothing tells. */
static int64_t memory_asked(const struct pm_facts *f, int64_t *cpus)
{
	*cpus = f->hosts_count > 0 && f->cpus > 0 ? f->cpus / f->hosts_count : PM_UNKNOWN;
	if (f->request.memory_node > 0)
		return f->request.memory_node;
	if (f->request.memory_cpu > 0 && *cpus > 0)
		return pm_format_scale(f->request.memory_cpu, *cpus);
	return f->limited ? f->memory : PM_UNKNOWN;
}

static bool find_memory(const struct pm_facts *f, struct pm_request *r)
{
	int64_t least, cpus, used = memory_used(f, &least), step;
	char b[PM_FORMAT_MAX];

	r->asked_n = memory_asked(f, &cpus);
	if (r->asked_n <= 0)
		return false;
	snprintf(r->asked, sizeof r->asked, "%s%s", pm_format_bytes(b, r->asked_n),
		 f->hosts_count > 1 ? " a node" : "");
	if (used < 0 && f->oom_kills <= 0) {
		if (least >= 0)
			snprintf(r->used, sizeof r->used, "at least %s (one process)",
				 pm_format_bytes(b, least));
		return true;
	}
	r->used_n = used < 0 ? r->asked_n : used;
	r->share = pm_format_ratio(r->used_n, r->asked_n);
	snprintf(r->used, sizeof r->used, "%s%s", pm_format_bytes(b, r->used_n),
		 f->oom_kills > 0 ? ", then it ran out" : "");
	if (f->oom_kills > 0)
		r->next_n = r->asked_n + r->asked_n / 2;
	else
		r->next_n = whole((double)r->used_n * MEMORY_ROOM);
	/* In Slurm's megabytes. */
	step = (r->next_n >= 10000000000 ? 1000 : r->next_n >= 1000000000 ? 100 : 50) * 1048576LL;
	r->next_n = up((double)r->next_n, step);
	if (f->oom_kills <= 0 && (r->next_n >= r->asked_n || r->share >= 0.7)) {
		r->next_n = PM_UNKNOWN;
		return true;
	}
	if (f->request.memory_node <= 0 && f->request.memory_cpu > 0)
		snprintf(r->next, sizeof r->next, "%s, %lld MiB a CPU",
			 pm_format_bytes(b, r->next_n),
			 (long long)whole((double)r->next_n / (double)cpus / 1048576));
	else
		snprintf(r->next, sizeof r->next, "%s, %lld MiB", pm_format_bytes(b, r->next_n),
			 (long long)(r->next_n / 1048576));
	return true;
}

static bool find_time(const struct pm_facts *f, struct pm_request *r)
{
	const int64_t minute = 60000000;
	bool out;
	char t[PM_FORMAT_MAX];

	r->asked_n = f->request.wall_us;
	if (r->asked_n <= 0)
		return false;
	pm_format_duration(t, r->asked_n);
	snprintf(r->asked, sizeof r->asked, "%s", t);
	if (f->wall_us < 0 || f->open)
		return true;
	r->used_n = f->wall_us;
	r->share = pm_format_ratio(r->used_n, r->asked_n);
	out = strcmp(f->request.state, "TIMEOUT") == 0;
	snprintf(r->used, sizeof r->used, "%s%s", pm_format_duration(t, f->wall_us),
		 out ? ", then it was ended" : "");
	r->next_n = up((double)f->wall_us * (out ? 1.5 : TIME_ROOM),
		       f->wall_us >= 240 * minute  ? 30 * minute
		       : f->wall_us >= 20 * minute ? 5 * minute
						   : minute);
	if (!out && (r->next_n >= r->asked_n || r->share >= 0.7))
		r->next_n = PM_UNKNOWN;
	else
		snprintf(r->next, sizeof r->next, "%s", pm_format_duration(t, r->next_n));
	return true;
}

static bool find_gpus(const struct pm_facts *f, struct pm_request *r)
{
	char n[PM_FORMAT_MAX];
	int64_t asked = f->request.gpus > 0 ? f->request.gpus : f->gpu.most;

	if (f->request.gpus == PM_UNKNOWN || asked <= 0)
		return false;
	r->asked_n = asked;
	snprintf(r->asked, sizeof r->asked, "%s%s", pm_format_count(n, asked),
		 f->hosts_count > 1 ? " a node" : "");
	/* Others' GPUs on a node make what was busy another's. */
	if (f->gpu.sampled < f->gpu.seen || f->gpu.seen <= 0 || f->gpu.most > asked ||
	    f->hosts_count > 1)
		return true;
	r->used_n = f->gpu.seen - f->gpu.idle;
	r->share = pm_format_ratio(r->used_n, asked);
	snprintf(r->used, sizeof r->used, "%s ever busy", pm_format_count(n, r->used_n));
	if (r->used_n < asked) {
		r->next_n = r->used_n;
		snprintf(r->next, sizeof r->next, "%s",
			 r->used_n ? pm_format_count(n, r->used_n) : "none");
	}
	return true;
}

size_t pm_requests(const struct pm_facts *f, struct pm_request list[PM_REQUESTS])
{
	static const struct {
		const char *name;
		bool (*find)(const struct pm_facts *f, struct pm_request *r);
	} request[] = {
		[PM_REQUEST_CPUS] = { "CPUs", find_cpus },
		[PM_REQUEST_MEMORY] = { "Memory", find_memory },
		[PM_REQUEST_TIME] = { "Time", find_time },
		[PM_REQUEST_GPUS] = { "GPUs", find_gpus },
	};
	bool failed;
	size_t n = 0;

	_Static_assert(sizeof request / sizeof request[0] == PM_REQUESTS, "a function for each");
	if (!*f->scheduler || strcmp(f->scheduler, "none") == 0)
		return 0;
	/* A job that failed may have used less than it needs. */
	failed = f->exit_signal > 0 || f->exit_status > 0;
	for (int i = 0; i < PM_REQUESTS; i++) {
		list[n] = (struct pm_request){ .id = (enum pm_request_id)i,
					       .name = request[i].name,
					       .share = NAN,
					       .asked_n = PM_UNKNOWN,
					       .used_n = PM_UNKNOWN,
					       .next_n = PM_UNKNOWN };
		if (!request[i].find(f, &list[n]))
			continue;
		if (failed && !(i == PM_REQUEST_MEMORY && f->oom_kills > 0) &&
		    !(i == PM_REQUEST_TIME && strcmp(f->request.state, "TIMEOUT") == 0)) {
			list[n].next[0] = '\0';
			list[n].next_n = PM_UNKNOWN;
		}
		list[n].fits = !failed && !isnan(list[n].share) && list[n].next_n == PM_UNKNOWN;
		n++;
	}
	return n;
}
