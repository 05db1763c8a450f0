/* The facts of a report as JSON. */
#include "config.h"

#include "report/job/report_json.h"

#include "report/job/pathprint.h"
#include "report/job/report_json_judged.h"
#include "report/job/report_ranks.h"
#include "report/print/values.h"

#include <errno.h>
#include <math.h>

#define INT(o, from, name, field)  json_object_set_new(o, name, pm_json_int((from)->field))
#define TEXT(o, from, name, field) json_object_set_new(o, name, pm_json_text((from)->field))

static json_t *json_of_job(const struct pm_facts *f)
{
	json_t *o = json_object();

	INT(o, f, "id", job);
	TEXT(o, f, "cluster", cluster);
	TEXT(o, f, "user", user);
	TEXT(o, f, "jobid", jobid);
	TEXT(o, f, "array_task", array_task);
	TEXT(o, f, "name", name);
	TEXT(o, f, "scheduler", scheduler);
	TEXT(o, f, "queue", queue);
	TEXT(o, f, "account", account);
	TEXT(o, f, "command", command);
	TEXT(o, f, "directory", cwd);
	TEXT(o, f, "script", script);
	TEXT(o, f, "modules", modules);
	TEXT(o, f, "environment", environment);
	TEXT(o, f, "tags", tags);
	INT(o, f, "submit_us", submit_us);
	INT(o, f, "start_us", start_us);
	INT(o, f, "end_us", end_us);
	json_object_set_new(o, "closed", json_boolean(f->stopped));
	INT(o, f, "exit_status", exit_status);
	INT(o, f, "exit_signal", exit_signal);
	TEXT(o, f, "exit_reason", exit_reason);
	return o;
}

/* The summary of a node's samples; null without samples. */
static json_t *json_of_summary(const struct pm_fact_host *h)
{
	json_t *o = h->samples > 0 ? json_object() : json_null();

	for (int k = 0; k < PM_NODESUMMARIES && h->samples > 0; k++)
		json_object_set_new(o, pm_nodesummary_info[k].name, pm_json_real(h->summary[k]));
	if (h->samples > 0) {
		INT(o, h, "samples", samples);
		INT(o, h, "unknown", unknown);
		INT(o, h, "resets", resets);
		INT(o, h, "jobs", jobs);
	}
	return o;
}

