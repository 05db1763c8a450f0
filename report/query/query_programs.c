/* Facts of a job: processes grouped by program, and failed processes. */
#include "config.h"

#include "report/query/query.h"

#include "common/grow.h"
#include "report/query/query_row.h"

#include "report/print/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of different labels; further programs are grouped by their executable alone. */
#define GROUPS_MAX 8192

/* Room for a statement that contains the condition of pm_processname_sql(). */
#define SQL_MAX 8192

/* Rows of failures read before equal labels are merged. */
#define FAILURES_READ 500

struct groups {
	struct pm_fact_program *p;
	size_t n, room;
	size_t *slot; /* hash table of indexes + 1 */
	size_t slots;
};

static size_t hash_text(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return (size_t)h;
}

/* Find the group of a label, or add it. Returns NULL if out of memory. */
static struct pm_fact_program *group_of(struct groups *g, const char *label)
{
	size_t i;

	if (!g->slot) {
		g->slots = 4 * GROUPS_MAX;
		g->slot = calloc(g->slots, sizeof *g->slot);
		if (!g->slot)
			return NULL;
	}
	for (i = hash_text(label) % g->slots; g->slot[i]; i = (i + 1) % g->slots)
		if (strcmp(g->p[g->slot[i] - 1].label, label) == 0)
			return &g->p[g->slot[i] - 1];
	if (g->n == 2 * GROUPS_MAX)
		return &g->p[0]; /* only a hostile job has so many executables: add it to the first
				  * group */
	if (!PM_GROW(g->p, g->n, g->room, 64))
		return NULL;
	g->slot[i] = ++g->n;
	struct pm_fact_program *p = &g->p[g->n - 1];

	*p = (struct pm_fact_program){
		.cpu_us = PM_UNKNOWN,
		.system_us = PM_UNKNOWN,
		.longest_us = PM_UNKNOWN,
		.rss = PM_UNKNOWN,
		.rchar = PM_UNKNOWN,
		.wchar = PM_UNKNOWN,
		.syscr = PM_UNKNOWN,
		.syscw = PM_UNKNOWN,
		.read_bytes = PM_UNKNOWN,
		.write_bytes = PM_UNKNOWN,
		.numtids = PM_UNKNOWN,
		.tiny_reads = PM_UNKNOWN,
		.tiny_read_bytes = PM_UNKNOWN,
		.tiny_writes = PM_UNKNOWN,
		.tiny_write_bytes = PM_UNKNOWN,
	};
	snprintf(p->label, sizeof p->label, "%s", label);
	return p;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b; /* PM_UNKNOWN is below everything */
}

