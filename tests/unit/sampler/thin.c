/* Bounded series keep span, last values, sums and extremes. */
#include "config.h"

#include "sampler/downsample.h"

#include "tests/unit/sampler/root.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { GAUGE, COUNTER, OBJECT };

static const struct pm_metric metrics[] = {
	[GAUGE] = { "level", "B", "", NULL, false, PM_METRIC_GAUGE },
	[COUNTER] = { "total", "n", "", NULL, false, PM_METRIC_COUNTER },
	[OBJECT] = { "part", "B", "", "object", false, PM_METRIC_GAUGE },
};

static const struct pm_source source = { .name = "fake", .metrics = metrics, .metrics_count = 3 };

static struct pm_writer writer;
static struct pm_thinner thinner;
static struct pm_sink sink;
static struct pm_sink *const sinks[] = { &sink };
static char file[512], text[1 << 22];
static int64_t now_us;

static void begin(void)
{
	char host[HOST_NAME_MAX + 1];

	root_make();
	PM_SURE(gethostname(host, sizeof host) == 0);
	snprintf(file, sizeof file, "%s/%s.series", root, host);
	PM_SURE(pm_sink_init(&sink, &source) == 0);
	now_us = 1000;
}

static void open_thinner(uint64_t max)
{
	PM_SURE(pm_writer_open(&writer, root, -1, 1000, root, NULL) == 0);
	thinner = (struct pm_thinner){ .writer = &writer, .max = max };
}

static void close_thinner(void)
{
	PM_SURE(pm_thinner_flush(&thinner) == 0);
	pm_thinner_close(&thinner);
	pm_writer_close(&writer);
}

static void end(void)
{
	pm_sink_free(&sink);
	root_remove();
}

static int tick(void)
{
	const struct pm_moment at = { now_us, now_us, 0 };

	now_us += 1000;
	return pm_thinner_tick(&thinner, at, sinks, 1);
}

/* --- what a reader makes of it ---------------------------------------------------------------- */

/* All there is to know about a gauge and about a counter. */
struct seen {
	int64_t first_us, last_us, ticks;
	int64_t last, min, max, sum, count, unknown;
	int64_t counter, increase;
	int64_t less; /* ticks in which the sum of all values is less than the largest of them */
};

struct column {
	char metric[16], object[32], kind[16];
};

/* A value of a tick: "id=value". Returns false where it is unknown. */
static bool value_of(const char *p, int *id, int64_t *value)
{
	const char *equals = strchr(p, '=');

	*id = atoi(p);
	*value = strtoll(equals + 1, NULL, 10);
	return equals[1] != '\\';
}

