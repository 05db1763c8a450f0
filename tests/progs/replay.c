/*
 * Makes up the series files of a job of many hosts and hours from one that the sampler recorded,
 * for tests and benchmarks of loading. Deterministic: the same words give the same bytes.
 *
 * usage: replay RECORDING HOSTS HOURS CPUS DIRECTORY          writes DIRECTORY/nN.series
 *        replay RECORDING HOSTS HOURS CPUS --values HOST      prints the samples of a host
 *
 * HOURS may be seconds: 90s.
 *
 * Every host repeats the recording from a place of its own, with its ticks as they were. Counters
 * go on where the repetition begins; each growth of a counter and each value of a gauge that
 * changes has noise of its own, of a tenth, in steps as those recorded (pages of memory, say). Of
 * the recorded series, those that change are taken, and others so that at most three in ten never
 * do. CPUs that the recording lacks are like those that it has, with noise of their own. Hosts and
 * the time of the first tick are those of generate.c. Samples are printed in the order of the
 * series, and of time: source, metric, object, time in us, value or \N, reason. The last line on
 * standard error says how many samples there are, and of how many series, changing ones among them.
 */
#include "config.h"

#include "tests/progs/generate.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	uint32_t series;
	int64_t value; /* of a gauge; of a counter its growth */
	const char *reason;
};

struct tick {
	int64_t real_us, monotonic_us; /* since the first one */
	size_t first, items;
};

struct series {
	long id;
	char *declaration; /* source, metric, object, unit, kind with tabs between */
	bool counter, known, changes, taken;
	int64_t first, last, least, greatest;
	int64_t step;  /* of which all values, of a counter its growths, are multiples */
	int64_t count; /* a counter's value so far */
};

static struct item *item;
static struct tick *tick;
static struct series *series;
static size_t items, items_cap, ticks, ticks_cap, all, all_cap, taken, changing;
static int64_t span_us;
static uint64_t samples;

static void *grown(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? 2 * *cap : 1024;
	return checked(realloc(p, *cap * size));
}

/* --- the recording ---------------------------------------------------------------------------- */

static uint32_t find_series(long id)
{
	for (size_t i = 0; i < all; i++)
		if (series[i].id == id)
			return (uint32_t)i;
	die("series %ld is not declared", id);
}

static void declare(char *line)
{
	char *declaration, *end, *kind;
	long id = strtol(line, &declaration, 10);

	series = grown(series, all, &all_cap, sizeof *series);
	end = strrchr(declaration, '\t');
	*end = '\0';
	kind = strrchr(declaration, '\t');
	series[all++] = (struct series){
		.id = id,
		.declaration = strdup(declaration + 1),
		.counter = strcmp(kind, "\tcounter") == 0,
	};
}

/* The greatest common divisor. */
static int64_t divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* Note a known value. Returns it, of a counter its growth. */
static int64_t note(struct series *s, int64_t value)
{
	int64_t before = s->last, growth;

	if (!s->known)
		s->first = s->least = s->greatest = before = value;
	s->known = true;
	s->last = value;
	s->least = value < s->least ? value : s->least;
	s->greatest = value > s->greatest ? value : s->greatest;
	s->changes = s->least != s->greatest;
	growth = !s->counter ? value : value > before ? value - before : 0;
	s->step = divisor(s->step, growth);
	return growth;
}

static void take_tick(char *line)
{
	char *p = line, *end = strrchr(line, '\t');
	struct tick *t;

	*end = '\0';
	tick = grown(tick, ticks, &ticks_cap, sizeof *tick);
	t = &tick[ticks++];
	t->real_us = strtoll(p, &p, 10);
	t->monotonic_us = strtoll(p, &p, 10);
	t->first = items;
	for (char *pair = strtok(p, "\t "); pair; pair = strtok(NULL, " ")) {
		char *value;
		struct item x = { .series = find_series(strtol(pair, &value, 10)) };

		value++;
		if (strncmp(value, "\\N", 2) == 0)
			x.reason = strdup(value[2] == ':' ? value + 3 : "");
		else
			x.value = note(&series[x.series], strtoll(value, NULL, 10));
		item = grown(item, items, &items_cap, sizeof *item);
		item[items++] = x;
	}
	t->items = items - t->first;
}

/* The number of the CPU of a series, or -1. */
static long cpu_of(const struct series *s)
{
	const char *object = strchr(strchr(s->declaration, '\t') + 1, '\t') + 1;
	char *end;
	long cpu;

	if (strncmp(object, "cpu", 3) != 0 || object[3] < '0' || object[3] > '9')
		return -1;
	cpu = strtol(object + 3, &end, 10);
	return *end == '\t' ? cpu : -1;
}

