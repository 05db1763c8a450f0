/* Columns of `perfmon list` by their names. */
#include "config.h"

#include "report/list/list_columns.h"

#include "common/edits.h"
#include "common/grow.h"
#include "common/memtext.h"
#include "common/safe/columns.h"
#include "common/text.h"
#include "report/print/cell.h"
#include "report/print/format.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int pm_list_names_read(struct pm_list_names *names, struct pm_db *db, const struct pm_list_table *t,
		       struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	int rc;

	*names = (struct pm_list_names){ .name = NULL };
	/* It is not run. */
	if (asprintf(&sql, "SELECT * FROM (%s) r%s", t->rows,
		     t->of == PM_LIST_JOBS      ? " WHERE r.id = 0"
		     : t->of == PM_LIST_OF_JOBS ? " WHERE r.job_id = 0"
						: "") < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	for (int i = 0; rc == 0 && i < pm_db_columns(q); i++) {
		const char *column = pm_db_column_name(q, i);
		char *name;

		/* The schema has no others; a file of somebody else's may. */
		if (column[strspn(column, "abcdefghijklmnopqrstuvwxyz0123456789_")])
			continue;
		name = strdup(column);

		if (!name || !PM_GROW(names->name, names->n, names->room, 32)) {
			free(name);
			rc = pm_err(e, "out of memory");
			break;
		}
		names->name[names->n++] = name;
	}
	pm_db_finish(q);
	return rc;
}

void pm_list_names_free(struct pm_list_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct pm_list_names){ .name = NULL };
}

/* Find a column by the first n bytes of a word. Returns its name or NULL. */
static const char *exact_name(const struct pm_list_names *names, const char *word, size_t n)
{
	for (size_t i = 0; i < names->n; i++)
		if (strlen(names->name[i]) == n && memcmp(names->name[i], word, n) == 0)
			return names->name[i];
	return NULL;
}

const char *pm_list_names_find(const struct pm_list_names *names, const char *name)
{
	return exact_name(names, name, strlen(name));
}

/* Whether a word stands in the part of a list that ends where the word begins. */
static bool is_repeated(const char *list, const char *word, size_t n)
{
	for (const char *p = list; p < word; p += strcspn(p, ",") + 1)
		if (strcspn(p, ",") == n && memcmp(p, word, n) == 0)
			return true;
	return false;
}

/* Find a column as exact_name(). Returns its name, or NULL with e filled, which has the nearest. */
static const char *find_name(const struct pm_list_names *names, const struct pm_list_table *t,
			     const char *word, size_t n, struct pm_err *e)
{
	size_t least = 1 + (n < 4 ? 1 : n < 10 ? 2 : 3); /* more would be another word */
	const char *nearest = exact_name(names, word, n);
	char asked[64], copy[64];

	if (nearest)
		return nearest;
	snprintf(copy, sizeof copy, "%.*s", n > 60 ? 60 : (int)n, word);
	for (size_t i = 0; i < names->n; i++) {
		size_t edits = pm_edits(names->name[i], copy, 3);

		if (edits < least) {
			least = edits;
			nearest = names->name[i];
		}
	}
	pm_text_safe(asked, sizeof asked, word, n, false);
	pm_err(e, "%s have no column '%s'%s%s; perfmon list %s --columns help names all", t->name,
	       asked, nearest ? ": the nearest is " : "", nearest ? nearest : "", t->name);
	return NULL;
}

char *pm_list_columns_sql(const struct pm_list_names *names, const struct pm_list_table *t,
			  const char *list, size_t *count, struct pm_err *e)
{
	const char *const all = list;
	char *text = NULL;
	size_t n;
	FILE *sql = open_memstream(&text, &n);

	*count = 0;
	if (!sql) {
		pm_err(e, "out of memory");
		return NULL;
	}
	for (size_t i = 0; !list && i < names->n; i++)
		fprintf(sql, "%sr.\"%s\"", (*count)++ ? ", " : "", names->name[i]);
	while (list) {
		const size_t len = strcspn(list, ",");
		const char *name = find_name(names, t, list, len, e);

		if (name && is_repeated(all, list, len)) {
			pm_err(e, "--columns: %s is named twice", name);
			name = NULL;
		}
		if (!name) {
			fclose(sql);
			free(text);
			return NULL;
		}
		fprintf(sql, "%sr.\"%s\"", (*count)++ ? ", " : "", name);
		list = strchr(list, ',');
		list += list != NULL;
	}
	if (!pm_memtext_end(sql, &text))
		pm_err(e, "out of memory");
	return text;
}

