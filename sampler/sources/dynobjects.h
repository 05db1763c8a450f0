/*
 * Objects of a source that come and go, such as disks, and the sums over them.
 *
 * Column c is metric c of the source; series c of its sink is the sum, if the metric has one. The
 * sum of a counter never falls: it keeps an object's count when the object is gone, and when the
 * count falls because another object took its name. 32-bit counters are extended when they wrap.
 */
#ifndef PM_SAMPLER_SOURCES_DYNOBJECTS_H
#define PM_SAMPLER_SOURCES_DYNOBJECTS_H

#include "sampler/source.h"

/* Maximum number of columns. */
#define PM_DYNOBJECTS_COLUMNS 20

struct pm_dynobjects_column {
	int64_t scale; /* factor from the kernel's unit to the series' unit */
	int bits;      /* width of the kernel's counter: 32 or 64 */
};

/* Treatment of an object. */
enum pm_dynobjects_part {
	PM_DYNOBJECTS_COUNTED, /* has series, and counts in the sums */
	PM_DYNOBJECTS_APART,   /* has series only */
	PM_DYNOBJECTS_IGNORED,
};

struct pm_object {
	char *name; /* owned */
	enum pm_dynobjects_part part;
	bool present; /* in this sample */
	bool shown;   /* has series */
	struct {
		int series;
		bool known, held; /* has a value in this sample; ever had a value */
		enum pm_reason reason;
		int64_t raw;  /* last value, in the kernel's unit */
		int64_t wrap; /* sum of wraps, to be added to raw */
	} value[PM_DYNOBJECTS_COLUMNS];
};

struct pm_dynobjects {
	const struct pm_dynobjects_column *column;
	size_t columns;
	size_t limit, shown; /* objects with series: allowed number, present number */
	bool counted;        /* an object that counts has been seen */
	struct pm_object *object;
	size_t count, capacity, next;
	int64_t gone[PM_DYNOBJECTS_COLUMNS]; /* counted by objects that are gone */
};

/*
 * Start without objects; the table of columns stays the caller's. Objects beyond the limit have no
 * series but count in the sums.
 */
void pm_dynobjects_init(struct pm_dynobjects *o, const struct pm_dynobjects_column *column,
			size_t columns, size_t limit);
void pm_dynobjects_free(struct pm_dynobjects *o);

/* Begin a sample. */
void pm_dynobjects_begin(struct pm_dynobjects *o);

/*
 * Mark the object with this name of n bytes as present. *fresh: the object is new, and the caller
 * sets its part. Returns the object, valid until the next call, or NULL when memory is short.
 */
struct pm_object *pm_dynobjects_get(struct pm_dynobjects *o, const char *name, size_t n,
				    bool *fresh);

/* Give a column of an object its value in the kernel's unit, or the reason why it has none. */
void pm_dynobjects_value(struct pm_dynobjects *o, struct pm_sink *sink, struct pm_object *object,
			 size_t column, int64_t value);
void pm_dynobjects_unknown(struct pm_dynobjects *o, struct pm_sink *sink, struct pm_object *object,
			   size_t column, enum pm_reason reason);

/* End a sample: objects that were not named are gone, and their series are given back. */
void pm_dynobjects_end(struct pm_dynobjects *o, struct pm_sink *sink);

/*
 * Put the sums into the series 0 to columns - 1. A sum is unknown if the value of a counted object
 * is; without any counted object so far, the series are left alone.
 */
void pm_dynobjects_sum(const struct pm_dynobjects *o, struct pm_sink *sink);

#endif
