/*
 * A piece of rows per table in memory; a full one goes out. While rows of one table come alone,
 * its COPY stays open, and the server works on them while the next are made.
 */
#include "config.h"

#ifdef HAVE_PQ

#include "db/bulk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows that are collected per table before they are sent, bytes. */
#define PIECE ((size_t)256 << 10)

struct lot {
	struct pm_copyrow rows; /* the first member: callers have its address */
	bool first;
	struct lot *next; /* in the order of the tables, as references want it */
};

struct pm_bulk {
	struct pm_pgwire *wire;
	struct lot *lot;
	struct lot *open; /* whose COPY is under way */
};

struct pm_bulk *pm_bulk_new(struct pm_pgwire *w)
{
	struct pm_bulk *k = calloc(1, sizeof *k);

	if (k)
		k->wire = w;
	return k;
}

void pm_bulk_free(struct pm_bulk *k)
{
	while (k && k->lot) {
		struct lot *l = k->lot;

		k->lot = l->next;
		pm_copyrow_free(&l->rows);
		free(l);
	}
	free(k);
}

struct pm_copyrow *pm_bulk_rows(struct pm_bulk *k, const struct pm_schema_table *t, bool first)
{
	struct lot **at = &k->lot, *l;

	while (*at && ((*at)->rows.table < t || ((*at)->rows.table == t && (*at)->first < first)))
		at = &(*at)->next;
	if (*at && (*at)->rows.table == t && (*at)->first == first)
		return &(*at)->rows;
	l = calloc(1, sizeof *l);
	if (!l || pm_copyrow_init(&l->rows, t) < 0) {
		free(l);
		return NULL;
	}
	l->first = first;
	l->next = *at;
	*at = l;
	return &l->rows;
}

/* Begin a COPY into a table that has the columns of these rows. */
static int begin(struct pm_bulk *k, const struct lot *l, const char *into, struct pm_err *e)
{
	char *columns = pm_schema_columns(l->rows.table), *sql = NULL;
	int rc, error;

	errno = ENOMEM;
	if (!columns ||
	    asprintf(&sql, "COPY %s (%s) FROM STDIN (FORMAT binary)", into, columns) < 0) {
		free(columns);
		return pm_err(e, "out of memory");
	}
	rc = pm_pgwire_copy(k->wire, sql, e);
	error = errno;
	free(columns);
	free(sql);
	errno = error;
	return rc < 0 ? -1 : pm_pgwire_copy_data(k->wire, PM_COPYROW_HEAD, PM_COPYROW_HEAD_LEN, e);
}

static int end(struct pm_bulk *k, struct pm_err *e)
{
	if (pm_pgwire_copy_data(k->wire, PM_COPYROW_END, PM_COPYROW_END_LEN, e) < 0)
		return -1;
	return pm_pgwire_copy_end(k->wire, e);
}

static int copy(struct pm_bulk *k, const struct lot *l, const char *into, struct pm_err *e)
{
	if (begin(k, l, into, e) < 0 ||
	    pm_pgwire_copy_data(k->wire, l->rows.data, l->rows.len, e) < 0)
		return -1;
	return end(k, e);
}

/* By way of a table of their own, without the rows that are there. */
static int copy_around(struct pm_bulk *k, const struct lot *l, struct pm_err *e)
{
	const char *name = l->rows.table->name;
	char *columns = pm_schema_columns(l->rows.table), *make = NULL, *move = NULL;
	int rc = -1, error;

	errno = ENOMEM;
	if (!columns ||
	    asprintf(&make, "CREATE TEMPORARY TABLE perfmon_rows (LIKE %s) ON COMMIT DROP", name) <
		    0 ||
	    asprintf(&move,
		     "INSERT INTO %s (%s) SELECT %s FROM perfmon_rows ON CONFLICT DO NOTHING;"
		     "DROP TABLE perfmon_rows",
		     name, columns, columns) < 0)
		pm_err(e, "out of memory");
	else if (pm_pgwire_command(k->wire, make, NULL, e) == 0 &&
		 copy(k, l, "perfmon_rows", e) == 0)
		rc = pm_pgwire_command(k->wire, move, NULL, e);
	error = errno;
	free(columns);
	free(make);
	free(move);
	errno = error;
	return rc;
}

/* Rows of which some may be there already: most often none is, and one COPY takes them all. */
static int copy_first(struct pm_bulk *k, const struct lot *l, struct pm_err *e)
{
	struct pm_err why = { "" };

	if (pm_pgwire_command(k->wire, "SAVEPOINT perfmon_rows", NULL, e) < 0)
		return -1;
	if (copy(k, l, l->rows.table->name, &why) < 0) {
		if (errno != EINVAL) {
			int saved = errno;

			pm_err(e, "%s", why.text);
			errno = saved;
			return -1;
		}
		if (pm_pgwire_command(k->wire, "ROLLBACK TO SAVEPOINT perfmon_rows", NULL, e) < 0 ||
		    copy_around(k, l, e) < 0)
			return -1;
	}
	return pm_pgwire_command(k->wire, "RELEASE SAVEPOINT perfmon_rows", NULL, e);
}

static int failed(const struct lot *l, struct pm_err *e)
{
	int saved = errno;

	pm_err_prefix(e, "table %s", l->rows.table->name);
	errno = saved;
	return -1;
}

static int close_open(struct pm_bulk *k, struct pm_err *e)
{
	const struct lot *l = k->open;

	k->open = NULL;
	return l && end(k, e) < 0 ? failed(l, e) : 0;
}

/* Send the rows of a table; its COPY stays open for more where they can be taken in pieces. */
static int send_lot(struct pm_bulk *k, struct lot *l, struct pm_err *e)
{
	int rc = 0;

	if (k->open != l && close_open(k, e) < 0)
		return -1;
	if (l->first) {
		rc = copy_first(k, l, e);
	} else {
		if (k->open != l)
			rc = begin(k, l, l->rows.table->name, e);
		if (rc == 0)
			rc = pm_pgwire_copy_data(k->wire, l->rows.data, l->rows.len, e);
		k->open = rc == 0 ? l : NULL;
	}
	l->rows.len = 0;
	return rc < 0 ? failed(l, e) : 0;
}

/* Send the rows of all tables up to one, the last where that is NULL: rows refer to others of
 * tables before theirs. */
static int send_until(struct pm_bulk *k, const struct lot *last, struct pm_err *e)
{
	for (struct lot *l = k->lot; l; l = l->next) {
		if (l->rows.len && send_lot(k, l, e) < 0)
			return -1;
		if (l == last)
			break;
	}
	return 0;
}

int pm_bulk_add(struct pm_bulk *k, struct pm_copyrow *rows, struct pm_err *e)
{
	if (pm_copyrow_add(rows, e) < 0)
		return -1;
	return rows->len < PIECE ? 0 : send_until(k, (struct lot *)rows, e);
}

int pm_bulk_send(struct pm_bulk *k, struct pm_err *e)
{
	return !k ? 0 : send_until(k, NULL, e) < 0 ? -1 : close_open(k, e);
}

void pm_bulk_drop(struct pm_bulk *k)
{
	if (k->open)
		pm_pgwire_copy_abort(k->wire);
	k->open = NULL;
	for (struct lot *l = k->lot; l; l = l->next)
		l->rows.len = 0;
}

#endif
