/* Edit distance of two names, to guess which name the user meant. Programs only. */
#ifndef PM_COMMON_EDITS_H
#define PM_COMMON_EDITS_H

#include <stddef.h>

/* Longest name that is compared, in bytes including its NUL. */
#define PM_EDITS_MAX 256

/*
 * The number of edits that turn a into b: inserting, deleting or replacing one character
 * (Levenshtein 1966), ignoring case. Returns limit + 1 for names whose lengths differ by more than
 * `limit` or exceed PM_EDITS_MAX.
 */
size_t pm_edits(const char *a, const char *b, size_t limit);

#endif
