/* common/record/phase.c and submit/job/phases.c: lines of marks, and which end belongs to which beginning. */
#include "config.h"

#include "common/record/phase.h"
#include "submit/job/phases.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

static struct pm_images images;
static struct pm_phases phases;
static struct pm_err e;

static int take(const char *line, const char **why)
{
	uint32_t host;

	return pm_phases_line(&phases, &images, line, strlen(line), &host, why, &e);
}

/* A mark of a host: + begins and - ends. */
static void mark(const char *host, char sign, const char *name, int at, int pid)
{
	const char *why = "";
	char line[256];

	snprintf(line, sizeof line, "perfmon-phase-1\t%s\tb\t%s\t%s\t%d\t%d\t%d\t.", host,
		 sign == '+' ? "begin" : "end", name, 1000 + at, at, pid);
	ck_assert_msg(take(line, &why) == 0, "%s: %s", line, why);
}

/* The pairs as text: name:begin-end, ? for what is not there, by beginnings and lone ends. */
static const char *pairs(void)
{
	static char text[512];
	size_t n = 0;

	ck_assert_int_eq(pm_phases_pair(&phases, &e), 0);
	text[0] = '\0';
	for (size_t i = 0; i < phases.count; i++) {
		const struct pm_phase_event *v = &phases.event[i];
		char a[24] = "?", b[24] = "?";

		if (!v->begin && v->other != SIZE_MAX)
			continue;
		snprintf(v->begin ? a : b, 24, "%lld", (long long)v->monotonic_us);
		if (v->other != SIZE_MAX)
			snprintf(b, 24, "%lld", (long long)phases.event[v->other].monotonic_us);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%s-%s", n ? " " : "",
				      v->name, a, b);
	}
	return text;
}

static void make(void)
{
	pm_images_init(&images);
	memset(&phases, 0, sizeof phases);
}

static void unmake(void)
{
	pm_phases_free(&phases);
	pm_images_free(&images);
}

START_TEST(nested_overlapping_repeated)
{
	mark("h", '+', "all", 1, 7);
	mark("h", '+', "a", 2, 7);
	mark("h", '+', "b", 3, 7);
	mark("h", '-', "a", 4, 7);
	mark("h", '-', "b", 5, 7);
	mark("h", '+', "a", 6, 7);
	mark("h", '-', "a", 7, 7);
	mark("h", '-', "all", 8, 7);
	ck_assert_str_eq(pairs(), "all:1-8 a:2-4 b:3-5 a:6-7");
}
END_TEST

START_TEST(nested_in_itself)
{
	mark("h", '+', "a", 1, 7);
	mark("h", '+', "a", 2, 7);
	mark("h", '-', "a", 3, 7);
	mark("h", '-', "a", 4, 7);
	ck_assert_str_eq(pairs(), "a:1-4 a:2-3");
}
END_TEST

START_TEST(without_beginning_or_end)
{
	mark("h", '-', "a", 1, 7);
	mark("h", '+', "b", 2, 7);
	mark("h", '-', "a", 3, 7);
	ck_assert_str_eq(pairs(), "a:?-1 b:2-? a:?-3");
}
END_TEST

/* Ranks that mark the same phase at once each end their own; another process may end it, too. */
START_TEST(several_processes)
{
	mark("h", '+', "a", 1, 7);
	mark("h", '+', "a", 2, 8);
	mark("h", '-', "a", 3, 7);
	mark("h", '-', "a", 5, 8);
	mark("h", '+', "c", 6, 7);
	mark("h", '-', "c", 7, 9);
	mark("h", '-', "c", 8, 7);
	ck_assert_str_eq(pairs(), "a:1-3 a:2-5 c:6-7 c:?-8");
}
END_TEST

START_TEST(hosts_apart_and_any_order)
{
	mark("h", '-', "a", 9, 7);
	mark("i", '+', "a", 2, 7);
	mark("h", '+', "a", 1, 7);
	mark("i", '-', "a", 3, 7);
	ck_assert_str_eq(pairs(), "a:1-9 a:2-3");
}
END_TEST

