/* Texts and numbers, for JSON and YAML. */
#ifndef PM_EXPORT_LAYOUT_JSONTEXT_H
#define PM_EXPORT_LAYOUT_JSONTEXT_H

#include "export/value.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write n bytes in double quotes, so that JSON and YAML 1.1 read the same text: what a line of
 * either must not have is escaped, and a byte that is part of no character of UTF-8 is U+FFFD.
 * Faults of the stream are left to its closing. */
void pm_jsontext(FILE *f, const char *p, size_t n);

/* The same of a text; NULL: null. */
void pm_jsontext_put(FILE *f, const char *text);

/* Write a text that is JSON as the value that it is; one that is not, as a text. */
void pm_jsontext_value(FILE *f, const char *p, size_t n);

/* Write a value that is a number; one that is unknown is null. */
void pm_jsontext_number(FILE *f, const struct pm_export_value *v);

/* Write a time in us as seconds since 1970, with all digits. */
void pm_jsontext_time(FILE *f, int64_t us);

#endif
