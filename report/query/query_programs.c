/* Facts of a job: its programs, and failed processes. */
#include "config.h"

#include "report/query/query.h"

#include "common/grow.h"
#include "db/programs.h"
#include "report/query/query_row.h"

#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a statement that contains the condition of pm_processname_sql(). */
#define SQL_MAX 8192

/* Rows of failures read before equal labels are merged. */
#define FAILURES_READ 500

struct programs {
	struct pm_fact_program *p;
	size_t n, room;
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b; /* PM_UNKNOWN is below everything */
}

static int64_t known(int64_t v)
{
	return v == PM_PROGRAM_UNKNOWN ? PM_UNKNOWN : v;
}

/* Add a row of program_summary. Returns 0, or -1 if out of memory. */
static int add_row(struct programs *g, const struct pm_program *row, bool utf8)
{
	const int64_t *v = row->value;
	struct pm_fact_program *p;

	if (!PM_GROW(g->p, g->n, g->room, 64))
		return -1;
	p = &g->p[g->n++];
	*p = (struct pm_fact_program){
		.runs = row->count[PM_PROGRAM_RUNS],
		.cpu_us = known(v[PM_PROGRAM_CPU]),
		.system_us = known(v[PM_PROGRAM_SYSTEM]),
		.longest_us = known(v[PM_PROGRAM_DURATION]),
		.rss = pm_format_scale(known(v[PM_PROGRAM_RSS]), PM_KERNEL_KB),
		.rchar = known(v[PM_PROGRAM_RCHAR]),
		.wchar = known(v[PM_PROGRAM_WCHAR]),
		.syscr = known(v[PM_PROGRAM_SYSCR]),
		.syscw = known(v[PM_PROGRAM_SYSCW]),
		.read_bytes = known(v[PM_PROGRAM_READ]),
		.write_bytes = known(v[PM_PROGRAM_WRITE]),
		.numtids = known(v[PM_PROGRAM_THREADS]),
		.tiny_reads = known(v[PM_PROGRAM_TINY_READS]),
		.tiny_read_bytes = known(v[PM_PROGRAM_TINY_READ]),
		.tiny_writes = known(v[PM_PROGRAM_TINY_WRITES]),
		.tiny_write_bytes = known(v[PM_PROGRAM_TINY_WRITE]),
	};
	pm_processname_shown(p->label, row->label, utf8);
	return 0;
}

/* Write the columns that form a label; `t` is the table's name in the query. */
static int label_columns(char *sql, size_t cap, const char *t)
{
	char condition[SQL_MAX / 2], column[32];

	snprintf(column, sizeof column, "%s.exename", t);
	pm_processname_sql(condition, sizeof condition, column);
	return snprintf(sql, cap,
			"%s.exename, CASE WHEN %s THEN substr(%s.args, 1, 800) END,"
			" CASE WHEN %s.exename IN ('busybox', 'toybox', 'coreutils')"
			" THEN %s.thread_name END",
			t, *condition ? condition : "1 = 0", t, t, t);
}

static int compare_groups(int64_t a, int64_t b, const char *label_a, const char *label_b)
{
	if (a != b)
		return a > b ? -1 : 1;
	return strcmp(label_a, label_b);
}

static int by_cpu(const void *a, const void *b)
{
	const struct pm_fact_program *x = a, *y = b;

	return compare_groups(x->cpu_us, y->cpu_us, x->label, y->label);
}

static int by_rss(const void *a, const void *b)
{
	const struct pm_fact_program *x = a, *y = b;

	return compare_groups(x->rss, y->rss, x->label, y->label);
}

static int by_io(const void *a, const void *b)
{
	const struct pm_fact_program *x = a, *y = b;

	return compare_groups(pm_format_add(x->rchar, x->wchar), pm_format_add(y->rchar, y->wchar),
			      x->label, y->label);
}

static int by_tiny(const void *a, const void *b)
{
	const struct pm_fact_program *x = a, *y = b;

	return compare_groups(pm_format_add(x->tiny_reads, x->tiny_writes),
			      pm_format_add(y->tiny_reads, y->tiny_writes), x->label, y->label);
}

/* Copy the first programs in an order. Returns an array that the caller frees, or NULL if out of
 * memory. */
static struct pm_fact_program *copy_top(struct programs *g, size_t limit, size_t *n,
					int (*order)(const void *, const void *))
{
	struct pm_fact_program *first;

	*n = g->n < limit ? g->n : limit;
	first = malloc((*n ? *n : 1) * sizeof *first);
	if (!first)
		return NULL;
	if (g->n)
		qsort(g->p, g->n, sizeof *g->p, order);
	for (size_t i = 0; i < *n; i++)
		first[i] = g->p[i];
	return first;
}

