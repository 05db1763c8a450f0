/* analysis/path/path_*.c: cases made by hand. */
#include "config.h"

#include "tests/unit/analysis/path.h"

#define NONE PM_PATH_NONE

/* The path as text: "IMAGE:FROM-TO ...", - for no image. */
static const char *as_text(void)
{
	static char text[4096];
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; i < path.steps; i++) {
		const struct pm_path_step *s = &path.step[i];

		if (s->image == NONE)
			len += (size_t)snprintf(text + len, sizeof text - len, "%s-:%lld-%lld",
						i ? " " : "", (long long)s->from_us,
						(long long)s->to_us);
		else
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%u:%lld-%lld",
						i ? " " : "", s->image, (long long)s->from_us,
						(long long)s->to_us);
	}
	return text;
}

/* --- by hand -----------------------------------------------------------------------------------
 */

START_TEST(nothing)
{
	find(NULL, 0, 0, 5);
	ck_assert_str_eq(as_text(), "-:0-5");
	find(NULL, 0, 5, 5);
	ck_assert_uint_eq(path.steps, 0);
}
END_TEST

/* A script whose shell is not recorded: gaps are of no process. */
START_TEST(gaps)
{
	struct pm_path_image x[] = { image(NONE, 10, 2, 5), image(NONE, 11, 7, 9) };

	find(x, 2, 0, 10);
	ck_assert_str_eq(as_text(), "-:0-2 0:2-5 -:5-7 1:7-9 -:9-10");
}
END_TEST

/* Parallel children: the last to end; its start was due to the last that had ended by then. */
START_TEST(parallel)
{
	struct pm_path_image x[] = {
		image(NONE, 1, 0, 100), image(0, 2, 1, 30),  image(0, 3, 1, 40),
		image(0, 4, 31, 90),    image(0, 5, 41, 80),
	};

	find(x, 5, 0, 100);
	ck_assert_str_eq(as_text(), "0:0-1 1:1-30 0:30-31 3:31-90 0:90-100");
}
END_TEST

/* One that outlives its parent was not waited for; nor one that outlives the job. */
START_TEST(daemons)
{
	struct pm_path_image x[] = { image(NONE, 1, 0, 50), image(0, 2, 5, 80), image(0, 3, 10, 20),
				     image(NONE, 4, 50, 70), image(NONE, 5, 20, 200) };

	find(x, 5, 0, 75);
	ck_assert_str_eq(as_text(), "0:0-10 2:10-20 0:20-50 3:50-70 -:70-75");
}
END_TEST

/* Without a recorded parent a session of its own tells the daemon; a rank has one, too. */
START_TEST(strays)
{
	struct pm_path_image x[] = { image(NONE, 1, 0, 50), image(NONE, 2, 30, 52),
				     image(NONE, 3, 52, 60) };

	x[0].sid = x[2].sid = 7;
	x[1].sid = 8;
	find(x, 3, 0, 60);
	ck_assert_str_eq(as_text(), "0:0-50 -:50-52 2:52-60");
	x[1].sid = 7;
	find(x, 3, 0, 60);
	ck_assert_str_eq(as_text(), "-:0-30 1:30-52 2:52-60");
	x[1].sid = 8;
	x[1].rank = true;
	find(x, 3, 0, 60);
	ck_assert_str_eq(as_text(), "-:0-30 1:30-52 2:52-60");
}
END_TEST

/* Images of one process by exec: what lies between two of them loaded the second; children of both
 * are the process's. */
START_TEST(execs)
{
	struct pm_path_image x[] = {
		image(NONE, 1, 0, 100), image(0, 2, 10, 20), image(1, 3, 12, 18),
		image(0, 2, 22, 90),    image(3, 4, 30, 60), image(0, 5, 5, 8),
	};

	x[3].starttime = 2;
	find(x, 6, 0, 100);
	ck_assert_str_eq(as_text(),
			 "0:0-5 5:5-8 0:8-10 1:10-12 2:12-18 1:18-20 3:20-30 4:30-60 3:60-90 "
			 "0:90-100");
	/* The same pid, used again later, is another process. */
	x[3].starttime = 7;
	find(x, 6, 0, 100);
	ck_assert_str_eq(as_text(),
			 "0:0-5 5:5-8 0:8-10 1:10-12 2:12-18 1:18-20 0:20-22 3:22-30 4:30-60 "
			 "3:60-90 0:90-100");
}
END_TEST

/* A parent that was busy all the time did not wait for its helper, but did for the other child. */
START_TEST(busy_parents)
{
	struct pm_path_image x[] = { image(NONE, 1, 0, 100 * S), image(0, 2, 10 * S, 60 * S),
				     image(0, 3, 70 * S, 80 * S) };

	x[0].busy_us = 90 * S;
	find(x, 3, 0, 100 * S);
	ck_assert_str_eq(as_text(), "0:0-70000000 2:70000000-80000000 0:80000000-100000000");
	ck_assert_uint_eq(path.background, 1);
	x[0].busy_us = 40 * S;
	find(x, 3, 0, 100 * S);
	ck_assert_str_eq(as_text(), "0:0-10000000 1:10000000-60000000 0:60000000-70000000 "
				    "2:70000000-80000000 0:80000000-100000000");
	ck_assert_uint_eq(path.background, 0);
}
END_TEST

