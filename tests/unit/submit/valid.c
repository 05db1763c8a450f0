/* Which records can be used, and what is said of odd values. */
#include "config.h"

#include "submit/input/oddvalue.h"
#include "tests/unit/submit/submit.h"

#define TIME_MAX "4102444800000000"
#define INT      "2147483647"

/* Record lines, and why each is rejected: NULL, it is not. No two are about the same image. */
static const struct {
	const char *line, *why;
} c[] = {
	{ "record=\\N pid=1 image_us=1", "record: not a kind of record" },
	{ "record=star pid=1 image_us=1", "record: not a kind of record" },
	{ "record=starts pid=1 image_us=1", "record: not a kind of record" },
	{ "record=start pid=1 image_us=1", NULL },
	{ "record=excluded pid=1 image_us=2", NULL },
	{ "record=start pid=\\N image_us=1", "pid: missing or out of range" },
	{ "record=start pid=0 image_us=1", "pid: missing or out of range" },
	{ "record=start pid=-1 image_us=1", "pid: missing or out of range" },
	{ "record=start pid=2147483648 image_us=1", "pid: missing or out of range" },
	{ "record=start pid=" INT " image_us=1", NULL },
	{ "record=start pid=2 image_us=1 boot_id=\\N hostname=\\N",
	  "boot_id and hostname are both unknown" },
	{ "record=start pid=2 image_us=1 boot_id=\\N", NULL },
	{ "record=start pid=2 image_us=1 hostname=\\N", NULL },
	{ "record=start pid=3 image_us=1 pid_ns=-1", "pid_ns: out of range" },
	{ "record=start pid=3 image_us=1 pid_ns=0", NULL },
	{ "record=start pid=3 image_us=1 pid_ns=\\N", NULL },
	{ "record=start pid=4 image_us=\\N", "image_us: missing or out of range" },
	{ "record=start pid=4 image_us=0", "image_us: missing or out of range" },
	{ "record=start pid=4 image_us=" TIME_MAX, NULL },
	{ "record=start pid=4 image_us=4102444800000001", "image_us: missing or out of range" },
	{ "record=reaped pid=5 ppid=1 image_us=0 end_us=1 exitcode=0",
	  "image_us: missing or out of range" },
	{ "record=end pid=6 image_us=1", "end_reason: neither exit, exec nor signal" },
	{ "record=end pid=6 image_us=1 end_reason=exits",
	  "end_reason: neither exit, exec nor signal" },
	{ "record=end pid=6 image_us=1 end_reason=running",
	  "end_reason: neither exit, exec nor signal" },
	{ "record=end pid=6 image_us=1 end_reason=exit", NULL },
	{ "record=end pid=6 image_us=2 end_reason=exec", NULL },
	{ "record=end pid=6 image_us=3 end_reason=signal", NULL },
	{ "record=last pid=7 image_us=1", "last_call: missing" },
	{ "record=last pid=7 image_us=1 last_call=setuid", NULL },
	{ "record=thread pid=8 image_us=1", "tid: missing or out of range" },
	{ "record=thread pid=8 image_us=1 tid=0", "tid: missing or out of range" },
	{ "record=thread pid=8 image_us=1 tid=-2147483648", "tid: missing or out of range" },
	{ "record=thread pid=8 image_us=1 tid=2147483648", "tid: missing or out of range" },
	{ "record=thread pid=8 image_us=1 tid=-" INT, NULL },
	{ "record=thread pid=8 image_us=1 tid=" INT, NULL },
	{ "record=reaped pid=9 ppid=1", "end_us: missing or out of range" },
	{ "record=reaped pid=9 ppid=1 end_us=0 exitcode=0", "end_us: missing or out of range" },
	{ "record=reaped pid=9 ppid=1 end_us=1 exitcode=0 exitsignal=9",
	  "reaped with both exitcode and exitsignal" },
	{ "record=reaped pid=9 ppid=1 end_us=1", "reaped with neither exitcode nor exitsignal" },
	{ "record=reaped pid=9 ppid=1 end_us=1 exitcode=0", NULL },
	{ "record=reaped pid=9 ppid=1 end_us=2 exitsignal=9", NULL },
	{ "record=reaped pid=0 ppid=1 end_us=1 start_us=1", "pid: missing or out of range" },
	/* what libc waited for itself */
	{ "record=reaped pid=\\N end_us=1 start_us=1", "reaped with neither pid nor ppid" },
	{ "record=reaped pid=\\N ppid=0 end_us=1 start_us=1", "reaped with neither pid nor ppid" },
	{ "record=reaped pid=\\N ppid=8 end_us=3", "start_us: missing or out of range" },
	{ "record=reaped pid=\\N ppid=8 end_us=3 start_us=0", "start_us: missing or out of range" },
	{ "record=reaped pid=\\N ppid=8 end_us=3 start_us=1", NULL },
	{ "record=reaped pid=\\N ppid=8 end_us=4 start_us=1 exitcode=1", NULL },
	{ "record=reaped pid=\\N ppid=8 end_us=5 start_us=1 exitcode=1 exitsignal=9",
	  "reaped with both exitcode and exitsignal" },
	{ "record=resumed pid=6 image_us=1 end_us=9", "resumed without an exec before it" },
	{ "record=resumed pid=6 image_us=2 end_us=9", NULL },
};

