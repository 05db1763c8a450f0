/*
 * Imported values: the metrics that they belong to, by unit and kind, and the units that they are
 * written in. What a value is of, is the object of its series.
 */
#ifndef PM_SAMPLER_DEVICES_IMPORT_IMPORTVALUE_H
#define PM_SAMPLER_DEVICES_IMPORT_IMPORTVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(id, name, unit, kind, kind of object, help). */
/* clang-format off */
#define PM_IMPORT_METRICS(X) \
	X(POWER, "power", "uW", GAUGE, "name", "power") \
	X(ENERGY, "energy", "uJ", COUNTER, "name", "energy used so far") \
	X(ENERGY_LEVEL, "energy_level", "uJ", GAUGE, "name", "energy that is no counter, such as that of an interval") \
	X(TEMPERATURE, "temperature", "mdegC", GAUGE, "name", "temperature") \
	X(BYTES, "bytes", "B", COUNTER, "name", "bytes counted so far") \
	X(SIZE, "size", "B", GAUGE, "name", "bytes that are no counter") \
	X(TIME, "time", "us", COUNTER, "name", "time counted so far") \
	X(DURATION, "duration", "us", GAUGE, "name", "a time that is no counter") \
	X(SHARE, "share", "0.01%", GAUGE, "name", "a share") \
	X(COUNT, "count", "n", COUNTER, "name", "events counted so far") \
	X(LEVEL, "level", "n", GAUGE, "name", "a number that is no counter, rounded") \
	X(FREQUENCY, "frequency", "Hz", GAUGE, "name", "frequency") \
	X(VOLTAGE, "voltage", "uV", GAUGE, "name", "voltage") \
	X(CURRENT, "current", "uA", GAUGE, "name", "electric current") \
	X(TOOK, "took", "us", GAUGE, "input", "time that the command took, or reading the file") \
	X(AGE, "age", "us", GAUGE, "input", "time since the file was written")
/* clang-format on */

enum pm_importmetric {
#define NUMBER(id, name, unit, kind, object, help) PM_IMPORT_##id,
	PM_IMPORT_METRICS(NUMBER)
#undef NUMBER
		PM_IMPORT_COUNT_OF_METRICS
};

/* A unit that values are written in: value * times / by is in the metric's unit. */
struct pm_importunit {
	const char *name;
	enum pm_importmetric gauge, counter; /* the same: there are no counters */
	int64_t times, by;
};

/* The unit of this name; case matters. NULL: not known. */
const struct pm_importunit *pm_importvalue_unit(const char *name);

/* The unit that the name of a metric of Prometheus' ends in, before _total: _bytes, _joules ...;
 * "n" for any other. n: length of the name, without labels. */
const struct pm_importunit *pm_importvalue_suffix(const char *name, size_t n);

enum pm_importnumber {
	PM_IMPORTNUMBER_KNOWN,
	PM_IMPORTNUMBER_NONE,  /* NaN, an infinity, "na": there is no value */
	PM_IMPORTNUMBER_RANGE, /* does not fit 64 bits in the metric's unit */
	PM_IMPORTNUMBER_TEXT,  /* no number */
};

/* Read a decimal number, with fraction and exponent or not, as the metric has it: integers
 * exactly, anything else to the nearest. */
enum pm_importnumber pm_importvalue_number(const char *text, const struct pm_importunit *unit,
					   int64_t *value);

#endif
