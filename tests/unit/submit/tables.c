/* What the loader finds and orders records by: sorting, words, sets, indexes. */
#include "config.h"

#include "submit/input/bounds.h"
#include "submit/input/operands.h"
#include "submit/input/stream.h"
#include "submit/input/stream_coder.h"
#include "submit/job/guest.h"
#include "submit/memory/extsort.h"
#include "submit/memory/filemem.h"
#include "submit/memory/hashindex.h"
#include "submit/memory/hashmap.h"
#include "submit/memory/interned.h"
#include "submit/within.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct thing {
	int64_t first, second;
	int third;
};

static void thing_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct thing *t = ctx;

	key[0] = pm_extsort_signed(t[i].first);
	key[1] = pm_extsort_signed(t[i].second);
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
	const struct pm_extsort o = { thing_key, compare_things, t };
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
			ck_assert_int_eq(pm_extsort_sort(&o, number, n, &e), 0);
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
	struct pm_interned w = { .text = NULL };
	uint32_t first, none = 0;
	char text[16];

	first = pm_interned_add(&w, "make", 4);
	ck_assert_uint_eq(pm_interned_add(&w, "make", 4), first);
	ck_assert_uint_ne(pm_interned_add(&w, "make", 3), first);
	ck_assert_uint_eq(pm_interned_get(&w, pm_interned_add(&w, "", 0)).n, 0);
	for (int i = 0; i < 20000; i++) {
		uint32_t at = pm_interned_add(&w, text,
					      (size_t)snprintf(text, sizeof text, "word %d", i));

		none += at == PM_INTERNED_NONE;
		PM_SURE(at == PM_INTERNED_NONE ||
			strncmp(pm_interned_get(&w, at).p, text, pm_interned_get(&w, at).n) == 0);
	}
	ck_assert_uint_ge(none, 15000);
	ck_assert_uint_ge(w.count, 2000);
	ck_assert_uint_eq(pm_interned_add(&w, "make", 4), first);
	pm_interned_free(&w);
}
END_TEST

START_TEST(sets_keep_equal_hashes_apart)
{
	struct pm_hashmap s = { 0 };
	size_t at = 0;
	int seen = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_int_eq(pm_hashmap_add(&s, pm_hashmap_mix(1, i), i), 0);
		ck_assert_int_eq(pm_hashmap_add(&s, i % 3, 5000 + i), 0);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		at = 0;
		PM_SURE(pm_hashmap_next(&s, pm_hashmap_mix(1, i), &at) == i);
		PM_SURE(pm_hashmap_next(&s, pm_hashmap_mix(1, i), &at) == UINT32_MAX);
	}
	for (at = 0; pm_hashmap_next(&s, 2, &at) != UINT32_MAX;)
		seen++;
	ck_assert_int_eq(seen, 333);
	pm_hashmap_free(&s);
}
END_TEST

/* So many that it is a large block, whose pages stay. Of equal hashes all are found. */
START_TEST(indexes_find_numbers_by_hash)
{
	enum { MANY = 200000 };
	struct pm_hashindex x = { 0 };
	size_t at = 0;
	int found = 0;

	PM_SURE(pm_hashindex_next(&x, 1, &at) == UINT32_MAX);
	for (uint32_t i = 0; i < MANY; i++) {
		ck_assert_int_eq(pm_hashindex_add(&x, pm_hashmap_mix(1, i), i), 0);
		if (i % 100 == 0)
			ck_assert_int_eq(pm_hashindex_add(&x, (uint64_t)UINT32_MAX << 32 | i, i),
					 0);
		pm_filemem_trim();
	}
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t number;

		at = 0;
		while ((number = pm_hashindex_next(&x, pm_hashmap_mix(1, i), &at)) != i)
			PM_SURE(number != UINT32_MAX);
	}
	for (at = 0; pm_hashindex_next(&x, (uint64_t)UINT32_MAX << 32, &at) != UINT32_MAX;)
		found++;
	ck_assert_int_eq(found, MANY / 100);
	pm_hashindex_free(&x);
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
	struct pm_hashmap hosts = { 0 };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		ck_assert_int_eq(pm_guest_note_hosts(&hosts, known[i]), 0);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
		ck_assert_msg(pm_guest_named(c[i].file, &hosts) == c[i].uid, "%s: %lld", c[i].file,
			      (long long)pm_guest_named(c[i].file, &hosts));
	pm_hashmap_free(&hosts);
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
		  "it has more than 4 hosts: raise spool_hosts if that is intended" },
		{ { .series = 5 },
		  "it has more than 5 series: raise spool_series if that is intended" },
		{ { .rows = 14 },
		  "it has more than 14 lines and samples: raise spool_rows if that is intended" },
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