char *pm_list_columns_order(const struct pm_list_names *names, const struct pm_list_table *t,
			    const char *word, struct pm_err *e)
{
	const size_t n = strcspn(word, ":");
	const char *name = find_name(names, t, word, n, e), *way = word + n;
	const bool rises = strcmp(way, ":asc") == 0;
	char *sql;

	if (!name)
		return NULL;
	if (*way && !rises && strcmp(way, ":desc") != 0) {
		pm_err(e, "--order %s: behind the column, :asc or :desc", word);
		return NULL;
	}
	/* The numbers of jobs are sorted in the same way, by a query without r. */
	if (asprintf(&sql, "%s\"%s\" %s%s%s, %s", t->of == PM_LIST_JOBS ? "" : "r.", name,
		     rises ? "NULLS FIRST" : "DESC NULLS LAST",
		     t->of == PM_LIST_OF_JOBS ? ", r.job_id" : "",
		     t->of == PM_LIST_OF_JOBS && !rises ? " DESC" : "", t->order) < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	return sql;
}

/* Least width of a text. */
#define TEXT_LEAST 12

/* How values are shown, by the end of a column's name: the first that fits. */
enum form { PLAIN, POINT, SPAN, KILOBYTES, ENERGY, POWER, SHARE };

static enum form form_of(const char *name)
{
	static const struct {
		const char *end;
		enum form form;
	} known[] = {
		{ "energy_time_us", SPAN },
		{ "start_us", POINT },
		{ "start_time_us", POINT },
		{ "stop_time_us", POINT },
		{ "submit_us", POINT },
		{ "epoch_us", POINT },
		{ "image_us", POINT },
		{ "begin_us", POINT },
		{ "end_us", POINT },
		{ "time_us", POINT },
		{ "monotonic_us", PLAIN },
		{ "cpu_time", SPAN },
		{ "_us", SPAN },
		{ "_kb", KILOBYTES },
		{ "_uj", ENERGY },
		{ "_uw", POWER },
		{ "efficiency", SHARE },
		{ "coverage", SHARE },
		{ "ratio", SHARE },
	};
	const int column = pm_column_find(name, strlen(name));
	const size_t n = strlen(name);

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const size_t end = strlen(known[i].end);

		if (n >= end && strcmp(name + n - end, known[i].end) == 0)
			return known[i].form;
	}
	if (column < 0)
		return PLAIN;
	return strcmp(pm_column_info[column].unit, "us") == 0   ? SPAN
	       : strcmp(pm_column_info[column].unit, "kB") == 0 ? KILOBYTES
								: PLAIN;
}

struct pm_table_column pm_list_columns_look(const char *name)
{
	const int column = pm_column_find(name, strlen(name)), title = (int)strlen(name);
	const enum form form = form_of(name);
	struct pm_table_column look = { .title = name };

	look.right = form == PLAIN ? column >= 0 && !pm_column_info[column].text : form != POINT;
	if (form == PLAIN && !look.right)
		look.least = title > TEXT_LEAST ? title : TEXT_LEAST;
	return look;
}

static void number_cell(struct pm_table *t, int64_t v, enum form form)
{
	char s[PM_FORMAT_MAX];

	switch (form) {
	case POINT:
		pm_table_cell(t, pm_format_time(s, v));
		break;
	case SPAN:
		pm_cell_duration(t, v);
		break;
	case KILOBYTES:
		pm_cell_bytes(t, pm_format_scale(v, PM_KERNEL_KB));
		break;
	case ENERGY:
		pm_table_cell(t, pm_format_joules(s, v));
		break;
	case POWER:
		pm_cell_power(t, v);
		break;
	case PLAIN:
	case SHARE:
		pm_cell_id(t, v);
		break;
	}
}

static void bytes_cell(struct pm_table *t, struct pm_stmt *q, int i)
{
	char s[1024];
	size_t n = 0;
	const char *p = pm_db_blob(q, i, &n);

	pm_text_safe(s, sizeof s, p ? p : "", p ? n : 0, t->page->utf8);
	pm_table_cell(t, s);
}

void pm_list_columns_cell(struct pm_table *t, struct pm_stmt *q, int i, enum pm_values_text text)
{
	const enum form form = form_of(pm_db_column_name(q, i));
	char s[PM_FORMAT_MAX];

	switch (pm_db_type(q, i)) {
	case PM_DB_NULL:
		pm_table_cell(t, "-");
		break;
	case PM_DB_INTEGER:
		number_cell(t, pm_db_int(q, i), form);
		break;
	case PM_DB_REAL:
		snprintf(s, sizeof s, "%.6g", pm_db_real(q, i));
		if (form == SHARE)
			pm_format_share(s, pm_db_real(q, i));
		pm_table_cell(t, s);
		break;
	case PM_DB_TEXT:
		(text == PM_VALUES_ESCAPED ? pm_cell_field : pm_cell_plain)(t, q, i);
		break;
	case PM_DB_BLOB:
		bytes_cell(t, q, i);
		break;
	}
}
