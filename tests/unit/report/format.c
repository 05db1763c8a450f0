/* report/print/format.c, cells.c, counters.c: numbers as people read them. */
#include "config.h"

#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/rows/counters.h"
#include "tests/unit/main.h"

#include <math.h>
#include <signal.h>
#include <string.h>

START_TEST(durations)
{
	static const struct {
		int64_t us;
		const char *text;
	} want[] = {
		{ PM_UNKNOWN, "unknown" },
		{ -1, "unknown" },
		{ 0, "0 s" },
		{ 1, "1 us" },
		{ 999, "999 us" },
		{ 1000, "1.00 ms" },
		{ 12345, "12.3 ms" },
		{ 999499, "999 ms" },
		{ 999500, "1.00 s" },
		{ 59940000, "59.9 s" },
		{ 59950000, "1 min 00 s" },
		{ 61000000, "1 min 01 s" },
		{ 93400000, "1 min 33 s" },
		{ 3599400000, "59 min 59 s" },
		{ 3599600000, "1 h 00 min" },
		{ 3600000000, "1 h 00 min" },
		{ 3629999999, "1 h 01 min" },
		{ 3630000000 - 500001, "1 h 00 min" },
		{ 60499999, "1 min 00 s" },
		{ 60500000, "1 min 01 s" },
		{ 9994, "9.99 ms" },
		{ 9995, "10.0 ms" },
		{ 11220000000, "3 h 07 min" },
		{ 172770000000, "2 d 00 h" },
		{ 172800000000, "2 d 00 h" },
		{ 439200000000, "5 d 02 h" },
	};
	char t[PM_FORMAT_MAX];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_format_duration(t, want[i].us), want[i].text);
	pm_format_duration(t, INT64_MAX);
	ck_assert_uint_lt(strlen(t), PM_FORMAT_MAX);
}
END_TEST

START_TEST(bytes)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} want[] = {
		{ PM_UNKNOWN, "unknown" }, { 0, "0 B" },
		{ 999, "999 B" },          { 1000, "1.00 kB" },
		{ 9994, "9.99 kB" },       { 9995, "10.0 kB" },
		{ 99950, "100 kB" },       { 999499, "999 kB" },
		{ 99949, "99.9 kB" },      { 1500000000000000, "1.50 PB" },
		{ 999500, "1.00 MB" },     { 45600000, "45.6 MB" },
		{ INT64_MAX, "9.22 EB" },
	};
	char t[PM_FORMAT_MAX];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_format_bytes(t, want[i].bytes), want[i].text);
}
END_TEST

START_TEST(counts)
{
	char t[PM_FORMAT_MAX];

	ck_assert_str_eq(pm_format_count(t, 0), "0");
	ck_assert_str_eq(pm_format_count(t, 999), "999");
	ck_assert_str_eq(pm_format_count(t, 1000), "1 000");
	ck_assert_str_eq(pm_format_count(t, 12345678), "12 345 678");
	ck_assert_str_eq(pm_format_count(t, INT64_MAX), "9 223 372 036 854 775 807");
	ck_assert_str_eq(pm_format_count(t, PM_UNKNOWN), "unknown");
	ck_assert_str_eq(pm_format_things(t, 1, "thread"), "1 thread");
	ck_assert_str_eq(pm_format_things(t, 1000, "thread"), "1 000 threads");
}
END_TEST

START_TEST(shares)
{
	static const struct {
		double share;
		const char *text;
	} want[] = {
		{ 0, "0 %" },       { 0.0004, "<0.1 %" },  { 0.001, "0.1 %" },
		{ 0.045, "4.5 %" }, { 0.0996, "10 %" },    { 0.91, "91 %" },
		{ 0.994, "99 %" },  { 0.997, ">99 %" },    { 1, "100 %" },
		{ 1.2, "120 %" },   { 0.00099, "<0.1 %" }, { 0.0994, "9.9 %" },
		{ 0.0995, "10 %" }, { 0.9949, "99 %" },    { 0.995, ">99 %" },
		{ -0.5, "0 %" },
	};
	char t[PM_FORMAT_MAX];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_format_share(t, want[i].share), want[i].text);
	ck_assert_str_eq(pm_format_share(t, NAN), "unknown");
	ck_assert_str_eq(pm_format_share(t, INFINITY), "unknown");
}
END_TEST

START_TEST(numbers)
{
	char t[PM_FORMAT_MAX];

	ck_assert_str_eq(pm_format_number(t, 8), "8");
	ck_assert_str_eq(pm_format_number(t, 0.254), "0.25");
	ck_assert_str_eq(pm_format_number(t, 1.74), "1.7");
	ck_assert_str_eq(pm_format_number(t, 12.4), "12");
	ck_assert_str_eq(pm_format_number(t, NAN), "unknown");
	ck_assert_str_eq(pm_format_number(t, INFINITY), "unknown");
	ck_assert_str_eq(pm_format_number(t, 0.994), "0.99");
	ck_assert_str_eq(pm_format_number(t, 0.9951), "1.0");
	ck_assert_str_eq(pm_format_number(t, 9.94), "9.9");
	ck_assert_str_eq(pm_format_number(t, 9.951), "10");
}
END_TEST

