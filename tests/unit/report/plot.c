/* report/plot: which series make a plot and what lines they become, from a small database made by
 * hand. */
#include "config.h"

#include "report/plot/plotchart.h"
#include "report/plot/plotlist.h"
#include "tests/unit/report/facts.h"

#include <math.h>
#include <string.h>

static struct pm_plotread p;
static struct pm_plotread_job about;

static void series(int id, int host, const char *source, const char *metric, const char *object,
		   const char *unit, const char *kind)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind)"
		 " VALUES (1, %d, %d, '%s', '%s', '%s', '%s', '%s')",
		 id, host, source, metric, object, unit, kind);
	run(sql);
}

/* Samples of seconds from 0 on: numbers, ? for unknown, - for no sample. */
static void samples(int id, const char *text)
{
	char value[32];
	int n, second = 0;

	for (; sscanf(text, "%31s%n", value, &n) == 1; text += n, second++)
		if (strcmp(value, "-") != 0)
			sample(id, second, strcmp(value, "?") == 0 ? "NULL" : value);
}

/* Read a plot of the table, or a series. */
static void read_plot(const char *name)
{
	const struct pm_plots_info *info = pm_plots_find(name);
	struct pm_plots_series s[PM_PLOTLIST_SERIES];
	size_t n = 1;

	if (info)
		n = pm_plotlist_series(info, s);
	else
		ck_assert_int_eq(pm_plots_word(name, &s[0], &e), 0);
	ck_assert_msg(pm_plotread_job(&about, db, 1, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_plotread(&p, &about, db, s, n, info ? info->average : false, &e) == 0,
		      "%s", e.text);
}

/* The means of a line's cells, with | where there is a gap before. */
static const char *cells(const struct pm_line *l)
{
	static char text[512];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < l->n; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%.6g", i ? " " : "",
				      l->cell[i].gap ? "| " : "", pm_line_cell_mean(&l->cell[i]));
	return text;
}

static void done(void)
{
	pm_plotread_free(&p);
	unmake();
}

/* A table of plots that all can be read, with names of files as SKA has them. */
START_TEST(table)
{
	char name[128];

	for (size_t i = 0; i < PM_PLOTS; i++) {
		const struct pm_plots_info *info = &pm_plots_info[i];
		struct pm_plots_series s[PM_PLOTLIST_SERIES];

		ck_assert_uint_gt(pm_plotlist_series(info, s), 0);
		ck_assert_uint_gt(s[0].metrics, 0);
		ck_assert_ptr_eq(pm_plots_find(info->id), info);
		ck_assert(!pm_plots_is_series(info->id));
		read_plot(info->id);
		ck_assert_msg(strncmp(p.nothing, "Not sampled: no sampler ran", 27) == 0, "%s",
			      p.nothing);
		pm_plotread_free(&p);
	}
	pm_plots_file(name, pm_plots_find("cpu_load"), false);
	ck_assert_str_eq(name, "Average_CPU_Load_all_nodes");
	pm_plots_file(name, pm_plots_find("memory_bandwidth"), true);
	ck_assert_str_eq(name, "Memory_Bandwidth_(Read)_per_node");
	pm_plots_file(name, pm_plots_find("interconnect_packets_output"), false);
	ck_assert_str_eq(name, "Total_Interconnect_Packets_Output_all_nodes");
}
END_TEST

START_TEST(words)
{
	struct pm_plots_series s;

	ck_assert_int_eq(pm_plots_word("disk.read_bytes:sda.1:x", &s, &e), 0);
	ck_assert_str_eq(s.source, "disk");
	ck_assert_str_eq(s.metric[0], "read_bytes");
	ck_assert_str_eq(s.object, "sda.1:x");
	ck_assert(pm_plots_is_series("a.b") && pm_plots_is_series("a.b:*"));
	ck_assert(!pm_plots_is_series("a.b:") && !pm_plots_is_series("a.") &&
		  !pm_plots_is_series(".b") && !pm_plots_is_series("./a.b") &&
		  !pm_plots_is_series("a.b/c") && !pm_plots_is_series("a"));
	/* That of an archive is none. */
	ck_assert(!pm_plots_is_series("4711.tar.gz") && !pm_plots_is_series("Job.tgz"));
}
END_TEST

