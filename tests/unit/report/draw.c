/* report/draw: ticks and scales with known marks, thinning that loses no extreme and no gap, lines
 * added up. */
#include "config.h"

#include "report/draw/chart.h"
#include "report/draw/combine.h"
#include "report/draw/line.h"
#include "report/draw/ticks.h"
#include "report/plot/documentpages.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pm_ticks_unit bytes = { "B", PM_TICKS_LARGE },
				  kibibytes = { "B", PM_TICKS_BINARY },
				  watts = { "W", PM_TICKS_SI }, percent = { "%", PM_TICKS_NONE };

/* The labels of an axis, with a blank between them. */
static const char *labels(const struct pm_ticks *t)
{
	static char text[2048];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < t->n; i++)
		if (*t->tick[i].label)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "|" : "",
					      t->tick[i].label);
	return text;
}

START_TEST(linear_marks)
{
	static const struct {
		double least, most;
		const struct pm_ticks_unit *unit;
		const char *want;
		double high;
	} cases[] = {
		{ 12, 98, &percent, "0 %|20 %|40 %|60 %|80 %|100 %", 100 },
		{ 0, 24.7e9, &bytes, "0 GB|5 GB|10 GB|15 GB|20 GB|25 GB", 25e9 },
		{ 0, 3.0 * 1073741824, &kibibytes, "0 GiB|1 GiB|2 GiB|3 GiB", 3 * 1073741824. },
		{ 0, 0.0043, &watts, "0 mW|1 mW|2 mW|3 mW|4 mW|5 mW", 0.005 },
		{ -3, 4, &percent, "-4 %|-2 %|0 %|2 %|4 %", 4 },
		{ 0, 0, &percent, "0 %|0.2 %|0.4 %|0.6 %|0.8 %|1.0 %", 1 },
		{ 0.5, 1.3, &percent, "0 %|0.5 %|1.0 %|1.5 %", 1.5 },
		{ 1, 999.9e6, &bytes, "0 GB|0.2 GB|0.4 GB|0.6 GB|0.8 GB|1.0 GB", 1e9 },
	};
	struct pm_ticks t;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		pm_ticks_linear(&t, cases[i].least, cases[i].most, *cases[i].unit);
		ck_assert_str_eq(labels(&t), cases[i].want);
		ck_assert_double_eq_tol(t.high, cases[i].high, fabs(cases[i].high) * 1e-9);
	}
	pm_ticks_linear(&t, 0, 100, percent);
	ck_assert_double_eq_tol(pm_ticks_place(&t, 25), 0.25, 1e-12);
	ck_assert_double_eq_tol(pm_ticks_place(&t, 0), 0, 1e-12);
	/* No numbers are no reason to fail. */
	pm_ticks_linear(&t, INFINITY, -INFINITY, percent);
	ck_assert_double_eq(t.high, 1);
	pm_ticks_linear(&t, NAN, NAN, percent);
	ck_assert_double_eq(t.high, 1);
}
END_TEST

START_TEST(log_marks)
{
	struct pm_ticks t;

	pm_ticks_log(&t, 15e3, 80e6, bytes);
	ck_assert_str_eq(labels(&t), "0 B|10 kB|100 kB|1 MB|10 MB|100 MB");
	ck_assert(t.log && t.floor == 1e4);
	ck_assert_double_eq(pm_ticks_place(&t, 0), 0);
	ck_assert_double_eq(pm_ticks_place(&t, -5), 0);
	ck_assert_double_eq_tol(pm_ticks_place(&t, 1e8), 1, 1e-12);
	/* Decades are alike; what lies below the least one is between it and 0. */
	ck_assert_double_eq_tol(pm_ticks_place(&t, 1e7) - pm_ticks_place(&t, 1e6),
				pm_ticks_place(&t, 1e5) - pm_ticks_place(&t, 1e4), 1e-9);
	ck_assert(pm_ticks_place(&t, 5e3) > 0 && pm_ticks_place(&t, 5e3) < pm_ticks_place(&t, 1e4));
	pm_ticks_log(&t, 1, 1e9, bytes);
	ck_assert_str_eq(labels(&t), "0 B|1 B|100 B|10 kB|1 MB|100 MB");
	/* Nothing but 0: a decade cannot be told. */
	pm_ticks_log(&t, INFINITY, 0, bytes);
	ck_assert(!t.log);
	pm_ticks_log(&t, 1e-300, 1e300, bytes);
	ck_assert(t.n <= PM_TICKS_MAX && t.high >= 1e300);
}
END_TEST