/* A series of another CPU like this one. Returns its number. */
static uint32_t add_copy(size_t of, long cpu)
{
	const char *object = strchr(strchr(series[of].declaration, '\t') + 1, '\t') + 1;
	char *declaration;

	if (asprintf(&declaration, "%.*scpu%ld%s", (int)(object - series[of].declaration),
		     series[of].declaration, cpu, strchr(object, '\t')) < 0)
		die("out of memory");
	series = grown(series, all, &all_cap, sizeof *series);
	series[all] = series[of];
	series[all].id = (long)all + 1000000;
	series[all].declaration = declaration;
	return (uint32_t)all++;
}

/* Add CPUs, with their items in each tick. */
static void add_cpus(long cpus)
{
	size_t recorded = all, n = 0, cap = 0;
	struct item *more = NULL;
	uint32_t *first; /* series -> its first copy */
	long there = 0;

	for (size_t i = 0; i < recorded; i++)
		there = cpu_of(&series[i]) >= there ? cpu_of(&series[i]) + 1 : there;
	first = checked(calloc(recorded, sizeof *first));
	for (size_t i = 0; i < recorded && there; i++)
		for (long cpu = cpu_of(&series[i]); cpu >= 0 && (cpu += there) < cpus;) {
			uint32_t copy = add_copy(i, cpu);

			first[i] = first[i] ? first[i] : copy;
		}
	for (size_t i = 0; i < ticks; i++) {
		size_t begin = n;

		for (size_t k = 0; k < tick[i].items; k++) {
			struct item x = item[tick[i].first + k];
			long cpu = cpu_of(&series[x.series]);
			uint32_t copy = first[x.series];

			more = grown(more, n, &cap, sizeof *more);
			more[n++] = x;
			for (; copy && cpu >= 0 && (cpu += there) < cpus; copy++) {
				x.series = copy;
				more = grown(more, n, &cap, sizeof *more);
				more[n++] = x;
			}
		}
		tick[i].first = begin;
		tick[i].items = n - begin;
	}
	free(item);
	free(first);
	item = more;
}

static void read_recording(const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;

	if (!in)
		die("%s: %m", path);
	while (getline(&line, &cap, in) > 0) {
		if (strncmp(line, "series\t", 7) == 0)
			declare(line + 7);
		else if (strncmp(line, "tick\t", 5) == 0)
			take_tick(line + 5);
	}
	free(line);
	fclose(in);
	if (ticks < 2)
		die("%s: too few ticks", path);
	span_us = tick[ticks - 1].monotonic_us - tick[0].monotonic_us + 1000000;
	span_us -= span_us % 1000000;
	for (size_t i = ticks; i-- > 0;) {
		tick[i].real_us -= tick[0].real_us;
		tick[i].monotonic_us -= tick[0].monotonic_us;
	}
}

/* Take series: all that change, then others while these are at most three in ten. */
static void take_series(void)
{
	for (size_t i = 0; i < all; i++)
		if (series[i].changes) {
			series[i].taken = true;
			taken++;
		}
	changing = taken;
	for (size_t i = 0; i < all; i++)
		if (!series[i].changes && (taken - changing + 1) * 10 <= 3 * (taken + 1)) {
			series[i].taken = true;
			taken++;
		}
}

/* --- hosts ------------------------------------------------------------------------------------ */

