/*
 * Objects of a source that come and go, such as disks, and the sums over them. Programs only.
 *
 * Column c is metric c of the source, and series c of its sink is the sum where it has one. The sum
 * of a counter never falls: what an object counted stays in it when the object is gone, or when its
 * count falls because another one took its name. Counters of 32 bits go on where they wrap.
 */
#ifndef PM_OBJECTS_H
#define PM_OBJECTS_H

#include "sampler/source.h"

/* Most columns. */
#define PM_OBJECTS_COLUMNS 20

struct pm_objects_column {
	int64_t scale; /* the series' unit in one of the kernel's */
	int bits;      /* width of the kernel's counter: 32 or 64 */
};

/* What becomes of an object. */
enum pm_objects_part {
	PM_OBJECTS_COUNTED, /* has series, and counts in the sums */
	PM_OBJECTS_APART,   /* has series */
	PM_OBJECTS_IGNORED,
};

struct pm_object {
	char *name; /* owned */
	enum pm_objects_part part;
	bool present; /* in this sample */
	bool shown;   /* has series */
	struct {
		int series;
		bool known, held; /* has a value in this sample; had one ever */
		enum pm_reason reason;
		int64_t raw;  /* last value, in the kernel's unit */
		int64_t wrap; /* what wraps have added to it */
	} value[PM_OBJECTS_COLUMNS];
};

struct pm_objects {
	const struct pm_objects_column *column;
	size_t columns;
	size_t limit, shown; /* most objects with series, and how many there are */
	bool counted;        /* there was an object that counts */
	struct pm_object *object;
	size_t count, capacity, next;
	int64_t gone[PM_OBJECTS_COLUMNS]; /* counted by objects that are gone */
};

/*
 * Start without objects, with a table of columns that stays. Objects beyond the limit have no
 * series but count in the sums.
 */
void pm_objects_init(struct pm_objects *o, const struct pm_objects_column *column, size_t columns,
		     size_t limit);
void pm_objects_free(struct pm_objects *o);

/* Begin a sample. */
void pm_objects_begin(struct pm_objects *o);

/*
 * The object with this name of n bytes, which is here. *fresh: it was not in the sample before, and
 * the caller sets its part. Returns NULL when memory is short; valid until the next call.
 */
struct pm_object *pm_objects_get(struct pm_objects *o, const char *name, size_t n, bool *fresh);

/* Give a column of an object its value in the kernel's unit, or the reason why it has none. */
void pm_objects_value(struct pm_objects *o, struct pm_sink *sink, struct pm_object *object,
		      size_t column, int64_t value);
void pm_objects_unknown(struct pm_objects *o, struct pm_sink *sink, struct pm_object *object,
			size_t column, enum pm_reason reason);

/* End a sample: what was not named is gone, and its series are given back. */
void pm_objects_end(struct pm_objects *o, struct pm_sink *sink);

/*
 * Put the sums into the series 0 to columns - 1: unknown where a value of a counted object is,
 * absent where there was none ever.
 */
void pm_objects_sum(const struct pm_objects *o, struct pm_sink *sink);

#endif
