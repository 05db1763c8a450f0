/* Texts that rows are found by. */
#ifndef PM_SUBMIT_KEYTEXT_H
#define PM_SUBMIT_KEYTEXT_H

#include "common/tsv.h"

#include <stddef.h>

/* Longest text in a key, bytes: an index of PostgreSQL takes rows of 2704 bytes, and the key of a
 * job has four texts. */
#define PM_KEYTEXT_MAX 512

/*
 * The text as keys have it: one that is longer than PM_KEYTEXT_MAX ends, where a character does, in
 * "~" and 16 digits of its SHA-256, so that different ones stay different. It is cut in `room`.
 */
struct pm_str pm_keytext(struct pm_str text, char room[PM_KEYTEXT_MAX + 1]);

/* The same of a text of its own, in place. */
void pm_keytext_cut(char *text);

#endif
