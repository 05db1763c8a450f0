/*
 * Where texts hold secrets: passwords, tokens and keys, recognised by their names and by their
 * form; secrets.def has the rules. Allocates nothing, knows no locale; safe in the preload. A miss
 * costs a secret, a false hit what somebody wants to know of a command.
 */
#ifndef PM_SECRETS_H
#define PM_SECRETS_H

#include "common/secrets_option.h"

#include <stddef.h>

/* pm_secrets_argument() and those like it. */
typedef size_t pm_secrets_find(struct pm_secrets *s, const char *text, size_t from, size_t *at);

/*
 * The next secret of an argument: call it with `from` 0 and then with the end of the secret before,
 * until it returns 0; then the next argument may come. Passwords in URLs, values of NAME=VALUE,
 * NAME: VALUE and --NAME VALUE, bearer tokens, issued keys, private keys, and what programs take by
 * -u, -p and the like, also inside of commands for a shell. Returns its length, with *at its
 * offset.
 */
size_t pm_secrets_argument(struct pm_secrets *s, const char *arg, size_t from, size_t *at);

/* The same of a text that is no argument, such as the value of a variable. */
size_t pm_secrets_text(struct pm_secrets *s, const char *text, size_t from, size_t *at);

/*
 * At p, the "://", '?', '&' or '#' of a URL: the length of the password of user:password@ or of the
 * value of a secret parameter that is there, with *secret its first byte; 0 where there is none.
 */
size_t pm_secrets_url(const char *p, const char **secret);

#endif
