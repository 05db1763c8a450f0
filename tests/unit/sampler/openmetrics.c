/* The text for Prometheus: exact text of both forms, odd names, limits; and every metric of every
 * source. */
#include "config.h"

#include "sampler/openmetrics.h"

#include "tests/unit/main.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a source of every kind ------------------------------------------------------------------- */

enum { TIME, PART, TEMPERATURE, SHARE, WAIT, ODD };

static const struct pm_metric metrics[] = {
	[TIME] = { "time", "us", "time", "cpu", true, PM_METRIC_COUNTER },
	[PART] = { "read_bytes", "B", "bytes read", "node", false, PM_METRIC_COUNTER },
	[TEMPERATURE] = { "temperature", "mdegC", "temperature", NULL, false, PM_METRIC_GAUGE },
	[SHARE] = { "busy", "0.01%", "share", "job", false, PM_METRIC_GAUGE },
	[WAIT] = { "wait", "ns", "of a process", "process: pid", false, PM_METRIC_COUNTER },
	[ODD] = { "core", "MBus", "memory", NULL, false, PM_METRIC_COUNTER },
};

static const struct pm_source source = { .name = "fake", .metrics = metrics, .metrics_count = 6 };

static const struct pm_openmetrics_labels labels = {
	.host = "n\"1",
	.jobid = "77",
	.user = "ann",
	.account = "a\\b",
	.partition = "debug",
};

static const struct pm_moment moment = { 1795228141795007, 2754978530, 0 };
static struct pm_sink sink;
static struct pm_openmetrics text;
static char out[1 << 21];

static void begin(bool job, bool strict)
{
	PM_SURE(pm_openmetrics_init(&text, &labels, job, strict, NULL) == 0);
	PM_SURE(pm_sink_init(&sink, &source) == 0);
}

static void end(void)
{
	pm_openmetrics_free(&text);
	pm_sink_free(&sink);
}

/* The text of the sink as that of a source of the node, or of the job. */
static const char *write_text(size_t capacity)
{
	const struct pm_sink *sinks[PM_SOURCES] = { NULL };
	size_t n;

	sinks[text.job ? PM_SOURCE_process : PM_SOURCE_memory] = &sink;
	n = pm_openmetrics_write(&text, moment, sinks, out, capacity);
	PM_SURE(n < sizeof out);
	out[n] = '\0';
	return out;
}

static int add(size_t metric, const char *object, int64_t value)
{
	int series = pm_sink_series(&sink, metric, object);

	PM_SURE(series >= 0);
	pm_sink_value(&sink, series, value);
	return series;
}

/* Whether the text has this line. */
static bool has(const char *line)
{
	const size_t n = strlen(line);

	for (const char *p = out; (p = strstr(p, line)) != NULL; p++)
		if ((p == out || p[-1] == '\n') && p[n] == '\n')
			return true;
	return false;
}

static size_t lines_of(const char *name)
{
	size_t n = 0;

	for (const char *p = out; (p = strstr(p, name)) != NULL; p++)
		n += (p == out || p[-1] == '\n') && (p[strlen(name)] == '{');
	return n;
}

START_TEST(exact_text)
{
	static const char want[] =
		"# HELP perfmon_sample_timestamp_seconds time of the sample, since 1970 UTC\n"
		"# TYPE perfmon_sample_timestamp_seconds gauge\n"
		"perfmon_sample_timestamp_seconds{host=\"n\\\"1\"} 1795228141.795007\n"
		"# HELP perfmon_fake_all_time_seconds_total time\n"
		"# TYPE perfmon_fake_all_time_seconds_total counter\n"
		"perfmon_fake_all_time_seconds_total{host=\"n\\\"1\"} 1.5\n"
		"# HELP perfmon_fake_time_seconds_total time\n"
		"# TYPE perfmon_fake_time_seconds_total counter\n"
		"perfmon_fake_time_seconds_total{host=\"n\\\"1\",cpu=\"cpu0\"} 0.000001\n"
		"# HELP perfmon_fake_read_bytes_total bytes read\n"
		"# TYPE perfmon_fake_read_bytes_total counter\n"
		"perfmon_fake_read_bytes_total{host=\"n\\\"1\",numa_node=\"node0\"} "
		"9223372036854775807\n"
		"# HELP perfmon_fake_temperature_celsius temperature\n"
		"# TYPE perfmon_fake_temperature_celsius gauge\n"
		"perfmon_fake_temperature_celsius{host=\"n\\\"1\"} -44\n"
		"# HELP perfmon_series_left_out series for which there was no room\n"
		"# TYPE perfmon_series_left_out gauge\n"
		"perfmon_series_left_out{host=\"n\\\"1\"} 0\n"
		"# EOF\n";

	begin(false, false);
	add(TIME, "cpu0", 1);
	add(PART, "node0", INT64_MAX);
	pm_sink_value(&sink, 0, 1500000); /* of all CPUs */
	pm_sink_value(&sink, 1, -44000);  /* the temperature */
	ck_assert_str_eq(write_text(sizeof out), want);
	ck_assert_int_eq(strncmp(out, PM_OPENMETRICS_BEGIN, strlen(PM_OPENMETRICS_BEGIN)), 0);
	end();
}
END_TEST

