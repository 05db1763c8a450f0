/* Text as PostgreSQL stores it: UTF-8 without NUL. */
#ifndef PM_DB_POSTGRES_PLAINTEXT_H
#define PM_DB_POSTGRES_PLAINTEXT_H

#include <stddef.h>

/*
 * Length of a text after escaping: NUL, and each byte that is not part of valid UTF-8, become \xHH.
 * n if nothing needs escaping.
 */
size_t pm_plaintext_length(const char *p, size_t n);

/* Write the escaped text, without a NUL at its end. `dst` has room for pm_plaintext_length bytes.
 */
void pm_plaintext_copy(char *dst, const char *p, size_t n);

#endif