#define COUNT (sizeof c / sizeof c[0])

START_TEST(records)
{
	const char *line[COUNT + 1] = { NULL };
	char want[8192] = "";
	size_t n = 0;

	for (size_t i = 0; i < COUNT; i++) {
		line[i] = c[i].line;
		if (c[i].why)
			n += (size_t)snprintf(want + n, sizeof want - n, "%s%zu %s", n ? ";" : "",
					      i + 1, c[i].why);
	}
	test_expect(line, "SELECT line, reason FROM reject ORDER BY line", want);
}
END_TEST

/* One item for each column and reason, with the place of the first value. */
START_TEST(odd_values)
{
	static const struct {
		const char *column;
		enum pm_oddvalue_why why;
		uint64_t line;
	} value[] = {
		{ "a", PM_ODDVALUE_NEGATIVE, 3 }, { "b", PM_ODDVALUE_NEGATIVE, 4 },
		{ "a", PM_ODDVALUE_NEGATIVE, 5 }, { "a", PM_ODDVALUE_NUMBER, 6 },
		{ "b", PM_ODDVALUE_RANGE, 0 },    { "a", PM_ODDVALUE_NUMBER, 7 },
		{ "c", PM_ODDVALUE_NUMBER, 8 },   { "b", PM_ODDVALUE_RANGE, 9 },
		{ "c", PM_ODDVALUE_RANGE, 10 },
	};
	static const char *const want[] = {
		"a: 2 negative values, which are unknown (first f0, line 3)",
		"b: 1 negative value, which is unknown (f1, line 4)",
		"a: 2 values that are not numbers, which are unknown (first f3, line 6)",
		"b: 2 values out of range, which are unknown (first f4)",
		"c: 1 value that is not a number, which is unknown (f6, line 8)",
		"c: 1 value out of range, which is unknown (f8, line 10)",
	};
	struct pm_odds o = { .item = NULL };
	struct pm_err text;
	char file[16];

	for (uint32_t i = 0; i < sizeof value / sizeof value[0]; i++)
		ck_assert_int_eq(pm_oddvalue_add(&o, value[i].column, value[i].why, i, value[i].line),
				 0);
	ck_assert_uint_eq(o.count, sizeof want / sizeof want[0]);
	for (size_t i = 0; i < o.count; i++) {
		snprintf(file, sizeof file, "f%u", o.item[i].file);
		pm_oddvalue_say(&o.item[i], file, &text);
		ck_assert_str_eq(text.text, want[i]);
	}
	pm_oddvalue_free(&o);
	ck_assert_uint_eq(o.count, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_valid");
	TCase *t = tcase_create("valid");

	tcase_add_test(t, records);
	tcase_add_test(t, odd_values);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
