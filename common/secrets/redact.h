/* Redact environments, command lines and URLs, by name and by pattern of the value. */
#ifndef PM_COMMON_SECRETS_REDACT_H
#define PM_COMMON_SECRETS_REDACT_H

#include "common/secrets/secrets.h"

#include <stddef.h>

/* Copy a value without the secrets that pm_secrets_text() finds. Returns a new text, or NULL if out
 * of memory. */
char *pm_redact_value(const char *value);

/* Like pm_redact_value, but also hide the part of the value that the name marks as secret
 * (pm_secrets_name). */
char *pm_redact_variable(const char *name, const char *value);

/*
 * Redact a name and its value, which are separated by `mark`: '=' for an annotation, ':' for a tag.
 * Returns 1 with a new name and value in `clean`, which the caller frees; 0 where there is no
 * secret; -1 if out of memory.
 */
int pm_redact_pair(const char *name, char mark, const char *value, char *clean[2]);

/* Copy the tags NAME:VALUE;NAME:VALUE without their secrets; *count gets the number of secrets.
 * Returns a new text, or NULL if out of memory. */
char *pm_redact_tags(const char *tags, size_t *count);

/*
 * Copy the next argument of a command without the secrets that pm_secrets_argument() finds. Before
 * the first argument *s is zero or set by pm_secrets_program(). Returns a new text, or NULL if out
 * of memory.
 */
char *pm_redact_argument(struct pm_secrets *s, const char *arg);

/* Overwrite each password in the URLs of a text with x characters, in place. For our command-line
 * arguments, which other users can read. */
void pm_redact_hide(char *text);

/* Copy a URL with the password in it hidden; text that does not fit is cut. */
void pm_redact_url(const char *url, char *buf, size_t size);

#endif