/* Add a row of the query programs_sql() to its group. Returns 0, or -1 if out of memory. */
static int add_row(struct groups *g, struct pm_stmt *q, bool utf8)
{
	bool many = g->n >= GROUPS_MAX;
	char label[PM_PROCESSNAME_MAX];
	struct pm_fact_program *p;

	pm_processname(label, pm_db_text(q, 0, NULL), many ? NULL : pm_db_text(q, 1, NULL),
		       many ? NULL : pm_db_text(q, 2, NULL), utf8);
	p = group_of(g, label);
	if (!p)
		return -1;
	p->runs += pm_db_int(q, 3);
	p->cpu_us = pm_format_add(p->cpu_us, pm_query_sum(q, 4));
	p->system_us = pm_format_add(p->system_us, pm_query_sum(q, 5));
	p->longest_us = larger(p->longest_us, pm_query_int(q, 6));
	p->rss = larger(p->rss, pm_format_scale(pm_query_int(q, 7), PM_KERNEL_KB));
	p->rchar = pm_format_add(p->rchar, pm_query_sum(q, 8));
	p->wchar = pm_format_add(p->wchar, pm_query_sum(q, 9));
	p->syscr = pm_format_add(p->syscr, pm_query_sum(q, 10));
	p->syscw = pm_format_add(p->syscw, pm_query_sum(q, 11));
	p->read_bytes = pm_format_add(p->read_bytes, pm_query_sum(q, 12));
	p->write_bytes = pm_format_add(p->write_bytes, pm_query_sum(q, 13));
	p->numtids = larger(p->numtids, pm_query_int(q, 14));
	p->tiny_reads = pm_format_add(p->tiny_reads, pm_query_sum(q, 16));
	p->tiny_read_bytes = pm_format_add(p->tiny_read_bytes, pm_query_sum(q, 17));
	p->tiny_writes = pm_format_add(p->tiny_writes, pm_query_sum(q, 18));
	p->tiny_write_bytes = pm_format_add(p->tiny_write_bytes, pm_query_sum(q, 19));
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

/*
 * A fork that only execs leaves an image of its own, a copy of its parent. The image belongs to the
 * cost of starting a program and is no run of the parent's program, so runs do not count it. They
 * do not count programs that could not be started either.
 */
#define RUN                                                                                        \
	"p.end_reason = 'exec' AND p.generation = 0 AND p.path = q.path AND"                       \
	" COALESCE(p.args, '') = COALESCE(q.args, '') THEN 0"                                      \
	" WHEN p.last_call LIKE 'execve E%%' OR p.last_call = 'execve failed' THEN 0"

/* Sums of calls and of bytes over processes with tiny calls. */
#define TINY_SUM(calls, bytes, what)                                                               \
	" SUM(CASE WHEN p." bytes " / NULLIF(p." calls ", 0) < %d THEN CAST(p." what               \
	" AS DOUBLE PRECISION) END)"
#define TINY(calls, bytes) TINY_SUM(calls, bytes, calls) "," TINY_SUM(calls, bytes, bytes)

static void programs_sql(char *sql, size_t cap)
{
	char columns[SQL_MAX / 2 + 512];

	label_columns(columns, sizeof columns, "p");
	snprintf(sql, cap,
		 "SELECT %s,"
		 " SUM(CASE WHEN " RUN " ELSE 1 END),"
		 " SUM(CAST(p.cpu_time AS DOUBLE PRECISION)), SUM(CAST(p.systemtime AS DOUBLE "
		 "PRECISION)),"
		 " MAX(p.duration_us), MAX(p.rssmax),"
		 " SUM(CAST(p.rchar AS DOUBLE PRECISION)), SUM(CAST(p.wchar AS DOUBLE PRECISION)),"
		 " SUM(CAST(p.syscr AS DOUBLE PRECISION)), SUM(CAST(p.syscw AS DOUBLE PRECISION)),"
		 " SUM(CAST(p.read_bytes AS DOUBLE PRECISION)), SUM(CAST(p.write_bytes AS DOUBLE "
		 "PRECISION)),"
		 /* Threads created without the C library are missing in numtids; num_threads has
		  * them if they live to the end. */
		 " MAX(CASE WHEN p.num_threads > COALESCE(p.numtids, 0) THEN p.num_threads ELSE"
		 " p.numtids END),"
		 " SUM(CASE WHEN " RUN
		 " WHEN p.numtids IS NULL THEN 0 ELSE 1 END)," TINY("syscr", "rchar") "," TINY(
			 "syscw", "wchar") " FROM process p LEFT JOIN process q ON q.job_id = "
					   "p.job_id AND q.id = p.parent_id"
					   " WHERE p.job_id = ? GROUP BY 1, 2, 3",
		 columns, PM_FACTS_TINY, PM_FACTS_TINY, PM_FACTS_TINY, PM_FACTS_TINY);
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

/* Copy the first groups in an order. Returns an array that the caller frees, or NULL if out of
 * memory. */
static struct pm_fact_program *copy_top(struct groups *g, size_t limit, size_t *n,
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
	struct groups g = { 0 };
	struct pm_stmt *q = NULL;
	char sql[SQL_MAX];
	int rc;

	programs_sql(sql, sizeof sql);
	rc = pm_query_prepare(db, sql, job, &q, e);
	if (rc < 0)
		return -1;
	f->runs = f->threads_known = 0;
	while ((rc = pm_db_step(q, e)) > 0) {
		f->runs += pm_db_int(q, 3);
		f->threads_known += pm_db_int(q, 15);
		f->most_threads = larger(f->most_threads, pm_query_int(q, 14));
		if (add_row(&g, q, utf8) < 0) {
			rc = pm_err(e, "group processes: out of memory");
			break;
		}
	}
	pm_db_finish(q);
	f->programs = 0;
	for (size_t i = 0; i < g.n; i++)
		f->programs += g.p[i].runs > 0;
	if (rc == 0) {
		f->by_io = copy_top(&g, f->limit, &f->by_io_n, by_io);
		f->by_tiny = copy_top(&g, f->limit, &f->by_tiny_n, by_tiny);
		f->by_rss = copy_top(&g, f->limit, &f->by_rss_n, by_rss);
		f->by_cpu = copy_top(&g, f->limit, &f->by_cpu_n, by_cpu);
		if (!f->by_io || !f->by_tiny || !f->by_rss || !f->by_cpu)
			rc = pm_err(e, "group processes: out of memory");
	}
	free(g.p);
	free(g.slot);
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
	x->pid =
		pm_db_int(q, 6); /* the process's id in the database; name_failures() replaces it */
	return 1;
}

/* Replace the database ids in the field pid by pids, and fill in the command lines. */
static int name_failures(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			 struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(db, "SELECT exename, args, pid FROM process WHERE job_id = ? AND id = ?",
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
	/* Signals come first, since they are rarer and worse than a status; signals that only
	 * request termination come last. */
	snprintf(sql, sizeof sql,
		 "SELECT %s, exitcode, exitsignal, COUNT(*), MIN(id) FROM process p"
		 " WHERE job_id = ? AND (exitsignal IS NOT NULL OR end_reason = 'signal' OR"
		 " exitcode <> 0)"
		 " GROUP BY 1, 2, 3, 4, 5"
		 " ORDER BY CASE WHEN exitsignal IN (" PM_QUERY_ASKING ") THEN 2"
		 " WHEN exitcode IS NULL THEN 0 ELSE 1 END, 6 DESC, 7 LIMIT %d",
		 columns, FAILURES_READ);
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		add_failure(f, q, utf8);
	pm_db_finish(q);
	return rc < 0 ? -1 : name_failures(db, job, utf8, f, e);
}