START_TEST(times)
{
	char t[PM_FORMAT_MAX];

	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	ck_assert_str_eq(pm_format_time(t, 1763690000000000), "2025-11-21 01:53:20 UTC");
	ck_assert_str_eq(pm_format_minute(t, 1763690000000000), "2025-11-21 01:53");
	ck_assert_str_eq(pm_format_span(t, 1763690000000000, 1763690093000000),
			 "2025-11-21 01:53:20 to 01:54:53 UTC");
	ck_assert_str_eq(pm_format_span(t, 1763690000000000, 1763776400000000),
			 "2025-11-21 01:53:20 to 2025-11-22 01:53:20 UTC");
	ck_assert_str_eq(pm_format_time(t, PM_UNKNOWN), "unknown");
	ck_assert_str_eq(pm_format_span(t, PM_UNKNOWN, 1), "unknown");
	ck_assert_str_eq(pm_format_span(t, 1, PM_UNKNOWN), "unknown");
	ck_assert_str_eq(pm_format_minute(t, PM_UNKNOWN), "unknown");
	ck_assert_str_eq(pm_format_minute(t, 0), "1970-01-01 00:00");
}
END_TEST

START_TEST(signals)
{
	static const struct {
		int number;
		const char *name;
	} want[] = {
		{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
		{ 60, "signal 60" },    { 0, "signal 0" },
	};
	char t[PM_FORMAT_MAX];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_format_signal(t, want[i].number), want[i].name);
}
END_TEST

START_TEST(unknown_stays_unknown)
{
	ck_assert(isnan(pm_format_ratio(PM_UNKNOWN, 10)));
	ck_assert(isnan(pm_format_ratio(1, PM_UNKNOWN)));
	ck_assert(isnan(pm_format_ratio(1, 0)));
	ck_assert_double_eq(pm_format_ratio(0, 4), 0);
	ck_assert_int_eq(pm_format_add(0, 3), 3);
	ck_assert_int_eq(pm_format_add(2, 3), 5);
	ck_assert_int_eq(pm_format_scale(0, 1024), 0);
	ck_assert_int_eq(pm_format_since(2, 5), -3);
	ck_assert_double_eq(pm_format_ratio(1, 4), 0.25);
	ck_assert_int_eq(pm_format_add(PM_UNKNOWN, PM_UNKNOWN), PM_UNKNOWN);
	ck_assert_int_eq(pm_format_add(PM_UNKNOWN, 3), 3);
	ck_assert_int_eq(pm_format_add(3, PM_UNKNOWN), 3);
	ck_assert_int_eq(pm_format_add(INT64_MAX, 1), INT64_MAX);
	ck_assert_int_eq(pm_format_scale(PM_UNKNOWN, 1024), PM_UNKNOWN);
	ck_assert_int_eq(pm_format_scale(INT64_MAX, 2), PM_UNKNOWN);
	ck_assert_int_eq(pm_format_scale(2, 1024), 2048);
	ck_assert_int_eq(pm_format_since(5, 2), 3);
	ck_assert_int_eq(pm_format_since(INT64_MIN, 2), -INT64_MAX);
	ck_assert_int_eq(pm_format_since(INT64_MAX, -2), INT64_MAX);
}
END_TEST

/* A signal tells more than a status, and that more than why it ended. */
START_TEST(endings)
{
	static const struct {
		const char *reason;
		int64_t status, signal;
		const char *text;
	} want[] = {
		{ "exit", 0, PM_UNKNOWN, "0" },
		{ "exit", 3, PM_UNKNOWN, "status 3" },
		{ "exit", 3, 0, "status 3" },
		{ NULL, 255, PM_UNKNOWN, "status 255" },
		{ "signal", PM_UNKNOWN, SIGTERM, "SIGTERM" },
		{ "exec", 0, 1, "SIGHUP" },
		{ "signal", PM_UNKNOWN, PM_UNKNOWN, "signal" },
		{ "exec", PM_UNKNOWN, PM_UNKNOWN, "exec" },
		{ "running", 0, PM_UNKNOWN, "running" },
		{ "unknown", PM_UNKNOWN, PM_UNKNOWN, "unknown" },
		{ NULL, PM_UNKNOWN, PM_UNKNOWN, "unknown" },
	};
	char t[PM_FORMAT_MAX];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_cell_ending(t, want[i].reason, want[i].status, want[i].signal),
				 want[i].text);
}
END_TEST

START_TEST(values_of_metrics)
{
	static const struct {
		double v;
		const char *unit, *text;
	} want[] = {
		{ 0, "", "0.00" },
		{ 1.525, "", "1.52" },
		{ 9.994, "%", "9.99 %" },
		{ 9.996, "%", "10.0 %" },
		{ 99.94, "%", "99.9 %" },
		{ 99.96, "%", "100 %" },
		{ 0.005, "GHz", "0.01 GHz" },
		{ 0.00449, "GHz", "0.0045 GHz" },
		{ -0.004, "", "-0.004" },
		{ -12.34, "", "-12.3" },
		{ 999.4, "/s", "999 /s" },
		{ 999.6, "/s", "1 000 /s" },
		{ 1234567.8, "", "1 234 568" },
		{ 2e15, "B/s", "2e+15 B/s" },
		{ NAN, "%", "unknown" },
		{ INFINITY, "%", "unknown" },
	};
	char t[PM_COUNTERS_TEXT];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_counters_value(t, want[i].v, want[i].unit), want[i].text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_format");
	TCase *t = tcase_create("format");

	tcase_add_test(t, durations);
	tcase_add_test(t, bytes);
	tcase_add_test(t, counts);
	tcase_add_test(t, shares);
	tcase_add_test(t, numbers);
	tcase_add_test(t, times);
	tcase_add_test(t, signals);
	tcase_add_test(t, unknown_stays_unknown);
	tcase_add_test(t, endings);
	tcase_add_test(t, values_of_metrics);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
