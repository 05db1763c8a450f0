/* Format numbers for people. */
#include "config.h"

#include "report/print/format.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *format_unknown(char *text)
{
	snprintf(text, PM_FORMAT_MAX, "unknown");
	return text;
}

/* Format v with three significant digits and its unit; v is below 1000 after rounding. */
static const char *three_digits(char *text, double v, const char *unit)
{
	int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;

	snprintf(text, PM_FORMAT_MAX, "%.*f %s", decimals, v, unit);
	return text;
}

const char *pm_format_duration(char *text, int64_t us)
{
	static const struct {
		int64_t limit; /* in seconds; durations below it use this pair of units */
		int64_t big, small;
		const char *big_name, *small_name;
	} pair[] = {
		{ 3600, 60, 1, "min", "s" },
		{ 2 * 86400, 3600, 60, "h", "min" },
		{ INT64_MAX, 86400, 3600, "d", "h" },
	};
	size_t i = 0;
	int64_t s;

	if (us < 0)
		return format_unknown(text);
	if (us < 1000) {
		snprintf(text, PM_FORMAT_MAX, us == 0 ? "0 s" : "%d us", (int)us);
		return text;
	}
	if (us < 999500)
		return three_digits(text, (double)us / 1e3, "ms");
	if (us < 59950000)
		return three_digits(text, (double)us / 1e6, "s");
	s = us / 1000000 + (us % 1000000 >= 500000);
	while (s >= pair[i].limit)
		i++;
	/* Round to the smaller unit first, so that 59 min 59.7 s does not become 59 min 60 s. */
	s = (s + pair[i].small / 2) / pair[i].small * pair[i].small;
	if (s >= pair[i].limit)
		i++;
	snprintf(text, PM_FORMAT_MAX, "%lld %s %02lld %s", (long long)(s / pair[i].big),
		 pair[i].big_name, (long long)(s % pair[i].big / pair[i].small),
		 pair[i].small_name);
	return text;
}

const char *pm_format_bytes(char *text, int64_t bytes)
{
	static const char *const unit[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes / 1000;
	size_t i = 0;

	if (bytes < 0)
		return format_unknown(text);
	if (bytes < 1000) {
		snprintf(text, PM_FORMAT_MAX, "%d B", (int)bytes);
		return text;
	}
	for (; v >= 999.5 && i + 1 < sizeof unit / sizeof unit[0]; i++)
		v /= 1000;
	return three_digits(text, v, unit[i]);
}

/* Format millionths of a unit with its prefix. */
static const char *format_millionths(char *text, int64_t n, const char *const unit[7])
{
	double v = (double)n;
	size_t i = 0;

	if (n < 0)
		return format_unknown(text);
	if (n == 0) {
		snprintf(text, PM_FORMAT_MAX, "0 %s", unit[2]);
		return text;
	}
	for (; v >= 999.5 && i < 6; i++)
		v /= 1000;
	return three_digits(text, v, unit[i]);
}

const char *pm_format_energy(char *text, int64_t uj)
{
	static const char *const unit[7] = { "uJ", "mJ", "J", "kJ", "MJ", "GJ", "TJ" };

	return format_millionths(text, uj, unit);
}

const char *pm_format_power(char *text, int64_t uw)
{
	static const char *const unit[7] = { "uW", "mW", "W", "kW", "MW", "GW", "TW" };

	return format_millionths(text, uw, unit);
}

const char *pm_format_joules(char *text, int64_t uj)
{
	if (uj < 0)
		return format_unknown(text);
	snprintf(text, PM_FORMAT_MAX, "%lld.%06lld J", (long long)(uj / 1000000),
		 (long long)(uj % 1000000));
	return text;
}

const char *pm_format_count(char *text, int64_t n)
{
	char digits[24];
	size_t len, out = 0;

	if (n < 0)
		return format_unknown(text);
	snprintf(digits, sizeof digits, "%lld", (long long)n);
	len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			text[out++] = ' ';
		text[out++] = digits[i];
	}
	text[out] = '\0';
	return text;
}

