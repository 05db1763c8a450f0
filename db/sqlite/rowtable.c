/* The virtual table whose rows are those of a batch. */
#include "config.h"

#include "db/sqlite/rowtable.h"

#include "common/memtext.h"
#include "db/sqlite/handle.h"

#include <stdio.h>
#include <stdlib.h>

struct rows {
	sqlite3_vtab head;
	const struct pm_rowbatch *const *reading;
};

struct rows_cursor {
	sqlite3_vtab_cursor head;
	const struct pm_rowbatch *batch;
	const struct pm_rowcell *row;
	size_t at;
};

/* Declare the virtual table with as many columns as the widest table has. */
static int rows_connect(sqlite3 *handle, void *of, int argc, const char *const *argv,
			sqlite3_vtab **out, char **why)
{
	size_t tables, widest = 0, n;
	const struct pm_schema_table *t = pm_schema_tables(&tables);
	struct rows *r = sqlite3_malloc(sizeof *r);
	char *sql = NULL;
	FILE *text = open_memstream(&sql, &n);
	int rc = SQLITE_NOMEM;

	(void)argc, (void)argv, (void)why;
	for (size_t i = 0; i < tables; i++)
		widest = t[i].columns > widest ? t[i].columns : widest;
	if (text) {
		fputs("CREATE TABLE x (c0", text);
		for (size_t i = 1; i < widest; i++)
			fprintf(text, ", c%zu", i);
		fputc(')', text);
		if (pm_memtext_end(text, &sql) && r)
			rc = sqlite3_declare_vtab(handle, sql);
	}
	free(sql);
	if (rc != SQLITE_OK) {
		sqlite3_free(r);
		return rc;
	}
	*r = (struct rows){ .reading = of };
	*out = &r->head;
	return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int rows_best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int rows_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct rows_cursor *c = sqlite3_malloc(sizeof *c);

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct rows_cursor){ .batch = *((struct rows *)t)->reading };
	*out = &c->head;
	return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static const struct pm_rowcell *row_at(const struct pm_rowbatch *b, size_t i)
{
	return i < b->rows ? b->cell + b->order[i] * (size_t)b->columns : NULL;
}

static int rows_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		       sqlite3_value **argv)
{
	struct rows_cursor *c = (struct rows_cursor *)cursor;

	(void)number, (void)text, (void)argc, (void)argv;
	c->at = 0;
	c->row = row_at(c->batch, 0);
	return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
	struct rows_cursor *c = (struct rows_cursor *)cursor;

	c->at++;
	c->row = row_at(c->batch, c->at);
	return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *cursor)
{
	const struct rows_cursor *c = (struct rows_cursor *)cursor;

	return c->at == c->batch->rows;
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i)
{
	const struct rows_cursor *c = (struct rows_cursor *)cursor;
	const struct pm_rowcell *v = &c->row[i];
	const char *text = c->batch->text;

	switch ((enum pm_db_type)v->type) {
	case PM_DB_INTEGER:
		sqlite3_result_int64(to, v->i);
		break;
	case PM_DB_REAL:
		sqlite3_result_double(to, v->d);
		break;
	case PM_DB_TEXT:
		sqlite3_result_text(to, text + v->at, (int)v->n, SQLITE_STATIC);
		break;
	case PM_DB_BLOB:
		sqlite3_result_blob(to, text + v->at, (int)v->n, SQLITE_STATIC);
		break;
	case PM_DB_NULL:
		break;
	}
	return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((struct rows_cursor *)cursor)->at;
	return SQLITE_OK;
}

static const sqlite3_module rows_module = {
	.xConnect = rows_connect,
	.xBestIndex = rows_best_index,
	.xDisconnect = rows_disconnect,
	.xOpen = rows_open,
	.xClose = rows_close,
	.xFilter = rows_filter,
	.xNext = rows_next,
	.xEof = rows_eof,
	.xColumn = rows_column,
	.xRowid = rows_rowid,
};

int pm_rowtable_create(sqlite3 *handle, const struct pm_rowbatch *const *reading)
{
	return sqlite3_create_module(handle, PM_ROWTABLE, &rows_module, (void *)(uintptr_t)reading);
}
