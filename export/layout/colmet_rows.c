/* The rows of a table of the layout colmet. */
#include "config.h"

#include "export/layout/colmet.h"

#include "common/bytes.h"
#include "export/layout/jsontext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most jobs of a host that are looked for; where there were more, none is told. */
#define MOST_JOBS 256

/* What is read of a host. */
struct reading {
	struct pm_colmet *c;
	const struct pm_colmet_table *t;
	size_t first, count;
	struct pm_grid *g;
	const char **job; /* the jobs on the node, whose columns stand behind the others */
	size_t jobs;
	bool known; /* there are not too many */
	struct pm_grid_column *column;
	struct pm_export_value *value;
	struct pm_bytes list;
};

/* Whether a host has anything of a table. */
static bool has_table(const struct pm_grid *g, const struct pm_colmet_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (pm_grid_has(g, &t->column[i].is))
			return true;
	return false;
}

/* Find the jobs that were on the node. Returns 0, or -1 with e filled. */
static int find_jobs(struct reading *r, struct pm_err *e)
{
	size_t n;
	const struct pm_grid_series *series = pm_grid_series(r->g, &n);

	r->job = calloc(MOST_JOBS, sizeof *r->job);
	if (!r->job)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < n && r->known; i++) {
		if (strcmp(series[i].source, "jobs") != 0 ||
		    strcmp(series[i].metric, "present") != 0 || !*series[i].object)
			continue;
		r->known = r->jobs < MOST_JOBS;
		if (r->known)
			r->job[r->jobs++] = series[i].object;
	}
	if (!r->known)
		r->jobs = 0;
	return 0;
}

/* Begin to read a host. Returns 0, or -1 with e filled. */
static int begin(struct reading *r, const struct pm_grid_series *ticks, bool jobs, struct pm_err *e)
{
	r->known = jobs;
	if (jobs && find_jobs(r, e) < 0)
		return -1;
	r->column = calloc(r->count + r->jobs + 1, sizeof *r->column);
	r->value = calloc(r->count + 1, sizeof *r->value);
	if (!r->column || !r->value)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < r->count; i++)
		r->column[i] = r->t->column[r->first + i].is;
	for (size_t i = 0; i < r->jobs; i++)
		r->column[r->count + i] = (struct pm_grid_column){ .kind = PM_GRID_WHOLE,
								   .divisor = 1,
								   .terms = "jobs.present",
								   .object = r->job[i] };
	return pm_grid_begin(r->g, ticks, r->column, r->count + r->jobs, e);
}

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 19 &&
	       (*text != '0' || !text[1]);
}

/* Write a job to the list: a number where it is one. */
static void put_job(FILE *f, const char *job, bool first)
{
	fputs(first ? "[" : ", ", f);
	if (is_number(job))
		fputs(job, f);
	else
		pm_jsontext_put(f, job);
}

/* Make the list of the jobs on the node: those that the sampler saw, else the one that is
 * exported. Returns 0, or -1 with e filled. */
static int list_jobs(struct reading *r, const struct pm_export_value *present, struct pm_err *e)
{
	char *text = NULL;
	size_t n = 0, jobs = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < r->jobs; i++)
		if (present[i].type == PM_DB_INTEGER && present[i].integer != 0)
			put_job(f, r->job[i], jobs++ == 0);
	if (jobs == 0)
		put_job(f, r->c->jobid, true);
	fputs("]", f);
	if (fclose(f) != 0 || !text) {
		free(text);
		return pm_err(e, "out of memory");
	}
	r->list.n = 0;
	pm_bytes_add(&r->list, n < PM_COLMET_JOBS ? text : "", n < PM_COLMET_JOBS ? n + 1 : 1);
	free(text);
	return r->list.failed ? pm_err(e, "out of memory") : 0;
}

