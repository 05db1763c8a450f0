/* The tags of the process as a field. */
#ifndef PM_LIBPERFMON_RECORD_TAGS_H
#define PM_LIBPERFMON_RECORD_TAGS_H

#include "common/safe/buf.h"
#include "libperfmon/base/settings.h"

/* Append the tags (NAME:VALUE;NAME:VALUE), with the secrets that pm_pairs_secret finds replaced;
 * with PERFMON_ARGS=full, unchanged. Unless PERFMON_ARGS is full, b needs room for a copy of `tags`
 * in addition to the result. Sets b->truncated if there is too little room. */
void pm_tags_render(struct pm_buf *b, const struct pm_settings *s, const char *tags);

#endif
