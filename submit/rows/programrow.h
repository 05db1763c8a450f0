/* What a process adds to its program's totals, as its row is written. */
#ifndef PM_SUBMIT_ROWS_PROGRAMROW_H
#define PM_SUBMIT_ROWS_PROGRAMROW_H

#include "db/programs.h"
#include "submit/rows/imagerow.h"

/* Zero but for `rows` and `programs`; one per job. */
struct pm_programrow {
	struct pm_imagerow *rows;
	struct pm_programs *programs;
	/* Names of parents, whose rows are written after those of their children. */
	struct pm_programrow_parent {
		uint32_t image; /* plus 1 */
		struct pm_str path, args;
	} parent[256];
};

/* Add the row of image i; `cpu` is its CPU time, -1: unknown. Returns 0 or -1 with e filled. */
int pm_programrow_add(struct pm_programrow *x, uint32_t i, const struct pm_record *row, int64_t cpu,
		      struct pm_err *e);

#endif
