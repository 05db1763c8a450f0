/* Texts in CSV, for files that have no columns of their own. */
#ifndef PM_EXPORT_CSV_H
#define PM_EXPORT_CSV_H

#include <stddef.h>
#include <stdio.h>

/* Write a text as RFC 4180 has it: in quotes where it needs them, and where it is empty. */
void pm_csv_text(FILE *f, const char *p, size_t n);

#endif
