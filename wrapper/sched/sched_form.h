/* The forms of sched.def: how the text of a variable is interpreted. */
#ifndef PM_WRAPPER_SCHED_SCHED_FORM_H
#define PM_WRAPPER_SCHED_SCHED_FORM_H

#include <stdint.h>

enum pm_sched_form {
	PM_SCHED_TEXT,
	PM_SCHED_INDEX,
	PM_SCHED_COLON,
	PM_SCHED_CLUSTER,
	PM_SCHED_NUMBER, /* this form and those below are numbers */
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

/* Apply a text form: returns `text` itself or the part that the form extracts, valid until the next
 * call for the same form; NULL if there is no such part. */
const char *pm_sched_form_text(enum pm_sched_form form, const char *text);

/* Apply a number form. Returns the number (microseconds for TIME), or -1 if there is none. For
 * LINES, HOSTS, HERE and SHARE, `text` is the path of the file to read. */
int64_t pm_sched_form_number(enum pm_sched_form form, const char *text);

#endif
