/* Read figures of processes or threads, and bring those together that are compared. */
#include "config.h"

#include "analysis/outliers/processfeatures.h"

#include "common/grow.h"
#include "common/memtext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between a program and the key of its tags: names of programs are escaped, and keys have none. */
#define TO_KEY '\3'

/* Columns before the features. */
enum { AT_PROCESS, AT_THREAD, AT_PROGRAM, AT_SET, AT_FEATURES };

/* Of threads, those of processes that had several are in a table of their own; of another process
 * its row is that of its thread, as in the view thread. */
static const struct source {
	enum pm_rowkind kind;
	const char *head, *from, *prefix;
} sources[] = {
	{ PM_ROWS_PROCESSES, "p.id, 0", "process p WHERE p.job_id = ?", "p." },
	{ PM_ROWS_THREADS, "p.id, t.id",
	  "thread_row t JOIN process p ON p.job_id = t.job_id AND p.id = t.process_id "
	  "WHERE t.job_id = ?",
	  "t." },
	{ PM_ROWS_THREADS, "p.id, 1",
	  "process p WHERE p.job_id = ? AND NOT EXISTS (SELECT 1 FROM thread_row t "
	  "WHERE t.job_id = p.job_id AND t.process_id = p.id)",
	  "p." },
};

/* The SQL of a job's rows, to be freed; NULL if out of memory. */
static char *make_sql(const struct pm_processfeatures *x, const struct source *s)
{
	char *sql;
	size_t n;
	FILE *out = open_memstream(&sql, &n);

	if (!out)
		return NULL;
	fprintf(out, "SELECT %s, p.exename, p.tag_set", s->head);
	for (size_t k = 0; k < x->none.features; k++) {
		const char *column = pm_rowfeatures_sql(x->kind, x->none.feature[k]);
		const char *plus = strstr(column, " + ");

		/* Of a sum, both columns are of the same table. */
		if (plus)
			fprintf(out, ", %s%.*s + %s%s", s->prefix, (int)(plus - column), column,
				s->prefix, plus + strlen(" + "));
		else
			fprintf(out, ", %s%s", s->prefix, column);
	}
	fprintf(out, " FROM %s", s->from);
	return pm_memtext_end(out, &sql);
}

/* A buffer for names of groups. */
struct name {
	char *text;
	size_t room;
};

/* The number of a group, or -1 with e filled. */
static int64_t number_of(struct pm_processfeatures *x, struct name *name, const char *program,
			 const char *key, struct pm_err *e)
{
	const size_t n = strlen(program) + strlen(key) + 2;
	int64_t number;

	if (n > name->room && !PM_GROW_BY(name->text, 0, n, name->room, 256)) {
		pm_err(e, "out of memory");
		return -1;
	}
	snprintf(name->text, n, "%s%c%s", program, TO_KEY, key);
	number = pm_opsets_number(&x->groups, name->text, 0);
	if (number < 0)
		pm_err(e, "out of memory");
	return number;
}

/* Add a row to a group. */
static int add_row(struct pm_processfeatures *x, struct pm_stmt *q, size_t job, int64_t group,
		   struct pm_err *e)
{
	const size_t features = x->none.features;

	/* The arrays are up to twice as large as their rows, and then these are sorted into others.
	 */
	if (3 * (x->rows + 1) * (sizeof *x->row + features * sizeof *x->value) >
	    PM_PROCESSFEATURES_BYTES)
		return pm_err(e,
			      "more than %zu rows are to be compared, which is all that %zu MiB "
			      "of memory hold; choose fewer jobs, or fewer figures",
			      x->rows, PM_PROCESSFEATURES_BYTES >> 20);
	if (!PM_GROW(x->row, x->rows, x->row_room, 1024) ||
	    !PM_GROW_BY(x->value, x->rows * features, features, x->value_room, 1024))
		return pm_err(e, "out of memory");
	x->row[x->rows] =
		(struct pm_processfeatures_row){ pm_db_int(q, AT_PROCESS), pm_db_int(q, AT_THREAD),
						 (uint32_t)job, (uint32_t)group };
	for (size_t k = 0; k < features; k++)
		x->value[x->rows * features + k] = pm_db_is_null(q, AT_FEATURES + (int)k)
							   ? NAN
							   : pm_db_real(q, AT_FEATURES + (int)k);
	x->rows++;
	return 0;
}

/* Add a row to all groups that it is of. */
static int take_row(struct pm_processfeatures *x, struct pm_opsets *sets, struct name *name,
		    struct pm_stmt *q, size_t job, struct pm_err *e)
{
	const char *program = pm_db_text(q, AT_PROGRAM, NULL);
	const bool tagged = !pm_db_is_null(q, AT_SET);
	const uint32_t *of = NULL;
	size_t n = 0;
	int64_t group;