static uint64_t mixed(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* A value with noise, of series s in tick number `at` of a host. */
static int64_t noisy(const struct series *s, const struct item *x, long host, uint64_t at)
{
	uint64_t random = mixed(mixed((uint64_t)host << 32 | x->series) + at);
	double part = (double)(random >> 11) / (double)(1ull << 53) - 0.5, noise;

	if (!s->changes || s->step == 0)
		return x->value;
	noise = s->counter ? (double)x->value * part / 5
			   : ((double)s->greatest - (double)s->least) * part / 10;
	return x->value + (int64_t)(noise / (double)s->step) * s->step;
}

struct place {
	size_t first; /* tick of the recording with which the host begins */
	uint64_t at;  /* number of ticks before this one */
	int64_t us;   /* time since the first one */
	const struct tick *tick;
};

/* The first tick of a host, then the next one. Returns whether it is within `long_us`. */
static bool next_tick(struct place *p, long host, int64_t long_us)
{
	uint64_t number;

	if (!p->tick) {
		p->first = (size_t)(mixed((uint64_t)host + 1) % ticks);
		p->at = 0;
	} else {
		p->at++;
	}
	number = p->first + p->at;
	p->tick = &tick[number % ticks];
	p->us = (int64_t)(number / ticks) * span_us + p->tick->monotonic_us -
		tick[p->first].monotonic_us;
	return p->us < long_us;
}

static char *add_number(char *to, int64_t value)
{
	char digit[24];
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	int n = 0;

	if (value < 0)
		*to++ = '-';
	do
		digit[n++] = (char)('0' + left % 10);
	while (left /= 10);
	while (n)
		*to++ = digit[--n];
	return to;
}

static void write_tick(FILE *out, const struct place *p, long host)
{
	static char *line;
	char *to;

	if (!line)
		line = checked(malloc(100 + all * 300));
	to = line + sprintf(line, "tick\t%lld\t%lld\t", (long long)(BEGIN_US + p->us),
			    (long long)(5000000 + p->us));
	for (size_t i = 0; i < p->tick->items; i++) {
		const struct item *x = &item[p->tick->first + i];
		struct series *s = &series[x->series];

		if (!s->taken)
			continue;
		samples++;
		to = add_number(to, s->id);
		*to++ = '=';
		if (x->reason) {
			to += sprintf(to, "\\N%s%.250s", *x->reason ? ":" : "", x->reason);
		} else {
			int64_t value = noisy(s, x, host, p->at);

			if (s->counter)
				value = s->count += value;
			to = add_number(to, value);
		}
		*to++ = ' ';
	}
	to -= to[-1] == ' ';
	memcpy(to, "\t.\n", 3);
	if (fwrite(line, (size_t)(to + 3 - line), 1, out) != 1)
		die("write: %m");
}

static void write_host(const char *directory, long host, int64_t long_us)
{
	struct place p = { .tick = NULL };
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/n%ld.series", directory, host);
	out = fopen(path, "w");
	if (!out)
		die("%s: %m", path);
	fprintf(out, "perfmon-series-1\tn%ld\t00000000-0000-4000-8000-%012ld\t1000000\t.\n", host,
		host);
	for (size_t i = 0; i < all; i++) {
		series[i].count = series[i].first;
		if (series[i].taken)
			fprintf(out, "series\t%ld\t%s\t.\n", series[i].id, series[i].declaration);
	}
	while (next_tick(&p, host, long_us))
		write_tick(out, &p, host);
	if (fclose(out) != 0)
		die("%s: %m", path);
}

/* Print the samples of one series. */
static void print_series(struct series *s, long host, int64_t long_us)
{
	struct place p = { .tick = NULL };
	size_t *at = checked(malloc(ticks * sizeof *at));
	int field = 0;

	for (size_t i = 0; i < ticks; i++) {
		at[i] = SIZE_MAX;
		for (size_t k = 0; k < tick[i].items; k++)
			if (&series[item[tick[i].first + k].series] == s)
				at[i] = tick[i].first + k;
	}
	s->count = s->first;
	while (next_tick(&p, host, long_us)) {
		size_t k = at[p.tick - tick];

		if (k == SIZE_MAX)
			continue;
		field = 0;
		for (const char *c = s->declaration; field < 3; c++)
			if (*c == '\t' && ++field == 3)
				printf("%.*s", (int)(c - s->declaration), s->declaration);
		if (item[k].reason) {
			printf("\t%lld\t\\N\t%s\n", (long long)(BEGIN_US + p.us), item[k].reason);
		} else {
			int64_t value = noisy(s, &item[k], host, p.at);

			if (s->counter)
				value = s->count += value;
			printf("\t%lld\t%lld\t\n", (long long)(BEGIN_US + p.us), (long long)value);
		}
		samples++;
	}
	free(at);
}

static long number(const char *text, long most)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || !*text || value < 0 || value > most)
		die("%s: a number up to %ld", text, most);
	return value;
}

/* Hours, or seconds with an s behind, in us. */
static int64_t duration(const char *text)
{
	char *end;
	const long value = strtol(text, &end, 10);
	const bool seconds = strcmp(end, "s") == 0;

	if (end == text || (*end && !seconds) || value < 0 || value > 100000)
		die("%s: hours, or seconds such as 90s, up to 100000", text);
	return value * (seconds ? 1000000 : 3600000000);
}

int main(int argc, char **argv)
{
	long hosts;
	int64_t long_us;

	if (argc < 6) {
		fputs("usage: replay RECORDING HOSTS HOURS CPUS DIRECTORY | --values HOST\n",
		      stderr);
		return 2;
	}
	hosts = number(argv[2], 9999);
	long_us = duration(argv[3]);
	read_recording(argv[1]);
	add_cpus(number(argv[4], 100000));
	take_series();
	if (strcmp(argv[5], "--values") == 0 && argc == 7) {
		for (size_t i = 0; i < all; i++)
			if (series[i].taken)
				print_series(&series[i], number(argv[6], 9999), long_us);
	} else {
		for (long host = 0; host < hosts; host++)
			write_host(argv[5], host, long_us);
	}
	fprintf(stderr, "%llu %zu %zu\n", (unsigned long long)samples, taken, changing);
	return 0;
}
