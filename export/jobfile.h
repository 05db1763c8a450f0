/* Files that are of one job as a whole, not of rows. */
#ifndef PM_EXPORT_JOBFILE_H
#define PM_EXPORT_JOBFILE_H

#include "common/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Write the process tree as stacks for tools that draw flame graphs: of each process the programs
 * from its root to itself with semicolons between, a blank, and what it used itself by `measure`:
 * cpu, CPU time in us; wall, elapsed time in us in which none of its children ran; io, bytes it
 * read and wrote. Processes of which that is not known are left out, and counted in *unknown.
 * Returns 0, or -1 with e filled.
 */
int pm_export_folded(FILE *f, struct pm_db *db, int64_t job, const char *measure, int64_t *unknown,
		     struct pm_err *e);

/* The measures of pm_export_folded, the first is the usual one. */
#define PM_EXPORT_MEASURES "cpu|wall|io"

/* What of a job is not in its trace. */
struct pm_trace_gaps {
	int64_t unknown;      /* processes, threads and phases without a start */
	size_t damaged;       /* blocks of samples that could not be read */
	struct pm_err damage; /* the last of them */
};

/*
 * Write a trace of Perfetto: a track for each host with its processes, their images and threads,
 * the phases and, as counters, what was sampled; ends by failure or signal are instants. Times are
 * those of the database, in ns since 1970. What is left out is counted in *gaps. Source of the
 * format: protos/perfetto/trace of Perfetto. Returns 0, or -1 with e filled.
 */
int pm_export_trace(FILE *f, struct pm_db *db, int64_t job, struct pm_trace_gaps *gaps,
		    struct pm_err *e);

#endif
