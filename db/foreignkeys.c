/* Check foreign keys, although the engine enforces them: another program may have written without
 * them, or a disk failed. */
#include "config.h"

#include "db/foreignkeys.h"

#include "common/memtext.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read "(a, b)" into names. Returns their number, with *at after the list, or -1. */
static int read_names(const char **at, char name[PM_FOREIGNKEYS_COLUMNS][64])
{
	const char *p = *at;
	int n = 0;

	if (*p++ != '(')
		return -1;
	for (;;) {
		size_t len = strcspn(p, ",)");

		if (n == PM_FOREIGNKEYS_COLUMNS || len == 0 || len >= sizeof name[0])
			return -1;
		memcpy(name[n], p, len);
		name[n++][len] = '\0';
		p += len;
		if (*p == '\0')
			return -1;
		if (*p++ == ')')
			break;
		p += strspn(p, " ");
	}
	*at = p;
	return n;
}

int pm_foreignkeys_next(const char *table, const char **at, struct pm_foreignkey *f,
			struct pm_err *e)
{
	static const char begin[] = "FOREIGN KEY ", middle[] = " REFERENCES ";
	const char *p = strstr(*at, begin);
	int n;

	if (!p)
		return 0;
	p += sizeof begin - 1;
	f->table = table;
	n = read_names(&p, f->column);
	if (n > 0 && strncmp(p, middle, sizeof middle - 1) == 0) {
		size_t len = strcspn(p += sizeof middle - 1, " ");

		if (len < sizeof f->parent && p[len] == ' ') {
			memcpy(f->parent, p, len);
			f->parent[len] = '\0';
			p += len + 1;
			f->columns = (size_t)n;
			*at = p;
			if (read_names(at, f->to) == n)
				return 1;
		}
	}
	return pm_err(e, "table %s: cannot parse a foreign key", table);
}

/* Prepare the query that counts the rows per job that break a key. A key with a NULL column refers
 * to nothing. */
static int prepare_count(struct pm_db *db, const struct pm_foreignkey *f, int64_t job,
			 struct pm_stmt **q, struct pm_err *e)
{
	const bool of_job = pm_schema_index(pm_schema_find(f->table), "job_id") >= 0;
	const char *by = of_job ? "job_id" : f->column[0];
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	fprintf(out, "SELECT %s, count(*) FROM %s c WHERE ", of_job ? "c.job_id" : "0", f->table);
	if (job)
		fputs("c.job_id = ? AND ", out);
	for (size_t i = 0; i < f->columns; i++)
		fprintf(out, "c.%s IS NOT NULL AND ", f->column[i]);
	fprintf(out, "NOT EXISTS (SELECT 1 FROM %s p WHERE ", f->parent);
	for (size_t i = 0; i < f->columns; i++)
		fprintf(out, "%sp.%s = c.%s", i ? " AND " : "", f->to[i], f->column[i]);
	fprintf(out, ") GROUP BY c.%s ORDER BY c.%s", by, by);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(db, sql, q, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc == 0 && job)
		pm_db_bind_int(*q, 1, job);
	return rc;
}

int pm_foreignkeys_fail(const struct pm_foreignkey *f, int64_t job, int64_t rows, struct pm_err *e)
{
	if (job == 0)
		return pm_err(e, "%lld rows of table %s refer to missing rows of table %s",
			      (long long)rows, f->table, f->parent);
	return pm_err(e, "job #%lld: %lld rows of table %s refer to missing rows of table %s",
		      (long long)job, (long long)rows, f->table, f->parent);
}

/* Check the keys of a table. Returns the same as pm_foreignkeys_check(). */
static int check_table(struct pm_db *db, const struct pm_schema_table *t, int64_t job,
		       pm_foreignkeys_fn *each, void *ctx, struct pm_err *e)
{
	const char *at = t->keys;
	struct pm_foreignkey f;
	int more;

	if (job && pm_schema_index(t, "job_id") < 0)
		return 0;
	while ((more = pm_foreignkeys_next(t->name, &at, &f, e)) > 0) {
		struct pm_stmt *q;
		int rc;

		if (prepare_count(db, &f, job, &q, e) < 0)
			return -1;
		while ((rc = pm_db_step(q, e)) > 0)
			if (each(ctx, &f, pm_db_int(q, 0), pm_db_int(q, 1), e) < 0) {
				rc = -1;
				break;
			}
		pm_db_finish(q);
		if (rc < 0)
			return -1;
	}
	return more;
}

int pm_foreignkeys_check(struct pm_db *db, int64_t job, pm_foreignkeys_fn *each, void *ctx,
			 struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t tables;

	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++)
		if (check_table(db, &t[i], job, each, ctx, e) < 0)
			return -1;
	return 0;
}

int pm_foreignkeys_check_table(struct pm_db *db, const char *table, pm_foreignkeys_fn *each,
			       void *ctx, struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t tables;

	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++)
		if (strcmp(t[i].name, table) == 0)
			return check_table(db, &t[i], 0, each, ctx, e);
	return 0;
}
