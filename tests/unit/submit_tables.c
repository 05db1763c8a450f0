/* What the loader finds and orders records by: sorting, words, sets, indexes. */
#include "config.h"

#include "submit/big.h"
#include "submit/bounds.h"
#include "submit/guest.h"
#include "submit/index.h"
#include "submit/order.h"
#include "submit/set.h"
#include "submit/within.h"
#include "submit/words.h"
#include "tests/unit/main.h"
#include "tests/unit/random.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thing {
	int64_t first, second;
	int third;
};

static void thing_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct thing *t = ctx;

	key[0] = pm_order_signed(t[i].first);
	key[1] = pm_order_signed(t[i].second);
}

static int compare_things(const void *a, const void *b, void *ctx)
{
	const struct thing *t = ctx, *x = &t[*(const uint32_t *)a], *y = &t[*(const uint32_t *)b];

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	if (x->third != y->third)
		return x->third < y->third ? -1 : 1;
	return (x > y) - (x < y);
}

/* As by comparing each with each, whatever the keys are. */
START_TEST(orders_are_those_of_comparing)
{
	static const uint64_t range[][2] = { { 1, 1 },  { 1, 5 },           { 3, 1 },
					     { 9, 70 }, { 100000, 100000 }, { 1 << 30, 1 << 30 } };
	static const size_t size[] = { 0, 1, 2, 256, 257, 5000, 200000 };
	size_t most = size[sizeof size / sizeof size[0] - 1];
	struct thing *t = calloc(most, sizeof *t);
	uint32_t *number = calloc(most, sizeof *number), *other = calloc(most, sizeof *other);
	const struct pm_order o = { thing_key, compare_things, t };
	uint64_t state = 3;
	struct pm_err e;

	PM_SURE(t && number && other);
	for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
		for (size_t j = 0; j < sizeof range / sizeof range[0]; j++) {
			size_t n = size[k];

			for (size_t i = 0; i < n; i++) {
				t[i].first = (int64_t)random_below(&state, range[j][0]) - 2;
				t[i].second = (int64_t)((random_below(&state, range[j][1]) - 2)
							<< (8 * j));
				t[i].third = (int)random_below(&state, 3);
				number[i] = other[i] = (uint32_t)(n - 1 - i);
			}
			if (n && j == 1)
				t[n / 2].first = INT64_MIN;
			ck_assert_int_eq(pm_order_sort(&o, number, n, &e), 0);
			qsort_r(other, n, sizeof other[0], compare_things, t);
			ck_assert_int_eq(memcmp(number, other, n * sizeof other[0]), 0);
		}
	}
	free(t);
	free(number);
	free(other);
}
END_TEST

START_TEST(words_are_kept_once_and_not_without_end)
{
	struct pm_words w = { .text = NULL };
	uint32_t first, none = 0;
	char text[16];

	first = pm_words_add(&w, "make", 4);
	ck_assert_uint_eq(pm_words_add(&w, "make", 4), first);
	ck_assert_uint_ne(pm_words_add(&w, "make", 3), first);
	ck_assert_uint_eq(pm_words_get(&w, pm_words_add(&w, "", 0)).n, 0);
	for (int i = 0; i < 20000; i++) {
		uint32_t at =
			pm_words_add(&w, text, (size_t)snprintf(text, sizeof text, "word %d", i));

		none += at == PM_WORDS_NONE;
		PM_SURE(at == PM_WORDS_NONE ||
			strncmp(pm_words_get(&w, at).p, text, pm_words_get(&w, at).n) == 0);
	}
	ck_assert_uint_ge(none, 15000);
	ck_assert_uint_ge(w.count, 2000);
	ck_assert_uint_eq(pm_words_add(&w, "make", 4), first);
	pm_words_free(&w);
}
END_TEST

