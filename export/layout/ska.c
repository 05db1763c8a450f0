/* The layout ska: the files of metrics, as JSON and as tables. */
#include "config.h"

#include "export/layout/ska.h"

#include "common/path.h"
#include "export/hdf5/hdf5.h"
#include "export/layout/frame.h"
#include "export/layout/jobname.h"
#include "export/layout/jsontext.h"
#include "export/layout/ska_meta.h"
#include "export/target.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of a file beside those of hosts. */
#define RESERVED "host_names sampling_frequency"

/* The format that has all tables in one file, and its name. */
#define FRAMES      "hdf5"
#define FRAMES_FILE "metrics.h5"

/* What is written. */
struct ska {
	struct pm_layout_ask *a;
	struct pm_hosts hosts;
	struct pm_ska_columns columns[PM_SKA_FILES];
};

/* What receives the parts of a file, host by host. */
struct writer {
	struct ska *s;
	enum pm_ska_file file;
	struct pm_export_target target;
	const struct pm_export_format *format; /* NULL: JSON */
	struct pm_frame *frame;                /* of formats that write one */
	/* Of a table. */
	struct pm_export_file out;
	struct pm_export_column *column;
	struct pm_export_value *value;
	bool begun;
	/* Of JSON. */
	size_t parts;
	double interval_s; /* of the first part: the mean time between its ticks */
	char *names;       /* the list host_names, being written */
	size_t length;
	FILE *list;
};

/* A part being written: its grid and columns. */
struct part {
	const struct pm_ska_part *is;
	struct pm_grid *g;
	struct pm_grid_column *column; /* of each of the file */
	size_t n;
};

/* Write the times of a part, and note the mean time between them. Returns 0, or -1 with e filled.
 */
static int put_times(struct writer *w, const struct part *p, struct pm_err *e)
{
	FILE *f = w->target.f;
	const struct pm_export_value *value;
	int64_t time_us, first_us = 0, last_us = 0;
	size_t n = 0;
	int rc;

	if (pm_grid_begin(p->g, p->is->ticks, NULL, 0, e) < 0)
		return -1;
	fputs("[", f);
	while ((rc = pm_grid_next(p->g, &time_us, &value, e)) > 0) {
		fputs(n > 0 ? ", " : "", f);
		pm_jsontext_time(f, time_us);
		if (n++ == 0)
			first_us = time_us;
		last_us = time_us;
	}
	fputs("]", f);
	if (w->parts == 0 && n > 1)
		w->interval_s = ((double)last_us - (double)first_us) / 1e6 / (double)(n - 1);
	return rc;
}

/* Write the values of a column. Returns 0, or -1 with e filled. */
static int put_list(struct writer *w, const struct part *p, size_t column, struct pm_err *e)
{
	const struct pm_export_value *value;
	const char *between = "";
	int64_t time_us;
	int rc;

	if (pm_grid_begin(p->g, p->is->ticks, &p->column[column], 1, e) < 0)
		return -1;
	fputs("[", w->target.f);
	while ((rc = pm_grid_next(p->g, &time_us, &value, e)) > 0) {
		fputs(between, w->target.f);
		pm_jsontext_number(w->target.f, value);
		between = ", ";
	}
	fputs("]", w->target.f);
	return rc;
}

/* Write the groups of the file that have no column: they are there, and empty. */
static void put_empty(FILE *f, enum pm_ska_file file, const struct pm_ska_columns *x)
{
	static const char *const perf[] = {
#define PM_SKA_GROUP(group, metrics) group,
#include "export/layout/ska.def"
	};
	size_t k;

	if (file == PM_SKA_CPU)
		fputs(",\n\"child_proc_md\": [],\n\"parent_proc_md\": {}", f);
	for (size_t i = 0; file == PM_SKA_PERF && i < sizeof perf / sizeof perf[0]; i++) {
		for (k = 0; k < x->n && strcmp(x->column[k].key, perf[i]) != 0; k++)
			;
		if (k == x->n)
			fprintf(f, ",\n\"%s\": {}", perf[i]);
	}
}

