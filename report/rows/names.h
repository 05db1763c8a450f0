/* Numbers for texts that many rows have in common: each different text once. */
#ifndef PM_REPORT_ROWS_NAMES_H
#define PM_REPORT_ROWS_NAMES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct pm_names {
	json_t *number; /* of each text */
	json_t *list;   /* the texts, by number */
};

/* Begin an empty list. Returns 0, or -1 if out of memory; to be freed in either case. */
int pm_names_init(struct pm_names *n);
void pm_names_free(struct pm_names *n);

/* The number of a text in UTF-8, from 0. Returns it, or -1 if out of memory. */
int64_t pm_names_number(struct pm_names *n, const char *text);

#endif
