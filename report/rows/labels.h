/* Labels of the processes of a job: each different one once, with a number. */
#ifndef PM_REPORT_ROWS_LABELS_H
#define PM_REPORT_ROWS_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_labels;

/* Begin an empty list; `utf8`: labels may contain UTF-8. Returns NULL if out of memory. */
struct pm_labels *pm_labels_new(bool utf8);
void pm_labels_free(struct pm_labels *l); /* NULL is fine */

/* The number of a process's label, from 0 in the order in which they come; the arguments are those
 * of pm_processname(). Processes alike cost no second label. Returns -1 if out of memory. */
int64_t pm_labels_number(struct pm_labels *l, const char *exename, const char *args,
			 const char *comm);

/* A label by its number. Valid until the list is freed. */
const char *pm_labels_text(const struct pm_labels *l, int64_t number);

/* How many labels there are. */
size_t pm_labels_count(const struct pm_labels *l);

#endif
