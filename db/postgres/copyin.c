/*
 * Rows are buffered per table; a full buffer goes to a thread that sends it. The COPY of one table
 * stays open until rows of another must be sent: at each COPY the server makes room for a thousand
 * rows, however few follow.
 *
 * The connection belongs to the thread from the first full buffer on, until pm_copyin_send or
 * pm_copyin_drop has waited for it.
 */
#include "config.h"

#ifdef HAVE_PQ

#include "db/postgres/copyin.h"

#include "db/rowfeed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of rows that are buffered per table before they are sent: PIECE for the table whose rows
 * were sent last, SWITCH if the COPY of another table must end for them. */
#define PIECE  ((size_t)256 << 10)
#define SWITCH ((size_t)2 << 20)

/* Bytes of rows that are sent at once when they are sorted. */
#define CHUNK ((size_t)32 << 10)

/* Buffered rows of a table. */
struct lot {
	struct pm_copyrow rows; /* the first member: callers have its address */
	bool first;
	struct lot *next; /* in the order of the schema's tables: parents first */
};

struct pm_copyin {
	struct pm_pgwire *wire;
	struct pm_rowfeed *feed;
	struct lot *lot;
	const struct lot *given; /* the last one given to the thread; NULL after a wait */
	/* For the thread that owns the connection. */
	const struct lot *open; /* its COPY is open */
	struct pm_copyrow_order order;
	char chunk[CHUNK];
};

static int send_batch(void *ctx, struct pm_rowbatch *b, struct pm_err *e);

struct pm_copyin *pm_copyin_new(struct pm_pgwire *w)
{
	struct pm_copyin *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->wire = w;
	k->feed = pm_rowfeed_new(send_batch, k);
	if (k->feed)
		return k;
	free(k);
	return NULL;
}

void pm_copyin_free(struct pm_copyin *k)
{
	if (k)
		pm_rowfeed_free(k->feed);
	if (k)
		free(k->order.at);
	while (k && k->lot) {
		struct lot *l = k->lot;

		k->lot = l->next;
		pm_copyrow_free(&l->rows);
		free(l);
	}
	free(k);
}

struct pm_copyrow *pm_copyin_rows(struct pm_copyin *k, const struct pm_schema_table *t, bool first)
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
static int begin_copy(struct pm_copyin *k, const struct lot *l, const char *into, struct pm_err *e)
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

/*
 * Send rows to the open COPY in the order of their keys. Rows come with the children of a process
 * before it; sorted, each parent is first, and the server has less work with its index. Without
 * memory for the order the rows are sent as they are.
 */
static int put_rows(struct pm_copyin *k, const struct lot *l, const char *rows, size_t n,
		    struct pm_err *e)
{
	const struct pm_schema_table *t = l->rows.table;
	size_t fill = 0;

	if (n > UINT32_MAX || pm_copyrow_sort(&k->order, t, rows, n) < 0 || k->order.sorted)
		return pm_pgwire_copy_data(k->wire, rows, n, e);
	for (size_t i = 0; i < k->order.rows; i++) {
		const char *row = rows + k->order.at[i];
		size_t len = pm_copyrow_length(t, row);

		if (fill && fill + len > CHUNK) {
			if (pm_pgwire_copy_data(k->wire, k->chunk, fill, e) < 0)
				return -1;
			fill = 0;
		}
		if (len > CHUNK) {
			if (pm_pgwire_copy_data(k->wire, row, len, e) < 0)
				return -1;
			continue;
		}
		memcpy(k->chunk + fill, row, len);
		fill += len;
	}
	return pm_pgwire_copy_data(k->wire, k->chunk, fill, e);
}

static int end_copy(struct pm_copyin *k, struct pm_err *e)
{
	if (pm_pgwire_copy_data(k->wire, PM_COPYROW_END, PM_COPYROW_END_LEN, e) < 0)
		return -1;
	return pm_pgwire_copy_end(k->wire, e);
}

static int copy_rows(struct pm_copyin *k, const struct lot *l, const char *rows, size_t n,
		     const char *into, struct pm_err *e)
{
	if (begin_copy(k, l, into, e) < 0 || put_rows(k, l, rows, n, e) < 0)
		return -1;
	return end_copy(k, e);
}

/* Copy rows by way of a temporary table, and skip the ones that exist already. */
static int copy_around(struct pm_copyin *k, const struct lot *l, const char *rows, size_t n,
		       struct pm_err *e)
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
		 copy_rows(k, l, rows, n, "perfmon_rows", e) == 0)
		rc = pm_pgwire_command(k->wire, move, NULL, e);
	error = errno;
	free(columns);
	free(make);
	free(move);
	errno = error;
	return rc;
}

