/* The sampler with sources that hang, crash, are dear, have too much to say: the others go on. */
#include "config.h"

#include "sampler/loop.h"

#include "tests/unit/sampler/root.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/* --- sources ---------------------------------------------------------------------------------- */

static const struct pm_metric metrics[] = {
	{ "count", "n", "readings", NULL, false, PM_METRIC_COUNTER },
	{ "part", "n", "of an object", "object", false, PM_METRIC_GAUGE },
};

struct state {
	int64_t count;
	int series;
};

static int fake_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	(void)target, (void)why, (void)sink;
	PM_SURE(s);
	s->series = -1;
	*state = s;
	return 0;
}

static void fake_close(void *state)
{
	free(state);
}

static void good(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	pm_sink_value(sink, 0, ++s->count);
}

/* Each object is there for three readings. */
static void coming(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	char name[32];

	good(state, sink);
	if (s->count % 3 == 1) {
		pm_sink_forget(sink, s->series);
		snprintf(name, sizeof name, "object %lld\t", (long long)(s->count / 3));
		s->series = pm_sink_series(sink, 1, name);
	}
	pm_sink_value(sink, s->series, s->count);
}

static void crash(void *state, struct pm_sink *sink)
{
	good(state, sink);
	if (((struct state *)state)->count == 3) {
		/* Even where a sanitizer would look into it. */
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
}

static void leave(void *state, struct pm_sink *sink)
{
	good(state, sink);
	if (((struct state *)state)->count == 3)
		_exit(0);
}

static void hang(void *state, struct pm_sink *sink)
{
	good(state, sink);
	while (((struct state *)state)->count == 3)
		poll(NULL, 0, -1);
}

/* 10 ms of CPU time. */
static void burn(void *state, struct pm_sink *sink)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	while ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec < 10000000);
	good(state, sink);
}

