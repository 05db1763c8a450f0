/* Units and numbers of imported values. */
#include "config.h"

#include "sampler/devices/import/importvalue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define M(id) PM_IMPORT_##id

static const struct pm_importunit units[] = {
	{ "n", M(LEVEL), M(COUNT), 1, 1 },
	{ "W", M(POWER), M(POWER), 1000000, 1 },
	{ "Watt", M(POWER), M(POWER), 1000000, 1 },
	{ "Watts", M(POWER), M(POWER), 1000000, 1 },
	{ "watts", M(POWER), M(POWER), 1000000, 1 },
	{ "uW", M(POWER), M(POWER), 1, 1 },
	{ "mW", M(POWER), M(POWER), 1000, 1 },
	{ "kW", M(POWER), M(POWER), 1000000000, 1 },
	{ "MW", M(POWER), M(POWER), 1000000000000, 1 },
	{ "uJ", M(ENERGY_LEVEL), M(ENERGY), 1, 1 },
	{ "mJ", M(ENERGY_LEVEL), M(ENERGY), 1000, 1 },
	{ "J", M(ENERGY_LEVEL), M(ENERGY), 1000000, 1 },
	{ "Joules", M(ENERGY_LEVEL), M(ENERGY), 1000000, 1 },
	{ "kJ", M(ENERGY_LEVEL), M(ENERGY), 1000000000, 1 },
	{ "MJ", M(ENERGY_LEVEL), M(ENERGY), 1000000000000, 1 },
	{ "Wh", M(ENERGY_LEVEL), M(ENERGY), 3600000000, 1 },
	{ "kWh", M(ENERGY_LEVEL), M(ENERGY), 3600000000000, 1 },
	{ "degC", M(TEMPERATURE), M(TEMPERATURE), 1000, 1 },
	{ "C", M(TEMPERATURE), M(TEMPERATURE), 1000, 1 },
	{ "mdegC", M(TEMPERATURE), M(TEMPERATURE), 1, 1 },
	{ "B", M(SIZE), M(BYTES), 1, 1 },
	{ "kB", M(SIZE), M(BYTES), 1000, 1 },
	{ "MB", M(SIZE), M(BYTES), 1000000, 1 },
	{ "GB", M(SIZE), M(BYTES), 1000000000, 1 },
	{ "TB", M(SIZE), M(BYTES), 1000000000000, 1 },
	{ "KiB", M(SIZE), M(BYTES), 1024, 1 },
	{ "MiB", M(SIZE), M(BYTES), 1048576, 1 },
	{ "GiB", M(SIZE), M(BYTES), 1073741824, 1 },
	{ "TiB", M(SIZE), M(BYTES), 1099511627776, 1 },
	{ "ns", M(DURATION), M(TIME), 1, 1000 },
	{ "us", M(DURATION), M(TIME), 1, 1 },
	{ "ms", M(DURATION), M(TIME), 1000, 1 },
	{ "s", M(DURATION), M(TIME), 1000000, 1 },
	{ "min", M(DURATION), M(TIME), 60000000, 1 },
	{ "h", M(DURATION), M(TIME), 3600000000, 1 },
	{ "%", M(SHARE), M(SHARE), 100, 1 },
	{ "0.01%", M(SHARE), M(SHARE), 1, 1 },
	{ "ratio", M(SHARE), M(SHARE), 10000, 1 },
	{ "Hz", M(FREQUENCY), M(FREQUENCY), 1, 1 },
	{ "kHz", M(FREQUENCY), M(FREQUENCY), 1000, 1 },
	{ "MHz", M(FREQUENCY), M(FREQUENCY), 1000000, 1 },
	{ "GHz", M(FREQUENCY), M(FREQUENCY), 1000000000, 1 },
	{ "uV", M(VOLTAGE), M(VOLTAGE), 1, 1 },
	{ "mV", M(VOLTAGE), M(VOLTAGE), 1000, 1 },
	{ "V", M(VOLTAGE), M(VOLTAGE), 1000000, 1 },
	{ "uA", M(CURRENT), M(CURRENT), 1, 1 },
	{ "mA", M(CURRENT), M(CURRENT), 1000, 1 },
	{ "A", M(CURRENT), M(CURRENT), 1000000, 1 },
};

/* What names of Prometheus' end in, and the unit. */
static const struct {
	const char *suffix, *unit;
} suffixes[] = {
	{ "_bytes", "B" },  { "_seconds", "s" },    { "_joules", "J" },    { "_watts", "W" },
	{ "_watt", "W" },   { "_celsius", "degC" }, { "_ratio", "ratio" }, { "_percent", "%" },
	{ "_hertz", "Hz" }, { "_volts", "V" },      { "_amperes", "A" },
};

const struct pm_importunit *pm_importvalue_unit(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

const struct pm_importunit *pm_importvalue_suffix(const char *name, size_t n)
{
	const size_t total = strlen("_total");

	if (n > total && memcmp(name + n - total, "_total", total) == 0)
		n -= total;
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		const size_t length = strlen(suffixes[i].suffix);

		if (n > length && memcmp(name + n - length, suffixes[i].suffix, length) == 0)
			return pm_importvalue_unit(suffixes[i].unit);
	}
	return &units[0];
}

/* Whether a text says that there is no value. */
static bool is_none(const char *text)
{
	static const char *const words[] = { "nan", "na", "n/a", "inf", "infinity" };

	text += *text == '+' || *text == '-';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcasecmp(words[i], text) == 0)
			return true;
	return false;
}

enum pm_importnumber pm_importvalue_number(const char *text, const struct pm_importunit *unit,
					   int64_t *value)
{
	long double real;
	int64_t product;
	char *end;

	if (is_none(text))
		return PM_IMPORTNUMBER_NONE;
	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return PM_IMPORTNUMBER_TEXT;
	if (!strpbrk(text, ".eE")) {
		const long long number = (errno = 0, strtoll(text, &end, 10));

		if (end == text || *end)
			return PM_IMPORTNUMBER_TEXT;
		if (errno == ERANGE || __builtin_mul_overflow(number, unit->times, &product))
			return PM_IMPORTNUMBER_RANGE;
		if (unit->by == 1) {
			*value = product;
			return PM_IMPORTNUMBER_KNOWN;
		}
	}
	real = strtold(text, &end);
	if (end == text || *end)
		return PM_IMPORTNUMBER_TEXT;
	real = real * (long double)unit->times / (long double)unit->by;
	if (!(real > -9.2e18L && real < 9.2e18L))
		return PM_IMPORTNUMBER_RANGE;
	*value = (int64_t)(real < 0 ? real - 0.5L : real + 0.5L);
	return PM_IMPORTNUMBER_KNOWN;
}