/* What ends in one stack does not stay in the other: many marks take no longer for it. */
START_TEST(many)
{
	for (int i = 0; i < 100000; i++)
		mark("h", i % 2 ? '-' : '+', "a", i, i / 2);
	ck_assert_int_eq(pm_phases_pair(&phases, &e), 0);
	for (size_t i = 0; i < phases.count; i++)
		PM_SURE(phases.event[i].other == (i ^ 1));
}
END_TEST

START_TEST(bad_lines)
{
	static const char *const bad[] = {
		"x",
		"perfmon-phase-1",
		"perfmon-phase-2\th\tb\tbegin\ta\t1\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\t1\t1\t1",
		"perfmon-phase-1\th\tb\tbegin\ta\t1\t1\t1\t.\t.",
		"perfmon-phase-1\th\tb\tBegin\ta\t1\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\t\t1\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\t\\N\t1\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\\q\t1\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\xff\t1\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\t0\t1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\t1\t-1\t1\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\t1\t1\t\t.",
		"perfmon-phase-1\th\tb\tbegin\ta\t1\t1\t9223372036854775808\t.",
	};
	const char *why = "";

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(take(bad[i], &why) == 1, "taken: %s", bad[i]);
		ck_assert_ptr_nonnull(why);
	}
	ck_assert_uint_eq(phases.count, 0);
	ck_assert_int_eq(take("perfmon-phase-1\th\tb\tend\ta\t1\t1\t1\t.", &why), 0);
	ck_assert_int_eq(take("perfmon-phase-1\th\tb\tend\ta\t1\t1\t1\t.", &why), 1);
	ck_assert_ptr_nonnull(strstr(why, "duplicate"));
	/* Of the longest name each byte may be an escape; one more is too many. */
	for (int more = 0; more < 2; more++) {
		char line[PM_PHASE_LINE_MAX], *p = line;

		p += sprintf(p, "perfmon-phase-1\th\tb\tbegin\t");
		for (int i = 0; i < PM_PHASE_NAME_MAX; i++)
			p += sprintf(p, "\\x01");
		sprintf(p, "%s\t1\t1\t1\t.", more ? "a" : "");
		ck_assert_int_eq(take(line, &why), more);
	}
}
END_TEST

/* Any bytes as a name come back; whatever is damaged is taken or rejected, and no more. */
START_TEST(any_name)
{
	uint64_t seed = 1;

	for (int i = 0; i < 2000; i++) {
		char name[PM_PHASE_NAME_MAX], line[PM_PHASE_LINE_MAX], back[PM_PHASE_LINE_MAX];
		size_t n = 1 + random_below(&seed, i % 2 ? 5 : sizeof name);
		struct pm_phase_mark
			m = { { "h\t", 2 }, { "", 0 }, { name, n }, i % 3 == 0, 1 + i, i, i },
			got;
		const char *why;
		struct pm_buf b;
		long len;

		random_text(&seed, name, n);
		pm_buf_init(&b, line, sizeof line);
		pm_phase_format(&b, &m);
		PM_SURE(!b.truncated && b.p[b.len - 1] == '\n');
		ck_assert_int_eq(pm_phase_parse(line, b.len - 1, &got, &why), 0);
		len = pm_tsv_unescape(back, got.name.p, got.name.n);
		PM_SURE(len == (long)n && memcmp(back, name, n) == 0 && got.begin == m.begin);
		line[random_below(&seed, b.len - 1)] ^= (char)(1 + random_below(&seed, 255));
		pm_phase_parse(line, b.len - 1, &got, &why);
	}
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		nested_overlapping_repeated,
		nested_in_itself,
		without_beginning_or_end,
		several_processes,
		hosts_apart_and_any_order,
		many,
		bad_lines,
		any_name,
	};
	Suite *s = suite_create("submit_phases");
	TCase *t = tcase_create("phases");

	tcase_add_checked_fixture(t, make, unmake);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
