/* report/job/report_nodes.c and facts.c: what the samples of a job's nodes make, as text and as
 * JSON.
 */
#include "config.h"

#include "report/facts/facts.h"
#include "report/job/report_json.h"
#include "report/job/report_text.h"
#include "tests/unit/main.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_facts f;
static char *text;

static void begin(void)
{
	pm_facts_init(&f, 5);
}

static void end(void)
{
	free(text);
	text = NULL;
	pm_facts_free(&f);
}

/* A host with some summaries: mean use of its CPUs, hours left idle, MiB written; NaN is unknown.
 */
static struct pm_fact_host *host(const char *name, double busy, double idle, double written)
{
	struct pm_fact_host *h = pm_facts_host(&f);

	ck_assert_ptr_nonnull(h);
	snprintf(h->name, sizeof h->name, "%s", name);
	h->samples = 1;
	h->unknown = h->resets = 0;
	h->summary[PM_NODESUMMARY_cpu_avg_utilization_pct] = busy;
	h->summary[PM_NODESUMMARY_node_unused_cpu_hours] = idle;
	h->summary[PM_NODESUMMARY_total_disk_io_write_mb] = written;
	return h;
}

static const char *print(bool all)
{
	struct pm_page page = { .width = 80 };
	size_t size;

	free(text);
	page.f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(page.f);
	ck_assert_int_eq(pm_report_nodes(&page, &f, all), 0);
	fclose(page.f);
	return text;
}

START_TEST(nothing_sampled)
{
	ck_assert_str_eq(print(true), "");
	host("a", NAN, NAN, NAN);
	ck_assert_str_eq(print(false), "");
	ck_assert_uint_eq(pm_facts_sampled(&f), 0);
}
END_TEST

/* Percent, hours and MiB as the rest of a report has them; what is not known is left out. */
START_TEST(one_node)
{
	host("a", 99.9, 0.5, 100);
	ck_assert_str_eq(print(false), "\nNodes (sampled; includes other jobs and the system)\n"
				       "                                a\n"
				       "  CPUs busy, mean           >99 %\n"
				       "  CPU time left idle  30 min 00 s\n"
				       "  Disks, written           105 MB\n"
				       "  More: perfmon report --all\n");
}
END_TEST

START_TEST(the_outlier_is_named)
{
	host("n1", 90, 0, 10);
	host("n2", 91, 0, 10);
	host("n3", 12, 1, 10);
	host("n4", 92, 0, NAN)->resets = 2;
	host("n5", NAN, NAN, NAN);
	ck_assert_str_eq(
		print(false),
		"\nNodes (sampled; includes other jobs and the system)\n"
		"                        Least         Mean        Most  Outlier     Nodes\n"
		"  CPUs busy, mean        12 %         71 %        92 %  n3 (least)      4\n"
		"  CPU time left idle      0 s  15 min 00 s  1 h 00 min  n3 (most)       4\n"
		"  Disks, written      10.5 MB      10.5 MB     10.5 MB                  3\n"
		"  Not sampled: 1 host of the job.\n"
		"  A counter was reset on 1 node: totals are lower bounds.\n"
		"  The outlier is the node farthest from the mean.\n"
		"  More: perfmon report --all\n");
}
END_TEST

/* A node that was shared says so, one that was not does not. */
START_TEST(other_jobs)
{
	host("a", NAN, NAN, 100)->jobs = 1;
	ck_assert_ptr_null(strstr(print(false), "Batch"));
	f.host[0].jobs = 3;
	ck_assert_ptr_nonnull(
		strstr(print(false), "\n  Batch jobs on the node at once: up to 3.\n"));
	host("b", NAN, NAN, 100)->jobs = 4;
	host("c", NAN, NAN, 100)->jobs = 0;
	host("d", NAN, NAN, 100);
	ck_assert_ptr_nonnull(strstr(
		print(false), "\n  Batch jobs at once: up to 4 on b; more than one on 2 nodes.\n"));
}
END_TEST