/* The summaries over all nodes; empty where no node was sampled. */
static json_t *json_of_nodes(const struct pm_facts *f)
{
	json_t *list = json_array();
	size_t sampled = pm_facts_sampled(f);

	for (int k = 0; k < PM_NODESUMMARIES && sampled > 0; k++) {
		const struct pm_nodesummary_info *s = &pm_nodesummary_info[k];
		struct pm_fact_node n = pm_facts_node(f, (enum pm_nodesummary_id)k);
		json_t *o = json_object();

		TEXT(o, s, "name", name);
		TEXT(o, s, "title", title);
		TEXT(o, s, "unit", unit);
		INT(o, &n, "hosts", hosts);
		json_object_set_new(o, "least", pm_json_real(n.least));
		json_object_set_new(o, "mean", pm_json_real(n.mean));
		json_object_set_new(o, "most", pm_json_real(n.most));
		json_object_set_new(o, "least_host", pm_json_text(n.hosts ? n.least_host : ""));
		json_object_set_new(o, "most_host", pm_json_text(n.hosts ? n.most_host : ""));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_marks(const struct pm_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->marks; i++) {
		const struct pm_fact_mark *m = &f->mark[i];
		json_t *o = json_object();

		TEXT(o, m, "name", name);
		INT(o, m, "times", times);
		INT(o, m, "unended", unended);
		INT(o, m, "first_us", first_us);
		INT(o, m, "wall_us", wall_us);
		INT(o, m, "longest_us", longest_us);
		json_object_set_new(o, "cpu_us", pm_json_real(m->cpu_us));
		json_object_set_new(o, "cpus_busy", pm_json_real(pm_facts_busy(m)));
		INT(o, m, "processes", processes);
		json_object_set_new(o, "memory_peak_bytes", pm_json_real(m->memory));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_host_energy(const struct pm_fact_host_energy *x)
{
	json_t *o = json_object();

	INT(o, x, "energy_uj", uj);
	INT(o, x, "mean_uw", mean_uw);
	INT(o, x, "peak_uw", peak_uw);
	INT(o, x, "covered_us", covered_us);
	INT(o, x, "time_us", time_us);
	TEXT(o, x, "method", method);
	TEXT(o, x, "parts", parts);
	TEXT(o, x, "reason", reason);
	return o;
}

/* The energy of the job; null where no host has a meter. */
static json_t *json_of_energy(const struct pm_facts *f)
{
	static const char *const name[PM_FACTS_PARTS] = { "node_uj", "package_uj", "dram_uj",
							  "gpu_uj" };
	json_t *o = json_object();

	if (f->energy.hosts == PM_UNKNOWN) {
		json_decref(o);
		return json_null();
	}
	INT(o, f, "energy_uj", energy.uj);
	INT(o, f, "mean_uw", energy.mean_uw);
	INT(o, f, "peak_uw", energy.peak_uw);
	TEXT(o, f, "method", energy.method);
	INT(o, f, "hosts", energy.hosts);
	INT(o, f, "hosts_of", hosts_count);
	json_object_set_new(o, "coverage", pm_json_real(f->energy.coverage));
	for (int k = 0; k < PM_FACTS_PARTS; k++)
		INT(o, f, name[k], energy.part_uj[k]);
	json_object_set_new(o, "programs_gpu_uj",
			    pm_json_real(f->retired ? NAN : f->energy.gpu_shared_uj));
	json_object_set_new(o, "not_attributed_uj", pm_json_real(pm_facts_energy_left(f)));
	return o;
}

/* The GPUs of the hosts, and what kept them or processors slow. */
static json_t *json_of_gpus(const struct pm_facts *f)
{
	static const char *const name[PM_FACTS_SLOWS] = { "slowed_by_power", "slowed_by_heat",
							  "processor_slowed_by_heat" };
	json_t *o = json_object();

	INT(o, f, "asked_per_host", gpu.asked);
	INT(o, f, "seen", gpu.seen);
	INT(o, f, "sampled", gpu.sampled);
	INT(o, f, "never_busy", gpu.idle);
	for (int k = 0; k < PM_FACTS_SLOWS; k++)
		if (f->slow[k].share > 0)
			json_object_set_new(o, name[k],
					    json_pack("{s:f,s:s,s:s}", "share", f->slow[k].share,
						      "device", f->slow[k].device, "host",
						      f->slow[k].host));
	return o;
}

#define OF_GPU_TEXT(name) TEXT(o, g, #name, name);
#define OF_GPU_INT(name)                                                                           \
	json_object_set_new(o, #name, g->name < 0 ? json_null() : json_integer(g->name));

static json_t *json_of_hostgpus(const struct pm_fact_host *h)
{
	json_t *list = json_array();

	for (size_t i = 0; i < h->gpus; i++) {
		const struct pm_gpu *g = &h->gpu[i];
		json_t *o = json_object();

#define PM_GPU(name, type, help) OF_GPU_##type(name)
#include "common/job/gpu.def"
#undef PM_GPU
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_hosts(const struct pm_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->hosts; i++) {
		json_t *o = json_object();

		TEXT(o, &f->host[i], "hostname", name);
		TEXT(o, &f->host[i], "cpu_model", cpu_model);
		INT(o, &f->host[i], "cpus_online", cpus_online);
		INT(o, &f->host[i], "cpus_allowed", cpus_allowed);
		INT(o, &f->host[i], "cpus_allocated", cpus_allocated);
		json_object_set_new(o, "coverage", pm_json_real(f->host[i].coverage));
		INT(o, &f->host[i], "memory_bytes", memory);
		json_object_set_new(o, "summary", json_of_summary(&f->host[i]));
		json_object_set_new(o, "energy",
				    f->energy.hosts == PM_UNKNOWN
					    ? json_null()
					    : json_of_host_energy(&f->host[i].energy));
		json_object_set_new(o, "gpus", json_of_hostgpus(&f->host[i]));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_totals(const struct pm_facts *f)
{
	json_t *o = json_object();

	INT(o, f, "hosts", hosts_count);
	INT(o, f, "wall_us", wall_us);
	INT(o, f, "cpu_us", cpu_us);
	INT(o, f, "user_us", user_us);
	INT(o, f, "system_us", system_us);
	INT(o, f, "cpus", cpus);
	json_object_set_new(o, "efficiency", pm_json_real(f->efficiency));
	INT(o, f, "images", processes);
	INT(o, f, "runs", runs);
	json_object_set_new(o, "programs",
			    f->runs == PM_UNKNOWN ? json_null()
						  : json_integer((json_int_t)f->programs));
	INT(o, f, "threads", threads);
	INT(o, f, "most_threads", most_threads);
	INT(o, f, "threads_known", threads_known);
	INT(o, f, "ranks", ranks);
	INT(o, f, "memory_peak_process_bytes", rss);
	TEXT(o, f, "memory_peak_program", rss_label);
	INT(o, f, "memory_peak_together_bytes", rss_tree);
	INT(o, f, "memory_host_bytes", memory);
	INT(o, f, "rchar", rchar);
	INT(o, f, "wchar", wchar);
	INT(o, f, "syscr", syscr);
	INT(o, f, "syscw", syscw);
	INT(o, f, "read_bytes", read_bytes);
	INT(o, f, "write_bytes", write_bytes);
	INT(o, f, "cancelled_write_bytes", cancelled_write_bytes);
	INT(o, f, "minflt", minflt);
	INT(o, f, "majflt", majflt);
	INT(o, f, "time_oncpu_us", time_oncpu_us);
	INT(o, f, "time_waiting_us", time_waiting_us);
	INT(o, f, "gpu_time_us", gpu_us);
	json_object_set_new(o, "gpu_time_sampled_us", pm_json_real(pm_facts_sampled_gpu_us(f)));
	INT(o, f, "gpu_cycles", gpu_cycles);
	INT(o, f, "gpu_memory_peak_process_bytes", gpu_memory);
	INT(o, f, "blkio_us", blkio_us);
	INT(o, f, "short_runs", short_runs);
	INT(o, f, "short_cpu_us", short_cpu_us);
	INT(o, f, "failed", failed);
	INT(o, f, "killed", killed);
	INT(o, f, "asked_to_end", asked);
	INT(o, f, "ends_known", ends_known);
	INT(o, f, "failures_left_out", failures_more);
	return o;
}

static json_t *json_of_programs(const struct pm_facts *f, const struct pm_fact_program *p, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		TEXT(o, &p[i], "program", label);
		INT(o, &p[i], "runs", runs);
		INT(o, &p[i], "cpu_us", cpu_us);
		INT(o, &p[i], "system_us", system_us);
		INT(o, &p[i], "longest_us", longest_us);
		INT(o, &p[i], "memory_peak_bytes", rss);
		INT(o, &p[i], "rchar", rchar);
		INT(o, &p[i], "wchar", wchar);
		INT(o, &p[i], "syscr", syscr);
		INT(o, &p[i], "syscw", syscw);
		INT(o, &p[i], "read_bytes", read_bytes);
		INT(o, &p[i], "write_bytes", write_bytes);
		INT(o, &p[i], "numtids", numtids);
		if (f->energy.hosts != PM_UNKNOWN)
			json_object_set_new(o, "energy_estimate_uj",
					    pm_json_real(pm_facts_energy(f, &p[i])));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_gpu_programs(const struct pm_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->gpu_programs && i < f->limit; i++) {
		const struct pm_fact_gpu_program *x = &f->gpu_program[i];
		json_t *o = json_object();

		TEXT(o, x, "program", label);
		json_object_set_new(o, "method", json_string(x->sampled ? "sampled" : "exact"));
		INT(o, x, "processes", processes);
		json_object_set_new(o, "gpus", pm_json_int(x->gpus ? x->gpus : PM_UNKNOWN));
		json_object_set_new(o, "gpu_time_us", pm_json_real(x->gpu_us));
		INT(o, x, "memory_peak_bytes", memory);
		json_object_set_new(o, "gpu_energy_estimate_uj", pm_json_real(x->energy_uj));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_failures(const struct pm_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->failures; i++) {
		const struct pm_fact_failure *x = &f->failure[i];
		const int64_t host = pm_facts_host_index(f, x->host);
		json_t *o = json_object();

		TEXT(o, x, "program", label);
		INT(o, x, "count", count);
		INT(o, x, "exit_status", exit_status);
		INT(o, x, "exit_signal", exit_signal);
		INT(o, x, "first_pid", pid);
		json_object_set_new(o, "first_host",
				    host < 0 ? json_null() : pm_json_text(f->host[host].name));
		TEXT(o, x, "first_command", command);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_steps(const struct pm_fact_line *l)
{
	json_t *list = json_array();

	if (!l->known) {
		json_decref(list);
		return json_null();
	}
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		json_array_append_new(list, pm_json_real(l->step[i]));
	return list;
}

static json_t *json_of_line(const struct pm_facts *f)
{
	json_t *o = json_object(), *list = json_array();

	INT(o, f, "start_us", line_start_us);
	INT(o, f, "length_us", line_us);
	json_object_set_new(o, "sampled", json_boolean(f->sampled));
	json_object_set_new(o, "cpus_busy", json_of_steps(&f->cpu));
	json_object_set_new(o, "memory_bytes", json_of_steps(&f->rss_line));
	json_object_set_new(o, "processes", json_of_steps(&f->active));
	for (size_t i = 0; i < f->phases; i++) {
		json_t *phase = json_object();

		TEXT(phase, &f->phase[i], "program", label);
		INT(phase, &f->phase[i], "pid", pid);
		INT(phase, &f->phase[i], "from_us", start_us);
		INT(phase, &f->phase[i], "to_us", end_us);
		json_array_append_new(list, phase);
	}
	json_object_set_new(o, "phases", list);
	return o;
}

static json_t *json_of_quality(const struct pm_facts *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "coverage", pm_json_real(f->coverage));
	INT(o, f, "charged_cpu_us", charged_us);
	INT(o, f, "excluded", excluded);
	INT(o, f, "excluded_cpu_us", excluded_us);
	INT(o, f, "without_end", without_end);
	INT(o, f, "running", running);
	INT(o, f, "reaped_only", reaped_only);
	INT(o, f, "unseen", unseen);
	INT(o, f, "refused", refused.count);
	TEXT(o, f, "refused_names", refused.names);
	INT(o, f, "unsuited", unsuited.count);
	TEXT(o, f, "unsuited_names", unsuited.names);
	INT(o, f, "silent", silent.count);
	TEXT(o, f, "silent_names", silent.names);
	INT(o, f, "departed", departed.count);
	TEXT(o, f, "departed_names", departed.names);
	INT(o, f, "killed_early", killed_early);
	INT(o, f, "unknown_cpu", unknown_cpu);
	INT(o, f, "folded", folded);
	INT(o, f, "folded_cpu_us", folded_us);
	INT(o, f, "lost", lost);
	TEXT(o, f, "lost_reasons", lost_reasons);
	INT(o, f, "tasks_unrecorded", tasks_unrecorded);
	INT(o, f, "rejected", rejected);
	INT(o, f, "late", late);
	TEXT(o, f, "problems", problems);
	INT(o, f, "own_overhead_us", own_us);
	INT(o, f, "own_cpu_us", own_cpu_us);
	INT(o, f, "samples", samples);
	return o;
}

static json_t *json_of_counters(const struct pm_fact_counter *counter, size_t n, const char *whom)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct pm_fact_counter *x = &counter[i];
		json_t *o = json_object(), *why = json_array();

		TEXT(o, x, "name", name);
		INT(o, x, "sum", sum);
		if (*x->scope)
			json_object_set_new(o, "scope", json_string(x->scope));
		INT(o, x, whom, known);
		INT(o, x, "unknown", unknown);
		json_object_set_new(o, "least_ratio",
				    x->known ? pm_json_real(x->ratio) : json_null());
		for (size_t k = 0; k < x->reasons; k++) {
			json_t *r = json_object();

			TEXT(r, &x->reason[k], "reason", text);
			INT(r, &x->reason[k], whom, count);
			json_array_append_new(why, r);
		}
		json_object_set_new(o, "reasons", why);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_of_metrics(const struct pm_fact_metric *metric, size_t n, const char *whom)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct pm_fact_metric *x = &metric[i];
		json_t *o = json_object();

		TEXT(o, x->info, "id", id);
		TEXT(o, x->info, "label", label);
		TEXT(o, x->info, "unit", unit);
		TEXT(o, x, "domain", domain);
		json_object_set_new(o, "value", pm_json_real(x->value));
		INT(o, x, whom, processes);
		json_object_set_new(o, "least_ratio",
				    x->processes ? pm_json_real(x->ratio) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

/* What only advice uses: control groups, ranks, bursts of starts. */
static json_t *json_of_causes(const struct pm_facts *f)
{
	const struct pm_ranks_run *r = pm_ranks_uneven(f->parallel);
	const struct pm_fact_threads *t = &f->of_threads;
	json_t *o = json_object();

	INT(o, f, "quota_periods", cgroup.periods);
	INT(o, f, "quota_throttled", cgroup.throttled);
	INT(o, f, "quota_throttled_us", cgroup.throttled_us);
	INT(o, f, "memory_limit_hits", cgroup.limit_hits);
	INT(o, f, "memory_anonymous_bytes", cgroup.anonymous);
	INT(o, f, "memory_limit_bytes", cgroup.limit);
	INT(o, f, "swap_bytes", cgroup.swap);
	INT(o, f, "storage_pressure_us", cgroup.io_us);
	INT(o, f, "memory_pressure_us", cgroup.memory_us);
	INT(o, f, "out_of_memory_kills", oom_kills);
	INT(o, f, "node_swapped_bytes", swapped.count);
	INT(o, f, "tcp_retransmits", retransmits.count);
	json_object_set_new(o, "ranks", r ? pm_json_int(r->ranks) : json_null());
	if (r) {
		const struct pm_ranks_spread *cpu = &r->spread[PM_RANKS_CPU];

		INT(o, cpu, "rank_most", most_at);
		json_object_set_new(o, "rank_most_cpu_us", pm_json_int((int64_t)cpu->most));
		json_object_set_new(o, "rank_mean_cpu_us", pm_json_real(cpu->mean));
		json_object_set_new(o, "rank_least_cpu_us", pm_json_int((int64_t)cpu->least));
	}
	INT(o, f, "switches_most", sleeper.switches);
	json_object_set_new(o, "thread_most_cpu_us",
			    t->threads > 0 ? pm_json_int(t->most) : json_null());
	json_object_set_new(o, "thread_mean_cpu_us",
			    t->threads > 0 ? pm_json_real(t->mean) : json_null());
	INT(o, f, "starts_in_a_second", burst.starts);
	json_object_set_new(o, "gpu_busy", pm_json_real(f->gpu.busy));
	return o;
}

int pm_report_json(FILE *f, const struct pm_facts *facts)
{
	json_t *o = json_object();
	int rc, error;

	json_object_set_new(o, "job", json_of_job(facts));
	json_object_set_new(o, "hosts", json_of_hosts(facts));
	json_object_set_new(o, "totals", json_of_totals(facts));
	json_object_set_new(o, "by_cpu", json_of_programs(facts, facts->by_cpu, facts->by_cpu_n));
	json_object_set_new(o, "by_memory",
			    json_of_programs(facts, facts->by_rss, facts->by_rss_n));
	json_object_set_new(o, "by_io", json_of_programs(facts, facts->by_io, facts->by_io_n));
	json_object_set_new(o, "gpu_programs", json_of_gpu_programs(facts));
	json_object_set_new(o, "failures", json_of_failures(facts));
	if (facts->counters) {
		json_object_set_new(o, "counters",
				    json_of_counters(facts->counter, facts->counters, "processes"));
		json_object_set_new(o, "metrics",
				    json_of_metrics(facts->metric, facts->metrics, "processes"));
	}
	if (facts->sampled_counters) {
		json_object_set_new(
			o, "sampled_counters",
			json_of_counters(facts->sampled_counter, facts->sampled_counters, "hosts"));
		json_object_set_new(
			o, "sampled_metrics",
			json_of_metrics(facts->sampled_metric, facts->sampled_metrics, "hosts"));
	}
	json_object_set_new(o, "time_line", json_of_line(facts));
	if (facts->path)
		json_object_set_new(o, "critical_path",
				    pm_pathprint_json(facts->path, (int64_t)facts->limit));
	if (facts->parallel)
		json_object_set_new(o, "parallel", pm_report_ranks_json(facts));
	json_object_set_new(o, "phases", json_of_marks(facts));
	json_object_set_new(o, "nodes", json_of_nodes(facts));
	json_object_set_new(o, "energy", json_of_energy(facts));
	json_object_set_new(o, "gpus", json_of_gpus(facts));
	json_object_set_new(o, "quality", json_of_quality(facts));
	json_object_set_new(o, "causes", json_of_causes(facts));
	json_object_set_new(o, "verdicts", pm_report_json_verdicts(facts));
	json_object_set_new(o, "requested", pm_report_json_requests(facts));
	rc = json_object_set_new(o, "advice", pm_report_json_advice(facts));
	if (rc == 0)
		rc = json_dumpf(o, f, (PM_VALUES_DUMP & ~(size_t)JSON_COMPACT) | JSON_INDENT(2));
	fputc('\n', f);
	error = errno;
	json_decref(o);
	errno = error;
	return rc;
}
