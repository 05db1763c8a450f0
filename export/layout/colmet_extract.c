/* The layout colmet on standard output: lists of metrics, as its extractor prints them. */
#include "config.h"

#include "export/layout/colmet.h"

#include "common/words.h"
#include "export/layout/jsontext.h"
#include "export/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What receives the rows for a list. */
struct lister {
	struct pm_colmet *c;
	FILE *f;
	const struct pm_colmet_table *t;
	enum pm_colmet_head head; /* PM_COLMET_HEADS: a metric */
	bool has;                 /* the table has it */
	bool begun;
};

static int put_element(void *self, const struct pm_colmet_row *row, struct pm_err *e)
{
	struct lister *l = self;
	const int64_t us = row->time_us;
	struct pm_export_value v = { .type = PM_DB_INTEGER };

	(void)e;
	fputs(l->begun ? ", " : "", l->f);
	l->begun = true;
	switch (l->head) {
	case PM_COLMET_TIMESTAMP:
		v.integer = us / 1000000 - (us % 1000000 < 0);
		break;
	case PM_COLMET_HOSTNAME:
		pm_jsontext_put(l->f, row->host);
		return 0;
	case PM_COLMET_METRIC_BACKEND:
		pm_jsontext_put(l->f, l->t->name);
		return 0;
	case PM_COLMET_JOB_ID:
		v.integer = l->t->node ? 0 : l->c->number;
		if (v.integer < 0)
			v.type = PM_DB_NULL;
		break;
	case PM_COLMET_INVOLVED_JOBS:
		pm_jsontext_put(l->f, l->t->node ? row->jobs : NULL);
		return 0;
	case PM_COLMET_HEADS:
		v = l->has ? row->value[0] : (struct pm_export_value){ .type = PM_DB_NULL };
		break;
	}
	pm_jsontext_number(l->f, &v);
	return 0;
}

/* Find a column of a table; t->n: it has none of this name. */
static size_t find_column(const struct pm_colmet_table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n && strcmp(t->column[i].name, name) != 0)
		i++;
	return i;
}

/* Whether a table has a metric that is asked for. */
static bool is_asked(const struct pm_colmet *c, const struct pm_colmet_table *t)
{
	if (t->rows == 0)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (!c->a->columns || pm_words_have(c->a->columns, t->column[i].name))
			return true;
	return false;
}

/* Whether the elements of a list differ from row to row of a table. */
static bool is_of_rows(const struct lister *l)
{
	switch (l->head) {
	case PM_COLMET_METRIC_BACKEND:
	case PM_COLMET_JOB_ID:
		return false;
	case PM_COLMET_INVOLVED_JOBS:
		return l->t->node;
	case PM_COLMET_HEADS:
		return l->has;
	default:
		return true;
	}
}

/* Write the elements of a table, whose column is `at`. Returns 0, or -1 with e filled. */
static int put_elements(struct lister *l, size_t at, struct pm_err *e)
{
	const struct pm_colmet_row any = { .host = "", .jobs = "" };

	if (is_of_rows(l))
		return pm_colmet_rows(l->c, l->t, at, l->has ? 1 : 0,
				      l->head == PM_COLMET_INVOLVED_JOBS, put_element, l, e);
	/* There are as many as rows, and none of these is read for them. */
	for (uint64_t i = 0; i < l->t->rows; i++)
		if (put_element(l, &any, e) < 0)
			return -1;
	return 0;
}

/* Write a list, with an element for each row of each table that is asked for. Returns 0, or -1 with
 * e filled. */
static int put_list(struct lister *l, const char *name, struct pm_err *e)
{
	fputs(l->begun ? ",\n" : "\n", l->f);
	pm_jsontext_put(l->f, name);
	fputs(": [", l->f);
	l->begun = false;
	for (size_t i = 0; i < l->c->tables; i++) {
		size_t at;

		l->t = &l->c->table[i];
		at = find_column(l->t, name);
		l->has = l->head == PM_COLMET_HEADS && at < l->t->n;
		if (is_asked(l->c, l->t) && put_elements(l, at, e) < 0)
			return -1;
	}
	fputs("]", l->f);
	l->begun = true;
	return 0;
}

/* Whether a table before this one has a metric, too, whose list is written then. */
static bool is_listed(const struct pm_colmet *c, size_t table, const char *name)
{
	for (size_t i = 0; i < table; i++)
		if (c->table[i].rows > 0 && find_column(&c->table[i], name) < c->table[i].n)
			return true;
	return false;
}

/* Write the lists of a table's metrics. Returns 0, or -1 with e filled. */
static int put_table(struct lister *l, size_t table, struct pm_err *e)
{
	const struct pm_colmet_table *t = &l->c->table[table];

	for (size_t i = 0; t->rows > 0 && i < t->n; i++) {
		const char *name = t->column[i].name;

		if (is_listed(l->c, table, name) ||
		    (l->c->a->columns && !pm_words_have(l->c->a->columns, name)))
			continue;
		l->head = PM_COLMET_HEADS;
		if (put_list(l, name, e) < 0)
			return -1;
	}
	return 0;
}

/* Check that every metric that is asked for is one of colmet's. Returns 0, or -1 with e filled. */
static int check_columns(const struct pm_colmet *c, struct pm_err *e)
{
	const char *p = c->a->columns;

	while (p && *p) {
		const size_t n = strcspn(p, " ");
		char name[64];
		bool found = false;

		snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name), p);
		for (size_t i = 0; i < c->tables && !found; i++)
			found = find_column(&c->table[i], name) < c->table[i].n;
		if (!found)
			return pm_err(e, "export --layout colmet: no metric of colmet's is %s",
				      name);
		p += n;
		p += *p == ' ';
	}
	return 0;
}

int pm_colmet_extract(struct pm_colmet *c, struct pm_err *e)
{
	struct lister l = { .c = c };
	struct pm_export_target out = { .f = NULL };
	int rc = check_columns(c, e);

	if (rc == 0)
		rc = pm_export_target_open(&out, c->a->path, false, c->a->read, c->a->reads, e);
	if (rc == 0) {
		l.f = out.f;
		fputs("{", l.f);
		for (size_t i = 0; rc == 0 && i < c->tables; i++)
			rc = put_table(&l, i, e);
		for (enum pm_colmet_head i = 0; rc == 0 && i < PM_COLMET_HEADS; i++) {
			l.head = i;
			rc = put_list(&l, pm_colmet_head[i], e);
		}
		fputs("\n}\n", l.f);
	}
	if (rc == 0)
		rc = pm_export_target_commit(&out, e);
	pm_export_target_abandon(&out);
	return rc;
}
