/* What comparable jobs have in common, as one text: the tags exp_name and exp_component, or the
 * name where they have neither. */
#ifndef PM_ANALYSIS_SELECT_JOBGROUP_H
#define PM_ANALYSIS_SELECT_JOBGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Make the text, of which jobs that are not comparable never have the same, whatever characters
 * are in it. NULL: a job has no such tag or name. Returns a new text, "" where there is nothing,
 * or NULL if out of memory. */
char *pm_jobgroup_make(const char *name, const char *experiment, const char *component);

/* Such a text in parts, which point into it. */
struct pm_jobgroup {
	bool tags;         /* first and second are the tags, else first is the name */
	const char *first; /* of n bytes; without any: there is none */
	size_t n;
	const char *second; /* of m bytes; likewise */
	size_t m;
};

struct pm_jobgroup pm_jobgroup_split(const char *group);

#endif
