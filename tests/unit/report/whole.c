/* report/job/report_json.c: every fact of a job is the member of its own name. */
#include "config.h"

#include "report/print/values.h"
#include "report/facts/facts.h"
#include "report/job/report_json.h"
#include "tests/unit/main.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_facts f;
static json_t *report;

static void begin(void)
{
	pm_facts_init(&f, 5);
}

static void end(void)
{
	json_decref(report);
	pm_facts_free(&f);
}

static void print(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(pm_report_json(out, &f), 0);
	fclose(out);
	json_decref(report);
	report = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(report);
	free(text);
}

/* A section of the report in one line, with ' for ", valid until the next call. */
static const char *part(const char *section)
{
	static char *text;

	free(text);
	text = json_dumps(json_object_get(report, section), PM_VALUES_DUMP);
	for (char *s = text; (s = strchr(s, '"'));)
		*s = '\'';
	return text;
}

#define IS(section, want) ck_assert_str_eq(part(section), want)

static const struct {
	const char *section, *name;
	int64_t *fact;
} numbers[] = {
	{ "job", "id", &f.job },
	{ "job", "submit_us", &f.submit_us },
	{ "job", "start_us", &f.start_us },
	{ "job", "end_us", &f.end_us },
	{ "job", "exit_status", &f.exit_status },
	{ "job", "exit_signal", &f.exit_signal },
	{ "totals", "hosts", &f.hosts_count },
	{ "totals", "wall_us", &f.wall_us },
	{ "totals", "cpu_us", &f.cpu_us },
	{ "totals", "user_us", &f.user_us },
	{ "totals", "system_us", &f.system_us },
	{ "totals", "cpus", &f.cpus },
	{ "totals", "images", &f.processes },
	{ "totals", "runs", &f.runs },
	{ "totals", "threads", &f.threads },
	{ "totals", "most_threads", &f.most_threads },
	{ "totals", "threads_known", &f.threads_known },
	{ "totals", "ranks", &f.ranks },
	{ "totals", "memory_peak_process_bytes", &f.rss },
	{ "totals", "memory_peak_together_bytes", &f.rss_tree },
	{ "totals", "memory_host_bytes", &f.memory },
	{ "totals", "rchar", &f.rchar },
	{ "totals", "wchar", &f.wchar },
	{ "totals", "syscr", &f.syscr },
	{ "totals", "syscw", &f.syscw },
	{ "totals", "read_bytes", &f.read_bytes },
	{ "totals", "write_bytes", &f.write_bytes },
	{ "totals", "cancelled_write_bytes", &f.cancelled_write_bytes },
	{ "totals", "minflt", &f.minflt },
	{ "totals", "majflt", &f.majflt },
	{ "totals", "time_oncpu_us", &f.time_oncpu_us },
	{ "totals", "time_waiting_us", &f.time_waiting_us },
	{ "totals", "blkio_us", &f.blkio_us },
	{ "totals", "short_runs", &f.short_runs },
	{ "totals", "short_cpu_us", &f.short_cpu_us },
	{ "totals", "failed", &f.failed },
	{ "totals", "killed", &f.killed },
	{ "totals", "asked_to_end", &f.asked },
	{ "totals", "ends_known", &f.ends_known },
	{ "time_line", "start_us", &f.line_start_us },
	{ "time_line", "length_us", &f.line_us },
	{ "quality", "charged_cpu_us", &f.charged_us },
	{ "quality", "without_end", &f.without_end },
	{ "quality", "running", &f.running },
	{ "quality", "reaped_only", &f.reaped_only },
	{ "quality", "unseen", &f.unseen },
	{ "quality", "unknown_cpu", &f.unknown_cpu },
	{ "quality", "folded", &f.folded },
	{ "quality", "folded_cpu_us", &f.folded_us },
	{ "quality", "lost", &f.lost },
	{ "quality", "tasks_unrecorded", &f.tasks_unrecorded },
	{ "quality", "rejected", &f.rejected },
	{ "quality", "late", &f.late },
	{ "quality", "own_overhead_us", &f.own_us },
	{ "quality", "own_cpu_us", &f.own_cpu_us },
	{ "quality", "samples", &f.samples },
	/* These begin at 0. */
	{ "quality", "excluded", &f.excluded },
	{ "quality", "excluded_cpu_us", &f.excluded_us },
	{ "quality", "refused", &f.refused.count },
	{ "quality", "unsuited", &f.unsuited.count },
	{ "quality", "silent", &f.silent.count },
	{ "quality", "departed", &f.departed.count },
	{ "quality", "killed_early", &f.killed_early },
};

