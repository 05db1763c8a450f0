/* submit/job/series.c: which lines of a series file are taken, and what is kept of them. What the
 * samples of a node come to: submit_node.c. */
#include "config.h"

#include "submit/job/series.h"
#include "submit/job/seriesahead.h"
#include "submit/job/seriesorder.h"
#include "submit/memory/filemem.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_images images;
static struct pm_series series;
static struct pm_series_file file;
static struct pm_err e;

static void make(void)
{
	pm_images_init(&images);
	pm_series_init(&series);
	pm_series_file_init(&file, &series, &images);
}

static void unmake(void)
{
	pm_series_file_free(&file);
	pm_series_free(&series);
	pm_images_free(&images);
}

#define HEADER      "perfmon-series-1\tn\tb\t1000000\t."
#define TWICE       "duplicate: this series id was declared before"
#define NO_HEADER   "not a valid header of a series file"
#define NOT_ENDED   "cut or too long: its terminator is missing"
#define NO_PAIR     "tick: not id=value"
#define NO_TIME     "tick: time is not a number"
#define NOT_THINNED "thinned: not a valid line"

/* Lines in the order of a file, and why each is rejected: NULL, it is not. */
static const struct {
	const char *line, *why;
} c[] = {
	{ "series\t1\ts\tm\to\tu\tgauge\t.", "a series before the header" },
	{ "tick\t1\t1\t\t.", "a tick before the header" },
	{ "thinned\tcpu\t2\t.", NOT_THINNED },
	{ "perfmon-series-2\tn\tb\t1\t.", "neither header, series, thinned nor tick" },
	{ "perfmon-series-1\tn\tb\t1", NOT_ENDED },
	{ "perfmon-series-1\tn\tb\t1\t..", NOT_ENDED },
	{ "perfmon-series-1\tn\tb\t1\t,", NOT_ENDED },
	{ ".", NOT_ENDED },
	{ "perfmon-series-1\tn\tb\t.", NO_HEADER },
	{ "perfmon-series-1\tn\tb\t1\t1\t.", NO_HEADER },
	{ "perfmon-series-1\t\\q\tb\t1\t.", NO_HEADER },
	{ "perfmon-series-1\tn\t\\q\t1\t.", NO_HEADER },
	{ "perfmon-series-1\tn\tb\t-1\t.", NO_HEADER },
	{ "perfmon-series-1\tn\tb\tx\t.", NO_HEADER },
	{ "tick\t1\t1\t\t.", "a tick before the header" },
	{ "perfmon-series-1\tn\tb\t0\t.", NULL },
	{ HEADER, NULL },
	{ "series\t1\ts\tm\to\tu\t.", "series: wrong number of fields" },
	{ "series\t1\ts\tm\to\tu\tgauge\t1\t.", NOT_ENDED },
	{ "series\tx\ts\tm\to\tu\tgauge\t.", "series: id is not a number" },
	{ "series\t-1\ts\tm\to\tu\tgauge\t.", "series: id is not a number" },
	{ "series\t1\t\\q\tm\to\tu\tgauge\t.", "series: invalid escape or byte" },
	{ "series\t1\ts\tm\to\t\\q\tgauge\t.", "series: invalid escape or byte" },
	{ "series\t1\ts\tm\to\tu\tgauges\t.", "series: unknown kind" },
	{ "series\t1\ts\tm\to\tu\t\t.", "series: unknown kind" },
	{ "series\t0\ts\tm\to\tu\tgauge\t.", NULL },
	{ "series\t0\ts\tm\tp\tu\tgauge\t.", TWICE },
	{ "series\t1\ts\tm\to\tu\tcounter\t.", NULL },
	{ "series\t2\ts\tm\tp\tu\tmin\t.", NULL },
	{ "series\t3\ts\tm\tp\tu\tmax\t.", NULL },
	{ "series\t4\ts\tm\tp\tu\tsum\t.", NULL },
	{ "series\t5\ts\tm\tp\tu\tcount\t.", NULL },
	{ "thinned\tcpu\t2\t.", NULL },
	{ "thinned\tcpu\t1\t.", NULL },
	{ "thinned\tcpu\t0\t.", NOT_THINNED },
	{ "thinned\tcpu\tx\t.", NOT_THINNED },
	{ "thinned\t\\q\t2\t.", NOT_THINNED },
	{ "thinned\tcpu\t2\t3\t.", NOT_THINNED },
	{ "thinned\tcpu\t.", NOT_THINNED },
	{ "tick\t1\t1\t0=1\t1\t.", "tick: wrong number of fields" },
	{ "tick\tx\t1\t0=1\t.", NO_TIME },
	{ "tick\t0\t1\t0=1\t.", NO_TIME },
	{ "tick\t1\tx\t0=1\t.", NO_TIME },
	{ "tick\t1\t1\t0\t.", NO_PAIR },
	{ "tick\t1\t1\tx=1\t.", NO_PAIR },
	{ "tick\t1\t1\t0=\\Nlate\t.", NO_PAIR },
	{ "tick\t1\t1\t0=\\N:\\q\t.", NO_PAIR },
	{ "tick\t1\t1\t0=\t.", "tick: value is not a number" },
	{ "tick\t1\t1\t0=1.5\t.", "tick: value is not a number" },
	{ "tick\t1\t1\t0=1 6=1\t.", "tick: a series that was not declared" },
	/* nothing of what is rejected was kept */
	{ "tick\t9\t100\t0=-5 1=\\N 2=\\N:\t.", NULL },
	{ "tick\t8\t90\t0=7 3=\\N:late\t.", NULL },
	{ "tick\t8\t91\t1=7 3=1\t.", "duplicate: a sample of this time has been read before" },
	{ "tick\t10\t92\t1=1 1=2 4=0\t.", NULL },
	{ "tick\t11\t93\t\t.", NULL },
	/* the sampler began anew: its ids are others */
	{ HEADER, NULL },
	{ "tick\t12\t94\t0=1\t.", "tick: a series that was not declared" },
	{ "series\t7\ts\tm\to\tu\tgauge\t.", NULL },
	{ "tick\t12\t94\t7=3\t.", NULL },
	/* another host; one known by its name alone */
	{ "perfmon-series-1\tn\tb2\t1000000\t.", NULL },
	{ "series\t7\ts\tm\to\tu\tgauge\t.", NULL },
	{ "tick\t9\t7\t7=4\t.", NULL },
	{ "perfmon-series-1\tn\t\\N\t1000000\t.", NULL },
	{ "series\t0\ts\tm\to\tu\tgauge\t.", NULL },
};

