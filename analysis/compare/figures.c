/* Read the figures of jobs, of their programs, phases and operations. */
#include "config.h"

#include "analysis/compare/store.h"

#include "analysis/ops/ops.h"
#include "common/memtext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*
 * What adds up exactly, as work does, is known to a fiftieth without anyone caring for less. What
 * other jobs, caches and the scheduler decide is of interest from a tenth on.
 */
#define EXACT 0.02
#define LOOSE 0.1
static const struct pm_compare_kind of_job[] = {
	{ "duration_us", "Wall time", "us", false, EXACT, 50e3 },
	{ "cpu_time", "CPU time", "us", false, EXACT, 20e3 },
	{ "usertime", "  user", "us", false, EXACT, 20e3 },
	{ "systemtime", "  system", "us", false, EXACT, 20e3 },
	{ "time_waiting", "Waiting for CPU", "ns", false, LOOSE, 50e6 },
	{ "delayacct_blkio_time", "Waiting for storage", "ticks", false, LOOSE, 5 },
	{ "rssmax", "Peak memory", "kB", false, EXACT, 1024 },
	{ "minflt", "Page faults", "n", false, EXACT, 100 },
	{ "majflt", "  with I/O", "n", false, LOOSE, 20 },
	{ "rchar", "Read", "B", false, EXACT, 65536 },
	{ "wchar", "Written", "B", false, EXACT, 65536 },
	{ "read_bytes", "  from storage", "B", false, LOOSE, 1e6 },
	{ "write_bytes", "  to storage", "B", false, LOOSE, 1e6 },
	{ "vol_ctxsw", "Voluntary switches", "n", false, LOOSE, 100 },
	{ "invol_ctxsw", "Involuntary switches", "n", false, LOOSE, 100 },
	{ "gpu_time", "GPU time", "ns", false, EXACT, 10e6 },
	{ "gpu_memory", "GPU memory", "kB", false, EXACT, 1024 },
	{ "energy_uj", "Energy", "uJ", false, EXACT, 1e6 },
	{ "processes", "Processes", "", false, EXACT, 1 },
	{ "threads", "Threads", "", false, EXACT, 1 },
	{ "failed", "Failed processes", "", false, EXACT, 1 },
};
enum { PROGRAM_CPU, PROGRAM_RUNS, PROGRAM_RSS, PROGRAM_BYTES };
static const struct pm_compare_kind of_program[] = {
	[PROGRAM_CPU] = { "cpu_time", "CPU time", "us", true, EXACT, 1e3 },
	[PROGRAM_RUNS] = { "runs", "runs", "", true, EXACT, 1 },
	[PROGRAM_RSS] = { "rssmax", "peak memory", "kB", false, EXACT, 1024 },
	[PROGRAM_BYTES] = { "bytes", "read and written", "B", true, EXACT, 65536 },
};
enum { PHASE_WALL, PHASE_TIMES };
static const struct pm_compare_kind of_phase[] = {
	[PHASE_WALL] = { "duration_us", "wall time", "us", true, EXACT, 20e3 },
	[PHASE_TIMES] = { "times", "times", "", true, EXACT, 1 },
};
enum { OPERATION_CPU, OPERATION_WALL, OPERATION_PROCESSES };
static const struct pm_compare_kind of_operation[] = {
	[OPERATION_CPU] = { "cpu_time", "CPU time", "us", true, EXACT, 1e3 },
	[OPERATION_WALL] = { "duration_us", "wall time", "us", true, EXACT, 20e3 },
	[OPERATION_PROCESSES] = { "processes", "processes", "", true, EXACT, 1 },
};
/* clang-format on */

#define KINDS(x) (sizeof(x) / sizeof(x)[0])

_Static_assert(KINDS(of_job) <= PM_COMPARE_KINDS, "room for all kinds");

const struct pm_compare_kind *pm_compare_kinds(enum pm_compare_scope scope, size_t *n)
{
	static const struct {
		const struct pm_compare_kind *kind;
		size_t n;
	} all[PM_COMPARE_SCOPES] = {
		[PM_COMPARE_JOB] = { of_job, KINDS(of_job) },
		[PM_COMPARE_PROGRAM] = { of_program, KINDS(of_program) },
		[PM_COMPARE_PHASE] = { of_phase, KINDS(of_phase) },
		[PM_COMPARE_OPERATION] = { of_operation, KINDS(of_operation) },
	};

	*n = all[scope].n;
	return all[scope].kind;
}

static double real_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? NAN : pm_db_real(q, i);
}

