/* Lines that DRM drivers write about a client (Documentation/gpu/drm-usage-stats.rst of the
 * kernel). Allocates nothing; safe in the preload. */
#ifndef PM_COMMON_SAFE_DRMLINE_H
#define PM_COMMON_SAFE_DRMLINE_H

#include "common/safe/tsv.h"

#include <stddef.h>
#include <stdint.h>

/* What a line of /proc/PID/fdinfo/FD tells. */
enum pm_drmline_key {
	PM_DRMLINE_DRIVER, /* `name` */
	PM_DRMLINE_DEVICE, /* `name`: PCI address */
	PM_DRMLINE_CLIENT, /* `value`: unique for the device */
	/* Of an engine, `name`: */
	PM_DRMLINE_CAPACITY,     /* number of such engines */
	PM_DRMLINE_NS,           /* time in which all of them together worked for the client */
	PM_DRMLINE_CYCLES,       /* the same in cycles ... */
	PM_DRMLINE_TOTAL_CYCLES, /* ... of so many that passed */
	/* Of a region of memory, `name`: bytes that the client has a handle of, of that shared with
	 * others, and of that there now, the latter also by its old name. */
	PM_DRMLINE_TOTAL,
	PM_DRMLINE_SHARED,
	PM_DRMLINE_RESIDENT,
	PM_DRMLINE_MEMORY,
};

struct pm_drmline {
	enum pm_drmline_key key;
	struct pm_str name; /* in the line */
	int64_t value;
};

/*
 * Read a line of n bytes, which ends in a newline. Returns 1; 0 for a line that tells something
 * else; or -1 for a value that is not as documented.
 */
int pm_drmline_parse(struct pm_drmline *l, const char *line, size_t n);

#endif