/* Write a part as JSON: a list for each column. Returns 0, or -1 with e filled. */
static int put_part(struct writer *w, const struct part *p, struct pm_err *e)
{
	const struct pm_ska_columns *x = &w->s->columns[w->file];
	FILE *f = w->target.f;

	fputs(w->parts > 0 ? ",\n" : "\n", f);
	pm_jsontext_put(f, p->is->name);
	fputs(": {\n\"host_name\": ", f);
	pm_jsontext_put(f, p->is->name);
	fputs(",\n\"time_stamps\": ", f);
	if (put_times(w, p, e) < 0)
		return -1;
	for (size_t i = 0; i < x->n; i++) {
		const struct pm_ska_column *c = &x->column[i];
		const bool first = i == 0 || strcmp(x->column[i - 1].key, c->key) != 0;
		const bool last = i + 1 == x->n || strcmp(x->column[i + 1].key, c->key) != 0;

		if (first) {
			fputs(",\n", f);
			pm_jsontext_put(f, c->key);
			fputs(c->sub ? ": {" : ": ", f);
		} else {
			fputs(",\n\t", f);
		}
		if (c->sub) {
			pm_jsontext_put(f, c->sub);
			fputs(": ", f);
		}
		if (put_list(w, p, i, e) < 0)
			return -1;
		fputs(last && c->sub ? "}" : "", f);
	}
	put_empty(f, w->file, x);
	fputs("}", f);
	fputs(w->parts > 0 ? ", " : "", w->list);
	pm_jsontext_put(w->list, p->is->name);
	w->parts++;
	return 0;
}

/* Add the rows of a part to a table. Returns 0, or -1 with e filled. */
static int put_rows(struct writer *w, const struct part *p, struct pm_err *e)
{
	const struct pm_ska_columns *x = &w->s->columns[w->file];
	const struct pm_export_value *value;
	int64_t time_us;
	int rc;

	if (pm_grid_begin(p->g, p->is->ticks, p->column, p->n, e) < 0)
		return -1;
	w->value[0] = (struct pm_export_value){ .type = PM_DB_TEXT,
						.text = p->is->name,
						.length = strlen(p->is->name) };
	while ((rc = pm_grid_next(p->g, &time_us, &value, e)) > 0) {
		w->value[1] = (struct pm_export_value){ .type = PM_DB_REAL,
							.real = (double)time_us / 1e6 };
		memcpy(w->value + 2, value, p->n * sizeof *value);
		for (size_t i = 0; i < p->n; i++)
			if (w->value[i + 2].type == PM_DB_REAL)
				w->value[i + 2].real /= x->column[i].table;
		if (w->format->row(&w->out, w->value, e) < 0)
			return -1;
		w->out.rows++;
	}
	return rc;
}

/* Write what a host has in the file. Returns 0, or -1 with e filled. */
static int write_host(struct writer *w, const struct pm_hosts_host *host, struct pm_err *e)
{
	struct pm_layout_ask *a = w->s->a;
	struct pm_grid *g = pm_grid_new(a->db, a->job, host->id, e);
	const char *event[PM_GRID_EVENTS];
	struct pm_ska_part *part = NULL;
	size_t n = 0;
	int rc = g ? 0 : -1;

	if (rc == 0)
		rc = pm_ska_parts_find(w->file, g, host->name, &part, &n, e);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct part p = { .is = &part[i], .g = g, .n = w->s->columns[w->file].n };
		struct pm_formula *formula = NULL;

		if (!part[i].ticks)
			continue;
		rc = pm_ska_columns_of(&w->s->columns[w->file], g, host->march, part[i].object,
				       &p.column, &formula, event, e);
		if (rc == 0)
			rc = w->format ? put_rows(w, &p, e) : put_part(w, &p, e);
		free(p.column);
		free(formula);
	}
	if (g)
		a->damaged += pm_grid_damaged(g, &a->damage);
	pm_ska_parts_free(part, n);
	pm_grid_free(g);
	return rc;
}