/* Everything, and "unknown" where it is; never 0 for it, nor for what no node can have. */
START_TEST(all)
{
	struct pm_fact_host *h = host("a", 50, NAN, -1);
	size_t lines = 0;

	h->summary[PM_NODESUMMARY_total_disk_io_read_mb] = INFINITY;
	print(true);
	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	ck_assert_uint_eq(lines, 3 + PM_NODESUMMARIES);
	ck_assert_ptr_nonnull(strstr(text, "CPUs busy, mean                50 %\n"));
	ck_assert_ptr_nonnull(strstr(text, "CPU time left idle          unknown\n"));
	ck_assert_ptr_nonnull(strstr(text, "Disks, read                 unknown\n"));
	ck_assert_ptr_nonnull(strstr(text, "Disks, written              unknown\n"));
	ck_assert_ptr_null(strstr(text, "--all"));
}
END_TEST

START_TEST(spread_over_nodes)
{
	struct pm_fact_node n;

	host("a", 10, NAN, NAN);
	host("b", NAN, NAN, NAN);
	host("c", 40, NAN, NAN);
	host("d", 10, NAN, NAN);
	n = pm_facts_node(&f, PM_NODESUMMARY_cpu_avg_utilization_pct);
	ck_assert_int_eq(n.hosts, 3);
	ck_assert_double_eq(n.least, 10);
	ck_assert_double_eq(n.mean, 20);
	ck_assert_double_eq(n.most, 40);
	ck_assert_str_eq(n.least_host, "a");
	ck_assert_str_eq(n.most_host, "c");
	n = pm_facts_node(&f, PM_NODESUMMARY_max_t_mem_percent);
	ck_assert_int_eq(n.hosts, 0);
	ck_assert(isnan(n.least) && isnan(n.mean) && isnan(n.most));
	ck_assert_uint_eq(pm_facts_sampled(&f), 3);
}
END_TEST

/* What a line of the whole report says behind its title, "" where it has none. */
static const char *line(const char *title)
{
	struct pm_page page = { .width = 200 };
	char *at;
	size_t size;

	free(text);
	page.f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(page.f);
	ck_assert_int_eq(pm_report_text(&page, &f, false), 0);
	fclose(page.f);
	at = strstr(text, title);
	if (!at)
		return "";
	at += strlen(title);
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = '\0';
	return at;
}

static const struct {
	int status, signal;
	bool unstarted, stopped;
	const char *command, *reason, *want;
} results[] = {
	{ 0, -1, false, true, "x", "success", "exit status 0: success" },
	{ 3, -1, false, true, "x", "failure", "failed with exit status 3" },
	{ 1, -1, false, true, "x", "failure", "failed with exit status 1" },
	{ 127, -1, true, true, "x", "not-started", "not started: exit status 127" },
	{ -1, 9, false, true, "x", "killed", "ended by SIGKILL" },
	{ -1, 1, false, true, "x", "asked", "ended by SIGHUP" },
	{ -1, 9, false, true, "x", "memory",
	  "ended by SIGKILL; the kernel killed processes of the job for want of memory" },
	{ 1, -1, false, true, "x", "memory",
	  "failed with exit status 1; the kernel killed processes of the job for want of memory" },
	{ -1, 24, false, true, "x", "cpu-limit",
	  "ended by SIGXCPU, the signal of the limit on CPU time (ulimit -t)" },
	{ -1, 25, false, true, "x", "file-limit",
	  "ended by SIGXFSZ, the signal of the limit on the size of files (ulimit -f)" },
	{ -1, -1, false, false, "x", "", "unknown: the job was not closed yet" },
	{ -1, -1, false, true, "x", "",
	  "unknown: `perfmon -a run` ended before the command's end was recorded" },
	{ -1, -1, false, true, "", "",
	  "unknown: recorded only for the command of `perfmon -a run`" },
};

START_TEST(result)
{
	f.exit_status = results[_i].status;
	f.exit_signal = results[_i].signal;
	f.unstarted = results[_i].unstarted;
	f.stopped = results[_i].stopped;
	snprintf(f.command, sizeof f.command, "%s", results[_i].command);
	snprintf(f.exit_reason, sizeof f.exit_reason, "%s", results[_i].reason);
	ck_assert_str_eq(line("\n  Result"), results[_i].want);
}
END_TEST

