/* The layout colmet: a file of HDF5, and what its counters are; or its extractor's JSON. */
#include "config.h"

#include "export/layout/colmet.h"

#include "common/path.h"
#include "common/utf8.h"
#include "export/csv.h"
#include "export/hdf5/hdf5.h"
#include "export/hdf5/pytable.h"
#include "export/target.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* As colmet counts the versions of its files. */
#define BACKEND_VERSION 2

/* What receives the rows of a table. */
struct writer {
	struct pm_colmet *c;
	const struct pm_colmet_table *t;
	struct pm_hdf5_pytable *to;
};

static void put_text(struct writer *w, const char *text, size_t width)
{
	pm_hdf5_pytable_text(w->to, text, strlen(text), width);
}

/* Write a host's name; one that does not fit as a part of a file's, which is no other host's. */
static void put_host(struct writer *w, const char *name)
{
	char file[PM_HOSTS_FILE];

	if (strlen(name) <= PM_COLMET_NAME) {
		put_text(w, name, PM_COLMET_NAME);
		return;
	}
	for (size_t i = 0; i < w->c->hosts.n; i++)
		if (w->c->hosts.host[i].name == name) {
			pm_hosts_file(file, &w->c->hosts.host[i]);
			put_text(w, file, PM_COLMET_NAME);
		}
}

static int put_row(void *self, const struct pm_colmet_row *row, struct pm_err *e)
{
	struct writer *w = self;
	const int64_t us = row->time_us;

	pm_hdf5_pytable_integer(w->to, us / 1000000 - (us % 1000000 < 0));
	put_host(w, row->host);
	if (w->t->node || w->c->number >= 0)
		pm_hdf5_pytable_integer(w->to, w->t->node ? 0 : w->c->number);
	else
		pm_hdf5_pytable_real(w->to, (double)NAN);
	put_text(w, w->t->name, PM_COLMET_NAME);
	if (w->t->node)
		put_text(w, row->jobs, PM_COLMET_JOBS);
	for (size_t i = 0; i < w->t->n; i++) {
		const struct pm_export_value *v = &row->value[i];

		if (w->t->column[i].complete)
			pm_hdf5_pytable_integer(w->to, v->integer);
		else
			pm_hdf5_pytable_real(w->to, v->type == PM_DB_REAL      ? v->real
						    : v->type == PM_DB_INTEGER ? (double)v->integer
									       : (double)NAN);
	}
	return pm_hdf5_pytable_fit(w->to, e);
}

/* Describe the fields of a table. Returns how many. */
static size_t describe(struct pm_hdf5_field *f, const struct pm_colmet *c,
		       const struct pm_colmet_table *t)
{
	static const size_t width[PM_COLMET_HEADS] = { [PM_COLMET_HOSTNAME] = PM_COLMET_NAME,
						       [PM_COLMET_METRIC_BACKEND] = PM_COLMET_NAME,
						       [PM_COLMET_INVOLVED_JOBS] = PM_COLMET_JOBS };
	size_t n = 0;

	for (enum pm_colmet_head i = 0; i < PM_COLMET_HEADS; i++) {
		const bool no_number = i == PM_COLMET_JOB_ID && !t->node && c->number < 0;

		if (i == PM_COLMET_INVOLVED_JOBS && !t->node)
			continue;
		f[n++] = (struct pm_hdf5_field){ pm_colmet_head[i],
						 width[i]    ? PM_HDF5_TEXT
						 : no_number ? PM_HDF5_REAL
							     : PM_HDF5_INTEGER,
						 width[i], 0 };
	}
	for (size_t i = 0; i < t->n; i++)
		f[n++] = (struct pm_hdf5_field){ t->column[i].name,
						 t->column[i].complete ? PM_HDF5_INTEGER
								       : PM_HDF5_REAL,
						 0, 0 };
	return n;
}

/* Write a table. Returns 0, or -1 with e filled. */
static int write_table(struct pm_colmet *c, const struct pm_colmet_table *t, struct pm_hdf5 *h,
		       int64_t group, struct pm_err *e)
{
	struct pm_hdf5_field *field = calloc(t->n + PM_COLMET_HEADS, sizeof *field);
	struct writer w = { .c = c, .t = t };
	int rc = -1;

	if (!field)
		return pm_err(e, "out of memory");
	w.to = pm_hdf5_pytable_new(h, group, t->name, field, describe(field, c, t), t->rows, e);
	if (w.to)
		rc = pm_hdf5_note_integer(h, pm_hdf5_pytable_id(w.to), "backend_version",
					  BACKEND_VERSION, e);
	if (rc == 0)
		rc = pm_colmet_rows(c, t, 0, t->n, true, put_row, &w, e);
	if (rc == 0)
		rc = pm_hdf5_pytable_finish(w.to, e);
	else
		pm_hdf5_pytable_free(w.to);
	free(field);
	return rc;
}

