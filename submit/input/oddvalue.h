/* Implausible values, which become unknown, counted by column. */
#ifndef PM_SUBMIT_INPUT_ODDVALUE_H
#define PM_SUBMIT_INPUT_ODDVALUE_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

enum pm_oddvalue_why {
	PM_ODDVALUE_NEGATIVE, /* how other tools write values that they could not read: not damage
			       */
	PM_ODDVALUE_NUMBER,   /* not a whole number */
	PM_ODDVALUE_RANGE,    /* out of the plausible range */
	PM_ODDVALUE_WHYS
};

struct pm_oddvalue_item {
	char *column;
	enum pm_oddvalue_why why;
	uint64_t count;
	uint32_t file; /* file of the first such value */
	uint64_t line; /* its line; 0: unknown */
};

/* Zero is empty. */
struct pm_odds {
	struct pm_oddvalue_item *item;
	size_t count, cap;
	size_t last; /* the item that was counted last */
};

/* Count an implausible value. Returns 0, or -1 if out of memory. */
int pm_oddvalue_add(struct pm_odds *o, const char *column, enum pm_oddvalue_why why, uint32_t file,
		    uint64_t line);
void pm_oddvalue_free(struct pm_odds *o);

/* Describe an item in words; `file` is the name of the first value's file. */
void pm_oddvalue_say(const struct pm_oddvalue_item *item, const char *file, struct pm_err *text);

#endif