START_TEST(strict_text)
{
	begin(true, true);
	add(TIME, "cpu0", 2000000);
	write_text(sizeof out);
	ck_assert(strstr(out, "# HELP perfmon_fake_time_seconds time\n"
			      "# TYPE perfmon_fake_time_seconds counter\n"
			      "# UNIT perfmon_fake_time_seconds seconds\n"
			      "perfmon_fake_time_seconds_total{host=\"n\\\"1\",jobid=\"77\","
			      "user=\"ann\",cpu=\"cpu0\"} 2\n"));
	ck_assert(has(
		"perfmon_job_info{host=\"n\\\"1\",jobid=\"77\",user=\"ann\",account=\"a\\\\\\\\b\","
		"partition=\"debug\"} 1"));
	end();
}
END_TEST

/* What is not known has no line, and a family without lines no heading. */
START_TEST(unknown_values)
{
	begin(false, false);
	add(TIME, "cpu0", 1);
	pm_sink_clear(&sink, PM_REASON_late);
	write_text(sizeof out);
	ck_assert(!strstr(out, "fake"));
	ck_assert(!strstr(out, "NaN"));
	end();
}
END_TEST

/* Single processes and units without a base are not shown. */
START_TEST(left_out_metrics)
{
	begin(false, false);
	add(WAIT, "4026531836:1:2", 1);
	pm_sink_value(&sink, 2, 7);
	write_text(sizeof out);
	ck_assert(!strstr(out, "fake"));
	ck_assert(has("perfmon_series_left_out{host=\"n\\\"1\"} 0"));
	end();
}
END_TEST

/* Two objects never look alike, whatever bytes they have, and none breaks its line. */
START_TEST(odd_objects)
{
	char seen[128][PM_OPENMETRICS_LABEL_MAX];
	static const char *const object[] = { "a",     "a\n",       "a\\n", "a\"", "a\\\"",
					      "a\xff", "a\\xff",    "a\t",  "a\\", "é",
					      "a}",    "a\", x=\"", "" };
	const size_t n = sizeof object / sizeof object[0];
	size_t count = 0;

	begin(false, false);
	for (size_t i = 0; i < n; i++)
		add(SHARE, object[i], (int64_t)i);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), n);
	for (char *p = out; (p = strstr(p, "jobid=")) != NULL; count++, p++) {
		PM_SURE(count < 128);
		snprintf(seen[count], sizeof seen[count], "%.*s", (int)strcspn(p, "\n"), p);
		*strrchr(seen[count], '}') = '\0';
		for (size_t i = 0; i < count; i++)
			ck_assert_str_ne(seen[i], seen[count]);
	}
	ck_assert_uint_eq(count, n);
	ck_assert(strstr(out, "jobid=\"é\""));
	ck_assert(strstr(out, "jobid=\"a\\\\xff\""));
	ck_assert(strstr(out, "jobid=\"a\\\\\\\\xff\""));
	end();
}
END_TEST

/* A program may be named like the rest of them: one line, and it is said. */
START_TEST(same_object_twice)
{
	begin(false, false);
	add(SHARE, "*", 1);
	add(SHARE, "*", 2);
	add(SHARE, "b", 3);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 2);
	ck_assert(has("perfmon_series_left_out{host=\"n\\\"1\"} 1"));
	end();
}
END_TEST

START_TEST(long_object)
{
	char name[PM_OPENMETRICS_LABEL_MAX + 2];

	begin(false, false);
	memset(name, 'x', sizeof name);
	name[PM_OPENMETRICS_LABEL_MAX] = '\0';
	add(SHARE, name, 1);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 1);
	name[PM_OPENMETRICS_LABEL_MAX] = 'x';
	name[PM_OPENMETRICS_LABEL_MAX + 1] = '\0';
	add(SHARE, name, 1);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 1);
	ck_assert(has("perfmon_series_left_out{host=\"n\\\"1\"} 1"));
	end();
}
END_TEST

/* Objects come and go. */
START_TEST(changes)
{
	int first;

	begin(false, false);
	first = add(SHARE, "1", 1);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 1);
	add(SHARE, "2", 2);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 2);
	pm_sink_forget(&sink, first);
	/* The same object again, while the former is leaving. */
	add(SHARE, "1", 3);
	write_text(sizeof out);
	ck_assert(has("perfmon_fake_busy_ratio{host=\"n\\\"1\",jobid=\"1\"} 0.0003"));
	ck_assert(has("perfmon_series_left_out{host=\"n\\\"1\"} 0"));
	pm_sink_passed(&sink);
	add(SHARE, "4", 4);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 3);
	pm_sink_free(&sink);
	PM_SURE(pm_sink_init(&sink, &source) == 0);
	add(SHARE, "5", 5);
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), 1);
	end();
}
END_TEST