static void read_file(void)
{
	int fd = open(file, O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	PM_SURE(n >= 0);
	text[n] = '\0';
	close(fd);
}

/* Look at the gauge `metric` of `object`, as perfmon-series(5) says, and at the counter. */
static struct seen look(const char *metric, const char *object)
{
	static struct column column[1000];
	struct seen s = { .first_us = -1, .min = INT64_MAX, .max = INT64_MIN, .counter = -1 };
	char *rest = text;

	read_file();
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		bool has_count = false, has = false;
		int64_t value, plain = 0, sum = INT64_MAX, max = INT64_MIN;
		char *field[9] = { NULL }, *item;
		int fields = 0, id;

		if (!strchr(line, '.') || line[strlen(line) - 1] != '.')
			continue;
		while (fields < 9 && (field[fields] = strsep(&line, "\t")) != NULL)
			fields++;
		if (strcmp(field[0], "series") == 0) {
			struct column *c = &column[atoi(field[1])];

			snprintf(c->metric, sizeof c->metric, "%s", field[3]);
			snprintf(c->object, sizeof c->object, "%s", field[4]);
			snprintf(c->kind, sizeof c->kind, "%s", field[6]);
		}
		if (strcmp(field[0], "tick") != 0)
			continue;
		while ((item = strsep(&field[3], " ")) != NULL) {
			const bool known = value_of(item, &id, &value);
			const struct column *c = &column[id];

			if (strcmp(c->kind, "counter") == 0 && known) {
				s.increase += s.counter < 0 ? 0 : value - s.counter;
				s.counter = value;
			}
			if (strcmp(c->metric, metric) != 0 || strcmp(c->object, object) != 0)
				continue;
			if (strcmp(c->kind, "gauge") == 0) {
				has = true;
				plain = known ? value : -1;
				s.last = plain;
			} else if (strcmp(c->kind, "count") == 0) {
				has_count = true;
				s.count += value;
			} else if (known && strcmp(c->kind, "sum") == 0) {
				s.sum = (int64_t)((uint64_t)s.sum + (uint64_t)value);
				sum = value;
			} else if (known && strcmp(c->kind, "min") == 0) {
				s.min = value < s.min ? value : s.min;
			} else if (known && strcmp(c->kind, "max") == 0) {
				s.max = value > s.max ? value : s.max;
				max = value;
			}
		}
		s.less += sum < max;
		if (!has)
			continue;
		s.ticks++;
		s.last_us = atoll(field[1]);
		s.first_us = s.first_us < 0 ? s.last_us : s.first_us;
		if (has_count || plain < 0)
			continue;
		s.sum = (int64_t)((uint64_t)s.sum + (uint64_t)plain);
		s.count++;
		s.min = plain < s.min ? plain : s.min;
		s.max = plain > s.max ? plain : s.max;
	}
	return s;
}

/* --- tests ------------------------------------------------------------------------------------ */

static unsigned random_below(unsigned below)
{
	static uint64_t x = 88172645463325252;

	x = x * 6364136223846793005 + 1442695040888963407;
	return (unsigned)((x >> 33) % below);
}

static const struct {
	uint64_t max;
	int ticks;
} runs[] = { { 1, 1 },   { 1, 100 },   { 2, 7 },   { 10, 9 },    { 10, 10 },
	     { 10, 11 }, { 10, 4000 }, { 7, 999 }, { 100, 5000 } };

/* Any run, bounded and not: the same span, last value, sums and extremes. */
START_TEST(same)
{
	const int64_t seed = 1 + (int64_t)random_below(1000);
	struct seen all = { .first_us = 1000, .min = INT64_MAX, .max = INT64_MIN };
	int64_t total = 5, bound = (int64_t)runs[_i].max;
	struct seen got;

	open_thinner(runs[_i].max);
	for (int i = 0; i < runs[_i].ticks; i++) {
		int64_t value = (int64_t)random_below(1000000) * seed;
		int rc;

		pm_sink_clear(&sink, PM_REASON_late);
		total += i ? random_below(50) : 0;
		pm_sink_value(&sink, COUNTER, total);
		all.last = -1;
		if (random_below(4)) {
			pm_sink_value(&sink, GAUGE, value);
			all.last = value;
			all.sum += value;
			all.count++;
			all.min = value < all.min ? value : all.min;
			all.max = value > all.max ? value : all.max;
		}
		all.last_us = now_us;
		rc = tick();
		PM_SURE(rc == 0 || rc == 1);
	}
	close_thinner();
	got = look("level", "");
	ck_assert_int_eq(got.first_us, all.first_us);
	ck_assert_int_eq(got.last_us, all.last_us);
	ck_assert_int_eq(got.last, all.last);
	ck_assert_int_eq(got.sum, all.sum);
	ck_assert_int_eq(got.count, all.count);
	ck_assert_int_eq(got.min, all.min);
	ck_assert_int_eq(got.max, all.max);
	ck_assert_int_eq(got.increase, total - 5);
	/* Half as many again for every doubling, and the last one. */
	for (int64_t n = runs[_i].ticks; n > (int64_t)runs[_i].max; n /= 2)
		bound += (int64_t)(runs[_i].max + 1) / 2;
	ck_assert_int_le(got.ticks, bound + 1);
	ck_assert_int_ge(got.ticks, runs[_i].ticks < bound ? runs[_i].ticks / 2 : bound / 3);
}
END_TEST

