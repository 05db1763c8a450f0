/* The tags of the process as a field. */
#ifndef PM_TAGS_H
#define PM_TAGS_H

#include "common/buf.h"
#include "libperfmon/settings.h"

/* Append the tags, NAME:VALUE;NAME:VALUE, without the secrets that pm_pairs_secret finds, or as
 * they are where PERFMON_ARGS is full. Needs room for the text beside its escaped form; where that
 * is missing sets b->truncated. */
void pm_tags_render(struct pm_buf *b, const struct pm_settings *s, const char *tags);

#endif