/* Above the limits series are left out, the text is whole, and it says how many. */
START_TEST(limits)
{
	const size_t over = 10;
	char name[32], line[128];
	size_t shown;

	begin(false, false);
	for (size_t i = 0; i < PM_OPENMETRICS_SERIES_MAX + over; i++) {
		snprintf(name, sizeof name, "%zu", i);
		add(SHARE, name, 1);
	}
	write_text(sizeof out);
	ck_assert_uint_eq(lines_of("perfmon_fake_busy_ratio"), PM_OPENMETRICS_SERIES_MAX);
	ck_assert(has("perfmon_series_left_out{host=\"n\\\"1\"} 10"));
	for (size_t capacity = 0; capacity < 5000; capacity++) {
		const size_t n = strlen(write_text(capacity));

		if (!n)
			continue;
		ck_assert_uint_le(n, capacity);
		ck_assert(n > 7 && strcmp(out + n - 7, "\n# EOF\n") == 0);
		shown = lines_of("perfmon_fake_busy_ratio");
		snprintf(line, sizeof line, "perfmon_series_left_out{host=\"n\\\"1\"} %zu",
			 PM_OPENMETRICS_SERIES_MAX + over - shown);
		ck_assert(has(line));
	}
	ck_assert_uint_gt(shown, 10);
	end();
}
END_TEST

/* What is the job's is not in the node's text, nor the reverse. */
START_TEST(scope)
{
	const struct pm_sink *sinks[PM_SOURCES] = { NULL };

	for (int job = 0; job < 2; job++)
		for (size_t id = 0; id < PM_SOURCES; id++) {
			const bool both = id == PM_SOURCE_sampler || id == PM_SOURCE_perf;
			const bool of_job = pm_source_table[id]->tree || id == PM_SOURCE_cgroup;
			size_t n;

			begin(job, false);
			pm_sink_value(&sink, 0, 1);
			sinks[id] = &sink;
			n = pm_openmetrics_write(&text, moment, sinks, out, sizeof out);
			out[n] = '\0';
			ck_assert_msg((strstr(out, "fake") != NULL) ==
					      (both || of_job == (job > 0)),
				      "%s in the text of a %s", pm_source_table[id]->name,
				      job ? "job" : "node");
			sinks[id] = NULL;
			end();
		}
}
END_TEST

/* --- every metric ----------------------------------------------------------------------------- */

/* Metrics that are not shown, and no others: of single processes, and of no base unit. */
static const char *const hidden[] = {
	"members cputime",       "members rss",
	"members threads",       "drm process_time",
	"drm process_memory",    "taskstats coremem",
	"taskstats virtmem",     "nvidia_counters process_sm",
	"nvidia process_memory",
};

static bool is_hidden(const char *name)
{
	for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
		if (strcmp(hidden[i], name) == 0)
			return true;
	return false;
}

START_TEST(every_metric)
{
	static char seen[2048][128];
	size_t count = 0;

	for (size_t id = 0; id < PM_SOURCES; id++)
		for (size_t i = 0; i < 2 * pm_source_table[id]->metrics_count; i++) {
			const struct pm_source *one = pm_source_table[id];
			const struct pm_metric *m = &one->metrics[i / 2];
			struct pm_bytes name = { 0 };
			char label[64];

			if (i % 2 && !m->whole)
				continue;
			snprintf(label, sizeof label, "%s %s", one->name, m->name);
			if (!pm_openmetrics_name(one, m, i % 2, false, &name)) {
				ck_assert_msg(is_hidden(label), "%s (%s) is not shown", label,
					      m->unit);
				continue;
			}
			ck_assert_msg(!is_hidden(label), "%s is shown", label);
			PM_SURE(count < sizeof seen / sizeof seen[0] && name.n < sizeof seen[0]);
			memcpy(seen[count], name.p, name.n);
			for (const char *p = seen[count]; *p; p++)
				ck_assert_msg(islower((unsigned char)*p) ||
						      isdigit((unsigned char)*p) || *p == '_',
					      "%s", seen[count]);
			for (size_t k = 0; k < count; k++)
				ck_assert_str_ne(seen[k], seen[count]);
			count++;
			ck_assert_msg(!strpbrk(m->help, "\\\"\n"), "%s: %s", label, m->help);
			ck_assert_msg(!m->object || islower((unsigned char)*m->object), "%s",
				      label);
			pm_bytes_free(&name);
		}
	ck_assert_uint_gt(count, 400);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_openmetrics");
	TCase *t = tcase_create("openmetrics");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, exact_text);
	tcase_add_test(t, strict_text);
	tcase_add_test(t, unknown_values);
	tcase_add_test(t, left_out_metrics);
	tcase_add_test(t, odd_objects);
	tcase_add_test(t, same_object_twice);
	tcase_add_test(t, long_object);
	tcase_add_test(t, changes);
	tcase_add_test(t, limits);
	tcase_add_test(t, scope);
	tcase_add_test(t, every_metric);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