/* Rates by time, gaps where a value is unknown or a sample missing for long, what begins anew. */
START_TEST(rates)
{
	series(1, 1, "network", "tx_bytes", "", "B", "counter");
	series(2, 1, "network", "tx_bytes", "eth0", "B", "counter");
	/*          0   1   2   3 4   5   6   7   8 9 0 1 2 3 4   5   6  7  8 */
	samples(1, "100 110 130 ? 160 170 180 190 - - - - - - 290 300 20 30 40");
	samples(2, "0 5000 9000");
	read_plot("output_traffic");
	ck_assert_str_eq(p.nothing, "");
	ck_assert_uint_eq(p.nodes, 1);
	ck_assert_str_eq(p.line[0].name, "a");
	/* The object is in the series over all. */
	ck_assert_str_eq(cells(&p.line[0].line), "10 20 | 10 10 10 | 10 | 10 10");
	ck_assert_str_eq(p.unit.unit.name, "B/s");
	ck_assert_uint_eq(p.gaps, 3);
	ck_assert_double_eq_tol(p.gap_s, 2 + 7 + 1, 1e-9);
	ck_assert_uint_eq(p.why.resets, 1);
	ck_assert_str_eq(p.why.reason[0].text, "late");
	ck_assert_double_eq_tol(p.mean, 90 / 8., 1e-6);
	ck_assert_double_eq(p.most, 20);
	ck_assert_str_eq(cells(&p.whole), "10 20 | 10 10 10 | 10 | 10 10");
}
END_TEST

/* Objects are added up where no series is over them; one that comes or goes is no gap. */
START_TEST(objects)
{
	series(1, 1, "rapl", "core_energy", "core-0", "uJ", "counter");
	series(2, 1, "rapl", "core_energy", "core-1", "uJ", "counter");
	samples(1, "0 1000000 3000000 4000000");
	samples(2, "- - 500000 4500000");
	read_plot("core_power");
	ck_assert_str_eq(cells(&p.line[0].line), "1 2 5");
	ck_assert_str_eq(p.unit.unit.name, "W");
	pm_plotread_free(&p);
	read_plot("rapl.core_energy:core-1");
	ck_assert_str_eq(cells(&p.line[0].line), "4");
	pm_plotread_free(&p);
	read_plot("rapl.core_energy:*");
	ck_assert_uint_eq(p.nodes, 2);
	ck_assert_str_eq(p.line[1].name, "a core-1");
	ck_assert_str_eq(cells(&p.line[1].line), "4");
}
END_TEST

/* Values of several objects: added, or where they are shares averaged. */
START_TEST(levels)
{
	series(1, 1, "nvidia", "utilization", "GPU-0", "0.01%", "gauge");
	series(2, 1, "nvidia", "utilization", "GPU-1", "0.01%", "gauge");
	series(3, 1, "nvidia", "memory_used", "GPU-0", "B", "gauge");
	series(4, 1, "nvidia", "memory_used", "GPU-1", "B", "gauge");
	samples(1, "0 10000 5000");
	samples(2, "0 5000 ?");
	samples(3, "1 2 3");
	samples(4, "10 20 30");
	read_plot("gpu_utilization");
	ck_assert_str_eq(cells(&p.line[0].line), "0 75");
	ck_assert(p.level);
	pm_plotread_free(&p);
	read_plot("gpu_memory");
	ck_assert_str_eq(cells(&p.line[0].line), "11 22 33");
	/* Each stands for the time since the one before. */
	ck_assert_double_eq(p.line[0].line.cell[1].from, 0);
	ck_assert_double_eq(p.line[0].line.cell[1].to, 1);
}
END_TEST

/* What the sampler thinned has its extremes and its mean beside the last value. */
START_TEST(thinned)
{
	static const char *const kind[] = { "gauge", "min", "max", "sum", "count" };
	const struct pm_line_cell *c;

	for (int i = 0; i < 5; i++)
		series(i + 1, 1, "memory", "used", "", "B", kind[i]);
	samples(1, "10 20 30");
	samples(2, "- - 5");
	samples(3, "- - 70");
	samples(4, "- - 80");
	samples(5, "- - 4");
	read_plot("memory");
	ck_assert_uint_eq(p.line[0].line.n, 3);
	c = &p.line[0].line.cell[2];
	ck_assert_double_eq(c->least, 5);
	ck_assert_double_eq(c->most, 70);
	ck_assert_double_eq_tol(pm_line_cell_mean(c), 20, 1e-9);
}
END_TEST