/* What is kept, by series: host, series, time and value, or the reason of an unknown one. */
static const char *kept(void)
{
	static char text[2048];
	static struct pm_series_values v;
	int64_t time_us[PM_SAMPLEBLOCK_MAX], monotonic_us[PM_SAMPLEBLOCK_MAX];
	uint32_t *order;
	size_t blocks, n = 0;

	text[0] = '\0';
	ck_assert_int_eq(pm_series_order(&series, &order, &blocks, &e), 0);
	for (size_t i = 0; i < blocks; i++) {
		const struct pm_series_block *b = &series.block[order[i]];
		struct pm_str reason = { "", 0 };
		uint32_t at = 0, run = 0;

		ck_assert_int_eq(pm_series_get_values(&series, b, &v, &e), 0);
		ck_assert_int_eq(pm_series_get_times(&series,
						     &series.window[series.ticks[b->ticks].window],
						     time_us, monotonic_us, &e),
				 0);
		for (uint32_t k = 0; k < v.coded.samples; k++) {
			n += (size_t)snprintf(text + n, sizeof text - n,
					      "%s%u:%u@%lld=", n ? " " : "",
					      series.info[b->series].host, b->series,
					      (long long)time_us[v.tick[k]]);
			if (!v.known[k] && k >= at + run)
				ck_assert(pm_samplecode_next_gap(&v.unknown, &at, &run, &reason));
			n += v.known[k] ? (size_t)snprintf(text + n, sizeof text - n, "%lld",
							   (long long)v.value[k])
					: (size_t)snprintf(text + n, sizeof text - n, "?%.*s",
							   (int)reason.n, reason.p);
			ck_assert_uint_lt(n, sizeof text);
		}
	}
	pm_filemem_free(order);
	return text;
}

