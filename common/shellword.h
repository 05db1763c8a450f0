/* Words of commands that people may repeat, as a shell takes them. Programs only. */
#ifndef PM_COMMON_SHELLWORD_H
#define PM_COMMON_SHELLWORD_H

#include "common/bytes.h"

/* Append a word of n bytes, in single quotes where a shell would not take it as it is. */
void pm_shellword_add(struct pm_bytes *b, const char *p, size_t n);

#endif