/* The share of the time in which CPUs were busy, and a metric made of events. */
START_TEST(shares)
{
	series(1, 1, "cpu", "user", "", "us", "counter");
	series(2, 1, "cpu", "system", "", "us", "counter");
	series(3, 1, "cpu", "idle", "", "us", "counter");
	series(4, 1, "cpu", "guest", "", "us", "counter");
	samples(1, "0 300000 400000 400000");
	samples(2, "0 100000 200000 200000");
	samples(3, "0 400000 1000000 1000000");
	samples(4, "0 9 999999999 9999999999");
	read_plot("cpu_load");
	ck_assert_str_eq(cells(&p.line[0].line), "50 25");
	ck_assert_str_eq(p.unit.unit.name, "%");
}
END_TEST

START_TEST(formula)
{
	static const char *const part[] = { "count", "enabled", "running" };

	run("UPDATE host SET cpu_id = 'GenuineIntel-6-55-4'");
	for (int i = 0; i < 3; i++) {
		series(1 + i, 1, "perf", part[i], "r0151", "n", "counter");
		series(11 + i, 1, "perf", part[i], "r0451", "n", "counter");
		series(21 + i, 1, "perf", part[i], "r0283", "n", "counter");
	}
	samples(1, "0 1000000 3000000");
	samples(11, "0 500000 1500000");
	samples(21, "0 100000 300000");
	for (int id = 2; id < 30; id += 10)
		samples(id, "0 1000 2000");
	samples(3, "0 1000 2000");
	samples(13, "0 1000 1500");
	samples(23, "0 1000 2000");
	/* Of it only the spelling matters here. */
	{
		const struct pm_plots_series s = { .source = "perf",
						   .metric = { "l2_bandwidth" },
						   .metrics = 1,
						   .formula = true };

		ck_assert_int_eq(pm_plotread_job(&about, db, 1, &e), 0);
		ck_assert_msg(pm_plotread(&p, &about, db, &s, 1, true, &e) == 0, "%s", e.text);
	}
	/* 64 bytes a line; where an event was counted half of the time, twice what was counted. */
	ck_assert_str_eq(cells(&p.line[0].line), "1.024e+08 2.688e+08");
	ck_assert_str_eq(p.unit.unit.name, "B/s");
}
END_TEST

/* Nodes together, and what is told of them. */
START_TEST(nodes)
{
	const struct pm_plotchart x = { .name = "Memory", .average = true };
	struct pm_chart chart;

	series(1, 1, "memory", "used", "", "B", "gauge");
	series(2, 2, "memory", "used", "", "B", "gauge");
	samples(1, "10 10 10 10");
	samples(2, "- - 30 50");
	read_plot("memory");
	ck_assert_uint_eq(p.nodes, 2);
	ck_assert_str_eq(cells(&p.part), "10 10");
	ck_assert_str_eq(cells(&p.whole), "30");
	ck_assert_double_eq(p.most, 50);
	pm_plotchart_whole(&chart, &x, &about, &p);
	ck_assert_str_eq(chart.title, "Average Memory, 2 nodes");
	ck_assert_str_eq(chart.figures, "mean 30.0 B, max 30.0 B");
	ck_assert_uint_eq(chart.lines, 2);
	pm_plotchart_nodes(&chart, &x, &about, &p);
	ck_assert_str_eq(chart.title, "Memory per node");
	ck_assert_str_eq(chart.figures, "mean 30.0 B per node, max 50.0 B");
	ck_assert_str_eq(chart.line[1].name, "b");
}
END_TEST

