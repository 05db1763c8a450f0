/* The table of EPMT's words. */
#include "config.h"

#include "common/cli/epmt.h"

#include <string.h>

/* clang-format off */
const struct pm_epmt_row pm_epmt_row[] = {
#define PM_EPMT_VERB(name, how, becomes, command, note)                                     \
	{ PM_EPMT_IS_VERB, "", 0, name, "", PM_EPMT_##how, becomes, command, note },
#define PM_EPMT_OPTION(verb, letter, name, arg, how, becomes, command, note)                \
	{ PM_EPMT_IS_OPTION, verb, letter, name, arg, PM_EPMT_##how, becomes, command, note },
#define PM_EPMT_SUBJECT(name, how, becomes, command, note)                                  \
	{ PM_EPMT_IS_SUBJECT, "", 0, name, "", PM_EPMT_##how, becomes, command, note },
#define PM_EPMT_FILTER(subject, key, how, becomes, command, note)                           \
	{ PM_EPMT_IS_FILTER, subject, 0, key, "", PM_EPMT_##how, becomes, command, note },
#define PM_EPMT_FIGURE(name, figure)                                                               \
	{ PM_EPMT_IS_FIGURE, "", 0, name, "", PM_EPMT_BECOMES, figure,                             \
	  "perfmon explore EXPERIMENT --metric " figure, "" },
#define PM_EPMT_SETTING(key, command, note)                                                 \
	{ PM_EPMT_IS_SETTING, "", 0, key, "", PM_EPMT_INSTEAD, "", command, note },
#define PM_EPMT_CALL(module, name, command, note)                                           \
	{ PM_EPMT_IS_CALL, module, 0, name, "", PM_EPMT_INSTEAD, "", command, note },
#include "common/cli/epmt.def"
#undef PM_EPMT_VERB
#undef PM_EPMT_OPTION
#undef PM_EPMT_SUBJECT
#undef PM_EPMT_FILTER
#undef PM_EPMT_FIGURE
#undef PM_EPMT_SETTING
#undef PM_EPMT_CALL
};
/* clang-format on */

const size_t pm_epmt_rows = sizeof pm_epmt_row / sizeof pm_epmt_row[0];

/* Whether a row is about a verb, subject or module. */
static int is_of(const struct pm_epmt_row *r, const char *of)
{
	return !*r->of || strcmp(r->of, of) == 0;
}

const struct pm_epmt_row *pm_epmt_find(enum pm_epmt_kind kind, const char *of, const char *name)
{
	const struct pm_epmt_row *of_all = NULL;

	for (size_t i = 0; i < pm_epmt_rows; i++) {
		const struct pm_epmt_row *r = &pm_epmt_row[i];

		if (r->kind != kind || strcmp(r->name, name) != 0)
			continue;
		if (kind == PM_EPMT_IS_CALL || (*r->of && strcmp(r->of, of) == 0))
			return r;
		if (!*r->of && !of_all)
			of_all = r;
	}
	return of_all;
}

const struct pm_epmt_row *pm_epmt_find_letter(const char *verb, char letter)
{
	const struct pm_epmt_row *of_all = NULL;

	for (size_t i = 0; i < pm_epmt_rows; i++) {
		const struct pm_epmt_row *r = &pm_epmt_row[i];

		if (r->kind != PM_EPMT_IS_OPTION || r->letter != letter || !is_of(r, verb))
			continue;
		if (*r->of)
			return r;
		of_all = r;
	}
	return of_all;
}

const char *pm_epmt_kind_name(enum pm_epmt_kind kind)
{
	static const char *const name[PM_EPMT_KINDS] = {
		[PM_EPMT_IS_VERB] = "verb",       [PM_EPMT_IS_OPTION] = "option",
		[PM_EPMT_IS_SUBJECT] = "subject", [PM_EPMT_IS_FILTER] = "filter",
		[PM_EPMT_IS_FIGURE] = "metric",   [PM_EPMT_IS_SETTING] = "setting",
		[PM_EPMT_IS_CALL] = "call",
	};

	return name[kind];
}
