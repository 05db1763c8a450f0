/* Secrets out of environments and command lines, by name and by pattern of the value. */
#ifndef PM_REDACT_H
#define PM_REDACT_H

#include <stddef.h>

/* What stands in place of a secret. */
#define PM_REDACTED "[redacted]"

/* 1 when a variable or option of this name holds a secret (PASSWORD, TOKEN, ..., any case). */
int pm_redact_is_secret_name(const char *name);

/*
 * Copy a value without the secrets that its form gives away: passwords in URLs, bearer tokens,
 * keys with a known prefix. Returns a new text, or NULL without memory.
 */
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
