/*
 * Keys with a known beginning, places in URLs whose path is a secret, and schemes of HTTP in front
 * of one. Allocates nothing, knows no locale; safe in the preload.
 */
#ifndef PM_SECRETS_KEY_H
#define PM_SECRETS_KEY_H

#include <stddef.h>

/* The length of the key at p, of the path behind a place, or of the token behind a scheme, with
 * *secret its first byte; 0 where there is none. */
size_t pm_secrets_key(const char *p, const char **secret);

/* Length of the scheme and the blank that a text of n bytes begins with; 0 for none. */
size_t pm_secrets_scheme(const char *p, size_t n);

#endif