/* Copy rows of which some may exist already: most often none does, and one COPY takes them all. */
static int copy_first(struct pm_copyin *k, const struct lot *l, const char *rows, size_t n,
		      struct pm_err *e)
{
	struct pm_err why = { "" };

	if (pm_pgwire_command(k->wire, "SAVEPOINT perfmon_rows", NULL, e) < 0)
		return -1;
	if (copy_rows(k, l, rows, n, l->rows.table->name, &why) < 0) {
		if (errno != EINVAL) {
			int saved = errno;

			pm_err(e, "%s", why.text);
			errno = saved;
			return -1;
		}
		if (pm_pgwire_command(k->wire, "ROLLBACK TO SAVEPOINT perfmon_rows", NULL, e) < 0 ||
		    copy_around(k, l, rows, n, e) < 0)
			return -1;
	}
	return pm_pgwire_command(k->wire, "RELEASE SAVEPOINT perfmon_rows", NULL, e);
}

static int fail_table(const struct lot *l, struct pm_err *e)
{
	int saved = errno;

	pm_err_prefix(e, "table %s", l->rows.table->name);
	errno = saved;
	return -1;
}

static int close_open(struct pm_copyin *k, struct pm_err *e)
{
	const struct lot *l = k->open;

	k->open = NULL;
	return l && end_copy(k, e) < 0 ? fail_table(l, e) : 0;
}

/* Send rows of a table. Its COPY stays open for more, unless existing rows are to be skipped. */
static int send_rows(struct pm_copyin *k, const struct lot *l, const char *rows, size_t n,
		     struct pm_err *e)
{
	int rc = 0;

	if (k->open != l && close_open(k, e) < 0)
		return -1;
	if (l->first) {
		rc = copy_first(k, l, rows, n, e);
	} else {
		if (k->open != l)
			rc = begin_copy(k, l, l->rows.table->name, e);
		if (rc == 0)
			rc = put_rows(k, l, rows, n, e);
		k->open = rc == 0 ? l : NULL;
	}
	return rc < 0 ? fail_table(l, e) : 0;
}

/* Send a batch, in the feed's thread. Only the text of the batch is used: rows as COPY takes them.
 */
static int send_batch(void *ctx, struct pm_rowbatch *b, struct pm_err *e)
{
	struct pm_copyin *k = ctx;
	int rc = send_rows(k, b->owner, b->text, b->len, e), error = errno;

	/* Do not keep the memory of the few large batches. */
	if (b->cap > 2 * PIECE) {
		free(b->text);
		b->text = NULL;
		b->cap = 0;
	}
	errno = error;
	return rc;
}

/* Give the rows of a table to the thread, in exchange for the memory of a batch that was sent. */
static int give_rows(struct pm_copyin *k, struct lot *l, struct pm_err *e)
{
	struct pm_rowbatch *b = pm_rowfeed_get(k->feed, (int)l->rows.table->columns, e);
	char *text;
	size_t cap;

	if (!b)
		return -1;
	text = b->text;
	cap = b->cap;
	b->owner = l;
	b->text = l->rows.data;
	b->len = l->rows.len;
	b->cap = l->rows.cap;
	l->rows.data = text;
	l->rows.len = 0;
	l->rows.cap = cap;
	k->given = l;
	return pm_rowfeed_give(k->feed, b, e);
}

int pm_copyin_add(struct pm_copyin *k, struct pm_copyrow *rows, struct pm_err *e)
{
	struct lot *last = (struct lot *)rows;
	int rc = pm_copyrow_add(rows, e);

	if (rc < 0 || rows->len < (k->given && k->given != last ? SWITCH : PIECE))
		return rc;
	/* Only tables that are not bulk have foreign keys: send the rows that they refer to first. */
	for (struct lot *l = k->lot; !last->rows.table->bulk && l != last && rc == 0; l = l->next)
		rc = l->rows.len ? give_rows(k, l, e) : 0;
	return rc < 0 ? -1 : give_rows(k, last, e);
}

int pm_copyin_send(struct pm_copyin *k, struct pm_err *e)
{
	if (!k)
		return 0;
	k->given = NULL;
	if (pm_rowfeed_wait(k->feed, e) < 0)
		return -1;
	for (struct lot *l = k->lot; l; l = l->next) {
		if (l->rows.len && send_rows(k, l, l->rows.data, l->rows.len, e) < 0)
			return -1;
		l->rows.len = 0;
	}
	return close_open(k, e);
}

void pm_copyin_drop(struct pm_copyin *k)
{
	pm_rowfeed_drop(k->feed);
	if (k->open)
		pm_pgwire_copy_abort(k->wire);
	k->open = NULL;
	k->given = NULL;
	for (struct lot *l = k->lot; l; l = l->next)
		l->rows.len = 0;
}

#endif
