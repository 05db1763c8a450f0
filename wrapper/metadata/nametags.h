/* Make tags from parts of a job's name: the setting name_tags. */
#ifndef PM_WRAPPER_METADATA_NAMETAGS_H
#define PM_WRAPPER_METADATA_NAMETAGS_H

#include <jansson.h>

/*
 * Set tags by the first of `patterns` that matches the whole name. Patterns are separated by blanks
 * and have fields: {NAME} matches one character or more, {NAME:REGEX} an extended regular
 * expression (regex(7)) without groups. The tag NAME gets the text that its field matches. If
 * several divisions are possible, the first field gets as much as it can. Returns 0, even if no
 * pattern matches, or -1 if a pattern is invalid: it is skipped, and *bad (at least 256 bytes) says
 * why.
 */
int pm_nametags_set(json_t *tags, const char *patterns, const char *name, char bad[256]);

#endif