/* Run a statement about each job, and take its rows. Returns 0 or -1 with e filled. */
static int each_row(struct pm_compare *c, struct pm_db *db, const char *sql,
		    int (*take)(struct pm_compare *c, size_t job, struct pm_stmt *q),
		    struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	rc = 0;
	for (size_t i = 0; i < c->jobs && rc == 0; i++) {
		pm_db_reset(q);
		pm_db_bind_int(q, 1, c->job[i].id);
		while ((rc = pm_db_step(q, e)) > 0)
			if (take(c, i, q) < 0) {
				rc = pm_err(e, "out of memory");
				break;
			}
	}
	pm_db_finish(q);
	return rc;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static int take_job(struct pm_compare *c, size_t job, struct pm_stmt *q)
{
	double *row = pm_compare_store_row(c->store, PM_COMPARE_JOB, "", job);

	if (!row)
		return -1;
	/* What a job has used so far is no figure of it. */
	for (size_t k = 0; k < KINDS(of_job) && !c->job[job].running; k++)
		row[k * c->jobs] = real_of(q, (int)k);
	return 0;
}

static int read_jobs(struct pm_compare *c, struct pm_db *db, struct pm_err *e)
{
	char *sql;
	size_t n;
	FILE *out = open_memstream(&sql, &n);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	for (size_t k = 0; k < KINDS(of_job); k++)
		fprintf(out, "%s %s", k ? "," : "SELECT", of_job[k].name);
	fputs(" FROM job WHERE id = ?", out);
	if (!pm_memtext_end(out, &sql))
		return pm_err(e, "out of memory");
	rc = each_row(c, db, sql, take_job, e);
	free(sql);
	return rc;
}

/* --- programs, phases ------------------------------------------------------------------------- */

static int take_program(struct pm_compare *c, size_t job, struct pm_stmt *q)
{
	const char *label = pm_db_text(q, 0, NULL);
	double *row;

	if (c->job[job].running || !label)
		return 0;
	row = pm_compare_store_row(c->store, PM_COMPARE_PROGRAM, label, job);
	if (!row)
		return -1;
	c->store->known[PM_COMPARE_PROGRAM][job] = c->job[job].programs = true;
	for (size_t k = 0; k < KINDS(of_program); k++)
		row[k * c->jobs] = real_of(q, 1 + (int)k);
	return 0;
}

static int take_phase(struct pm_compare *c, size_t job, struct pm_stmt *q)
{
	const char *name = pm_db_text(q, 0, NULL);
	double *row;

	if (c->job[job].running || !name)
		return 0;
	row = pm_compare_store_row(c->store, PM_COMPARE_PHASE, name, job);
	if (!row)
		return -1;
	c->store->known[PM_COMPARE_PHASE][job] = true;
	row[PHASE_TIMES * c->jobs] = real_of(q, 1);
	/* One of an unknown length makes the sum unknown. */
	if (pm_db_int(q, 1) == pm_db_int(q, 2))
		row[PHASE_WALL * c->jobs] = real_of(q, 3);
	return 0;
}

/* --- operations ------------------------------------------------------------------------------- */

static double number_of(int64_t v)
{
	return v == PM_OPS_UNKNOWN ? NAN : (double)v;
}

static int take_operation(struct pm_compare *c, const struct pm_op *op, size_t job)
{
	double *row = pm_compare_store_row(c->store, PM_COMPARE_OPERATION, op->key, job);

	if (!row)
		return -1;
	c->store->known[PM_COMPARE_OPERATION][job] = true;
	row[OPERATION_CPU * c->jobs] = number_of(op->value[PM_OPS_FIXED].sum);
	row[OPERATION_WALL * c->jobs] = number_of(pm_ops_union(op));
	row[OPERATION_PROCESSES * c->jobs] = (double)op->processes;
	return 0;
}

/* Job by job, so that memory does not grow with them. */
static int read_operations(struct pm_compare *c, struct pm_db *db, struct pm_err *e)
{
	struct pm_opselect all;
	int rc = pm_opselect_make(&all, NULL, NULL, e);

	for (size_t i = 0; i < c->jobs && rc == 0; i++) {
		const struct pm_ops_ask ask = { .job = &c->job[i].id, .jobs = 1, .select = &all };
		struct pm_ops x;

		if (c->job[i].running)
			continue;
		rc = pm_ops_choose(&x, "cpu_time", e);
		if (rc == 0)
			rc = pm_ops_read(&x, &db, 1, &ask, e);
		for (size_t k = 0; rc == 0 && k < x.ops; k++)
			if (take_operation(c, &x.op[k], i) < 0)
				rc = pm_err(e, "out of memory");
		pm_ops_free(&x);
	}
	pm_opselect_free(&all);
	return rc;
}

/* --- all -------------------------------------------------------------------------------------- */

int pm_compare_read_figures(struct pm_compare *c, struct pm_db *db, struct pm_err *e)
{
	if (read_jobs(c, db, e) < 0 ||
	    each_row(c, db,
		     "SELECT program, cpu_time, runs, rssmax, CAST(rchar AS double precision) +"
		     " CAST(wchar AS double precision) FROM program_summary WHERE job_id = ?"
		     " AND runs > 0",
		     take_program, e) < 0 ||
	    each_row(c, db,
		     "SELECT name, count(*), count(duration_us),"
		     " sum(CAST(duration_us AS double precision)) FROM phase WHERE job_id = ?"
		     " GROUP BY name",
		     take_phase, e) < 0)
		return -1;
	return read_operations(c, db, e);
}