int pm_query_programs(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e)
{
	struct programs g = { 0 };
	struct pm_stmt *q = NULL;
	char sql[512];
	int rc;

	snprintf(sql, sizeof sql, "SELECT %s FROM program_summary WHERE job_id = ?",
		 pm_programs_columns);
	rc = pm_query_prepare(db, sql, job, &q, e);
	if (rc < 0)
		return -1;
	f->runs = f->threads_known = 0;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_program row;

		pm_programs_take(&row, q, 0);
		f->runs += row.count[PM_PROGRAM_RUNS];
		f->threads_known += row.count[PM_PROGRAM_THREADS_KNOWN];
		if (row.value[PM_PROGRAM_CPU] != PM_PROGRAM_UNKNOWN)
			f->programs_cpu_us += (double)row.value[PM_PROGRAM_CPU];
		f->most_threads = larger(f->most_threads, known(row.value[PM_PROGRAM_THREADS]));
		if (add_row(&g, &row, utf8) < 0) {
			rc = pm_err(e, "list programs: out of memory");
			break;
		}
	}
	pm_db_finish(q);
	/* Their totals may be retired, too. */
	if (f->retired && g.n == 0)
		f->runs = f->threads_known = PM_UNKNOWN;
	f->programs = 0;
	for (size_t i = 0; i < g.n; i++)
		f->programs += g.p[i].runs > 0;
	if (rc == 0) {
		f->by_io = copy_top(&g, f->limit, &f->by_io_n, by_io);
		f->by_tiny = copy_top(&g, f->limit, &f->by_tiny_n, by_tiny);
		f->by_rss = copy_top(&g, f->limit, &f->by_rss_n, by_rss);
		f->by_cpu = copy_top(&g, f->limit, &f->by_cpu_n, by_cpu);
		if (!f->by_io || !f->by_tiny || !f->by_rss || !f->by_cpu)
			rc = pm_err(e, "list programs: out of memory");
	}
	free(g.p);
	return rc;
}

/* Merge a row into the failures found so far. Returns 1 for a new failure, whose field pid then
 * holds the number of its first process; 0 when the row was merged or there is no room. */
static int add_failure(struct pm_facts *f, struct pm_stmt *q, bool utf8)
{
	int64_t status = pm_query_int(q, 3), signal = pm_query_int(q, 4);
	char label[PM_PROCESSNAME_MAX];
	struct pm_fact_failure *x;

	pm_processname(label, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
		       pm_db_text(q, 2, NULL), utf8);
	for (size_t i = 0; i < f->failures; i++) {
		x = &f->failure[i];
		if (x->exit_status == status && x->exit_signal == signal &&
		    strcmp(x->label, label) == 0) {
			x->count += pm_db_int(q, 5);
			return 0;
		}
	}
	if (f->failures == f->limit)
		return 0;
	x = &f->failure[f->failures++];
	memset(x, 0, sizeof *x);
	memcpy(x->label, label, sizeof label);
	x->exit_status = status;
	x->exit_signal = signal;
	x->count = pm_db_int(q, 5);
	/* The process's id in the database; name_failures() replaces it. */
	x->pid = pm_db_int(q, 6);
	x->host = PM_UNKNOWN;
	return 1;
}

/* Replace the database ids in the field pid by pids, and fill in the command lines. */
static int name_failures(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			 struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(
		    db,
		    "SELECT exename, args, pid, host_id FROM process WHERE job_id = ? AND id = ?",
		    &q, e) < 0)
		return -1;
	for (size_t i = 0; i < f->failures && rc >= 0; i++) {
		struct pm_fact_failure *x = &f->failure[i];

		pm_db_reset(q);
		pm_db_bind_int(q, 1, job);
		pm_db_bind_int(q, 2, x->pid);
		rc = pm_db_step(q, e);
		if (rc > 0) {
			pm_processname_command(x->command, sizeof x->command,
					       pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
					       utf8);
			x->pid = pm_query_int(q, 2);
			x->host = pm_query_int(q, 3);
		}
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_query_failures(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e)
{
	char sql[SQL_MAX], columns[SQL_MAX / 2 + 512];
	struct pm_stmt *q;
	int rc;

	f->failure = calloc(f->limit ? f->limit : 1, sizeof *f->failure);
	if (!f->failure)
		return pm_err(e, "list failures: out of memory");
	label_columns(columns, sizeof columns, "p");
	/* Signals come first, since they are rarer and worse than a status. A signal that only
	 * requests termination, as from a pool to its workers, is no failure. */
	snprintf(sql, sizeof sql,
		 "SELECT %s, exitcode, exitsignal, COUNT(*), MIN(id) FROM process p"
		 " WHERE job_id = ? AND (exitsignal NOT IN (" PM_QUERY_ASKING ") OR (exitsignal IS "
		 "NULL AND (end_reason = 'signal' OR exitcode <> 0)))"
		 " GROUP BY 1, 2, 3, 4, 5"
		 " ORDER BY CASE WHEN exitcode IS NULL THEN 0 ELSE 1 END, 6 DESC, 7 LIMIT %d",
		 columns, FAILURES_READ);
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		add_failure(f, q, utf8);
	pm_db_finish(q);
	if (f->failed >= 0) {
		f->failures_more = f->failed - (f->asked > 0 ? f->asked : 0);
		for (size_t i = 0; i < f->failures; i++)
			f->failures_more -= f->failure[i].count;
		if (f->failures_more < 0)
			f->failures_more = 0;
	}
	return rc < 0 ? -1 : name_failures(db, job, utf8, f, e);
}
