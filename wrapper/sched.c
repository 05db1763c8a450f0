/* Which batch system we are in. */
#include "config.h"

#include "wrapper/sched.h"
#include "common/tsv.h"

#include <stdlib.h>
#include <string.h>

static const struct pm_sched *const table[] = {
#define PM_SCHED(id) &pm_sched_##id,
#include "wrapper/sched.def"
#undef PM_SCHED
};

#define SCHEDULERS (sizeof table / sizeof table[0])

static void clear(struct pm_ident *id)
{
	memset(id, 0, sizeof *id);
	id->restart_count = id->nodes = id->tasks = -1;
}

const struct pm_sched *pm_sched_identify(struct pm_ident *id)
{
	size_t i = 0;

	for (;; i++) {
		clear(id);
		if (table[i]->identify(id) || i + 1 == SCHEDULERS)
			break;
	}
	id->scheduler = table[i]->name;
	return table[i];
}

const char *pm_sched_text(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text ? text : NULL;
}

int64_t pm_sched_number(const char *variable)
{
	const char *text = getenv(variable);
	int64_t v;

	return text && pm_tsv_number(text, strlen(text), &v) == 0 && v >= 0 ? v : -1;
}

int64_t pm_sched_time_us(const char *variable)
{
	int64_t v = pm_sched_number(variable);

	return v > 0 && v < INT64_MAX / 1000000 ? v * 1000000 : 0;
}
