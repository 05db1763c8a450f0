/* How far two names are apart, to guess what was meant. Programs only. */
#ifndef PM_EDITS_H
#define PM_EDITS_H

#include <stddef.h>

/* Longest name that is compared, with its NUL, in bytes. */
#define PM_EDITS_MAX 256

/*
 * The number of edits (insert, delete, replace one character; Levenshtein 1966) that make b of a,
 * without regard to case. Names whose lengths differ by more than `limit`, or that are longer than
 * PM_EDITS_MAX, are limit + 1 apart.
 */
size_t pm_edits(const char *a, const char *b, size_t limit);

#endif
