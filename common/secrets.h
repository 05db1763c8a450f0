/*
 * Where texts hold secrets: passwords, tokens and keys, recognised by their names and by their
 * form. Allocates nothing, knows no locale; safe in the preload. A false hit costs a value, a miss
 * costs a secret.
 */
#ifndef PM_SECRETS_H
#define PM_SECRETS_H

#include <stddef.h>

/* What stands in place of a secret. */
#define PM_REDACTED "[redacted]"

/* 1 when a variable, option or field whose name has these n bytes holds a secret (PASSWORD, TOKEN,
 * ..., any case). */
int pm_secrets_named(const char *name, size_t n);

/*
 * At p, the "://", '?' or '&' of a URL: the length of the password of user:password@ or of the
 * value of a secret parameter that is there, with *secret its first byte; 0 where there is none.
 */
size_t pm_secrets_url(const char *p, const char **secret);

/*
 * The first secret of a text at or behind its offset `from`, which must be 0 or the end of the one
 * before: passwords in URLs, values of NAME=VALUE, NAME: VALUE and --NAME VALUE, bearer tokens,
 * keys with a known prefix, private keys. Returns its length, with *at its offset; 0 where there is
 * none.
 */
size_t pm_secrets_find(const char *text, size_t from, size_t *at);

/* The same of an argument of a command: all behind the = of NAME=VALUE is the value. */
size_t pm_secrets_find_argument(const char *arg, size_t from, size_t *at);

/* 1 when an argument is an option whose value, the next argument, is a secret: --password. */
int pm_secrets_expected(const char *arg);

/* 1 when that next argument is a value, and not one more option. */
int pm_secrets_follows(const char *arg);

#endif