/* As much in a command, in user mode. */
static void command(void *state, struct pm_sink *sink)
{
	const pid_t pid = fork();

	if (pid == 0) {
		struct timespec t;

		do {
			for (volatile int i = 0; i < 100000; i++)
				;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		} while (t.tv_sec == 0 && t.tv_nsec < 10000000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	good(state, sink);
}

/* More than a message holds. */
static void shout(void *state, struct pm_sink *sink)
{
	char name[4001];

	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	for (int i = 0; i < 400; i++)
		pm_sink_series(sink, 1, name);
	good(state, sink);
}

static void tell(void *state, struct pm_sink *sink)
{
	pm_sink_value(sink, 0, ((struct state *)state)->count);
}

static void look_up(void *state)
{
	((struct state *)state)->count++;
}

static int missing(void **state, const struct pm_target *target, struct pm_sink *sink,
		   struct pm_unavailable *why)
{
	(void)state, (void)target, (void)sink;
	errno = EACCES;
	return pm_source_unavailable(why, "fake");
}

static int stuck(void **state, const struct pm_target *target, struct pm_sink *sink,
		 struct pm_unavailable *why)
{
	(void)state, (void)target, (void)sink, (void)why;
	for (;;)
		poll(NULL, 0, -1);
	return -1;
}

#define FAKE(fake_name, sample_fn, ...)                                                            \
	{                                                                                          \
		.name = fake_name, .help = fake_name, .metrics = metrics, .metrics_count = 2,      \
		.open = fake_open, .sample = sample_fn, .close = fake_close, __VA_ARGS__           \
	}

/* --- running them ----------------------------------------------------------------------------- */

static char text[1 << 22];

/* Read the series into text. Returns how many ticks there are. */
static int read_file(const char *file)
{
	int fd = open(file, O_RDONLY), ticks = 0;
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	PM_SURE(n >= 0);
	text[n] = '\0';
	if (fd >= 0)
		close(fd);
	for (const char *p = text; (p = strstr(p, "\ntick\t")) != NULL; p++)
		ticks++;
	return ticks;
}

static int64_t interval_us = 20000;

/* Sample the first sources of the table, `a` and `b`, every 20 ms; text is the series then. */
static void run(const struct pm_source *a, const struct pm_source *b, int ticks)
{
	const struct pm_source *table[PM_SOURCES];
	struct pm_loop_options options = { .root = root,
					   .directory = root,
					   .interval_us = interval_us };
	char host[HOST_NAME_MAX + 1], file[512];
	int status;
	pid_t pid;

	PM_SURE(PM_SOURCES > 2);
	for (size_t i = 0; i < PM_SOURCES; i++)
		table[i] = pm_source_table[i];
	table[0] = a;
	table[1] = b;
	options.table = table;
	options.selected[0] = options.selected[1] = true;
	options.selected[PM_SOURCE_sampler] = true;
	PM_SURE(gethostname(host, sizeof host) == 0);
	snprintf(file, sizeof file, "%s/%s.series", root, host);
	pid = fork();
	if (pid == 0) {
		struct pm_err e = { "" };

		_exit(pm_loop_run(&options, &e) == 0 ? 0 : 1);
	}
	for (int i = 0; i < 6000 && read_file(file) < ticks; i++)
		poll(NULL, 0, 20);
	PM_SURE(kill(pid, SIGTERM) == 0);
	PM_SURE(waitpid(pid, &status, 0) == pid);
	ck_assert_int_eq(status, 0);
	PM_SURE(read_file(file) >= ticks);
	PM_SURE(unlink(file) == 0);
}

/* From the first tick to the last one, in us. */
static long long span(void)
{
	long long first = -1, at = -1;

	for (const char *p = text; (p = strstr(p, "\ntick\t")) != NULL; p++) {
		PM_SURE(sscanf(p, "\ntick\t%*d\t%lld", &at) == 1);
		first = first < 0 ? at : first;
	}
	return at - first;
}

/* The number of a series in the text, -1: none. */
static int number(const char *source, const char *metric)
{
	char line[256];
	const char *p;
	int i;

	snprintf(line, sizeof line, "\t%s\t%s\t\t", source, metric);
	p = strstr(text, line);
	if (!p)
		return -1;
	while (p > text && p[-1] != '\n')
		p--;
	PM_SURE(sscanf(p, "series\t%d", &i) == 1);
	return i;
}

/* How many ticks have this value ("\\N:late"), or any number (""), for a series. */
static int count(const char *source, const char *metric, const char *value)
{
	char want[64];
	int found = 0;
	size_t n;

	n = (size_t)snprintf(want, sizeof want, "%d=%s", number(source, metric), value);
	for (const char *p = text; (p = strstr(p, want)) != NULL; p += n) {
		if (p[-1] != ' ' && p[-1] != '\t')
			continue;
		if (value[0] ? p[n] == ' ' || p[n] == '\t' : p[n] != '\\')
			found++;
	}
	return found;
}

/* The last value of a series. */
static long long last(const char *source, const char *metric)
{
	const int id = number(source, metric);
	long long value = -1;
	char want[32];

	for (const char *p = text; (p = strstr(p, "\ntick\t")) != NULL;) {
		const char *end = strchr(++p, '\n'), *q;

		for (int k = 0; k < 2; k++) {
			snprintf(want, sizeof want, "%c%d=", k ? ' ' : '\t', id);
			q = strstr(p, want);
			if (q && q < end && q[strlen(want)] != '\\')
				value = strtoll(q + strlen(want), NULL, 10);
		}
	}
	return value;
}

/* Whether the known values of a series never fall. */
static bool never_falls(const char *source, const char *metric)
{
	const int id = number(source, metric);
	long long before = -1;
	char want[32];

	for (const char *p = text; (p = strstr(p, "\ntick\t")) != NULL;) {
		const char *end = strchr(++p, '\n'), *q;

		for (int k = 0; k < 2; k++) {
			snprintf(want, sizeof want, "%c%d=", k ? ' ' : '\t', id);
			q = strstr(p, want);
			if (!q || q >= end || q[strlen(want)] == '\\')
				continue;
			if (strtoll(q + strlen(want), NULL, 10) < before)
				return false;
			before = strtoll(q + strlen(want), NULL, 10);
		}
	}
	return true;
}

static const struct pm_source fine = FAKE("fine", good, .tree = true);

/* What the other source has: every one of its readings but those of the sampler's begin and end. */
static void check_complete(int at_least)
{
	ck_assert_int_ge(count("fine", "count", ""), at_least);
	ck_assert_int_eq(count("fine", "count", ""), last("fine", "count"));
	ck_assert_int_eq(count("fine", "count", "\\N:late"), 0);
	ck_assert_int_eq(count("fine", "count", "\\N:failed"), 0);
}

static const struct {
	const char *name;
	void (*sample)(void *state, struct pm_sink *sink);
	int64_t period_us;
} bad[] = {
	{ "crash", crash, 0 },
	{ "crash", crash, 20000 },
	{ "leave", leave, 0 },
	{ "leave", leave, 20000 },
};

/* A source whose period is shorter than the interval is read once in an interval. */
START_TEST(short_period)
{
	static const struct pm_source quick = FAKE("quick", good, .period_us = 1000);

	run(&fine, &quick, 30);
	check_complete(10);
	ck_assert_int_ge(count("quick", "count", ""), 10);
	/* And as the sampler begins and ends. */
	ck_assert_int_le(count("quick", "count", ""), count("fine", "count", "") + 3);
}
END_TEST

/* It crashes at every third reading: counted, started again, alone. */
START_TEST(crashes)
{
	const struct pm_source source =
		FAKE(bad[_i].name, bad[_i].sample, .period_us = bad[_i].period_us);

	run(&fine, &source, 50);
	check_complete(10);
	/* Two readings each time; what its counter counted before goes on. */
	ck_assert_int_eq(count(bad[_i].name, "count", "1"), 1);
	ck_assert_int_ge(last(bad[_i].name, "count"), 3);
	ck_assert_int_ge(count(bad[_i].name, "count", ""), 4);
	ck_assert(never_falls(bad[_i].name, "count"));
	ck_assert_int_ge(count(bad[_i].name, "count", "\\N:failed"), 1);
	ck_assert_int_ge(last("sampler", "failures"), 2);
}
END_TEST

/* Where several are read together, the others are where they were soon after. */
START_TEST(crashes_among_others)
{
	const struct pm_source other = FAKE("other", good, .tree = false);
	const struct pm_source source = FAKE("crash", crash, .tree = false);

	run(&other, &source, 50);
	ck_assert_int_ge(count("other", "count", ""), 10);
	/* Its reader was started again once: afterwards the other one crashed alone. */
	ck_assert_int_ge(last("sampler", "failures"), 2);
	ck_assert_int_eq(count("other", "count", ""), last("other", "count") + 1);
	ck_assert_int_ge(last("crash", "count"), 3);
	ck_assert(never_falls("other", "count"));
}
END_TEST

/* Read at the beginning and at the end, and given its turn every second in the 1.4 between. */
START_TEST(between)
{
	const struct pm_source source =
		FAKE("rare", tell, .period_us = INT64_C(3600000000), .between = look_up);

	run(&fine, &source, 70);
	check_complete(10);
	ck_assert_int_ge(count("rare", "count", "0"), 1);
	ck_assert_int_ge(last("rare", "count"), 1);
}
END_TEST

/* With a longest time it is read that often however long the interval is; without, noticed, not. */
START_TEST(longest)
{
	const struct pm_source source =
		FAKE("often", good, .period_us = 10000, .longest_us = _i ? 0 : 20000);
	int times;

	interval_us = 300000;
	run(&fine, &source, 30);
	times = count("often", "count", "") / count("fine", "count", "");
	if (_i == 0)
		ck_assert_int_ge(times, 3);
	else
		ck_assert_int_lt(times, 3);
}
END_TEST

/* Beside one that follows the tree, with a period, and following the tree itself. */
START_TEST(hangs)
{
	const struct pm_source source =
		FAKE("hang", hang, .period_us = _i == 1 ? 20000 : 0, .tree = _i == 2);
	const struct pm_source rest = FAKE("fine", good);

	run(_i == 2 ? &rest : &fine, &source, 50);
	check_complete(10);
	ck_assert_int_eq(count("hang", "count", ""), 2);
	ck_assert_int_ge(count("hang", "count", "\\N:late"), 1);
	/* The one at the end is counted after the last tick of the sampler's own. */
	ck_assert_int_ge(last("sampler", "late_readings"), count("hang", "count", "\\N:late") - 1);
	ck_assert_int_eq(last("sampler", "failures"), 0);
}
END_TEST

START_TEST(hangs_at_once)
{
	struct pm_source source = FAKE("stuck", good, .period_us = 20000);

	source.open = stuck;
	run(&fine, &source, 30);
	check_complete(5);
	ck_assert_int_eq(count("stuck", "count", ""), 0);
	ck_assert_int_ge(count("stuck", "count", "\\N:late"), 5);
}
END_TEST

/* Of two that are read by one process, the first hangs at its third reading, or when it is opened:
 * it keeps the process, and the other one goes on in a new one. */
START_TEST(hangs_before_another)
{
	const struct pm_source other = FAKE("other", good, .period_us = 20000);
	struct pm_source source = FAKE("hang", hang, .period_us = 20000);

	if (_i)
		source.open = stuck;
	run(&source, &other, 150);
	ck_assert_int_eq(count("hang", "count", ""), _i ? 0 : 2);
	ck_assert_int_ge(count("hang", "count", "\\N:late"), 10);
	ck_assert_int_ge(count("other", "count", ""), 10);
	ck_assert_int_ge(last("other", "count"), 10);
	ck_assert_int_eq(last("sampler", "failures"), 0);
}
END_TEST

/* The first one crashes: it does so alone from then on. */
START_TEST(crashes_before_another)
{
	const struct pm_source other = FAKE("other", good, .period_us = 20000);
	const struct pm_source source = FAKE("crash", crash, .period_us = 20000);

	run(&source, &other, 150);
	ck_assert_int_ge(last("crash", "count"), 3);
	ck_assert_int_ge(count("crash", "count", "\\N:failed"), 1);
	ck_assert_int_ge(last("other", "count"), 10);
	ck_assert(never_falls("other", "count"));
	ck_assert_int_eq(count("other", "count", "\\N:failed"), 0);
}
END_TEST

/* A tenth of a CPU's time, at 10 ms of it each: one in 100 ms, whatever the period. */
START_TEST(dear)
{
	const struct pm_source source =
		FAKE("burn", burn, .period_us = 10000, .budget_ppm = 100000);
	int readings;

	run(&fine, &source, 150);
	check_complete(10);
	readings = count("burn", "count", "");
	ck_assert_int_ge(readings, 2);
	/* One more at the beginning, one at the end. */
	ck_assert_int_le(readings, 2 + span() / 100000);
	ck_assert_int_ge(count("burn", "count", "\\N:budget"), readings);
	ck_assert_int_eq(readings, last("burn", "count"));
}
END_TEST

/* What a command took is its source's, and the sampler's: two readings may not be in the last tick.
 */
START_TEST(commands)
{
	const struct pm_source source = FAKE("command", command, .period_us = 20000);
	char of_source[64];
	const char *p;
	int readings, id;
	long long cost = 0;

	run(&fine, &source, 25);
	readings = count("command", "count", "") - 2;
	/* Kernels that count by ticks take some of it for the kernel's. */
	ck_assert_int_ge(last("sampler", "usertime"), 5000 * readings);
	ck_assert_int_ge(last("sampler", "usertime") + last("sampler", "systemtime"),
			 9000 * readings);
	snprintf(of_source, sizeof of_source, "\tsampler\tcost\t%s\tns\t",
		 pm_source_table[1]->name);
	p = strstr(text, of_source);
	PM_SURE(p);
	while (p[-1] != '\n')
		p--;
	PM_SURE(sscanf(p, "series\t%d", &id) == 1);
	snprintf(of_source, sizeof of_source, " %d=", id);
	while ((p = strstr(p + 1, of_source)) != NULL)
		cost = strtoll(p + strlen(of_source), NULL, 10);
	ck_assert_int_ge(cost, 9000000LL * readings);
}
END_TEST

START_TEST(too_much)
{
	const struct pm_source source = FAKE("shout", shout, .period_us = _i ? 20000 : 0);

	run(&fine, &source, 15);
	check_complete(5);
	ck_assert_int_eq(count("shout", "count", ""), 0);
	ck_assert_int_eq(count("shout", "count", "\\N:unsupported"), 1);
	ck_assert_int_eq(last("sampler", "failures"), 0);
}
END_TEST

START_TEST(not_there)
{
	struct pm_source source = FAKE("missing", good, .period_us = _i ? 20000 : 0);

	source.open = missing;
	run(&fine, &source, 15);
	check_complete(5);
	ck_assert_int_eq(count("missing", "count", "\\N:permission"), 1);
	ck_assert_int_eq(count("missing", "count", ""), 0);
	ck_assert_int_eq(last("sampler", "failures"), 0);
}
END_TEST

START_TEST(objects)
{
	const struct pm_source source = FAKE("coming", coming, .period_us = _i ? 20000 : 0);
	int readings, seen = 0;

	run(&fine, &source, 30);
	check_complete(10);
	readings = (int)last("coming", "count");
	ck_assert_int_ge(readings, 7);
	for (int i = 0; i <= (readings - 1) / 3; i++) {
		char name[64];

		snprintf(name, sizeof name, "\tcoming\tpart\tobject %d\\t\tn\tgauge\t.\n", i);
		seen += strstr(text, name) != NULL;
		/* Three values each, and then it is gone. */
		for (int k = 1; k <= 3 && 3 * i + k <= readings; k++) {
			snprintf(name, sizeof name, "=%d ", 3 * i + k);
			PM_SURE(strstr(text, name));
		}
	}
	ck_assert_int_eq(seen, (readings - 1) / 3 + 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_crew");
	TCase *t = tcase_create("crew");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, short_period);
	tcase_add_loop_test(t, crashes, 0, (int)(sizeof bad / sizeof bad[0]));
	tcase_add_test(t, crashes_among_others);
	tcase_add_test(t, between);
	tcase_add_loop_test(t, longest, 0, 2);
	tcase_add_loop_test(t, hangs, 0, 3);
	tcase_add_test(t, hangs_at_once);
	tcase_add_loop_test(t, hangs_before_another, 0, 2);
	tcase_add_test(t, crashes_before_another);
	tcase_add_test(t, dear);
	tcase_add_test(t, commands);
	tcase_add_loop_test(t, too_much, 0, 2);
	tcase_add_loop_test(t, not_there, 0, 2);
	tcase_add_loop_test(t, objects, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
