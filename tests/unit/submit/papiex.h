/* Records that papiex's rows become, as text. */
#ifndef PM_TESTS_UNIT_SUBMIT_PAPIEX_H
#define PM_TESTS_UNIT_SUBMIT_PAPIEX_H

#include "submit/foreign/papiex.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

/* What rows of papiex became. */
struct told {
	char text[8192]; /* records: "kind column=value ...;" */
	size_t n;
	char odd[256]; /* "column why" */
};

static int tell(void *ctx, const struct pm_record *r, const char **why, struct pm_err *e)
{
	struct told *t = ctx;
	struct pm_str kind = r->v[PM_COL_record].s;

	(void)why;
	(void)e;
	t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%.*s", (int)kind.n,
				 kind.p);
	for (int c = 0; c < PM_COLUMNS; c++) {
		char *to = t->text + t->n;
		size_t room = sizeof t->text - t->n;

		if (c == PM_COL_record || !pm_record_has(r, (enum pm_column)c))
			continue;
		if (pm_column_is_text[c])
			t->n += (size_t)snprintf(to, room, " %s=%.*s", pm_column_info[c].name,
						 (int)r->v[c].s.n, r->v[c].s.p);
		else
			t->n += (size_t)snprintf(to, room, " %s=%lld", pm_column_info[c].name,
						 (long long)r->v[c].i);
		ck_assert_uint_lt(t->n, sizeof t->text - 64);
	}
	t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, " ;");
	return 0;
}

static int tell_odd(void *ctx, const char *column, enum pm_oddvalue_why why, struct pm_err *e)
{
	static const char *const text[] = { "negative", "no number", "range" };
	struct told *t = ctx;

	(void)e;
	snprintf(t->odd, sizeof t->odd, "%s %s", column, text[why]);
	return 0;
}

#endif
