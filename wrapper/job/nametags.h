/* Job names that say something: the setting name_tags. */
#ifndef PM_WRAPPER_NAMETAGS_H
#define PM_WRAPPER_NAMETAGS_H

#include <jansson.h>

/*
 * Set in `tags` what the first of `patterns` that matches the whole name finds in it. Patterns are
 * blank-separated text with fields {NAME}, which stand for one character or more, or {NAME:REGEX},
 * for what the extended regular expression (regex(7)) without groups matches. Where several ways
 * fit, the first field gets as much as it can. Returns 0, also where none matches, or -1 where a
 * pattern is none: it is passed over, *bad (at least 256 bytes) says why.
 */
int pm_nametags_set(json_t *tags, const char *patterns, const char *name, char bad[256]);

#endif
