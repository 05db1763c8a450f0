/* Implausible values: the column becomes unknown, the rest of the line counts. */
#include "config.h"

#include "submit/job/gather.h"

#include "common/log.h"

#include <string.h>

bool pm_gather_drop_odd(const struct pm_gather *g, struct pm_record *r,
			uint64_t odd[PM_BOUNDS_WORDS])
{
	if (!pm_bounds_odd(&g->bounds, r, odd))
		return false;
	for (size_t w = 0; w < PM_BOUNDS_WORDS; w++)
		r->set[w] &= ~odd[w];
	return true;
}

int pm_gather_count_odd(struct pm_gather *g, const uint64_t odd[PM_BOUNDS_WORDS], uint32_t file,
			uint64_t line, struct pm_err *e)
{
	for (size_t w = 0; w < PM_BOUNDS_WORDS; w++)
		for (uint64_t bits = odd[w]; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);

			if (pm_oddvalue_add(&g->odds, pm_column_info[c].name, PM_ODDVALUE_RANGE,
					    file, line) < 0)
				return pm_err(e, "out of memory");
		}
	return 0;
}

void pm_gather_say_odd(struct pm_gather *g)
{
	for (size_t i = 0; i < g->odds.count; i++) {
		const struct pm_oddvalue_item *item = &g->odds.item[i];
		size_t n = strlen(g->notes.text);
		struct pm_err one;

		pm_oddvalue_say(item, g->file[item->file].name, &one);
		if (!g->silent)
			pm_warn("%s: %s", g->directory, one.text);
		/* A value that another tool could not read is not damage. */
		g->faulty = g->faulty || item->why != PM_ODDVALUE_NEGATIVE;
		snprintf(g->notes.text + n, sizeof g->notes.text - n, "%s%s", n ? "; " : "",
			 one.text);
	}
	pm_oddvalue_free(&g->odds);
}

void pm_gather_add_notes(struct pm_gather *g)
{
	size_t n = strlen(g->problems.text);

	if (g->notes.text[0] && !strstr(g->problems.text, g->notes.text))
		snprintf(g->problems.text + n, sizeof g->problems.text - n, "%s%s", n ? "; " : "",
			 g->notes.text);
	g->notes.text[0] = '\0';
}
