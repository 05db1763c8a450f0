/* What an upgrade of a database will take: its time, and the room on its disk. */
#include "config.h"

#include "db/migrate_estimate.h"

#include "common/now.h"
#include "db/engine.h"
#include "db/foreignkeys.h"
#include "db/usage.h"
#include "sql/schema.h"

#include <stdio.h>
#include <string.h>

/*
 * Time to look for the parent of a row, in nanoseconds, on the machine of which the steps' times
 * are (bench/RESULTS.md). The check looks for all of them, as the upgrade does at its end: how much
 * longer that takes here says how much longer the steps take. It is not scaled by less rows than
 * tell.
 */
#define KEY_NS   400
#define KEYS_MIN 200000

/* Rows of so many tables are counted once, though several steps name them. */
#define TABLES_MAX 32

struct counted {
	struct pm_db *db;
	struct {
		const char *table;
		int64_t rows;
	} known[TABLES_MAX];
	size_t n;
};

/* Rows of a table, 0 where it is missing; -1 with e filled. */
static int64_t count_rows(struct counted *c, const char *table, struct pm_err *e)
{
	int64_t rows = 0;
	struct pm_stmt *q;
	char sql[128];
	int rc;

	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->known[i].table, table) == 0)
			return c->known[i].rows;
	rc = pm_usage_has(c->db, table, e);
	if (rc < 0)
		return -1;
	if (rc > 0) {
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
		if (pm_db_prepare(c->db, sql, &q, e) < 0)
			return -1;
		rc = pm_db_step(q, e);
		rows = rc > 0 ? pm_db_int(q, 0) : 0;
		pm_db_finish(q);
		if (rc < 0)
			return -1;
	}
	if (c->n < TABLES_MAX) {
		c->known[c->n].table = table;
		c->known[c->n++].rows = rows;
	}
	return rows;
}

static int note_dangling(void *ctx, const struct pm_foreignkey *f, int64_t job, int64_t rows,
			 struct pm_err *e)
{
	struct pm_migrate_estimate *x = ctx;

	(void)e;
	if (x->dangling == 0)
		pm_foreignkeys_fail(f, job, rows, &x->fault);
	x->dangling += rows;
	return 0;
}

/* Check all foreign keys. *keys gets how many rows refer to others. Returns 0 or -1 with e filled.
 */
static int check_keys(struct counted *c, struct pm_migrate_estimate *x, int64_t *keys,
		      struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t tables;

	*keys = 0;
	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++) {
		const char *at = t[i].keys;
		struct pm_foreignkey f;
		int has = pm_usage_has(c->db, t[i].name, e), more;
		int64_t rows;

		if (has < 0)
			return -1;
		if (has == 0)
			continue;
		rows = count_rows(c, t[i].name, e);
		if (rows < 0 ||
		    pm_foreignkeys_check_table(c->db, t[i].name, note_dangling, x, e) < 0)
			return -1;
		while ((more = pm_foreignkeys_next(t[i].name, &at, &f, e)) > 0)
			*keys += rows;
		if (more < 0)
			return -1;
	}
	return 0;
}

/* Add up the costs of the steps. Returns 0 or -1 with e filled. */
static int add_costs(struct counted *c, struct pm_migrate_estimate *x, double *ns, struct pm_err *e)
{
	enum pm_dialect dialect = c->db->engine->dialect;

	for (const struct pm_migrate_step *s = pm_migrate_steps(); s->from; s++) {
		if (s->from < c->db->version)
			continue;
		for (const struct pm_migrate_cost *cost = s->costs; cost->table; cost++) {
			int64_t rows = count_rows(c, cost->table, e);

			if (rows < 0)
				return -1;
			x->added += rows * cost->of[dialect].added;
			x->changed += rows * cost->of[dialect].changed;
			*ns += (double)rows * cost->of[dialect].ns;
		}
	}
	return 0;
}

int pm_migrate_estimate(struct pm_db *db, struct pm_migrate_estimate *x, struct pm_err *e)
{
	struct counted c = { .db = db };
	int64_t began_us = pm_now_monotonic_us(), keys, took_us;
	double ns = 0, slower = 1;

	*x = (struct pm_migrate_estimate){ .bytes = 0 };
	if (check_keys(&c, x, &keys, e) < 0)
		return -1;
	took_us = pm_now_monotonic_us() - began_us;
	if (keys >= KEYS_MIN)
		slower = (double)took_us * 1000 / ((double)keys * KEY_NS);
	if (add_costs(&c, x, &ns, e) < 0 || pm_usage_whole(db, &x->bytes, &x->unused, e) < 0)
		return -1;
	x->us = (int64_t)(ns / 1000 * slower) + took_us;
	return 0;
}
