/* Texts used in keys of database rows. */
#ifndef PM_SUBMIT_JOB_KEYTEXT_H
#define PM_SUBMIT_JOB_KEYTEXT_H

#include "common/safe/tsv.h"

#include <stddef.h>

/* Longest text in a key, bytes: an index of PostgreSQL takes rows of 2704 bytes, and the key of a
 * job has four texts. */
#define PM_KEYTEXT_MAX 512

/*
 * Shorten a text for a key: a text longer than PM_KEYTEXT_MAX is cut at a character boundary and
 * ends in "~" and 16 digits of its SHA-256, so that different texts stay different. The result is
 * the text itself, or is built in `room`.
 */
struct pm_str pm_keytext(struct pm_str text, char room[PM_KEYTEXT_MAX + 1]);

/* Shorten a text in place. */
void pm_keytext_cut(char *text);

#endif
