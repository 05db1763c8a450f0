/* Counts of implausible values, and their description as text. */
#include "config.h"

#include "submit/input/oddvalue.h"

#include "common/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[PM_ODDVALUE_WHYS][2] = {
	[PM_ODDVALUE_NEGATIVE] = { "negative value, which is", "negative values, which are" },
	[PM_ODDVALUE_NUMBER] = { "value that is not a number, which is",
				 "values that are not numbers, which are" },
	[PM_ODDVALUE_RANGE] = { "value out of range, which is", "values out of range, which are" },
};

int pm_oddvalue_add(struct pm_odds *o, const char *column, enum pm_oddvalue_why why, uint32_t file,
		    uint64_t line)
{
	size_t i = o->last;
	struct pm_oddvalue_item *x;

	if (i >= o->count || o->item[i].why != why || strcmp(o->item[i].column, column) != 0)
		for (i = 0; i < o->count; i++)
			if (o->item[i].why == why && strcmp(o->item[i].column, column) == 0)
				break;
	if (i == o->count) {
		if (!PM_GROW(o->item, o->count, o->cap, 16))
			return -1;
		x = &o->item[i];
		*x = (struct pm_oddvalue_item){
			.column = strdup(column), .why = why, .file = file, .line = line
		};
		if (!x->column)
			return -1;
		o->count++;
	}
	o->item[i].count++;
	o->last = i;
	return 0;
}

void pm_oddvalue_free(struct pm_odds *o)
{
	while (o->count)
		free(o->item[--o->count].column);
	free(o->item);
	memset(o, 0, sizeof *o);
}

void pm_oddvalue_say(const struct pm_oddvalue_item *item, const char *file, struct pm_err *text)
{
	char where[32] = "";

	if (item->line)
		snprintf(where, sizeof where, ", line %llu", (unsigned long long)item->line);
	pm_err(text, "%s: %llu %s unknown (%s%s%s)", item->column, (unsigned long long)item->count,
	       words[item->why][item->count > 1], item->count > 1 ? "first " : "", file, where);
}
