/*
 * Find secrets in texts: passwords, tokens and keys, recognised by their names and by their form;
 * secrets.def has the rules. Allocates nothing, knows no locale; safe in the preload. A miss leaks
 * a secret; a false hit hides a part of a command that somebody wants to see.
 */
#ifndef PM_COMMON_SECRETS_SECRETS_H
#define PM_COMMON_SECRETS_SECRETS_H

#include "common/secrets/secrets_option.h"

#include <stddef.h>

/* Type of pm_secrets_argument() and pm_secrets_text(). */
typedef size_t pm_secrets_find(struct pm_secrets *s, const char *text, size_t from, size_t *at);

/*
 * Find the next secret of an argument: call it with `from` 0 and then with the end of the previous
 * secret, until it returns 0; then go on to the next argument. Finds passwords in URLs, values of
 * NAME=VALUE, NAME: VALUE and --NAME VALUE, bearer tokens, issued keys, private keys, and values of
 * programs' options such as -u and -p, also inside shell commands. Returns the secret's length,
 * with *at its offset.
 */
size_t pm_secrets_argument(struct pm_secrets *s, const char *arg, size_t from, size_t *at);

/* Like pm_secrets_argument, but for a text that is no argument, such as the value of a variable. */
size_t pm_secrets_text(struct pm_secrets *s, const char *text, size_t from, size_t *at);

/*
 * At p, the "://", '?', '&' or '#' of a URL, find the password of user:password@ or the value of a
 * secret parameter. Returns its length, with *secret its first byte; 0 where there is none.
 */
size_t pm_secrets_url(const char *p, const char **secret);

#endif