/* Of many, those with the highest and the lowest means are kept, whatever order they come in. */
START_TEST(many)
{
	static const int order[] = { 12, 3,  20, 7, 1,  15, 9, 18, 5, 11,
				     2,  19, 14, 6, 17, 10, 4, 16, 8, 13 };
	static const char *const want[] = { "h20", "h19", "h18", "h3", "h2", "h1" };
	const struct pm_plotchart x = { .name = "Memory", .average = true };
	struct pm_chart chart;
	char sql[256];

	for (int i = 0; i < 20; i++) {
		snprintf(sql, sizeof sql,
			 "INSERT INTO host (job_id, id, hostname) VALUES (1, %d, 'h%d')", i + 3,
			 order[i]);
		run(sql);
		series(i + 1, i + 3, "memory", "used", "", "B", "gauge");
		snprintf(sql, sizeof sql, "%d %d", 100 * order[i], 100 * order[i]);
		samples(i + 1, sql);
	}
	read_plot("memory");
	ck_assert_uint_eq(p.nodes, 20);
	ck_assert_uint_eq(p.lines, 6);
	for (size_t i = 0; i < 6; i++)
		ck_assert_str_eq(p.line[i].name, want[i]);
	ck_assert_double_eq(p.range.least, 100);
	ck_assert_double_eq(p.range.most, 2000);
	ck_assert_double_eq_tol(p.mean, 1050, 1e-9);
	pm_plotchart_nodes(&chart, &x, &about, &p);
	ck_assert_uint_eq(chart.lines, 7);
	ck_assert_str_eq(chart.note, "the highest and the lowest of 20 nodes");
	pm_plotchart_whole(&chart, &x, &about, &p);
	ck_assert_str_eq(chart.note, "not sampled: 2 nodes");
}
END_TEST

/* Why there is nothing. */
START_TEST(reasons)
{
	series(1, 1, "rapl", "package_energy", "package-0", "uJ", "counter");
	samples(1, "?");
	run("UPDATE sample_block SET unknown = '[[0,1,\"permission\"]]'");
	read_plot("package_power");
	ck_assert_str_eq(p.nothing, "Not sampled: rapl package_energy: the kernel does not let "
				    "this user read it (permission).");
	pm_plotread_free(&p);
	read_plot("dram_power");
	ck_assert_str_eq(p.nothing, "Not sampled: rapl dram_energy: there is none on the nodes.");
	pm_plotread_free(&p);
	read_plot("interconnect_input_traffic");
	ck_assert_str_eq(
		p.nothing,
		"Not sampled: infiniband rx_bytes or cxi rx_bytes: the sampler did not read it, or "
		"the setting sources left it out.");
	pm_plotread_free(&p);
	run("UPDATE series_summary SET known = 3");
	run("DELETE FROM sample_block");
	read_plot("package_power");
	ck_assert_ptr_nonnull(strstr(p.nothing, "deleted (perfmon retire)"));
}
END_TEST

/* The second of two sources, where the first has nothing. */
START_TEST(alternatives)
{
	series(1, 1, "infiniband", "rx_bytes", "", "B", "counter");
	series(2, 1, "cxi", "rx_bytes", "", "B", "counter");
	samples(1, "? ? ?");
	samples(2, "5 6 8");
	read_plot("interconnect_input_traffic");
	ck_assert_str_eq(cells(&p.line[0].line), "1 2");
}
END_TEST

/* Times that no job has, as in a damaged database, harm nobody. */
START_TEST(absurd)
{
	series(1, 1, "memory", "used", "", "B", "gauge");
	samples(1, "1 2 3");
	run("UPDATE job SET start_us = -9223372036854775807, end_us = 9223372036854775807");
	read_plot("memory");
	ck_assert_uint_eq(p.nodes, 1);
	ck_assert(isfinite(about.to));
	pm_plotread_free(&p);
	run("UPDATE job SET start_us = 9223372036854775807, end_us = -9223372036854775807");
	read_plot("memory");
	ck_assert(isfinite(about.to) && about.to >= 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_plot");
	TCase *t = tcase_create("plot");

	tcase_add_checked_fixture(t, make, done);
	tcase_add_test(t, table);
	tcase_add_test(t, words);
	tcase_add_test(t, rates);
	tcase_add_test(t, objects);
	tcase_add_test(t, levels);
	tcase_add_test(t, thinned);
	tcase_add_test(t, shares);
	tcase_add_test(t, formula);
	tcase_add_test(t, nodes);
	tcase_add_test(t, many);
	tcase_add_test(t, reasons);
	tcase_add_test(t, alternatives);
	tcase_add_test(t, absurd);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
