/* Whether a file is the collector, libperfmon.so, and of this machine. */
#ifndef PM_WRAPPER_COLLECTOR_H
#define PM_WRAPPER_COLLECTOR_H

#include "common/err.h"

enum pm_collector {
	PM_COLLECTOR_FITS,
	PM_COLLECTOR_UNUSABLE_PATH, /* LD_PRELOAD cannot hold it */
	PM_COLLECTOR_UNREADABLE,    /* absent, or not readable */
	PM_COLLECTOR_NO_LIBRARY,
	PM_COLLECTOR_OTHER_MACHINE,
	PM_COLLECTOR_INCOMPLETE, /* its end is missing, as where a disk was full */
	PM_COLLECTOR_OTHER_LIBRARY,
};

/* What the file at `path` is, by its ELF headers and the name in it (DT_SONAME). Unless it fits, e
 * gets a sentence that begins with the path. */
enum pm_collector pm_collector_look(const char *path, struct pm_err *e);

/* The processor that this perfmon, and so its collector, is built for, as "x86-64". */
const char *pm_collector_machine(void);

#endif