START_TEST(lines)
{
	static const char nul[] = "tick\t1\t1\t0=1\0\t.";
	const char *why = NULL;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		int rc = pm_series_line(&file, c[i].line, strlen(c[i].line), &why, &e);

		ck_assert_msg(rc == (c[i].why != NULL), "%s: %d %s", c[i].line, rc, rc ? why : "");
		if (rc)
			ck_assert_msg(strcmp(why, c[i].why) == 0, "%s: %s", c[i].line, why);
	}
	ck_assert_int_eq(pm_series_line(&file, nul, sizeof nul - 1, &why, &e), 1);
	ck_assert_str_eq(why, "a NUL byte");
	ck_assert_int_eq(pm_series_file_end(&file, &e), 0);
	ck_assert_str_eq(kept(), "0:0@8=7 0:0@9=-5 0:0@12=3 0:1@9=? 0:1@10=1 0:2@9=? 0:3@8=?late "
				 "0:4@10=0 1:6@9=4");
	ck_assert_uint_eq(series.samples, 9);
	ck_assert_int_eq(series.first_us, 8);
	ck_assert_uint_eq(series.count, 8);
	ck_assert_uint_eq(images.hosts, 3);
	ck_assert_str_eq(images.host[2].boot_id, "");
	ck_assert_str_eq(series.info[5].text[4], "count");
	ck_assert_str_eq(series.info[1].text[2], "o");
}
END_TEST

/* A reason is a word; what is longer is cut. */
START_TEST(long_reasons)
{
	static const char *const before[] = { HEADER, "series\t0\ts\tm\to\tu\tgauge\t." };
	char line[1024], reason[512], want[1024];
	const char *why = "";

	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(pm_series_line(&file, before[i], strlen(before[i]), &why, &e), 0);
	memset(reason, 'r', sizeof reason);
	for (int n = 256; n <= 257; n++) {
		snprintf(line, sizeof line, "tick\t%d\t1\t0=\\N:%.*s\t.", n, n, reason);
		ck_assert_int_eq(pm_series_line(&file, line, strlen(line), &why, &e), 0);
	}
	ck_assert_int_eq(pm_series_file_end(&file, &e), 0);
	snprintf(want, sizeof want, "0:0@256=?%.*s 0:0@257=?%.*s", 256, reason, 256, reason);
	ck_assert_str_eq(kept(), want);
}
END_TEST

/* Series share the ticks of their window where one of them has half of these or more; others have
 * their own, but no list of ticks is there twice. */
START_TEST(ticks)
{
	static const struct {
		int from[4], to[4], every[4]; /* of each series, its ticks of a hundred */
		const char *want; /* of each series' block, its list of ticks and their number */
	} t[] = {
		{ { 0, 10, 70 }, { 100, 90, 71 }, { 1, 1, 1 }, "0:0/100 1:0/100 2:0/100" },
		/* only successive ticks of half the window are those of all series */
		{ { 0, 7, 50 }, { 50, 8, 100 }, { 1, 1, 1 }, "0:0/100 1:0/100 2:0/100" },
		{ { 0, 7, 49, 98 },
		  { 49, 8, 98, 100 },
		  { 1, 1, 1, 1 },
		  "0:0/49 1:1/1 2:2/49 3:3/2" },
		/* ticks without a sample do not count */
		{ { 0, 7 }, { 40, 8 }, { 1, 1 }, "0:0/40 1:0/40" },
		{ { 0, 0 }, { 1, 100 }, { 1, 1 }, "0:0/100 1:0/100" },
		{ { 0, 1, 41 }, { 100, 100, 42 }, { 2, 2, 1 }, "0:0/50 1:1/50 2:2/1" },
		{ { 41, 0, 41 }, { 42, 100, 42 }, { 1, 2, 1 }, "0:1/1 1:0/50 2:1/1" },
		{ { 41, 0, 20, 20 },
		  { 42, 100, 50, 50 },
		  { 1, 2, 1, 1 },
		  "0:2/1 1:0/50 2:1/30 3:1/30" },
	};
	char line[128], got[128];
	const char *why = "";

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		size_t n = 0;

		unmake();
		make();
		ck_assert_int_eq(pm_series_line(&file, HEADER, strlen(HEADER), &why, &e), 0);
		for (int s = 0; s < 4; s++) {
			snprintf(line, sizeof line, "series\t%d\ts\tm%d\to\tu\tgauge\t.", s, s);
			ck_assert_int_eq(pm_series_line(&file, line, strlen(line), &why, &e), 0);
		}
		for (int k = 0; k < 100; k++) {
			n = (size_t)snprintf(line, sizeof line, "tick\t%d\t%d\t", 1000 + k, k);
			for (int s = 0; s < 4; s++)
				if (k >= t[i].from[s] && k < t[i].to[s] &&
				    (k - t[i].from[s]) % t[i].every[s] == 0)
					n += (size_t)snprintf(line + n, sizeof line - n, "%s%d=%d",
							      line[n - 1] == '\t' ? "" : " ", s, k);
			n += (size_t)snprintf(line + n, sizeof line - n, "\t.");
			ck_assert_int_eq(pm_series_line(&file, line, n, &why, &e), 0);
		}
		ck_assert_int_eq(pm_series_file_end(&file, &e), 0);
		n = 0;
		for (uint32_t s = 0; s < 4; s++)
			for (size_t b = 0; b < series.blocks; b++)
				if (series.block[b].series == s)
					n += (size_t)snprintf(
						got + n, sizeof got - n, "%s%u:%u/%u", n ? " " : "",
						s, series.block[b].ticks,
						series.ticks[series.block[b].ticks].ticks);
		ck_assert_msg(strcmp(got, t[i].want) == 0, "%zu: %s", i, got);
	}
}
END_TEST