static const struct {
	const char *section, *name;
	char *fact;
} texts[] = {
	{ "job", "cluster", f.cluster },
	{ "job", "user", f.user },
	{ "job", "jobid", f.jobid },
	{ "job", "array_task", f.array_task },
	{ "job", "name", f.name },
	{ "job", "scheduler", f.scheduler },
	{ "job", "queue", f.queue },
	{ "job", "account", f.account },
	{ "job", "command", f.command },
	{ "job", "directory", f.cwd },
	{ "job", "script", f.script },
	{ "job", "modules", f.modules },
	{ "job", "environment", f.environment },
	{ "job", "tags", f.tags },
	{ "job", "exit_reason", f.exit_reason },
	{ "totals", "memory_peak_program", f.rss_label },
	{ "quality", "refused_names", f.refused.names },
	{ "quality", "unsuited_names", f.unsuited.names },
	{ "quality", "silent_names", f.silent.names },
	{ "quality", "departed_names", f.departed.names },
	{ "quality", "lost_reasons", f.lost_reasons },
	{ "quality", "problems", f.problems },
};

#define COUNT(list) (sizeof list / sizeof list[0])

static json_t *member(const char *section, const char *name)
{
	json_t *j = json_object_get(json_object_get(report, section), name);

	ck_assert_msg(j != NULL, "%s: no %s", section, name);
	return j;
}

START_TEST(facts)
{
	for (size_t i = 0; i < COUNT(numbers); i++)
		*numbers[i].fact = 1000 + (int64_t)i;
	for (size_t i = 0; i < COUNT(texts); i++)
		memcpy(texts[i].fact, (char[]){ (char)('a' + i), '\0' }, 2);
	f.efficiency = 0.25;
	f.coverage = 0.75;
	f.programs = 9;
	f.stopped = f.sampled = true;
	print();
	for (size_t i = 0; i < COUNT(numbers); i++)
		ck_assert_msg(json_integer_value(member(numbers[i].section, numbers[i].name)) ==
				      1000 + (int64_t)i,
			      "%s", numbers[i].name);
	for (size_t i = 0; i < COUNT(texts); i++)
		ck_assert_msg(json_string_value(member(texts[i].section, texts[i].name))[0] ==
				      (char)('a' + i),
			      "%s", texts[i].name);
	ck_assert_double_eq(json_real_value(member("totals", "efficiency")), 0.25);
	ck_assert_double_eq(json_real_value(member("quality", "coverage")), 0.75);
	ck_assert_int_eq(json_integer_value(member("totals", "programs")), 9);
	ck_assert(json_is_true(member("job", "closed")));
	ck_assert(json_is_true(member("time_line", "sampled")));
}
END_TEST

/* What is not known is null, what there is none of an empty list, and counters are not there. */
START_TEST(unknown)
{
	size_t zero = COUNT(numbers) - 7;

	print();
	for (size_t i = 0; i < COUNT(numbers); i++) {
		json_t *j = member(numbers[i].section, numbers[i].name);

		ck_assert_msg(i < zero ? json_is_null(j) : json_integer_value(j) == 0, "%s",
			      numbers[i].name);
	}
	for (size_t i = 0; i < COUNT(texts); i++)
		ck_assert_msg(json_is_null(member(texts[i].section, texts[i].name)), "%s",
			      texts[i].name);
	ck_assert(json_is_null(member("totals", "efficiency")));
	ck_assert(json_is_null(member("quality", "coverage")));
	ck_assert(json_is_false(member("job", "closed")));
	IS("time_line", "{'start_us':null,'length_us':null,'sampled':false,'cpus_busy':null,"
			"'memory_bytes':null,'processes':null,'phases':[]}");
	IS("hosts", "[]");
	IS("nodes", "[]");
	IS("phases", "[]");
	IS("by_cpu", "[]");
	IS("failures", "[]");
	IS("advice", "[]");
	ck_assert_ptr_null(json_object_get(report, "counters"));
	ck_assert_ptr_null(json_object_get(report, "metrics"));
	ck_assert_ptr_null(json_object_get(report, "sampled_counters"));
	ck_assert_ptr_null(json_object_get(report, "sampled_metrics"));
}
END_TEST