START_TEST(sets_keep_equal_hashes_apart)
{
	struct pm_set s = { 0 };
	size_t at = 0;
	int seen = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_int_eq(pm_set_add(&s, pm_set_mix(1, i), i), 0);
		ck_assert_int_eq(pm_set_add(&s, i % 3, 5000 + i), 0);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		at = 0;
		PM_SURE(pm_set_next(&s, pm_set_mix(1, i), &at) == i);
		PM_SURE(pm_set_next(&s, pm_set_mix(1, i), &at) == UINT32_MAX);
	}
	for (at = 0; pm_set_next(&s, 2, &at) != UINT32_MAX;)
		seen++;
	ck_assert_int_eq(seen, 333);
	pm_set_free(&s);
}
END_TEST

/* So many that it is a large block, whose pages stay. Of equal hashes all are found. */
START_TEST(indexes_find_numbers_by_hash)
{
	enum { MANY = 200000 };
	struct pm_index x = { 0 };
	size_t at = 0;
	int found = 0;

	PM_SURE(pm_index_next(&x, 1, &at) == UINT32_MAX);
	for (uint32_t i = 0; i < MANY; i++) {
		ck_assert_int_eq(pm_index_add(&x, pm_set_mix(1, i), i), 0);
		if (i % 100 == 0)
			ck_assert_int_eq(pm_index_add(&x, (uint64_t)UINT32_MAX << 32 | i, i), 0);
		pm_big_trim();
	}
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t number;

		at = 0;
		while ((number = pm_index_next(&x, pm_set_mix(1, i), &at)) != i)
			PM_SURE(number != UINT32_MAX);
	}
	for (at = 0; pm_index_next(&x, (uint64_t)UINT32_MAX << 32, &at) != UINT32_MAX;)
		found++;
	ck_assert_int_eq(found, MANY / 100);
	pm_index_free(&x);
	PM_SURE(x.used == 0);
}
END_TEST

START_TEST(bounds)
{
	static const struct {
		enum pm_column column;
		int64_t low, high;
	} c[] = {
		{ PM_COL_starttime, 0, 4000000000000 },
		{ PM_COL_tid, -INT32_MAX, INT32_MAX },
		{ PM_COL_ppid, 0, INT32_MAX },
		{ PM_COL_pgid, -1, UINT32_MAX },
		{ PM_COL_uid, -1, UINT32_MAX },
		{ PM_COL_exitcode, 0, 255 },
		{ PM_COL_exitsignal, 1, 127 },
		{ PM_COL_numtids, 0, 4194304 },
		{ PM_COL_num_threads, 0, 4194304 },
		{ PM_COL_start_us, 1, 4102444800000000 },
		{ PM_COL_end_us, 1, 4102444800000000 },
		{ PM_COL_usertime, 0, 4000000000000000 },
		{ PM_COL_time_oncpu, 0, 4000000000000000000 },
		{ PM_COL_guest_time, 0, 4000000000000 },
		{ PM_COL_rssmax, 0, 140737488355328 },
		{ PM_COL_minflt, 0, 10000000000000000 },
		{ PM_COL_inblock, 0, 1000000000000000 },
		{ PM_COL_rchar, 0, 512000000000000000 },
	};
	uint64_t odd[PM_BOUNDS_WORDS];
	struct pm_bounds b;
	struct pm_record r;

	pm_bounds_init(&b);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *name = pm_column_info[c[i].column].name;

		ck_assert_msg(pm_bounds_have(&b, c[i].column, c[i].low), "%s", name);
		ck_assert_msg(pm_bounds_have(&b, c[i].column, c[i].high), "%s", name);
		ck_assert_msg(!pm_bounds_have(&b, c[i].column, c[i].low - 1), "%s", name);
		ck_assert_msg(!pm_bounds_have(&b, c[i].column, c[i].high + 1), "%s", name);
		pm_record_clear(&r);
		pm_record_int(&r, PM_COL_pid, INT64_MAX); /* a key */
		pm_record_int(&r, c[i].column, c[i].high);
		ck_assert_msg(!pm_bounds_odd(&b, &r, odd), "%s", name);
		pm_record_int(&r, c[i].column, c[i].high + 1);
		ck_assert_msg(pm_bounds_odd(&b, &r, odd), "%s", name);
		for (size_t w = 0; w < PM_BOUNDS_WORDS; w++)
			ck_assert_uint_eq(odd[w], w == c[i].column / 64U
							  ? (uint64_t)1 << c[i].column % 64
							  : 0);
	}
}
END_TEST

