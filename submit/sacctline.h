/* Lines of `sacct --parsable2`: what Slurm's accounting knows of a job. Knows no database. */
#ifndef PM_SUBMIT_SACCTLINE_H
#define PM_SUBMIT_SACCTLINE_H

#include "common/err.h"

#include <stdint.h>

/* Fields that are used, by their names in sacct's header line; others may stand between them. */
enum pm_sacct_field {
	PM_SACCT_JOBID,
	PM_SACCT_CLUSTER,
	PM_SACCT_USER,
	PM_SACCT_STATE,
	PM_SACCT_TIMELIMIT,
	PM_SACCT_REQMEM,
	PM_SACCT_NNODES,
	PM_SACCT_SUBMIT,
	PM_SACCT_FIELDS
};

/* Number of the column of each field, -1 for none. */
struct pm_sacct_header {
	int column[PM_SACCT_FIELDS];
};

/* Longest text of a field, with its NUL; a longer one is cut. */
#define PM_SACCT_TEXT 64

struct pm_sacct_job {
	char jobid[PM_SACCT_TEXT], cluster[PM_SACCT_TEXT], user[PM_SACCT_TEXT];
	char state[PM_SACCT_TEXT]; /* first word: COMPLETED, TIMEOUT, CANCELLED */
	/* -1 where it is not known or not limited */
	int64_t timelimit_s;
	int64_t memory_node_mb, memory_cpu_mb; /* as Slurm counts, 1024 kB */
	int64_t submit_us;                     /* since 1970 */
};

/* Read the header line, without its newline. Returns 0, or -1 with e filled where it has no JobID.
 */
int pm_sacct_header(struct pm_sacct_header *h, const char *line, struct pm_err *e);

/* Read a line. Returns 1 for a job, 0 for one of its steps or an empty line, -1 where it cannot be
 * one. Times without a zone are local. */
int pm_sacct_line(struct pm_sacct_job *job, const struct pm_sacct_header *h, const char *line);

#endif