/* What a load may cost is looked at with the first piece. */
START_TEST(limit_of_time)
{
	static const struct pm_load_limits most = { .cpu_us = 1 }, other = { .cpu_us = 3600000000 };
	struct pm_gather *g = calloc(1, sizeof *g);
	struct pm_within w;
	struct pm_err e;

	ck_assert_ptr_nonnull(g);
	pm_within_begin(&w, &other);
	ck_assert_int_eq(pm_within_check(&w, g, &e), 0);
	pm_within_begin(&w, &most);
	for (volatile int i = 0; i < 1000000; i++)
		continue;
	ck_assert_int_eq(pm_within_check(&w, g, &e), -1);
	ck_assert(w.over);
	ck_assert_str_eq(e.text, "loading it takes more than 0 s of CPU time: raise spool_cpu if that is intended");
	pm_within_begin(&w, NULL);
	g->lines = 1 << 30;
	ck_assert_int_eq(pm_within_check(&w, g, &e), 0);
	/* In a hurry there is less time until the pause. */
	g->lines = 0;
	for (int paused = 0; paused < 2; paused++) {
		pm_within_begin(&w, &other);
		pm_within_hurry(&w, 1);
		for (volatile int i = 0; i < 1000000; i++)
			continue;
		if (paused) {
			pm_within_pause(&w);
			pm_within_resume(&w);
		}
		ck_assert_int_eq(pm_within_check(&w, g, &e), paused ? 0 : -1);
		ck_assert_int_eq(w.over, !paused);
	}
	free(g);
}
END_TEST

static char missed[256];

static void note_missing(const struct pm_err *why)
{
	strcat(strcat(missed, why->text), ";");
}

/* Patterns stand for names, and what is named twice, by whatever name, counts once. */
START_TEST(operands)
{
	static const struct {
		const char *operand[4], *want, *missing;
	} c[] = {
		{ { "b", "a*" }, "b a1 a2 a[1] ", "" },
		{ { "a?", "a1" }, "a1 a2 ", "" },
		{ { "a[12]", "none" }, "a1 a2 none ", "" },
		/* one that is the name of a file is that */
		{ { "a[1]", "*1" }, "a[1] a1 ", "" },
		{ { "a1", "./a1", "link", "d/../a1" }, "a1 ", "" },
		{ { "link", "a1" }, "link ", "" },
		{ { "-", "-", "b" }, "- b ", "" },
		{ { "none", "none" }, "none ", "" },
		{ { "x*", "b", "y?" },
		  "b ",
		  "x*: no such file, and no file matches the pattern;"
		  "y?: no such file, and no file matches the pattern;" },
	};
	static const char *const file[] = { "a1", "a2", "a[1]", "b" };

	for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
		ck_assert_int_eq(close(creat(file[i], 0600)), 0);
	ck_assert_int_eq(symlink("a1", "link"), 0);
	ck_assert_int_eq(mkdir("d", 0700), 0);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char got[128] = "", **list;
		size_t n = 0, count = 0;
		struct pm_err e;
		int rc;

		while (count < 4 && c[i].operand[count])
			count++;
		missed[0] = '\0';
		rc = pm_operands_expand((char *const *)c[i].operand, count, note_missing, &list, &n,
					&e);
		ck_assert_int_eq(rc, c[i].missing[0] != '\0');
		ck_assert_str_eq(missed, c[i].missing);
		for (size_t k = 0; k < n; k++)
			strcat(strcat(got, list[k]), " ");
		ck_assert_str_eq(got, c[i].want);
		pm_operands_free(list, n);
	}
}
END_TEST