START_TEST(texts_of_hosts)
{
	const struct pm_str text[5] = {
		{ "s", 1 }, { "m", 1 }, { "o1", 2 }, { "B", 1 }, { "gauge", 5 }
	};
	struct pm_str other[5];
	uint32_t first, second, third;

	memcpy(other, text, sizeof other);
	other[2] = (struct pm_str){ "o2", 2 };
	first = pm_series_find(&series, 0, text);
	second = pm_series_find(&series, 1, text);
	third = pm_series_find(&series, 1, other);
	ck_assert_uint_eq(pm_series_find(&series, 1, text), second);
	ck_assert_uint_eq(series.count, 3);
	ck_assert_uint_ne(first, second);
	ck_assert_uint_ne(second, third);
	/* A job of many nodes has them once. */
	ck_assert_ptr_eq(series.info[first].text, series.info[second].text);
	ck_assert_str_eq(series.info[third].text[2], "o2");
	/* The list stays where the samples go. */
	pm_series_spend(&series);
	ck_assert_str_eq(series.info[first].text[4], "gauge");
	ck_assert_uint_eq(pm_series_find(&series, 0, text), first);
}
END_TEST

/* Blocks come in the order asked for, each with its own bytes: those that are kept of a group, and
 * those for which there was no room. */
START_TEST(read_ahead)
{
	enum { N = 40000, SERIES = 7 };
	static struct pm_samplecode code;
	static uint32_t order[N];
	const struct pm_series_ahead *x;
	struct pm_seriesahead *a;
	size_t n = 0;

	for (uint32_t i = 0; i < N; i++) {
		struct pm_series_block b = { .series = i % SERIES, .begin_us = i };

		code.bytes = i % 200 + (i > N / 2) * 400;
		memset(code.deviations, (int)(i & 127), code.bytes);
		code.samples = i;
		code.unknown = (char *)"[1,2]";
		code.unknown_size = i % 3 ? 0 : 5;
		ck_assert_int_eq(pm_series_add_block(&series, &b, &code, &e), 0);
	}
	memset(&code, 0, sizeof code);
	for (uint32_t s = 0; s < SERIES; s++)
		for (uint32_t i = s; i < N; i += SERIES)
			order[n++] = i;
	a = pm_seriesahead_new(&series, order, N);
	ck_assert_ptr_nonnull(a);
	for (n = 0; n < N; n++) {
		const uint32_t i = order[n];

		x = pm_seriesahead_next(a, &e);
		PM_SURE(x != NULL && x->block.begin_us == i && x->coded.samples == i);
		PM_SURE(x->deviations.n == i % 200 + (i > N / 2) * 400u);
		PM_SURE(x->deviations.n == 0 ||
			(x->deviations.p[0] == (char)(i & 127) &&
			 x->deviations.p[x->deviations.n - 1] == (char)(i & 127)));
		PM_SURE(x->unknown.n == (i % 3 ? 0 : 5));
		PM_SURE(i % 3 || memcmp(x->unknown.p, "[1,2]", 5) == 0);
	}
	pm_seriesahead_free(a);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_series");
	TCase *t = tcase_create("series");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_add_test(t, lines);
	tcase_add_test(t, long_reasons);
	tcase_add_test(t, ticks);
	tcase_add_test(t, texts_of_hosts);
	tcase_add_test(t, read_ahead);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
