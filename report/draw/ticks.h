/* Where an axis has its marks, what stands beside them, and where values lie between its ends. */
#ifndef PM_REPORT_DRAW_TICKS_H
#define PM_REPORT_DRAW_TICKS_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a value with its unit. */
#define PM_TICKS_LABEL 32
#define PM_TICKS_MAX   96

enum pm_ticks_prefix {
	PM_TICKS_NONE,
	PM_TICKS_LARGE,  /* k, M, G: what is counted */
	PM_TICKS_SI,     /* m and smaller ones, too */
	PM_TICKS_BINARY, /* Ki, Mi, Gi */
};

struct pm_ticks_unit {
	const char *name; /* such as "B/s"; "" for none */
	enum pm_ticks_prefix prefix;
};

struct pm_tick {
	double at;
	char label[PM_TICKS_LABEL]; /* "" for a small mark */
};

struct pm_ticks {
	struct pm_tick tick[PM_TICKS_MAX];
	size_t n;
	double low, high; /* ends of the axis */
	bool log;         /* the lower end is 0 */
	double floor;     /* log: the least value above 0 with a place of its own */
	char unit[64];    /* of times: what the labels count, such as "min" */
};

/* A value with three significant digits and its unit: "12.3 GB/s"; NAN is "unknown". Writes
 * PM_TICKS_LABEL bytes. */
const char *pm_ticks_value(char *text, double v, struct pm_ticks_unit unit);

/* An axis for values from least to most, in steps of 1, 2 or 5 times a power of ten; of binary
 * units within their prefix. With 0 where all values are positive. */
void pm_ticks_linear(struct pm_ticks *t, double least, double most, struct pm_ticks_unit unit);

/* An axis of decades from the least value above 0 to the greatest; 0 and less lie at its lower end.
 * Without a value above 0 the axis is linear. */
void pm_ticks_log(struct pm_ticks *t, double positive, double most, struct pm_ticks_unit unit);

/* An axis of times in seconds, which are counted in s, min, h or d, from `from` to `to`. */
void pm_ticks_time(struct pm_ticks *t, double from, double to);

/* Where a value lies: 0 at the lower end, 1 at the upper one; less or more outside. */
double pm_ticks_place(const struct pm_ticks *t, double v);

#endif
