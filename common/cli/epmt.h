/* EPMT's words and what of perfmon takes their place: the table epmt.def. */
#ifndef PM_COMMON_CLI_EPMT_H
#define PM_COMMON_CLI_EPMT_H

#include <stddef.h>

enum pm_epmt_kind {
	PM_EPMT_IS_VERB,
	PM_EPMT_IS_OPTION,
	PM_EPMT_IS_SUBJECT,
	PM_EPMT_IS_FILTER,
	PM_EPMT_IS_FIGURE,
	PM_EPMT_IS_SETTING,
	PM_EPMT_IS_CALL,
	PM_EPMT_KINDS
};

/* What becomes of a word; see epmt.def. */
enum pm_epmt_how { PM_EPMT_SAME, PM_EPMT_BECOMES, PM_EPMT_NEEDLESS, PM_EPMT_INSTEAD };

/* A row of epmt.def. Texts without content are "". */
struct pm_epmt_row {
	enum pm_epmt_kind kind;
	const char *of;   /* verb of an option, subject of a filter, module of a call */
	char letter;      /* of an option; 0: none */
	const char *name; /* the word */
	const char *arg;  /* of an option */
	enum pm_epmt_how how;
	const char *becomes, *command, *note;
};

extern const struct pm_epmt_row pm_epmt_row[];
extern const size_t pm_epmt_rows;

/* Find a row: `of` counts for options, filters and calls, "" there being that of all. Returns NULL
 * if there is none. */
const struct pm_epmt_row *pm_epmt_find(enum pm_epmt_kind kind, const char *of, const char *name);

/* Find the option with a letter of a verb, or of all. Returns NULL if there is none. */
const struct pm_epmt_row *pm_epmt_find_letter(const char *verb, char letter);

/* The name of a kind in English, singular. */
const char *pm_epmt_kind_name(enum pm_epmt_kind kind);

#endif