START_TEST(time_marks)
{
	static const struct {
		double to;
		const char *unit, *want;
	} cases[] = {
		{ 40, "s", "0|5|10|15|20|25|30|35|40" },
		{ 0.5, "s", "0|0.1|0.2|0.3|0.4|0.5" },
		{ 600, "min", "0|2|4|6|8|10" },
		{ 3 * 3600, "h", "0|0.5|1|1.5|2|2.5|3" },
		{ 86400, "h", "0|3|6|9|12|15|18|21|24" },
		{ 7 * 86400, "d", "0|1|2|3|4|5|6|7" },
		{ 0, "s", "0|0.2|0.4|0.6|0.8|1" },
		{ 400 * 86400., "d", "0|50|100|150|200|250|300|350|400" },
	};
	struct pm_ticks t;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		pm_ticks_time(&t, 0, cases[i].to);
		ck_assert_str_eq(labels(&t), cases[i].want);
		ck_assert_str_eq(t.unit, cases[i].unit);
	}
	pm_ticks_time(&t, 0, 1e300);
	ck_assert(t.n <= PM_TICKS_MAX);
}
END_TEST

START_TEST(values)
{
	char text[PM_TICKS_LABEL];

	ck_assert_str_eq(pm_ticks_value(text, 1234567, bytes), "1.23 MB");
	ck_assert_str_eq(pm_ticks_value(text, 999700, bytes), "1.00 MB");
	ck_assert_str_eq(pm_ticks_value(text, 999, bytes), "999 B");
	ck_assert_str_eq(pm_ticks_value(text, 1024, kibibytes), "1.00 KiB");
	ck_assert_str_eq(pm_ticks_value(text, 1023, kibibytes), "1023 B");
	ck_assert_str_eq(pm_ticks_value(text, 0.0123, watts), "12.3 mW");
	ck_assert_str_eq(pm_ticks_value(text, 0, watts), "0 W");
	ck_assert_str_eq(pm_ticks_value(text, 45.678, percent), "45.7 %");
	ck_assert_str_eq(pm_ticks_value(text, 0.0001, percent), "0.0001 %");
	ck_assert_str_eq(pm_ticks_value(text, NAN, percent), "unknown");
	ck_assert_str_eq(pm_ticks_value(text, -2048, kibibytes), "-2.00 KiB");
}
END_TEST

/* Few values stay as they are. */
START_TEST(few)
{
	struct pm_line l;

	ck_assert_int_eq(pm_line_init(&l, 8), 0);
	ck_assert(isnan(pm_line_mean(&l)));
	pm_line_add(&l, 0, 1, 5, 5, 5);
	pm_line_add(&l, 1, 4, 1, 2, 3);
	pm_line_gap(&l);
	pm_line_add(&l, 6, 6, 9, 9, 9);
	pm_line_add(&l, 6, 7, NAN, NAN, NAN);
	pm_line_add(&l, 7, 8, 4, 4, 4);
	ck_assert_uint_eq(l.n, 4);
	ck_assert(!l.cell[0].gap && !l.cell[1].gap && l.cell[2].gap && l.cell[3].gap);
	ck_assert_uint_eq(l.gaps, 2);
	ck_assert_double_eq_tol(l.gap_s, 3, 1e-9);
	ck_assert_double_eq(l.least, 1);
	ck_assert_double_eq(l.most, 9);
	/* By time: 5 for 1 s, 2 for 3 s, 4 for 1 s; that of a moment does not count. */
	ck_assert_double_eq_tol(pm_line_mean(&l), 3, 1e-6);
	ck_assert_double_eq(l.width, 0);
	pm_line_free(&l);
	/* Of moments alone the mean is that of the values. */
	ck_assert_int_eq(pm_line_init(&l, 8), 0);
	for (int i = 0; i < 100; i++)
		pm_line_add(&l, 1, 1, i % 2, i % 2, i % 2);
	ck_assert_uint_le(l.n, 8);
	ck_assert_double_eq_tol(pm_line_mean(&l), 0.5, 1e-9);
	pm_line_free(&l);
}
END_TEST