/* CPUs are those of the job and of the host where they differ; four hosts are described. */
START_TEST(hosts)
{
	static const struct {
		int online, allowed, allocated;
		int64_t memory;
		const char *model, *want;
	} described[] = {
		{ -1, -1, -1, -1, "", "a" },
		{ 8, 8, -1, 16000000000, "X 5", "a, 8 CPUs, 16.0 GB memory, X 5" },
		{ 8, 7, -1, -1, "", "a, 7 of 8 CPUs" },
		{ 8, 4, 2, -1, "", "a, 2 of 8 CPUs" },
		{ 8, 4, 8, -1, "", "a, 8 CPUs" },
		{ 8, 16, -1, -1, "", "a, 8 CPUs" },
		{ 8, -1, -1, 1, "", "a, 8 CPUs, 1 B memory" },
		{ -1, 4, 4, -1, "", "a" },
	};
	struct pm_fact_host *h = host("a", NAN, NAN, NAN);

	f.hosts_count = 1;
	for (size_t i = 0; i < sizeof described / sizeof described[0]; i++) {
		h->cpus_online = described[i].online;
		h->cpus_allowed = described[i].allowed;
		h->cpus_allocated = described[i].allocated;
		h->memory = described[i].memory;
		snprintf(h->cpu_model, sizeof h->cpu_model, "%s", described[i].model);
		ck_assert_str_eq(line("\n  Host "), described[i].want);
	}
	for (int i = 1; i < 4; i++)
		host("b", NAN, NAN, NAN);
	f.hosts_count = 4;
	ck_assert_str_eq(line("\n  Hosts "), "a");
	ck_assert_str_eq(line("more: perfmon list hosts"), "");
	host("b", NAN, NAN, NAN);
	f.hosts_count = 5;
	line("Hosts ");
	ck_assert_str_eq(line("and 1 more:"), "perfmon list hosts");
}
END_TEST

START_TEST(json)
{
	json_t *o, *nodes, *x;
	size_t size;
	FILE *out;

	/* More than a page describes one by one. */
	for (int i = 0; i < 9; i++)
		host((char[]){ (char)('a' + i), '\0' }, i, NAN, NAN);
	out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(pm_report_json(out, &f), 0);
	fclose(out);
	o = json_loads(text, 0, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(o, "hosts")), 9);
	x = json_array_get(json_object_get(o, "hosts"), 8);
	ck_assert(json_is_null(json_object_get(json_object_get(x, "summary"), "jobs")));
	nodes = json_object_get(o, "nodes");
	ck_assert_uint_eq(json_array_size(nodes), PM_NODESUMMARIES);
	x = json_array_get(nodes, PM_NODESUMMARY_cpu_avg_utilization_pct);
	ck_assert_str_eq(json_string_value(json_object_get(x, "name")), "cpu_avg_utilization_pct");
	ck_assert_str_eq(json_string_value(json_object_get(x, "unit")), "%");
	ck_assert_int_eq(json_integer_value(json_object_get(x, "hosts")), 9);
	ck_assert_double_eq(json_real_value(json_object_get(x, "mean")), 4);
	ck_assert_str_eq(json_string_value(json_object_get(x, "most_host")), "i");
	x = json_array_get(nodes, PM_NODESUMMARY_max_t_mem_percent);
	ck_assert(json_is_null(json_object_get(x, "mean")));
	ck_assert(json_is_null(json_object_get(x, "most_host")));
	json_decref(o);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		nothing_sampled, one_node, the_outlier_is_named, other_jobs, all, spread_over_nodes,
		hosts,           json,
	};
	Suite *s = suite_create("report_nodes");
	TCase *t = tcase_create("nodes");

	tcase_add_checked_fixture(t, begin, end);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	tcase_add_loop_test(t, result, 0, (int)(sizeof results / sizeof results[0]));
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
