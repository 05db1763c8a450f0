/* The forms of sched.def: what the text of a variable means. */
#ifndef PM_WRAPPER_SCHED_FORM_H
#define PM_WRAPPER_SCHED_FORM_H

#include <stdint.h>

enum pm_sched_form {
	PM_SCHED_TEXT,
	PM_SCHED_INDEX,
	PM_SCHED_COLON,
	PM_SCHED_CLUSTER,
	PM_SCHED_NUMBER, /* from here on numbers */
	PM_SCHED_TIME,
	PM_SCHED_ZERO,
	PM_SCHED_EACH,
	PM_SCHED_LINES,
	PM_SCHED_HOSTS,
	PM_SCHED_HERE,
	PM_SCHED_SHARE,
	PM_SCHED_PAIRS,
	PM_SCHED_PAIR,
};

/* Apply a form to a text: `text` itself or the part that the form extracts, valid until the next
 * call for the same form; NULL if there is none. */
const char *pm_sched_form_text(enum pm_sched_form form, const char *text);

/* A number by its form, TIME in microseconds; -1 where the text (or the file it names) has none. */
int64_t pm_sched_form_number(enum pm_sched_form form, const char *text);

#endif
