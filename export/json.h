/* Rows as members of an object of JSON, for formats that write more than that. */
#ifndef PM_EXPORT_JSON_H
#define PM_EXPORT_JSON_H

#include "export/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Write the values of n columns as members with commas between, without braces; what is not known,
 * and what JSON has no number for, is null. A text that is JSON is the value that it is, or where
 * `flat` a text. Returns 0, or -1: out of memory, or not writable. */
int pm_json_members(FILE *f, const struct pm_export_column *column, const struct pm_export_value *v,
		    size_t n, bool flat);

#endif