START_TEST(not_bounded)
{
	open_thinner(0);
	for (int i = 0; i < 1000; i++) {
		pm_sink_value(&sink, GAUGE, i);
		ck_assert_int_eq(tick(), 0);
	}
	close_thinner();
	ck_assert_int_eq(look("level", "").ticks, 1000);
	ck_assert_ptr_null(strstr(text, "thinned"));
}
END_TEST

/* Objects that come and go while a tick is being put together: none is lost, none is mixed up. */
START_TEST(objects)
{
	char name[32];
	int series = -1;

	open_thinner(4);
	for (int i = 0; i < 200; i++) {
		if (i % 5 == 0) {
			if (series >= 0)
				pm_sink_forget(&sink, series);
			snprintf(name, sizeof name, "o%d", i / 5);
			series = pm_sink_series(&sink, OBJECT, name);
		}
		pm_sink_value(&sink, series, i);
		PM_SURE(tick() >= 0);
	}
	close_thinner();
	for (int i = 0; i < 40; i++) {
		struct seen s;

		snprintf(name, sizeof name, "o%d", i);
		s = look("part", name);
		ck_assert_int_eq(s.count, 5);
		ck_assert_int_eq(s.sum, 5 * (5 * i + 2));
		ck_assert_int_eq(s.min, 5 * i);
		ck_assert_int_eq(s.max, 5 * i + 4);
	}
	/* Their places were given to others. */
	ck_assert_uint_lt(sink.count, 150);
}
END_TEST

/* A sum that did not fit is not known again, however small what comes then. */
START_TEST(sums_stay_unknown)
{
	open_thinner(1);
	for (int i = 0; i <= _i; i++) {
		pm_sink_value(&sink, GAUGE, INT64_MAX - i % 3);
		PM_SURE(tick() >= 0);
	}
	close_thinner();
	ck_assert_int_eq(look("level", "").less, 0);
	ck_assert_int_eq(look("level", "").count, _i + 1);
}
END_TEST

START_TEST(overflow)
{
	open_thinner(1);
	for (int i = 0; i < 4; i++) {
		pm_sink_value(&sink, GAUGE, INT64_MAX - i);
		PM_SURE(tick() >= 0);
	}
	close_thinner();
	ck_assert_int_eq(look("level", "").max, INT64_MAX);
	ck_assert_int_eq(look("level", "").min, INT64_MAX - 3);
	read_file();
	ck_assert_ptr_nonnull(strstr(text, "=\\N:wrapped"));
}
END_TEST

/* A full disk while it is thinned loses nothing: what was read is written when there is room. */
START_TEST(full_disk)
{
	struct rlimit limit = { 1, RLIM_INFINITY };
	int64_t sum = 0;

	signal(SIGXFSZ, SIG_IGN);
	open_thinner(4);
	for (int i = 0; i < 300; i++) {
		if (i == 100 || i == 200) {
			limit.rlim_cur = i == 100 ? 1 : RLIM_INFINITY;
			PM_SURE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
		}
		pm_sink_value(&sink, GAUGE, i);
		sum += i;
		PM_SURE(tick() >= 0);
	}
	close_thinner();
	ck_assert_int_eq(look("level", "").sum, sum);
	ck_assert_int_eq(look("level", "").count, 300);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_thin");
	TCase *t = tcase_create("thin");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_loop_test(t, same, 0, (int)(sizeof runs / sizeof runs[0]));
	tcase_add_test(t, not_bounded);
	tcase_add_test(t, objects);
	tcase_add_loop_test(t, sums_stay_unknown, 0, 12);
	tcase_add_test(t, overflow);
	tcase_add_test(t, full_disk);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