const char *pm_format_things(char *text, int64_t n, const char *thing)
{
	size_t len;

	pm_format_count(text, n);
	len = strlen(text);
	snprintf(text + len, PM_FORMAT_MAX - len, " %s%s", thing, n == 1 ? "" : "s");
	return text;
}

const char *pm_format_share(char *text, double share)
{
	double percent = share * 100;

	if (isnan(share) || isinf(share))
		return format_unknown(text);
	if (percent <= 0)
		snprintf(text, PM_FORMAT_MAX, "0 %%");
	else if (percent < 0.1)
		snprintf(text, PM_FORMAT_MAX, "<0.1 %%");
	else if (percent < 9.95)
		snprintf(text, PM_FORMAT_MAX, "%.1f %%", percent);
	else if (percent >= 99.5 && percent < 100)
		snprintf(text, PM_FORMAT_MAX, ">99 %%");
	else
		snprintf(text, PM_FORMAT_MAX, "%.0f %%", percent);
	return text;
}

const char *pm_format_number(char *text, double v)
{
	if (isnan(v) || isinf(v))
		return format_unknown(text);
	if (v == floor(v))
		snprintf(text, PM_FORMAT_MAX, "%.0f", v);
	else
		snprintf(text, PM_FORMAT_MAX, "%.*f", v < 0.995 ? 2 : v < 9.95 ? 1 : 0, v);
	return text;
}

static const char *time_text(char *text, int64_t us, const char *form)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	if (us < 0 || !localtime_r(&t, &tm) || strftime(text, PM_FORMAT_MAX, form, &tm) == 0)
		return format_unknown(text);
	return text;
}

const char *pm_format_time(char *text, int64_t us)
{
	return time_text(text, us, "%Y-%m-%d %H:%M:%S %Z");
}

const char *pm_format_span(char *text, int64_t from_us, int64_t to_us)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	if (from_us < 0 || to_us < 0)
		return format_unknown(text);
	time_text(a, from_us, "%Y-%m-%d %H:%M:%S");
	time_text(b, to_us, "%Y-%m-%d %H:%M:%S %Z");
	/* Repeat the date only if it differs. */
	snprintf(text, PM_FORMAT_MAX, "%.30s to %.30s", a, strncmp(a, b, 11) == 0 ? b + 11 : b);
	return text;
}

const char *pm_format_minute(char *text, int64_t us)
{
	return time_text(text, us, "%Y-%m-%d %H:%M");
}

const char *pm_format_signal(char *text, int64_t number)
{
	/* A table, because sigabbrev_np() is younger than the systems perfmon runs on. */
	static const struct {
		int number;
		const char *name;
	} known[] = {
		{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGVTALRM, "SIGVTALRM" },
		{ SIGPROF, "SIGPROF" }, { SIGSYS, "SIGSYS" },   { SIGSTKFLT, "SIGSTKFLT" },
		{ SIGPWR, "SIGPWR" },   { SIGIO, "SIGIO" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].number == number) {
			snprintf(text, PM_FORMAT_MAX, "%s", known[i].name);
			return text;
		}
	snprintf(text, PM_FORMAT_MAX, "signal %lld", (long long)number);
	return text;
}

double pm_format_ratio(int64_t part, int64_t whole)
{
	if (part < 0 || whole <= 0)
		return NAN;
	return (double)part / (double)whole;
}

int64_t pm_format_add(int64_t a, int64_t b)
{
	if (a < 0)
		return b;
	if (b < 0)
		return a;
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t pm_format_scale(int64_t v, int64_t factor)
{
	int64_t product;

	if (v < 0 || __builtin_mul_overflow(v, factor, &product))
		return PM_UNKNOWN;
	return product;
}

int64_t pm_format_since(int64_t time_us, int64_t start_us)
{
	int64_t since;

	if (__builtin_sub_overflow(time_us, start_us, &since))
		return time_us < start_us ? -INT64_MAX : INT64_MAX;
	return since;
}
