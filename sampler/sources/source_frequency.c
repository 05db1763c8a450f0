/*
 * Source "frequency": the clock frequency of each CPU, from cpufreq (scaling_cur_freq), else from
 * the line "cpu MHz" of /proc/cpuinfo. Slow: the kernel may have to ask every CPU.
 */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/kernel/sysfslist.h"
#include "sampler/sources/keyfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pm_metric metrics[] = {
	{ "frequency", "Hz", "current frequency; in all: the mean of the known ones", "cpu", true,
	  PM_METRIC_GAUGE },
};

/* CPU numbers are below this. */
#define CPUS_MAX (UINT16_MAX + 1)

struct cpu {
	int64_t number;
	int series;              /* -1: none */
	int64_t hz;              /* in this sample; -1: unknown */
	struct pm_procfile file; /* with cpufreq */
};

struct state {
	struct pm_procfile cpuinfo; /* without cpufreq; path NULL: not used */
	struct cpu *cpu;            /* owned */
	size_t count;
	bool no_series; /* of single CPUs */
};

static void frequency_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++)
		pm_procfile_close(&s->cpu[i].file);
	pm_procfile_close(&s->cpuinfo);
	free(s->cpu);
	free(s);
}

/* Add a CPU. Returns NULL when memory is short. */
static struct cpu *add_cpu(struct state *s, struct pm_sink *sink, int64_t number)
{
	struct cpu *more = realloc(s->cpu, (s->count + 1) * sizeof *more);
	char object[32];

	if (!more)
		return NULL;
	s->cpu = more;
	snprintf(object, sizeof object, "cpu%d", (int)number);
	more[s->count] = (struct cpu){
		.number = number,
		.hz = -1,
		.series = s->no_series ? -1 : pm_sink_series(sink, 0, object),
		.file.fd = -1,
	};
	return &more[s->count++];
}

/* Open scaling_cur_freq of each CPU. Returns how many CPUs have that file. */
static size_t open_cpufreq(struct state *s, const struct pm_target *target, struct pm_sink *sink)
{
	int64_t *number;
	ssize_t n = pm_sysfslist_directory(target->root, "sys/devices/system/cpu", "cpu", &number);

	for (ssize_t i = 0; i < n && number[i] < CPUS_MAX; i++) {
		struct pm_procfile f;
		struct cpu *cpu;
		char path[128];

		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
			 (int)number[i]);
		if (pm_procfile_open(&f, target->root, path) < 0)
			continue;
		cpu = add_cpu(s, sink, number[i]);
		if (cpu)
			cpu->file = f;
		else
			pm_procfile_close(&f);
	}
	free(number);
	return s->count;
}

/* Whether a text has lines that begin with "cpu MHz". */
static bool has_mhz(const char *text)
{
	return strncmp(text, "cpu MHz", 7) == 0 || strstr(text, "\ncpu MHz");
}

static int frequency_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			  struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	const char *text;

	if (!s)
		return pm_source_unavailable(why, "/proc/cpuinfo");
	s->cpuinfo.fd = -1;
	s->no_series = target->no_cpu_series;
	if (open_cpufreq(s, target, sink) == 0) {
		if (pm_procfile_open(&s->cpuinfo, target->root, "proc/cpuinfo") < 0 ||
		    pm_procfile_read(&s->cpuinfo, &text) < 0) {
			pm_source_unavailable(why, "/proc/cpuinfo");
			frequency_close(s);
			return -1;
		}
		if (!has_mhz(text)) {
			frequency_close(s);
			why->reason = PM_REASON_absent;
			return pm_err(&why->err,
				      "neither cpufreq nor /proc/cpuinfo provides a frequency");
		}
	}
	*state = s;
	return 0;
}

static void put_frequency(struct cpu *cpu, struct pm_sink *sink, int64_t hz)
{
	cpu->hz = hz;
	pm_sink_value(sink, cpu->series, hz);
}

/* Put the frequencies in /proc/cpuinfo. */
static void put_cpuinfo(struct state *s, struct pm_sink *sink)
{
	int64_t number = -1, hz;
	const char *text, *end;
	ssize_t n = pm_procfile_read(&s->cpuinfo, &text);

	if (n < 0) {
		pm_sink_clear(sink, pm_reason_errno(errno));
		return;
	}
	end = text + n;
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		const char *colon;
		size_t i = 0;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		colon = memchr(p, ':', (size_t)(newline - p));
		if (!colon || colon + 2 >= newline)
			continue;
		colon += 2;
		if (strncmp(p, "processor", 9) == 0 &&
		    (pm_procfile_number(&colon, newline + 1, &number) < 0 || number >= CPUS_MAX))
			number = -1;
		if (strncmp(p, "cpu MHz", 7) != 0 || number < 0)
			continue;
		while (i < s->count && s->cpu[i].number != number)
			i++;
		if (i == s->count && !add_cpu(s, sink, number))
			continue;
		if (pm_procfile_decimal(&colon, newline + 1, 6, &hz) == 0 && *colon == '\n')
			put_frequency(&s->cpu[i], sink, hz);
		else
			pm_sink_unknown(sink, s->cpu[i].series, PM_REASON_parse);
	}
}

static void put_cpufreq(struct cpu *cpu, struct pm_sink *sink)
{
	const char *text;
	ssize_t n = pm_procfile_read(&cpu->file, &text);
	int64_t khz;

	if (n < 0)
		pm_sink_unknown(sink, cpu->series, pm_reason_errno(errno));
	else if (pm_keyfile_number(text, (size_t)n, &khz) < 0 || khz > INT32_MAX)
		pm_sink_unknown(sink, cpu->series, PM_REASON_parse);
	else
		put_frequency(cpu, sink, khz * 1000);
}

static void frequency_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	int64_t sum = 0, known = 0;

	for (size_t i = 0; i < s->count; i++)
		s->cpu[i].hz = -1;
	if (s->cpuinfo.path)
		put_cpuinfo(s, sink);
	else
		for (size_t i = 0; i < s->count; i++)
			put_cpufreq(&s->cpu[i], sink);
	for (size_t i = 0; i < s->count; i++) {
		if (s->cpu[i].hz < 0)
			continue;
		sum += s->cpu[i].hz;
		known++;
	}
	if (known)
		pm_sink_value(sink, 0, sum / known);
}

const struct pm_source pm_source_frequency = {
	.name = "frequency",
	.help = "frequency of each CPU",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = frequency_open,
	.sample = frequency_sample,
	.close = frequency_close,
};