START_TEST(lists)
{
	static const struct pm_metric_info info = { .id = "ipc", .label = "l", .unit = "u" };
	struct pm_fact_program program = { "p", 1,  2,  3,  4,  5,  6,  7,  8,
					   9,   10, 11, 12, 13, 14, 15, 16, 0 };
	struct pm_fact_program second = { .label = "q" }, third = { .label = "r" };
	struct pm_fact_failure failure = { "p", "p x", 1, 2, PM_UNKNOWN, 4, 5 };
	struct pm_fact_counter counter[2] = {
		{ "e", 1, "node", 2, 3, 0.5, { { "closed", 4 }, { "", 5 } }, 2 },
		{ .name = "g", .sum = PM_UNKNOWN, .unknown = 7, .ratio = 1 },
	};
	struct pm_fact_metric metric[2] = { { &info, "d", 1.5, 2, 0.25 },
					    { &info, "", NAN, 0, 1 } };
	struct pm_fact_host *host;
	json_t *list;

	f.by_cpu = &program;
	f.by_rss = &second;
	f.by_io = &third;
	f.by_cpu_n = f.by_rss_n = f.by_io_n = 1;
	f.runs = 1;
	f.failure = &failure;
	f.failures = 1;
	f.counter = f.sampled_counter = counter;
	f.metric = f.sampled_metric = metric;
	f.counters = f.metrics = 2;
	f.sampled_counters = f.sampled_metrics = 1;
	f.marks = 1;
	f.mark[0] = (struct pm_fact_mark){ "m", 1, 2, 3, 4, 5, 8, 7, 9.5 };
	f.phases = 1;
	f.phase[0] = (struct pm_fact_phase){ "x", 1, 2, 3 };
	f.active.known = true;
	f.active.step[0] = 0.5;
	host = pm_facts_host(&f);
	*host = (struct pm_fact_host){
		.name = "h",
		.cpu_model = "model",
		.cpus_online = 1,
		.cpus_allowed = 2,
		.cpus_allocated = 3,
		.coverage = 0.5,
		.memory = 4,
		.samples = 5,
		.unknown = 6,
		.resets = 7,
		.jobs = 8,
		.energy = { 9, 10, 11, 12, 13, "power", "gpu", "" },
		.id = 1,
		.gpu = calloc(1, sizeof *host->gpu),
		.gpus = 1,
	};
	pm_gpu_init(host->gpu);
	snprintf(host->gpu->name, sizeof host->gpu->name, "g");
	host->gpu->memory_bytes = 14;
	f.cpu_us = 8;
	f.programs_cpu_us = 4;
	f.hosts_count = 4;
	f.energy.uj = 1000;
	f.energy.mean_uw = 20;
	f.energy.hosts = 3;
	f.energy.coverage = 0.75;
	f.energy.part_uj[PM_ENERGY_GPU] = 900;
	snprintf(f.energy.method, sizeof f.energy.method, "counter");
	host->summary[0] = NAN;
	host->summary[1] = 25;
	print();
	IS("by_cpu", "[{'program':'p','runs':1,'cpu_us':2,'system_us':3,'longest_us':4,"
		     "'memory_peak_bytes':5,'rchar':6,'wchar':7,'syscr':8,'syscw':9,"
		     "'read_bytes':10,'write_bytes':11,'numtids':12,'energy_estimate_uj':250.0}]");
	IS("by_memory", "[{'program':'q','runs':0,'cpu_us':0,'system_us':0,'longest_us':0,"
			"'memory_peak_bytes':0,'rchar':0,'wchar':0,'syscr':0,'syscw':0,"
			"'read_bytes':0,'write_bytes':0,'numtids':0,'energy_estimate_uj':0.0}]");
	IS("by_io", "[{'program':'r','runs':0,'cpu_us':0,'system_us':0,'longest_us':0,"
		    "'memory_peak_bytes':0,'rchar':0,'wchar':0,'syscr':0,'syscw':0,"
		    "'read_bytes':0,'write_bytes':0,'numtids':0,'energy_estimate_uj':0.0}]");
	IS("energy", "{'energy_uj':1000,'mean_uw':20,'peak_uw':null,'method':'counter',"
		     "'hosts':3,'hosts_of':4,'coverage':0.75,'node_uj':null,'package_uj':null,"
		     "'dram_uj':null,'gpu_uj':900,'programs_gpu_uj':0.0,"
		     "'not_attributed_uj':500.0}");
	IS("failures", "[{'program':'p','count':1,'exit_status':2,'exit_signal':null,"
		       "'first_pid':4,'first_host':null,'first_command':'p x'}]");
	IS("counters", "[{'name':'e','sum':1,'scope':'node','processes':2,'unknown':3,"
		       "'least_ratio':0.5,'reasons':[{'reason':'closed','processes':4},"
		       "{'reason':null,'processes':5}]},{'name':'g','sum':null,'processes':0,"
		       "'unknown':7,'least_ratio':null,'reasons':[]}]");
	IS("metrics", "[{'id':'ipc','label':'l','unit':'u','domain':'d','value':1.5,"
		      "'processes':2,'least_ratio':0.25},{'id':'ipc','label':'l','unit':'u',"
		      "'domain':null,'value':null,'processes':0,'least_ratio':null}]");
	IS("sampled_counters", "[{'name':'e','sum':1,'scope':'node','hosts':2,'unknown':3,"
			       "'least_ratio':0.5,'reasons':[{'reason':'closed','hosts':4},"
			       "{'reason':null,'hosts':5}]}]");
	IS("sampled_metrics",
	   "[{'id':'ipc','label':'l','unit':'u','domain':'d','value':1.5,'hosts':2,"
	   "'least_ratio':0.25}]");
	IS("phases", "[{'name':'m','times':1,'unended':2,'first_us':3,'wall_us':4,"
		     "'longest_us':5,'cpu_us':8.0,'cpus_busy':2.0,'processes':7,"
		     "'memory_peak_bytes':9.5}]");
	IS("hosts",
	   "[{'hostname':'h','cpu_model':'model','cpus_online':1,'cpus_allowed':2,"
	   "'cpus_allocated':3,'coverage':0.5,'memory_bytes':4,"
	   "'summary':{'max_t_cpu_pct_per_cpu_avg':null,"
	   "'max_t_cpu_pct_per_cpu_max':25.0,'max_t_cpu_pct_per_cpu_min':0.0,"
	   "'cpu_avg_utilization_pct':0.0,'cpu_avg_utilization_at100_pct':0.0,"
	   "'cpu_avg_utilization_over80_pct':0.0,'cpu_avg_utilization_over40_pct':0."
	   "0,'cpu_avg_utilization_over20_pct':0.0,'node_cpu_hours':0.0,"
	   "'node_unused_cpu_hours':0.0,'max_t_mem_percent':0.0,"
	   "'max_t_disk_usage_percent':0.0,'total_disk_io_read_mb':0.0,"
	   "'total_disk_io_write_mb':0.0,'total_net_io_lo_sent_mb':0.0,"
	   "'total_net_io_lo_recv_mb':0.0,'total_net_io_ext_sent_mb':0.0,"
	   "'total_net_io_ext_recv_mb':0.0,'samples':5,'unknown':6,'resets':7,"
	   "'jobs':8},'energy':{'energy_uj':9,'mean_uw':10,'peak_uw':11,"
	   "'covered_us':12,'time_us':13,'method':'power','parts':'gpu','reason':null},"
	   "'gpus':[{'name':'g','uuid':null,'address':null,'driver':null,"
	   "'driver_version':null,'memory_bytes':14,'power_limit_uw':null,'state':null}]}]");
	list = json_object_get(json_object_get(report, "time_line"), "processes");
	ck_assert_uint_eq(json_array_size(list), PM_FACTS_STEPS);
	ck_assert_double_eq(json_real_value(json_array_get(list, 0)), 0.5);
	ck_assert(json_is_null(json_array_get(list, 1)));
	json_array_clear(list);
	IS("time_line", "{'start_us':null,'length_us':null,'sampled':false,'cpus_busy':null,"
			"'memory_bytes':null,'processes':[],'phases':[{'program':'x','pid':1,"
			"'from_us':2,'to_us':3}]}");
	f.by_cpu = f.by_rss = f.by_io = NULL;
	f.failure = NULL;
	f.counter = f.sampled_counter = NULL;
	f.metric = f.sampled_metric = NULL;
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_whole");
	TCase *t = tcase_create("whole");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, facts);
	tcase_add_test(t, unknown);
	tcase_add_test(t, lists);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
