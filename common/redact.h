/* Secrets out of environments and command lines, by name and by pattern of the value. */
#ifndef PM_REDACT_H
#define PM_REDACT_H

#include "common/secrets.h"

#include <stddef.h>

/* Copy a value without the secrets that pm_secrets_text finds in it. Returns a new text, or NULL
 * without memory. */
char *pm_redact_value(const char *value);

/* The same of tags, NAME:VALUE;NAME:VALUE. */
char *pm_redact_tags(const char *tags);

/* As pm_redact_value, but also hide what the name gives away as a secret (pm_secrets_name). */
char *pm_redact_variable(const char *name, const char *value);

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