	if (!program) {
		x->unnamed++;
		return 0;
	}
	if (tagged)
		of = pm_opsets_of(sets, x->jobs.job[job].id, pm_db_int(q, AT_SET), &n);
	else if (sets->select->mode == PM_OPSELECT_ALL)
		return (group = number_of(x, name, program, "", e)) < 0
			       ? -1
			       : add_row(x, q, job, group, e);
	for (size_t i = 0; i < n; i++)
		if ((group = number_of(x, name, program, sets->op[of[i]].key, e)) < 0 ||
		    add_row(x, q, job, group, e) < 0)
			return -1;
	return 0;
}

static int read_source(struct pm_processfeatures *x, struct pm_opsets *sets, struct name *name,
		       struct pm_db *db, const struct source *s, size_t job, struct pm_err *e)
{
	char *sql = make_sql(x, s);
	struct pm_stmt *q;
	int rc;

	if (!sql)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, x->jobs.job[job].id);
	while ((rc = pm_db_step(q, e)) > 0)
		if (take_row(x, sets, name, q, job, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

static int read_rows(struct pm_processfeatures *x, struct pm_opsets *sets, struct pm_db *db,
		     struct pm_err *e)
{
	struct name name = { NULL, 0 };
	int rc = 0;

	for (size_t i = 0; i < x->jobs.jobs && rc == 0; i++) {
		pm_opsets_clear(sets);
		rc = pm_opsets_add(sets, db, x->jobs.job[i].id, e);
		for (size_t s = 0; s < sizeof sources / sizeof sources[0] && rc == 0; s++)
			if (sources[s].kind == x->kind)
				rc = read_source(x, sets, &name, db, &sources[s], i, e);
	}
	free(name.text);
	return rc;
}

/* Bring the rows of each group together, in the order in which they were read. Returns 0 or -1 with
 * e filled. */
static int sort_rows(struct pm_processfeatures *x, struct pm_err *e)
{
	const size_t features = x->none.features;
	struct pm_processfeatures_row *row = malloc((x->rows + 1) * sizeof *row);
	double *value = malloc((x->rows * features + 1) * sizeof *value);
	size_t *next = calloc(x->groups.ops + 2, sizeof *next);

	if (!row || !value || !next) {
		free(row);
		free(value);
		free(next);
		return pm_err(e, "out of memory");
	}
	for (size_t i = 0; i < x->rows; i++)
		next[x->row[i].group + 1]++;
	for (size_t g = 0; g < x->groups.ops; g++)
		next[g + 1] += next[g];
	for (size_t i = 0; i < x->rows; i++) {
		const size_t to = next[x->row[i].group]++;

		row[to] = x->row[i];
		memcpy(value + to * features, x->value + i * features, features * sizeof *value);
	}
	free(next);
	free(x->row);
	free(x->value);
	x->row = row;
	x->value = value;
	return 0;
}

int pm_processfeatures_read(struct pm_processfeatures *x, enum pm_rowkind kind, struct pm_db *db,
			    const struct pm_jobfilter *f, const struct pm_opselect *select,
			    const char *words, struct pm_err *e)
{
	struct pm_opsets sets;
	int rc;

	memset(x, 0, sizeof *x);
	x->kind = kind;
	pm_opsets_init(&x->groups, select, false);
	if (pm_rowfeatures_choose(&x->none, kind, words, e) < 0 ||
	    pm_jobfeatures_read(&x->jobs, db, f, "duration_us", e) < 0)
		return -1;
	pm_opsets_init(&sets, select, false);
	rc = read_rows(x, &sets, db, e);
	pm_opsets_free(&sets);
	return rc < 0 ? -1 : sort_rows(x, e);
}

/* Split what names a group, in place. */
static void name_view(struct pm_processfeatures_view *v, char *text)
{
	char *to = strchr(text, TO_KEY);

	if (to)
		*to = '\0';
	v->program = text;
	v->key = text + strlen(text) + 1;
}

int pm_processfeatures_next(const struct pm_processfeatures *x, size_t *at,
			    struct pm_processfeatures_view *v, struct pm_err *e)
{
	const struct pm_processfeatures_row *first = x->row + *at;
	const size_t left = x->rows - *at, features = x->none.features;
	size_t n = 0;

	if (!left)
		return 0;
	while (n < left && first[n].group == first->group)
		n++;
	*v = (struct pm_processfeatures_view){ .row = first, .x = x->none };
	name_view(v, x->groups.op[first->group].key);
	v->x.jobs = n;
	v->x.value = x->value + *at * features;
	v->x.job = malloc(n * sizeof *v->x.job);
	if (!v->x.job)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < n; i++)
		v->x.job[i] = x->jobs.job[first[i].job];
	*at += n;
	return 1;
}

void pm_processfeatures_view_free(struct pm_processfeatures_view *v)
{
	free(v->x.job);
	v->x.job = NULL;
}

void pm_processfeatures_free(struct pm_processfeatures *x)
{
	pm_jobfeatures_free(&x->jobs);
	pm_opsets_free(&x->groups);
	free(x->row);
	free(x->value);
	memset(x, 0, sizeof *x);
}