/* Write the group of a job with its tables, or that of nodes. Returns 0, or -1 with e filled. */
static int write_group(struct pm_colmet *c, struct pm_hdf5 *h, bool node, struct pm_err *e)
{
	int64_t group = -1;
	char *name;
	int rc = 0;

	if (asprintf(&name, "job_%s", node ? "0" : c->jobid) < 0)
		return pm_err(e, "out of memory");
	for (size_t i = 0; rc == 0 && i < c->tables; i++) {
		if (c->table[i].node != node || c->table[i].rows == 0)
			continue;
		if (group < 0)
			group = pm_hdf5_group(h, pm_hdf5_root(h), name, strlen(name), c->a->job, e);
		rc = group < 0 ? -1 : write_table(c, &c->table[i], h, group, e);
	}
	pm_hdf5_group_close(h, group);
	free(name);
	return rc;
}

/* Open a file of the directory, NAME.T.SUFFIX, T being the begin of the job in s. Returns 0, or -1
 * with e filled. */
static int open_file(struct pm_export_target *out, const struct pm_colmet *c, const char *name,
		     const char *suffix, char path[PATH_MAX], struct pm_err *e)
{
	const int64_t s = c->start_us > 0 ? c->start_us / 1000000 : 0;

	if ((size_t)snprintf(path, PATH_MAX, "%s/%s.%010" PRId64 ".%s", c->a->path, name, s,
			     suffix) >= PATH_MAX)
		return pm_err(e, "%s: the name is too long", c->a->path);
	return pm_export_target_open(out, path, false, c->a->read, c->a->reads, e);
}

static int write_hdf5(struct pm_colmet *c, struct pm_err *e)
{
	struct pm_export_target out = { .f = NULL };
	struct pm_hdf5 *h = NULL;
	char path[PATH_MAX];
	int rc = open_file(&out, c, "colmet", "hdf5", path, e);

	if (rc == 0 && !(h = pm_hdf5_new(out.f, e)))
		rc = -1;
	if (rc == 0)
		rc = write_group(c, h, true, e);
	if (rc == 0)
		rc = write_group(c, h, false, e);
	if (rc == 0 && pm_hdf5_finish(h, e) < 0)
		rc = pm_err_prefix(e, "%s", path);
	if (rc == 0)
		rc = pm_export_target_commit(&out, e);
	pm_hdf5_free(h);
	pm_export_target_abandon(&out);
	return rc;
}

static void put_field(FILE *f, const char *text)
{
	fputs(",", f);
	pm_csv_text(f, text, strlen(text));
}

/* Write what a column counter_N is, as colmet does. */
static void put_counter(FILE *f, const struct pm_colmet_table *t, size_t i)
{
	const struct pm_colmet_column *c = &t->column[i];

	fputs(c->name, f);
	if (c->label[1])
		put_field(f, i % 2 == 0 ? "energy_microjoule" : "max_energy_range_microjoule");
	if (c->label[0])
		put_field(f, c->label[0]);
	else
		put_field(f, "no_counter");
	if (c->label[1])
		put_field(f, c->label[1]);
	fputs("\n", f);
}

static int write_mapping(const struct pm_colmet *c, const struct pm_colmet_table *t,
			 struct pm_err *e)
{
	struct pm_export_target out;
	char path[PATH_MAX];
	int rc;

	if (open_file(&out, c, t->mapping, "csv", path, e) < 0)
		return -1;
	for (size_t i = 0; i < t->n; i++)
		put_counter(out.f, t, i);
	rc = pm_export_target_commit(&out, e);
	pm_export_target_abandon(&out);
	return rc;
}

static int write_directory(struct pm_colmet *c, struct pm_err *e)
{
	int rc = pm_path_make(c->a->path, e);

	if (rc == 0)
		rc = write_hdf5(c, e);
	for (size_t i = 0; rc == 0 && i < c->tables; i++)
		if (c->table[i].mapping && c->table[i].rows > 0)
			rc = write_mapping(c, &c->table[i], e);
	return rc;
}

/* Whether the lists are asked for: on standard output, or in a file of JSON. */
static bool is_extract(const char *path)
{
	const size_t n = strlen(path);

	return strcmp(path, "-") == 0 || (n > 5 && strcasecmp(path + n - 5, ".json") == 0);
}

static int write_colmet(struct pm_layout_ask *a, struct pm_err *e)
{
	const bool extract = is_extract(a->path);
	struct pm_colmet c = { .a = a };
	int rc;

	if (!extract && a->columns)
		return pm_err(e,
			      "export --layout colmet: --columns is for -o - and files of .json");
	rc = extract ? 0 : pm_hdf5_check(e);
	if (rc == 0)
		rc = pm_colmet_find(&c, a, e);
	if (rc == 0)
		rc = extract ? pm_colmet_extract(&c, e) : write_directory(&c, e);
	pm_colmet_free(&c);
	return rc;
}

const struct pm_layout pm_layout_colmet = { .name = "colmet",
					    .kind = "samples",
					    .names = "",
					    .tables = "",
					    .columns = true,
					    .write = write_colmet };
