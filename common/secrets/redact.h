/* Secrets out of environments and command lines, by name and by pattern of the value. */
#ifndef PM_REDACT_H
#define PM_REDACT_H

#include "common/secrets.h"

#include <stddef.h>

/* Copy a value without the secrets that pm_secrets_text finds in it. Returns a new text, or NULL
 * without memory. */
char *pm_redact_value(const char *value);

/* As pm_redact_value, but also hide what the name gives away as a secret (pm_secrets_name). */
char *pm_redact_variable(const char *name, const char *value);

/*
 * Redact a name and its value, which stand on both sides of `mark`: '=' for an annotation, ':' for
 * a tag. Returns 1 with both anew in `clean`, to be freed; 0 where there is no secret, -1 without
 * memory.
 */
int pm_redact_pair(const char *name, char mark, const char *value, char *clean[2]);

/* Copy the tags NAME:VALUE;NAME:VALUE without their secrets, with *count how many there were.
 * Returns a new text, or NULL without memory. */
char *pm_redact_tags(const char *tags, size_t *count);

/*
 * Copy the next argument of a command without the secrets that pm_secrets_argument finds. Before
 * the first argument *s is zero or knows the program. Returns a new text, or NULL without memory.
 */
char *pm_redact_argument(struct pm_secrets *s, const char *arg);

/* Overwrite with x the passwords in the URLs of a text: for arguments, which others can read. */
void pm_redact_hide(char *text);

/* Copy a URL with the password in it hidden; text that does not fit is cut. */
void pm_redact_url(const char *url, char *buf, size_t size);

#endif
