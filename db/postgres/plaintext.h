/* Text as PostgreSQL stores it: UTF-8 without NUL. Programs only. */
#ifndef PM_DB_PLAINTEXT_H
#define PM_DB_PLAINTEXT_H

#include <stddef.h>

/*
 * How long a text is with every byte that is no part of valid UTF-8, and every NUL, as \xHH. The
 * same as n where nothing need be changed.
 */
size_t pm_plaintext_length(const char *p, size_t n);

/* Write it so, without a NUL at its end. `dst` has room for pm_plaintext_length bytes. */
void pm_plaintext_copy(char *dst, const char *p, size_t n);

#endif
