/* Facts of a job: its programs. */
#include "config.h"

#include "report/query/query.h"

#include "common/grow.h"
#include "db/programs.h"
#include "report/rows/query_row.h"

#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
