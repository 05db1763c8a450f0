/* submit --sacct: add what Slurm's accounting knows to jobs that are loaded. */
#ifndef PM_SUBMIT_SACCT_H
#define PM_SUBMIT_SACCT_H

#include "common/err.h"

#include <stdint.h>

struct pm_sacct_result {
	int64_t told;    /* jobs of the database to which something was added */
	int64_t missing; /* jobs that are not in the database */
	int64_t wrong;   /* lines that are no job's */
};

/*
 * Read the output of `sacct --parsable2` from a file, or from standard input where it is "-", and
 * note what it says as annotations sacct.state, sacct.timelimit_s, sacct.memory_node_mb,
 * sacct.memory_cpu_mb and sacct.submit_us, in one transaction. The newest job of an id is meant, of
 * a cluster and user where the output has them. Returns 0, or -1 with e filled.
 */
int pm_sacct_load(const char *setting, const char *path, struct pm_sacct_result *r,
		  struct pm_err *e);

#endif