/* Hosts whose names end in a number are known by the job's other files. */
START_TEST(users_by_names)
{
	static const struct {
		const char *file;
		int64_t uid;
	} c[] = {
		{ "n0-1000.tsv", 1000 },
		{ "n0-1000.2.tsv", 1000 },
		{ "n0-0.tsv", -1 },
		{ "n0-4294967295.tsv", 4294967295 },
		{ "n0-4294967296.tsv", -1 },
		{ "n0.tsv", -1 },
		{ "-5.tsv", -1 },
		{ "n0-x.tsv", -1 },
		{ "n0-.tsv", -1 },
		{ "n0-1000.series", -1 },
		{ "1000.tsv", -1 },
		{ ".tsv", -1 },
		/* a process' own file; those of hosts that are known */
		{ "m-12-1000.tsv", -1 },
		{ "n-12-1000.tsv", 1000 },
		{ "n-13-1000.tsv", 1000 },
		{ "n-14-1000.tsv", 1000 },
		{ "n-14-12-1000.tsv", -1 },
		{ "m-12-1000.3.tsv", 1000 },
	};
	static const char *const known[] = { "job-n-12.json",  "n-13-0.tsv", "n-14-5-1700.tsv",
					     "job-m-12.jsonx", "job-.json",  "m-12-7.tsv",
					     "xjob-m-12.json" };
	struct pm_set hosts = { 0 };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		ck_assert_int_eq(pm_guest_note_hosts(&hosts, known[i]), 0);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
		ck_assert_msg(pm_guest_named(c[i].file, &hosts) == c[i].uid, "%s: %lld", c[i].file,
			      (long long)pm_guest_named(c[i].file, &hosts));
	pm_set_free(&hosts);
}
END_TEST

/* Up to its limits an archive loads; what jobs before took counts. */
START_TEST(limits)
{
	static const struct {
		struct pm_load_limits most;
		const char *why;
	} c[] = {
		{ { .hosts = 5, .series = 6, .rows = 15 }, NULL },
		{ { .hosts = 0, .series = 0, .rows = 0 }, NULL },
		{ { .hosts = 4 },
		  "it has more than 4 hosts: set spool_hosts higher where that is right" },
		{ { .series = 5 },
		  "it has more than 5 series: set spool_series higher where that is right" },
		{ { .rows = 14 },
		  "it has more than 14 lines and samples: set spool_rows higher where that is "
		  "right" },
	};
	struct pm_gather *g = calloc(1, sizeof *g);

	ck_assert_ptr_nonnull(g);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_within w;
		struct pm_err e;
		int rc;

		pm_within_begin(&w, &c[i].most);
		g->images.hosts = g->series.count = g->lines = g->series.samples = 1;
		pm_within_note(&w, g);
		g->images.hosts = 3;
		g->series.count = 4;
		g->lines = 8;
		g->series.samples = 4;
		ck_assert_int_eq(pm_within_check(&w, g, &e), 0);
		ck_assert(!w.over);
		/* another job */
		g->images.hosts = g->series.count = g->lines = g->series.samples = 0;
		pm_within_note(&w, g);
		g->images.hosts = 3;
		g->series.count = 3;
		g->lines = 5;
		rc = pm_within_check(&w, g, &e);
		ck_assert_int_eq(rc, c[i].why ? -1 : 0);
		ck_assert_int_eq(w.over, c[i].why != NULL);
		if (c[i].why)
			ck_assert_str_eq(e.text, c[i].why);
	}
	free(g);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("the loader's tables");
	TCase *t = tcase_create("tables");

	tcase_add_test(t, orders_are_those_of_comparing);
	tcase_add_test(t, words_are_kept_once_and_not_without_end);
	tcase_add_test(t, sets_keep_equal_hashes_apart);
	tcase_add_test(t, indexes_find_numbers_by_hash);
	tcase_add_test(t, bounds);
	tcase_add_test(t, users_by_names);
	tcase_add_test(t, limits);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
