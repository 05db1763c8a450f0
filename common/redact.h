/* Secrets out of environments and command lines, by name and by pattern of the value. */
#ifndef PM_REDACT_H
#define PM_REDACT_H

#include "common/secrets.h"

#include <stddef.h>

/* Copy a value without the secrets that pm_secrets_find finds in it. Returns a new text, or NULL
 * without memory. */
char *pm_redact_value(const char *value);

/* As pm_redact_value, and all of it when the name is a secret's. */
char *pm_redact_variable(const char *name, const char *value);

/*
 * The arguments of a command, one after the other: call with *secret_next 0 for the first, then
 * with what the last call left there (`--password X` makes X a secret). Returns a new text, or
 * NULL without memory.
 */
char *pm_redact_argument(const char *arg, int *secret_next);

/* Overwrite with x the passwords in the URLs of a text: for arguments, which others can read. */
void pm_redact_hide(char *text);

/* Copy a URL with the password in it hidden; text that does not fit is cut. */
void pm_redact_url(const char *url, char *buf, size_t size);

#endif