/* Unknown ends and starts: as far as descendants and CPU time tell; a running one until the end. */
START_TEST(unknown_times)
{
	struct pm_path_image x[] = {
		image(NONE, 1, 0, PM_PATH_UNKNOWN),
		image(0, 2, 5, PM_PATH_UNKNOWN),
		image(1, 3, 6, 30),
		image(0, 4, PM_PATH_UNKNOWN, 60),
		image(3, 5, 50, 55),
		image(0, 6, PM_PATH_UNKNOWN, PM_PATH_UNKNOWN),
	};

	x[3].busy_us = 4;
	x[0].running = true;
	find(x, 6, 0, 70);
	ck_assert_str_eq(as_text(), "0:0-5 1:5-6 2:6-30 0:30-50 4:50-55 3:55-60 0:60-70");
	ck_assert_uint_eq(path.unended, 1);
}
END_TEST

/* A parent that ended and has no record of a child's end did not wait for it; one that was killed
 * may have. */
START_TEST(unended_children)
{
	struct pm_path_image x[] = { image(NONE, 1, 0, 50), image(0, 2, 5, PM_PATH_UNKNOWN),
				     image(1, 3, 10, 20) };

	find(x, 3, 0, 50);
	ck_assert_str_eq(as_text(), "0:0-50");
	x[0].end_us = PM_PATH_UNKNOWN;
	find(x, 3, 0, 50);
	ck_assert_str_eq(as_text(), "0:0-5 1:5-10 2:10-20 -:20-50");
}
END_TEST

/* Damaged: a parent behind its child, times turned round. */
START_TEST(damaged)
{
	struct pm_path_image x[] = { image(1, 1, 0, 10), image(1, 2, 9, 4), image(9, 3, 2, 3) };

	find(x, 3, 0, 10);
	ck_assert_str_eq(as_text(), "0:0-10");
}
END_TEST

/* A launcher on the first node, ranks on two nodes of which one has a clock that is ahead. */
START_TEST(ranks_of_nodes)
{
	struct pm_path_image x[] = {
		image(NONE, 1, 0, 100 * S),
		image(0, 2, 10 * S, 90 * S), /* mpirun */
		image(1, 3, 11 * S, 80 * S), /* a rank beside it */
		image(NONE, 9, 11 * S, 90 * S + S / 2),
		image(3, 10, 20 * S, 60 * S + S / 2),
		image(NONE, 4, 2 * S, 3 * S),
	};

	x[1].launcher = true;
	x[2].rank = x[3].rank = x[4].rank = true;
	x[3].host = x[4].host = 1;
	find(x, 6, 0, 100 * S);
	ck_assert_str_eq(as_text(), "0:0-10000000 1:10000000-10500000 3:10500000-19500000 "
				    "4:19500000-60000000 3:60000000-90000000 0:90000000-100000000");
	ck_assert_uint_eq(path.shifted, 1);
	/* Without a launcher ranks are at the top. */
	x[1].launcher = false;
	x[3].parent = NONE;
	x[3].end_us = 89 * S;
	find(x, 6, 0, 100 * S);
	ck_assert_str_eq(as_text(),
			 "0:0-10000000 1:10000000-11000000 2:11000000-80000000 1:80000000-90000000 "
			 "0:90000000-100000000");
}
END_TEST

/* A million processes, each the child of the one before it: nothing depends on the depth. */
START_TEST(deep)
{
	const size_t n = 1000000;
	struct pm_path_image *x = calloc(n, sizeof *x);

	ck_assert_ptr_nonnull(x);
	for (size_t i = 0; i < n; i++)
		x[i] = image(i ? (uint32_t)i - 1 : NONE, (uint32_t)i + 1, (int64_t)i,
			     (int64_t)(2 * n - i));
	find(x, n, 0, (int64_t)(2 * n));
	ck_assert_uint_eq(path.steps, 2 * n - 1);
	free(x);
}
END_TEST

static void tear_down(void)
{
	pm_path_free(&path);
}

/* Times that no clock tells are unknown; a job that has such has no path. */
START_TEST(odd_times)
{
	struct pm_path_image x[] = { image(NONE, 1, 0, 50), image(0, 2, 5, INT64_MAX),
				     image(0, 3, INT64_MIN + 1, 20) };

	x[0].busy_us = INT64_MAX;
	x[2].busy_us = 5;
	find(x, 3, 0, 50);
	ck_assert_str_eq(as_text(), "0:0-15 2:15-20 0:20-50");
	pm_path_free(&path);
	ck_assert_int_eq(pm_path_find(&path, x, 3, 0, INT64_MAX, &e), 0);
	ck_assert_uint_eq(path.steps, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("path");
	TCase *t = tcase_create("path");

	tcase_add_checked_fixture(t, NULL, tear_down);
	tcase_add_test(t, nothing);
	tcase_add_test(t, gaps);
	tcase_add_test(t, parallel);
	tcase_add_test(t, daemons);
	tcase_add_test(t, strays);
	tcase_add_test(t, execs);
	tcase_add_test(t, busy_parents);
	tcase_add_test(t, unknown_times);
	tcase_add_test(t, unended_children);
	tcase_add_test(t, damaged);
	tcase_add_test(t, odd_times);
	tcase_add_test(t, ranks_of_nodes);
	tcase_add_test(t, deep);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
