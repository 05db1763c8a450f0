/*
 * Read a Python pickle of plain data: dicts, lists, tuples, texts, bytes, numbers, booleans, None
 * and datetimes, of protocols 0 to 5. Nothing is imported, called or executed: anything else in a
 * pickle is an error. No recursion; memory is bounded by the limits below, whatever the input.
 */
#ifndef PM_SUBMIT_FOREIGN_PICKLE_H
#define PM_SUBMIT_FOREIGN_PICKLE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest pickle that is read, and maximum number of values, of items and of memo entries. */
#define PM_PICKLE_MAX   ((size_t)8 << 20)
#define PM_PICKLE_LIMIT 262144

/* Index of no value. */
#define PM_PICKLE_NONE UINT32_MAX

enum pm_pickle_type {
	PM_PICKLE_NULL,
	PM_PICKLE_BOOL,
	PM_PICKLE_INT, /* beyond 64 bits: a PM_PICKLE_FLOAT */
	PM_PICKLE_FLOAT,
	PM_PICKLE_TEXT, /* mostly UTF-8; a str of Python 2 may be any bytes */
	PM_PICKLE_BYTES,
	PM_PICKLE_LIST, /* a list or a tuple */
	PM_PICKLE_DICT,
	PM_PICKLE_TIME,  /* a datetime */
	PM_PICKLE_DELTA, /* a timedelta: number, microseconds */
	PM_PICKLE_ZONE,  /* a time zone */
	PM_PICKLE_NAME,  /* one of the known constructors */
};

struct pm_pickle_value {
	unsigned char type;   /* enum pm_pickle_type */
	unsigned char status; /* of ZONE and TIME: enum pm_pickle_zone */
	uint32_t first,
		last; /* LIST, DICT: items; ZONE, TIME with a named zone: first is its TEXT */
	union {
		bool truth;
		int64_t number; /* TIME: microseconds since 1970 in local time of its zone */
		double real;
		struct {
			const char *p;
			size_t n;
		} text;
		size_t count; /* LIST, DICT */
	} u;
	int64_t offset_us; /* ZONE, TIME: how far the zone is ahead of UTC, if known */
};

enum pm_pickle_zone { PM_PICKLE_NAIVE, PM_PICKLE_OFFSET, PM_PICKLE_NAMED };

struct pm_pickle_item {
	uint32_t key; /* for a dict */
	uint32_t value;
	uint32_t next; /* PM_PICKLE_NONE: last item */
};

struct pm_pickle {
	struct pm_pickle_value *value;
	size_t values, values_cap;
	struct pm_pickle_item *item;
	size_t items, items_cap;
	uint32_t *stack, *mark, *memo;
	size_t depth, stack_cap, marks, mark_cap, memos, memo_cap;
	struct pm_pickle_block *block; /* decoded texts */
	size_t block_bytes;
	uint32_t root;
};

/*
 * Read a pickle. Texts point into `data`, which must outlive p. Returns 0, or -1 with e filled:
 * cut, damaged, too large, or not plain data. p must be freed either way.
 */
int pm_pickle_read(struct pm_pickle *p, const void *data, size_t n, struct pm_err *e);
void pm_pickle_free(struct pm_pickle *p);

/* Value of a text key in a dict, the last one set; NULL if there is none, or `dict` is not a dict.
 */
const struct pm_pickle_value *pm_pickle_get(const struct pm_pickle *p,
					    const struct pm_pickle_value *dict, const char *key);

#endif