/* Check that cells follow each other, within the room, and none loses what was added to it. */
static void check_cells(const struct pm_line *l, const double *v, size_t n, size_t room)
{
	double sum = 0, weight = 0;
	size_t first = 0;

	ck_assert_uint_le(l->n, room);
	for (size_t i = 0; i < l->n; i++) {
		const struct pm_line_cell *c = &l->cell[i];
		double least = INFINITY, most = -INFINITY;

		ck_assert(i == 0 || c->from >= l->cell[i - 1].to);
		ck_assert(c->to - c->from <= l->width || c->to - c->from <= 1);
		/* Value number k stands for the second from k to k + 1. */
		for (; first < n && (double)first + 1 <= c->to; first++)
			if (!isnan(v[first])) {
				least = fmin(least, v[first]);
				most = fmax(most, v[first]);
			}
		ck_assert_double_eq(c->least, least);
		ck_assert_double_eq(c->most, most);
		ck_assert(pm_line_cell_mean(c) >= least && pm_line_cell_mean(c) <= most);
		sum += c->sum;
		weight += c->weight;
	}
	ck_assert_double_eq_tol(sum / weight, pm_line_mean(l), 1e-9 * fabs(sum / weight) + 1e-9);
}

/* Many values are thinned to the room: extremes, the mean and long gaps stay, whatever comes. */
START_TEST(thinned)
{
	enum { N = 20000 };
	static double v[N];
	uint64_t seed = 1;

	for (int round = 0; round < 60; round++) {
		const size_t room = 8 + random_next(&seed) % 100, n = 1 + random_next(&seed) % N;
		const size_t gap = n / 3, gap_n = n / 4;
		const bool holes = round % 3 == 0;
		double sum = 0, weight = 0;
		struct pm_line l;

		ck_assert_int_eq(pm_line_init(&l, room), 0);
		for (size_t i = 0; i < n; i++) {
			v[i] = (double)(random_next(&seed) % 1000000) / 7;
			/* One long gap, or every other value unknown. */
			if ((i >= gap && i < gap + gap_n && round % 2) || (holes && i % 2))
				v[i] = NAN;
			pm_line_add(&l, (double)i, (double)i + 1, v[i], v[i], v[i]);
			sum += isnan(v[i]) ? 0 : v[i];
			weight += !isnan(v[i]);
		}
		check_cells(&l, v, n, room);
		ck_assert_double_eq_tol(pm_line_mean(&l), sum / weight, 1e-6);
		if (round % 2 && n > 1000 && room > 50) {
			bool seen = false;

			for (size_t i = 0; i < l.n; i++)
				seen = seen ||
				       (l.cell[i].gap && l.cell[i].from >= (double)(gap + gap_n) &&
					l.cell[i - 1].to <= (double)gap);
			ck_assert_msg(seen, "the long gap is gone");
		}
		pm_line_free(&l);
	}
}
END_TEST

/* A line of n seconds from `from` on with one value. */
static struct pm_line constant(double from, size_t n, double v)
{
	struct pm_line l;

	ck_assert_int_eq(pm_line_init(&l, 64), 0);
	for (size_t i = 0; i < n; i++)
		pm_line_add(&l, from + (double)i, from + (double)i + 1, v, v, v);
	return l;
}

START_TEST(combined)
{
	struct pm_line a = constant(0, 10, 3), b = constant(2.001, 8, 5), c = constant(0, 4, 1);
	struct pm_line whole, part, range;
	struct pm_combine x;

	ck_assert_int_eq(pm_combine_begin(&x, &a, 0, 12), 0);
	pm_combine_add(&x, &a);
	pm_combine_add(&x, &b);
	ck_assert_int_eq(pm_combine_end(&x, false, &whole, &part), 0);
	/* All of it from the third second on; before, a alone; after it nobody is known. */
	ck_assert_double_eq_tol(pm_line_mean(&whole), 8, 1e-9);
	ck_assert_double_eq(whole.cell[0].from, 2);
	ck_assert_double_eq(whole.cell[whole.n - 1].to, 10);
	ck_assert_double_eq_tol(pm_line_mean(&part), 3, 1e-9);
	ck_assert_double_eq(part.cell[part.n - 1].to, 2);
	pm_line_free(&whole);
	pm_line_free(&part);
	pm_combine_add(&x, &c);
	ck_assert_int_eq(pm_combine_end(&x, true, &whole, &part), 0);
	ck_assert_double_eq_tol(pm_line_mean(&whole), 3, 1e-9);
	ck_assert_double_eq(whole.cell[whole.n - 1].to, 4);
	ck_assert_int_eq(pm_combine_range(&x, &range), 0);
	ck_assert_double_eq_tol(range.least, 1, 1e-12);
	ck_assert_double_eq_tol(range.most, 5, 1e-12);
	ck_assert_double_eq_tol(pm_line_cell_mean(&range.cell[5]), 4, 1e-9);
	pm_line_free(&whole);
	pm_line_free(&part);
	pm_line_free(&range);
	pm_combine_free(&x);
	/* Steps go on where the first line has none. */
	ck_assert_int_eq(pm_combine_begin(&x, &c, 0, 10), 0);
	pm_combine_add(&x, &a);
	ck_assert_int_eq(pm_combine_end(&x, false, &whole, &part), 0);
	ck_assert_double_eq_tol(whole.cell[whole.n - 1].to, 10, 1e-9);
	pm_line_free(&whole);
	pm_line_free(&part);
	pm_combine_free(&x);
	pm_line_free(&a);
	pm_line_free(&b);
	pm_line_free(&c);
}
END_TEST