/* Begin a table: Host, Timestamps and the columns. Returns 0, or -1 with e filled. */
static int begin_table(struct writer *w, struct pm_err *e)
{
	const struct pm_ska_columns *x = &w->s->columns[w->file];

	w->column = calloc(x->n + 2, sizeof *w->column);
	w->value = calloc(x->n + 2, sizeof *w->value);
	if (!w->column || !w->value)
		return pm_err(e, "out of memory");
	w->column[0] = (struct pm_export_column){ .name = "Host", .type = PM_EXPORT_TEXT };
	w->column[1] = (struct pm_export_column){ .name = "Timestamps", .type = PM_EXPORT_REAL };
	for (size_t i = 0; i < x->n; i++) {
		const struct pm_grid_column *is = &x->column[i].is;
		const bool whole =
			is->kind == PM_GRID_COUNT || (is->kind == PM_GRID_SUM && is->divisor == 1);

		w->column[i + 2] = (struct pm_export_column){ .name = x->column[i].header,
							      .type = whole ? PM_EXPORT_INTEGER
									    : PM_EXPORT_REAL };
	}
	w->out = (struct pm_export_file){ .f = w->target.f,
					  .name = w->target.path,
					  .column = w->column,
					  .columns = x->n + 2,
					  .own = w->frame };
	w->begun = true;
	return w->format->begin(&w->out, e);
}

static int begin_file(struct writer *w, struct pm_err *e)
{
	if (w->format)
		return begin_table(w, e);
	w->list = open_memstream(&w->names, &w->length);
	if (!w->list)
		return pm_err(e, "out of memory");
	fputs("{", w->target.f);
	return 0;
}

static int end_file(struct writer *w, struct pm_err *e)
{
	struct pm_export_value interval = { .type = PM_DB_REAL, .real = w->interval_s };

	if (w->format)
		return w->format->end(&w->out, e);
	if (fclose(w->list) != 0 || !w->names) {
		w->list = NULL;
		return pm_err(e, "out of memory");
	}
	w->list = NULL;
	if (w->interval_s <= 0)
		interval.type = PM_DB_NULL;
	fprintf(w->target.f,
		"%s\"host_names\": [%s],\n\"sampling_frequency\": ", w->parts > 0 ? ",\n" : "\n",
		w->names);
	pm_jsontext_number(w->target.f, &interval);
	fputs("\n}\n", w->target.f);
	return 0;
}

/* Write all that a file has. Returns 0, or -1 with e filled. */
static int write_content(struct writer *w, struct pm_err *e)
{
	const struct pm_hosts *hosts = &w->s->hosts;
	int rc = begin_file(w, e);

	for (size_t i = 0; rc == 0 && i < hosts->n; i++)
		rc = write_host(w, &hosts->host[i], e);
	if (rc == 0)
		rc = end_file(w, e);
	if (w->begun && w->format->release)
		w->format->release(&w->out);
	if (w->list)
		fclose(w->list);
	free(w->names);
	free(w->column);
	free(w->value);
	return rc;
}

/* Write a file; `format` NULL: its JSON. Returns 0, or -1 with e filled. */
static int write_file(struct ska *s, enum pm_ska_file file, const struct pm_export_format *format,
		      struct pm_err *e)
{
	struct writer w = { .s = s, .file = file, .format = format };
	char path[PATH_MAX];
	int rc;

	if ((size_t)snprintf(path, sizeof path, "%s/%s%s.%s", s->a->path, format ? "" : "metrics/",
			     pm_ska_file_name[file], format ? format->name : "json") >= sizeof path)
		return pm_err(e, "%s: the name is too long", s->a->path);
	if (pm_export_target_open(&w.target, path, false, s->a->read, s->a->reads, e) < 0)
		return -1;
	rc = write_content(&w, e);
	if (rc == 0)
		rc = pm_export_target_commit(&w.target, e);
	pm_export_target_abandon(&w.target);
	return rc;
}

/* Write the table of a file as a DataFrame, of which nothing is written where it has no rows.
 * Returns 0, or -1 with e filled. */
static int write_frame(struct ska *s, enum pm_ska_file file, struct pm_hdf5 *h, const char *jobid,
		       struct pm_err *e)
{
	struct pm_frame frame = {
		.h = h, .name = pm_ska_file_name[file], .job = jobid, .group = -1
	};
	struct writer look = { .s = s, .file = file, .format = &pm_frame_look, .frame = &frame },
		      write = look;
	int rc = write_content(&look, e);

