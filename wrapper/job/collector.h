/* Check that a file is the collector, libperfmon.so, built for this machine. */
#ifndef PM_WRAPPER_JOB_COLLECTOR_H
#define PM_WRAPPER_JOB_COLLECTOR_H

#include "common/err.h"

enum pm_collector {
	PM_COLLECTOR_FITS,
	PM_COLLECTOR_UNUSABLE_PATH, /* LD_PRELOAD cannot hold the path */
	PM_COLLECTOR_UNREADABLE,    /* missing, or not readable */
	PM_COLLECTOR_NO_LIBRARY,
	PM_COLLECTOR_OTHER_MACHINE,
	PM_COLLECTOR_INCOMPLETE, /* the end of the file is missing, as after a full disk */
	PM_COLLECTOR_OTHER_LIBRARY,
};

/* Check the file at `path` by its ELF headers and DT_SONAME. Unless the file fits, e gets a
 * sentence that begins with the path. */
enum pm_collector pm_collector_look(const char *path, struct pm_err *e);

/* The processor that this perfmon, and so its collector, is built for, such as "x86-64". */
const char *pm_collector_machine(void);

#endif