/* The value of a column in a row, which is as of the series or of the job's begin. */
static struct pm_export_value value_of(const struct pm_colmet *c,
				       const struct pm_colmet_column *column, int64_t time_us,
				       const struct pm_export_value *sampled)
{
	struct pm_export_value v = { .type = PM_DB_NULL };
	int64_t age_us;

	if (column->how == PM_COLMET_REAL && sampled->type == PM_DB_INTEGER)
		v = (struct pm_export_value){ .type = PM_DB_REAL,
					      .real = (double)sampled->integer };
	else if (column->how == PM_COLMET_WHOLE || column->how == PM_COLMET_REAL)
		v = *sampled;
	else if (c->start_us >= 0 && column->how == PM_COLMET_BEGIN)
		v = (struct pm_export_value){ .type = PM_DB_INTEGER,
					      .integer = c->start_us / 1000000 };
	else if (c->start_us >= 0 && !__builtin_sub_overflow(time_us, c->start_us, &age_us) &&
		 age_us >= 0)
		v = (struct pm_export_value){ .type = PM_DB_INTEGER, .integer = age_us };
	return v;
}

/* Read the rows of a host. Returns 0, or -1 with e filled. */
static int read_rows(struct reading *r, const char *host, pm_colmet_take *take, void *self,
		     struct pm_err *e)
{
	struct pm_colmet_row row = { .host = host, .jobs = "", .value = r->value };
	const struct pm_export_value *value;
	int rc;

	while ((rc = pm_grid_next(r->g, &row.time_us, &value, e)) > 0) {
		for (size_t i = 0; i < r->count; i++)
			r->value[i] =
				value_of(r->c, &r->t->column[r->first + i], row.time_us, &value[i]);
		if (r->known && list_jobs(r, value + r->count, e) < 0)
			return -1;
		if (r->known)
			row.jobs = (const char *)r->list.p;
		if (take(self, &row, e) < 0)
			return -1;
	}
	return rc;
}

/* Read a table, and count faults where `damaged` is not NULL. Returns 0, or -1 with e filled. */
static int read_table(struct pm_colmet *c, const struct pm_colmet_table *t, size_t first,
		      size_t count, bool jobs, pm_colmet_take *take, void *self, size_t *damaged,
		      struct pm_err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->hosts.n; i++) {
		const struct pm_hosts_host *host = &c->hosts.host[i];
		struct reading r = { .c = c, .t = t, .first = first, .count = count };
		const struct pm_grid_series *ticks;

		r.g = pm_grid_new(c->a->db, c->a->job, host->id, e);
		ticks = r.g ? pm_grid_ticks(r.g, t->sources, NULL) : NULL;
		rc = r.g ? 0 : -1;
		if (ticks && has_table(r.g, t)) {
			rc = begin(&r, ticks, jobs && t->node, e);
			if (rc == 0)
				rc = read_rows(&r, host->name, take, self, e);
		}
		if (r.g && damaged)
			*damaged += pm_grid_damaged(r.g, &c->a->damage);
		pm_grid_free(r.g);
		free(r.job);
		free(r.column);
		free(r.value);
		pm_bytes_free(&r.list);
	}
	return rc;
}

int pm_colmet_rows(struct pm_colmet *c, const struct pm_colmet_table *t, size_t first, size_t count,
		   bool jobs, pm_colmet_take *take, void *self, struct pm_err *e)
{
	return read_table(c, t, first, count, jobs, take, self, NULL, e);
}

/* Note of a row what is not complete. */
static int check_row(void *self, const struct pm_colmet_row *row, struct pm_err *e)
{
	struct pm_colmet_table *t = self;

	(void)e;
	for (size_t i = 0; i < t->n; i++)
		if (row->value[i].type != PM_DB_INTEGER)
			t->column[i].complete = false;
	t->rows++;
	return 0;
}

int pm_colmet_check(struct pm_colmet *c, struct pm_err *e)
{
	for (size_t i = 0; i < c->tables; i++) {
		struct pm_colmet_table *t = &c->table[i];

		for (size_t k = 0; k < t->n; k++)
			t->column[k].complete = t->column[k].how != PM_COLMET_REAL;
		t->rows = 0;
		if (read_table(c, t, 0, t->n, true, check_row, t, &c->a->damaged, e) < 0)
			return -1;
	}
	return 0;
}
