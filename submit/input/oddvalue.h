/* Implausible values, which become unknown, counted by column. Programs only. */
#ifndef PM_ODD_H
#define PM_ODD_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

enum pm_odd_why {
	PM_ODD_NEGATIVE, /* other tools write so what they could not read: not damage */
	PM_ODD_NUMBER,   /* not a whole number */
	PM_ODD_RANGE,    /* out of the plausible range */
	PM_ODD_WHYS
};

struct pm_odd_item {
	char *column;
	enum pm_odd_why why;
	uint64_t count;
	uint32_t file; /* file of the first such value */
	uint64_t line; /* its line; 0: unknown */
};

/* Zero is empty. */
struct pm_odds {
	struct pm_odd_item *item;
	size_t count, cap;
	size_t last; /* the item that was counted last */
};

/* Count an implausible value. Returns 0, or -1 without memory. */
int pm_odd_add(struct pm_odds *o, const char *column, enum pm_odd_why why, uint32_t file,
	       uint64_t line);
void pm_odd_free(struct pm_odds *o);

/* Describe an item in words; `file` is the name of the first value's file. */
void pm_odd_say(const struct pm_odd_item *item, const char *file, struct pm_err *text);

#endif
