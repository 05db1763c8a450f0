/*
 * Prints every row of every table and view of a database, whichever engine has it:
 *
 *	dumpdb DATABASE
 *
 * A line per row: the table, then the values by the names of their columns, since a column that
 *came later is the last one where a database was migrated, with a letter for their type, doubles to
 *the last bit, bytes as digits. When something was loaded is left out. Jobs are numbered in the
 *order of their identity: each engine has numbers of its own. In no order: sort it.
 */
#include "config.h"

#include "common/grow.h"
#include "common/job/jobidentity.h"
#include "db/db.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const view[] = { "job_summary", "process_tree", "counter_summary", "tag",
				    "thread" };

/* Numbers of the jobs in the database, in the order of their identity. */
static struct {
	int64_t *id;
	size_t n, room;
} jobs;

static void die(const struct pm_err *e)
{
	fprintf(stderr, "dumpdb: %s\n", e->text);
	exit(1);
}

static void read_jobs(struct pm_db *db)
{
	struct pm_err e;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job ORDER BY " PM_JOBIDENTITY_COLUMNS, &q, &e) < 0)
		die(&e);
	while ((rc = pm_db_step(q, &e)) > 0) {
		if (!PM_GROW(jobs.id, jobs.n, jobs.room, 64))
			exit(1);
		jobs.id[jobs.n++] = pm_db_int(q, 0);
	}
	pm_db_finish(q);
	if (rc < 0)
		die(&e);
}

/* The number that stands for a job; of one that is not there, its own. */
static int64_t number_of(int64_t id)
{
	for (size_t i = 0; i < jobs.n; i++)
		if (jobs.id[i] == id)
			return (int64_t)i + 1;
	return id;
}

static bool is_job(const char *table, const char *column)
{
	return strcmp(column, "job_id") == 0 ||
	       (strcmp(column, "id") == 0 &&
		(strcmp(table, "job") == 0 || strcmp(table, "job_summary") == 0));
}

static void put(struct pm_stmt *q, int i)
{
	const unsigned char *p;
	const char *text;
	size_t n;

	switch (pm_db_type(q, i)) {
	case PM_DB_NULL:
		printf("\t-");
		break;
	case PM_DB_INTEGER:
		printf("\ti%" PRId64, pm_db_int(q, i));
		break;
	case PM_DB_REAL:
		printf("\tr%.17g", pm_db_real(q, i));
		break;
	case PM_DB_TEXT:
		text = pm_db_text(q, i, &n);
		printf("\tt%zu:%s", n, text);
		break;
	case PM_DB_BLOB:
		p = pm_db_blob(q, i, &n);
		printf("\tb");
		for (size_t k = 0; k < n; k++)
			printf("%02x", p[k]);
		break;
	}
}

/* A statement has at most so many columns. */
#define COLUMNS 1024

static struct pm_stmt *ordered; /* whose columns by_name() compares */

static int by_name(const void *a, const void *b)
{
	char name[128];

	snprintf(name, sizeof name, "%s", pm_db_column_name(ordered, *(const int *)a));
	return strcmp(name, pm_db_column_name(ordered, *(const int *)b));
}

/* The columns of a statement, by their names. Returns how many there are. */
static int order_columns(struct pm_stmt *q, int order[COLUMNS])
{
	const int n = pm_db_columns(q);

	if (n > COLUMNS)
		exit(1);
	for (int i = 0; i < n; i++)
		order[i] = i;
	ordered = q;
	qsort(order, (size_t)n, sizeof *order, by_name);
	return n;
}

static void dump(struct pm_db *db, const char *name)
{
	struct pm_err e;
	struct pm_stmt *q;
	int order[COLUMNS], rc, n = 0;
	char sql[128];

	snprintf(sql, sizeof sql, "SELECT * FROM %s", name);
	if (pm_db_prepare(db, sql, &q, &e) < 0)
		die(&e);
	while ((rc = pm_db_step(q, &e)) > 0) {
		printf("%s", name);
		n = n ? n : order_columns(q, order);
		for (int k = 0; k < n; k++) {
			const int i = order[k];
			const char *column = pm_db_column_name(q, i);

			if (is_job(name, column))
				printf("\ti%" PRId64, number_of(pm_db_int(q, i)));
			else if (strcmp(column, "loaded_us") != 0 &&
				 strcmp(column, "applied_us") != 0)
				put(q, i);
		}
		putchar('\n');
	}
	pm_db_finish(q);
	if (rc < 0)
		die(&e);
}

int main(int argc, char **argv)
{
	const struct pm_schema_table *t;
	struct pm_db *db;
	struct pm_err e;
	size_t n;

	if (argc != 2) {
		fprintf(stderr, "usage: dumpdb DATABASE\n");
		return 2;
	}
	if (pm_db_open(&db, argv[1], PM_DB_READ, &e) < 0)
		die(&e);
	read_jobs(db);
	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++)
		dump(db, t[i].name);
	for (size_t i = 0; i < sizeof view / sizeof view[0]; i++)
		dump(db, view[i]);
	pm_db_close(db);
	free(jobs.id);
	return fflush(stdout) == 0 ? 0 : 1;
}
