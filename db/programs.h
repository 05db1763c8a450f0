/*
 * Totals of a job's programs: table program_summary. The loader adds processes as it writes them;
 * whatever changes processes otherwise has the rows computed again, by the same rules.
 */
#ifndef PM_DB_PROGRAMS_H
#define PM_DB_PROGRAMS_H

#include "common/record/processname.h"
#include "common/safe/tsv.h"
#include "db/db.h"

/* An unknown number. */
#define PM_PROGRAM_UNKNOWN INT64_MIN

/* A call that moves fewer bytes is tiny: a call costs as much as copying kilobytes. */
#define PM_PROGRAM_TINY 512

enum pm_program_value {
#define PM_PROGRAMVALUE(id, column, unit, kind, help) PM_PROGRAM_##id,
#include "sql/programvalues.def"
#undef PM_PROGRAMVALUE
	PM_PROGRAM_VALUES
};

/* A process: columns of its row. Texts are borrowed, and unknown where p is NULL. */
struct pm_program_process {
	struct pm_str exename, args, comm, end_reason, last_call;
	int64_t exitcode, exitsignal, numtids, num_threads;
	/* It has path and args of its parent, is the first image of its process, and may have
	 * ended by an exec: such an image belongs to the cost of starting a program. */
	bool copy;
	/* Those of tiny calls are computed from the others, as is that of threads. */
	int64_t value[PM_PROGRAM_VALUES];
};

enum pm_program_count {
	PM_PROGRAM_PROCESSES,
	PM_PROGRAM_RUNS,
	PM_PROGRAM_THREADS_KNOWN,
	PM_PROGRAM_FAILED,
	PM_PROGRAM_KILLED,
	PM_PROGRAM_COUNTS
};

/* A row of program_summary: its columns after `program` are these, in this order. */
struct pm_program {
	char label[PM_PROCESSNAME_MAX];
	int64_t count[PM_PROGRAM_COUNTS];
	int64_t value[PM_PROGRAM_VALUES];
};

/* Columns of program_summary after job_id, in the order of struct pm_program, with commas. */
extern const char pm_programs_columns[];

#define PM_PROGRAM_COLUMNS (PM_PROGRAM_COUNTS + PM_PROGRAM_VALUES)

/* The column number i after `program`, and its value in a row. */
const char *pm_programs_column(int i);
int64_t pm_programs_number(const struct pm_program *p, int i);

/* Read such a row from the current row of a query, from column `at` on. */
void pm_programs_take(struct pm_program *p, struct pm_stmt *q, int at);

/*
 * The programs of a job. With more than 8192 labels, those of an executable that has more than 64
 * become one; with more than 8192 executables, all do. The order of processes does not matter.
 */
struct pm_programs;

/* Returns NULL if out of memory. */
struct pm_programs *pm_programs_new(void);
void pm_programs_free(struct pm_programs *s); /* NULL is fine */

/* Add a process. Returns 0, or -1 if out of memory. */
int pm_programs_add(struct pm_programs *s, const struct pm_program_process *p);

/* Add all processes of a job in the database. Returns 0 or -1 with e filled. */
int pm_programs_query(struct pm_programs *s, struct pm_db *db, int64_t job, struct pm_err *e);

/* Add a row to programs that have no processes. Returns 0, or -1 if out of memory. */
int pm_programs_put(struct pm_programs *s, const struct pm_program *row);

/* The rows, sorted by label, those of equal labels added up. The array is to be freed by the
 * caller; NULL if out of memory. */
struct pm_program *pm_programs_rows(const struct pm_programs *s, size_t *n);

/* Write the rows of a job that has none, inside the caller's transaction. Returns 0 or -1 with e
 * filled. */
int pm_programs_write(const struct pm_programs *s, struct pm_db *db, int64_t job, struct pm_err *e);

/* Compute the rows of a job from its processes and write them in place of what is there, inside the
 * caller's transaction. Returns 0 or -1 with e filled. */
int pm_programs_renew(struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * Give the programs of a job other labels, inside the caller's transaction: `change` writes the new
 * one into `label` and returns the number of changes in it, or -1 with e filled. Programs of equal
 * labels become one row. Returns the sum of what `change` returned, or -1 with e filled.
 */
int64_t pm_programs_relabel(struct pm_db *db, int64_t job,
			    int (*change)(char label[PM_PROCESSNAME_MAX], struct pm_err *e),
			    struct pm_err *e);

#endif
