/* The orders of jobs: of indexes (sql/indexes.c), or of figures that one index has and of which
 * there are bounds (jobtop.c), so that a list of the first few does not read every job's row. */
#include "config.h"

#include "analysis/select/jobfilter.h"

#include "common/job/jobidentity.h"
#include "sql/schema.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* An unknown value is less than any other. */
#define LATEST   PM_JOBIDENTITY_LATEST
#define EARLIEST "start_us NULLS FIRST, id"

#define INDEXED(name, column)                                                                      \
	{                                                                                          \
		name, true, column " NULLS FIRST, id", column " DESC NULLS LAST, id DESC", NULL    \
	}
/* Users choose these texts: the index has their beginning. Equal ones come as always, the newest
 * first. */
#define WORD(name, column)                                                                         \
	{                                                                                          \
		name, false, "(substr(" column ", 1, 100)) NULLS FIRST, " LATEST,                  \
			"(substr(" column ", 1, 100)) DESC NULLS LAST, " EARLIEST, NULL            \
	}

static const struct {
	const char *name;
	bool falls; /* the largest first, unless the user says otherwise */
	const char *rising, *falling;
	const char *figure; /* column of which table job_zone has bounds; else NULL */
} orders[] = {
	{ "start", true, EARLIEST, LATEST, NULL },
	INDEXED("end", PM_SCHEMA_JOB_END("")),
#define PM_JOBFIGURE(order, column)                                                                \
	{ order, true, #column " NULLS FIRST, id", #column " DESC NULLS LAST, id DESC", #column },
#include "sql/jobfigures.def"
#undef PM_JOBFIGURE
	{ "status", true, "exit_status NULLS FIRST, exit_signal NULLS FIRST, id",
	  "exit_status DESC NULLS LAST, exit_signal DESC NULLS LAST, id DESC", NULL },
	{ "user", false, "\"user\", " LATEST, "\"user\" DESC, " EARLIEST, NULL },
	WORD("name", "name"),
	WORD("account", "account"),
	WORD("queue", "queue"),
};

#define ORDERS (sizeof orders / sizeof orders[0])

const char *pm_joborder_find(const char *word, struct pm_err *e)
{
	const size_t n = strcspn(word, ":");
	const char *way = word + n;
	char all[200] = "";

	for (size_t i = 0; i < ORDERS; i++) {
		const size_t have = strlen(all);

		snprintf(all + have, sizeof all - have, "%s%s", i ? ", " : "", orders[i].name);
		if (strlen(orders[i].name) != n || memcmp(orders[i].name, word, n) != 0)
			continue;
		if (!*way)
			return orders[i].falls ? orders[i].falling : orders[i].rising;
		if (strcmp(way, ":asc") == 0)
			return orders[i].rising;
		if (strcmp(way, ":desc") == 0)
			return orders[i].falling;
	}
	pm_err(e, "'%s' is no order: %s; behind it, :asc or :desc", word, all);
	return NULL;
}

const char *pm_joborder_figure(const char *order, bool *falls)
{
	for (size_t i = 0; i < ORDERS; i++) {
		*falls = strcmp(order, orders[i].falling) == 0;
		if (*falls || strcmp(order, orders[i].rising) == 0)
			return orders[i].figure;
	}
	return NULL;
}
