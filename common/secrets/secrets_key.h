/*
 * Keys with a known prefix, places in URLs whose path is a secret, and HTTP authentication schemes
 * in front of a token. Allocates nothing, knows no locale; safe in the preload.
 */
#ifndef PM_COMMON_SECRETS_SECRETS_KEY_H
#define PM_COMMON_SECRETS_SECRETS_KEY_H

#include <stddef.h>

/* Length of the key at p, of the path after a place, or of the token after a scheme, with *secret
 * its first byte; 0 where there is none. */
size_t pm_secrets_key(const char *p, const char **secret);

/* Length of the scheme and its blank at the beginning of a text of n bytes; 0 for none. */
size_t pm_secrets_scheme(const char *p, size_t n);

#endif