/* What a file is compressed with is told by its first bytes, all of them. */
START_TEST(coders)
{
	static const struct {
		const char *magic, *name; /* NULL: none */
		unsigned ratio;
	} c[] = {
		{ "\x1f\x8b", "gzip", 200 },
		{ "\x1f\x8a", NULL, 0 },
		{ "\x1e\x8b", NULL, 0 },
		{ "\x28\xb5\x2f\xfd", "zstd", 1000 },
		{ "\x29\xb5\x2f\xfd", NULL, 0 },
		{ "\x28\xb4\x2f\xfd", NULL, 0 },
		{ "\x28\xb5\x2e\xfd", NULL, 0 },
		{ "\x28\xb5\x2f\xfc", NULL, 0 },
		{ "\x50\x2a\x4d\x18", "zstd", 1000 },
		{ "\x5f\x2a\x4d\x18", "zstd", 1000 },
		{ "\x60\x2a\x4d\x18", NULL, 0 },
		{ "\x50\x2b\x4d\x18", NULL, 0 },
		{ "\x50\x2a\x4c\x18", NULL, 0 },
		{ "\x50\x2a\x4d\x19", NULL, 0 },
		{ "\xfd"
		  "7zXZ\0",
		  "xz", 1000 },
		{ "\xfd"
		  "7zXZ\1",
		  NULL, 0 },
		{ "BZh1\x31\x41\x59\x26\x53\x59", "bzip2", 1000 },
		{ "BZh9\x17\x72\x45\x38\x50\x90", "bzip2", 1000 },
		{ "BZh0\x31\x41\x59\x26\x53\x59", NULL, 0 },
		{ "BZh:\x31\x41\x59\x26\x53\x59", NULL, 0 },
		{ "BZh1\x31\x41\x59\x26\x53\x58", NULL, 0 },
		{ "BZh9\x17\x72\x45\x38\x50\x91", NULL, 0 },
		{ "BZg1\x31\x41\x59\x26\x53\x59", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		unsigned char p[PM_STREAM_MAGIC + 1] = { 0 };
		const struct pm_coder *got;

		memcpy(p, c[i].magic, strlen(c[i].magic));
		got = pm_stream_coder(p);
		ck_assert_msg(c[i].name ? got && strcmp(got->name, c[i].name) == 0 : !got,
			      "%zu: %s", i, got ? got->name : "none");
		if (got)
			ck_assert_uint_eq(got->ratio_max, c[i].ratio);
	}
}
END_TEST

/* What was not compressed: of a pipe nothing is known, a file of holes takes no room. */
START_TEST(plain_streams)
{
	static char text[1 << 20];
	struct pm_stream *s;
	size_t all = 0;
	int fd[2];
	ssize_t n;

	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(write(fd[1], "hello", 5), 5);
	ck_assert_int_eq(close(fd[1]), 0);
	s = pm_stream_new(fd[0]);
	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(pm_stream_read(s, text, 2), 2);
	ck_assert_int_eq(pm_stream_read(s, text + 2, 100), 3);
	ck_assert_int_eq(pm_stream_read(s, text, 100), 0);
	ck_assert_int_eq(memcmp(text, "hello", 5), 0);
	ck_assert_uint_eq(pm_stream_packed(s), 5);
	ck_assert_uint_eq(pm_stream_ratio_max(s), 0);
	ck_assert_ptr_null(pm_stream_error(s));
	pm_stream_free(s);
	close(fd[0]);

	fd[0] = open("holes", O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(ftruncate(fd[0], 1 << 20), 0);
	s = pm_stream_new(fd[0]);
	while ((n = pm_stream_read(s, text, sizeof text)) > 0)
		all += (size_t)n;
	ck_assert_uint_eq(all, 1 << 20);
	ck_assert_uint_lt(pm_stream_packed(s), 1 << 19);
	ck_assert_uint_eq(pm_stream_ratio_max(s), 200);
	pm_stream_free(s);
	close(fd[0]);

	fd[0] = open(".", O_RDONLY);
	s = pm_stream_new(fd[0]);
	ck_assert_int_eq(pm_stream_read(s, text, 1), -1);
	ck_assert_str_eq(pm_stream_error(s), "read: Is a directory");
	ck_assert_int_eq(pm_stream_read(s, text, 1), -1);
	pm_stream_free(s);
	close(fd[0]);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("the loader's tables");
	TCase *t = tcase_create("tables"), *files = tcase_create("files");

	tcase_add_test(t, orders_are_those_of_comparing);
	tcase_add_test(t, words_are_kept_once_and_not_without_end);
	tcase_add_test(t, sets_keep_equal_hashes_apart);
	tcase_add_test(t, indexes_find_numbers_by_hash);
	tcase_add_test(t, bounds);
	tcase_add_test(t, users_by_names);
	tcase_add_test(t, limits);
	tcase_add_test(t, limit_of_time);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(files, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(files, operands);
	tcase_add_test(t, coders);
	tcase_add_test(files, plain_streams);
	suite_add_tcase(s, files);
	return s;
}

PM_UNIT_MAIN(suite)