	write.format = &pm_frame_write;
	if (rc == 0 && frame.rows > 0)
		rc = write_content(&write, e);
	pm_frame_free(&frame);
	return rc;
}

/* Write all tables into one file of HDF5. Returns 0, or -1 with e filled. */
static int write_frames(struct ska *s, struct pm_err *e)
{
	struct pm_export_target out = { .f = NULL };
	struct pm_hdf5 *h = NULL;
	char path[PATH_MAX], *jobid = NULL;
	int64_t start_us;
	int rc = pm_jobname_read(s->a->db, s->a->job, &jobid, &start_us, e);

	if (rc == 0 &&
	    (size_t)snprintf(path, sizeof path, "%s/" FRAMES_FILE, s->a->path) >= sizeof path)
		rc = pm_err(e, "%s: the name is too long", s->a->path);
	if (rc == 0)
		rc = pm_export_target_open(&out, path, false, s->a->read, s->a->reads, e);
	if (rc == 0 && !(h = pm_hdf5_new(out.f, e)))
		rc = -1;
	for (enum pm_ska_file file = 0; file < PM_SKA_FILES && rc == 0; file++)
		rc = write_frame(s, file, h, jobid, e);
	if (rc == 0 && pm_hdf5_finish(h, e) < 0)
		rc = pm_err_prefix(e, "%s", path);
	if (rc == 0)
		rc = pm_export_target_commit(&out, e);
	pm_hdf5_free(h);
	pm_export_target_abandon(&out);
	free(jobid);
	return rc;
}

/* Write tables in a format. Returns 0, or -1 with e filled. */
static int write_tables(struct ska *s, const struct pm_export_format *format, struct pm_err *e)
{
	int rc = 0;

	for (enum pm_ska_file file = 0; file < PM_SKA_FILES && rc == 0; file++)
		rc = write_file(s, file, format, e);
	return rc;
}

/* Make a directory of the layout; `name` "" is the layout's own. Returns 0, or -1 with e filled. */
static int make_directory(const char *path, const char *name, struct pm_err *e)
{
	char full[PATH_MAX];

	if ((size_t)snprintf(full, sizeof full, "%s/%s", path, name) >= sizeof full)
		return pm_err(e, "%s: the name is too long", path);
	return pm_path_make(full, e);
}

static int write_ska(struct pm_layout_ask *a, struct pm_err *e)
{
	struct ska s = { .a = a };
	int rc = pm_hosts_read(&s.hosts, a->db, a->job, RESERVED, e);

	if (rc == 0)
		rc = pm_ska_columns_find(s.columns, a, &s.hosts, e);
	if (rc == 0)
		rc = make_directory(a->path, "metrics", e);
	if (rc == 0)
		rc = pm_ska_meta_write(a, &s.hosts, e);
	if (rc == 0 && a->verbose)
		rc = make_directory(a->path, "configs", e);
	if (rc == 0 && a->verbose)
		rc = pm_ska_configs_write(a, &s.hosts, e);
	for (enum pm_ska_file file = 0; file < PM_SKA_FILES && rc == 0; file++)
		rc = write_file(&s, file, NULL, e);
	for (size_t i = 0; rc == 0 && i < a->formats; i++)
		if (strcmp(a->format[i]->name, FRAMES) != 0)
			rc = write_tables(&s, a->format[i], e);
	/* At last: a perfmon that was built without libhdf5 has written all else. */
	for (size_t i = 0; rc == 0 && i < a->formats; i++)
		if (strcmp(a->format[i]->name, FRAMES) == 0)
			rc = pm_hdf5_check(e) < 0 ? -1 : write_frames(&s, e);
	pm_ska_columns_free(s.columns);
	pm_hosts_free(&s.hosts);
	return rc;
}

const struct pm_layout pm_layout_ska = { .name = "ska",
					 .kind = "samples",
					 .names = "",
					 .directory = true,
					 .tables = "csv tsv parquet " FRAMES,
					 .write = write_ska };