/* Pages of a text: no line is lost, no heading stands at an end, none begins with an empty line. */
START_TEST(pages)
{
	static const char text[] =
		"Job 1\n----\n  a\n\nOne\n  b\n  c\n\nTwo\n  d\n  e\n\nThree\n  f\n\nThe end.\n";

	for (size_t lines = 5; lines < 20; lines++) {
		struct pm_documentpages p = { .page = NULL };
		size_t all = 0, headings = 0;

		ck_assert_int_eq(pm_documentpages_text(&p, text, 6, lines), 0);
		for (size_t i = 0; i < p.n; i++) {
			const char *line = p.page[i].text, *last = line;

			ck_assert_uint_le(p.page[i].lines, i ? lines : 6);
			ck_assert(*line != '\n');
			for (size_t k = 0; k < p.page[i].lines; k++) {
				last = line;
				all += *line != '\n';
				headings += pm_documentpages_heading(text, line);
				line = strchr(line, '\n') + 1;
			}
			ck_assert(!pm_documentpages_heading(text, last));
		}
		ck_assert_uint_eq(all, 12);
		ck_assert_uint_eq(headings, 3);
		pm_documentpages_free(&p);
	}
}
END_TEST

/* A section that would be cut late on a page begins the next one; one that is longer than a page,
 * or would leave much of one empty, is cut. */
START_TEST(sections)
{
	static const struct {
		size_t lines, first; /* of a page, and on the first one */
	} cases[] = { { 10, 9 }, { 12, 9 }, { 14, 9 }, { 16, 16 }, { 20, 20 } };
	static const char text[] =
		"Job 1\n----\n  a\n  b\n  c\n  d\n  e\n  f\n\nOne\n  g\n  h\n  i\n  j\n  k\n"
		"  l\n  m\n  n\n  o\n  p\n";

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pm_documentpages p = { .page = NULL };

		ck_assert_int_eq(pm_documentpages_text(&p, text, cases[i].lines, cases[i].lines),
				 0);
		ck_assert_uint_eq(p.page[0].lines, cases[i].first);
		pm_documentpages_free(&p);
	}
}
END_TEST

/* SKA's pages: all of them, those of all nodes first; one page in place of two where nothing was
 * sampled, and none of what is not SKA's. */
START_TEST(pages_of_plots)
{
	bool has[PM_PLOTS_PAGES] = { [PM_PLOTS_CPU] = true,
				     [PM_PLOTS_NETWORK] = true,
				     [PM_PLOTS_POWER] = true,
				     [PM_PLOTS_GPU] = true };
	static const char *const want[] = {
		"CPU, memory, bandwidth: all nodes",
		"Network: all nodes",
		"Interconnect: not sampled",
		"Power: all nodes",
		"GPUs: all nodes",
		"CPU, memory, bandwidth: per node",
		"Network: per node",
		"Power: per node",
		"GPUs: per node",
	};
	struct pm_documentpages p = { .page = NULL };
	char title[96];

	ck_assert_int_eq(pm_documentpages_plots(&p, has), 0);
	ck_assert_uint_eq(p.n, sizeof want / sizeof want[0]);
	for (size_t i = 0; i < p.n; i++) {
		pm_documentpages_title(title, &p.page[i]);
		ck_assert_str_eq(title, want[i]);
	}
	pm_documentpages_free(&p);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("draw");
	TCase *t = tcase_create("draw");

	tcase_add_test(t, linear_marks);
	tcase_add_test(t, log_marks);
	tcase_add_test(t, time_marks);
	tcase_add_test(t, values);
	tcase_add_test(t, few);
	tcase_add_test(t, thinned);
	tcase_add_test(t, combined);
	tcase_add_test(t, pages);
	tcase_add_test(t, sections);
	tcase_add_test(t, pages_of_plots);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
