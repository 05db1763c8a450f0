/* Convert papiex's rows to records, by the table of common/record/papiex.def and the kinds of
 * columns.def.
 */
#include "config.h"

#include "submit/foreign/papiex.h"

#include "common/grow.h"
#include "common/safe/uncounted.h"
#include "submit/memory/hashmap.h"

#include <stdlib.h>
#include <string.h>

void pm_papiex_init(struct pm_papiex *x,
		    int (*record)(void *ctx, const struct pm_record *r, const char **why,
				  struct pm_err *e),
		    void *ctx)
{
	memset(x, 0, sizeof *x);
	x->record = record;
	x->ctx = x->named.ctx = ctx;
	pm_bounds_init(&x->named.bounds);
}

/* A counter's total of a parked process. */
struct total {
	int64_t value;
	bool known, odd;
};

struct pm_papiex_parked {
	uint64_t hash;
	char *hostname;
	struct pm_record end;
	struct total *total; /* total of each counter */
	int64_t rows, threads;
	bool signal;
};

static void free_parked(struct pm_papiex_parked *p)
{
	free(p->hostname);
	free(p->total);
}

void pm_papiex_free(struct pm_papiex *x)
{
	while (x->parked_count)
		free_parked(&x->parked[--x->parked_count]);
	free(x->parked);
	x->parked = NULL;
	x->parked_cap = 0;
	pm_papiex_row_free(&x->named);
	free(x->tail.p);
	memset(&x->tail, 0, sizeof x->tail);
}

/* Escape a host's name into `to`, PM_PAPIEX_HOST bytes. Returns 0, or -1 if it is too long. */
static int escape_host(char *to, const char *name, size_t n)
{
	struct pm_buf b;

	pm_buf_init(&b, to, PM_PAPIEX_HOST - 1);
	pm_tsv_escape(&b, name, n);
	to[b.len] = '\0';
	return b.truncated ? -1 : 0;
}

void pm_papiex_host(struct pm_papiex *x, const char *name, size_t n)
{
	if (escape_host(x->host, name, n) < 0)
		x->host[0] = '\0';
}

int pm_papiex_columns(struct pm_papiex *x, const struct pm_str *name, size_t n, const char **why,
		      struct pm_err *e)
{
	return pm_papiex_row_columns(&x->named, name, n, why, e);
}

static void set_text(struct pm_record *r, enum pm_column c, const char *text)
{
	pm_record_text(r, c, text, strlen(text));
}

/* Whether a column is descriptive, not a count, and part of records of kind `letter` (columns.def).
 */
static bool is_descriptive(enum pm_column c, char letter)
{
	return pm_column_info[c].kind != PM_KIND_COUNTER &&
	       strchr(pm_column_info[c].records, letter);
}

static void copy_column(struct pm_record *to, const struct pm_record *from, enum pm_column c)
{
	if (!pm_record_has(from, c))
		return;
	to->v[c] = from->v[c];
	to->set[c / 64] |= (uint64_t)1 << (c % 64);
}

static void set_duration(struct pm_record *r)
{
	int64_t start = pm_record_get(r, PM_COL_start_us, 0);

	if (start > 0 && pm_record_get(r, PM_COL_end_us, 0) >= start)
		pm_record_int(r, PM_COL_duration_us, r->v[PM_COL_end_us].i - start);
}

/* Set the columns that every record of the current process has. */
static void set_key(const struct pm_papiex *x, struct pm_record *r, const char *kind)
{
	set_text(r, PM_COL_record, kind);
	if (x->hostname[0])
		set_text(r, PM_COL_hostname, x->hostname);
	copy_column(r, &x->end, PM_COL_pid);
	copy_column(r, &x->end, PM_COL_image_us);
}

/* Set the column counters of a record, from the row or from the totals. */
static void set_counters(struct pm_papiex *x, struct pm_buf *b, struct pm_record *r, bool total)
{
	size_t at = b->len;

	for (size_t i = 0; i < x->named.counters; i++) {
		const struct pm_papiex_counter *c = &x->named.counter[i];

		bool known = total ? c->total_known : c->known;

		if (!known && !(total ? c->total_odd : c->odd))
			continue;
		if (b->len > at)
			pm_buf_ch(b, ' ');
		pm_buf_str(b, c->name);
		pm_buf_ch(b, '=');
		if (known) {
			pm_buf_i64(b, total ? c->total : c->value);
		} else {
			pm_buf_ch(b, '?');
			pm_buf_str(b, PM_UNCOUNTED_TEXT(implausible));
		}
	}
	if (b->len > at)
		pm_record_text(r, PM_COL_counters, b->p + at, b->len - at);
}

/* Begin a process with its first row: write its start record. Returns the same as x->record(). */
static int begin_process(struct pm_papiex *x, const struct pm_papiex_values *row, const char **why,
			 struct pm_err *e)
{
	struct pm_record start;
	int rc;

	if (row->hostname.n && escape_host(x->hostname, row->hostname.p, row->hostname.n) < 0) {
		*why = "hostname: too long";
		return 1;
	}
	if (!row->hostname.n)
		memcpy(x->hostname, x->host, sizeof x->hostname);
	pm_record_clear(&x->end);
	pm_record_clear(&start);
	copy_column(&x->end, &row->r, PM_COL_pid);
	pm_record_int(&x->end, PM_COL_image_us, row->r.v[PM_COL_start_us].i);
	set_key(x, &start, "start");
	set_text(&start, PM_COL_version, "papiex");
	for (int c = 0; c < PM_COLUMNS; c++)
		if (is_descriptive((enum pm_column)c, 'S'))
			copy_column(&start, &row->r, (enum pm_column)c);
	rc = x->record(x->ctx, &start, why, e);
	if (rc)
		return rc;
	x->rows = 0;
	x->threads = pm_record_get(&row->r, PM_COL_numtids, x->counted);
	x->signal = row->signal;
	return 0;
}

/* Write a thread record from its row; with `first`, from the totals of its process so far. Returns
 * the same as x->record(). */
static int write_thread(struct pm_papiex *x, const struct pm_record *row, struct pm_buf *b,
			bool first, const char **why, struct pm_err *e)
{
	struct pm_record t;

	pm_record_clear(&t);
	set_key(x, &t, "thread");
	for (int c = 0; c < PM_COLUMNS; c++)
		if (strchr(pm_column_info[c].records, 'T') && !pm_record_has(&t, (enum pm_column)c))
			copy_column(&t, row, (enum pm_column)c);
	/* The collated form has no thread times: its times are the process's. */
	if (!x->named.has_tid) {
		pm_record_unset(&t, PM_COL_start_us);
		pm_record_unset(&t, PM_COL_end_us);
	}
	if (!pm_record_has(row, PM_COL_tid))
		pm_record_int(&t, PM_COL_tid,
			      first || x->rows == 0 ? x->end.v[PM_COL_pid].i : -x->rows);
	set_duration(&t);
	set_counters(x, b, &t, first);
	return x->record(x->ctx, &t, why, e);
}

/* Write the record of the first thread once a second one appears. Returns the same as
 * x->record(). */
static int write_first(struct pm_papiex *x, const char **why, struct pm_err *e)
{
	struct pm_buf b;

	if (pm_papiex_row_room(&x->named, &x->tail, 0, &b, e) < 0)
		return -1;
	return write_thread(x, &x->end, &b, true, why, e);
}

static void add_total(struct pm_record *end, const struct pm_record *r, enum pm_column c)
{
	if (!pm_record_has(end, c))
		return;
	if (!pm_record_has(r, c) || __builtin_add_overflow(end->v[c].i, r->v[c].i, &end->v[c].i))
		pm_record_unset(end, c);
}

/* Add a row to the future end record: counts are summed, peaks maximized, other columns are the
 * main thread's. */
static void add_row(struct pm_papiex *x, const struct pm_papiex_values *row)
{
	for (int i = 0; i < PM_COLUMNS; i++) {
		enum pm_column c = (enum pm_column)i;

		if (!strchr(pm_column_info[c].records, 'E') || pm_column_is_text[c])
			continue;
		if (x->rows == 0 && !pm_record_has(&x->end, c))
			copy_column(&x->end, &row->r, c);
		else if (x->rows && pm_column_info[c].kind == PM_KIND_COUNTER)
			add_total(&x->end, &row->r, c);
		else if (x->rows && pm_column_info[c].kind == PM_KIND_PEAK &&
			 pm_record_get(&row->r, c, -1) > pm_record_get(&x->end, c, -1))
			copy_column(&x->end, &row->r, c);
	}
	for (size_t i = 0; i < x->named.counters; i++) {
		struct pm_papiex_counter *c = &x->named.counter[i];

		if (x->rows == 0) {
			c->total = c->value;
			c->total_known = c->known;
			c->total_odd = c->odd;
			continue;
		}
		c->total_odd = c->total_odd || c->odd;
		if (!c->known || __builtin_add_overflow(c->total, c->value, &c->total))
			c->total_known = false;
	}
	x->rows++;
}

/* Park the process until its other threads arrive. Returns 0 or -1 with e filled. */
static int park_process(struct pm_papiex *x, struct pm_err *e)
{
	struct pm_papiex_parked *p;

	if (!PM_GROW(x->parked, x->parked_count, x->parked_cap, 16))
		return pm_err(e, "out of memory");
	p = &x->parked[x->parked_count];
	*p = (struct pm_papiex_parked){ .hash = x->hash,
					.hostname = strdup(x->hostname),
					.end = x->end,
					.total = calloc(x->named.counters + 1, sizeof p->total[0]),
					.rows = x->rows,
					.threads = x->threads,
					.signal = x->signal };
	if (!p->hostname || !p->total) {
		free_parked(p);
		return pm_err(e, "out of memory");
	}
	for (size_t i = 0; i < x->named.counters; i++)
		p->total[i] =
			(struct total){ x->named.counter[i].total, x->named.counter[i].total_known,
					x->named.counter[i].total_odd };
	x->parked_count++;
	return 0;
}

/* Continue a parked process. `counters`: its columns match the current ones, so the totals are
 * restored as well. */
static void unpark_process(struct pm_papiex *x, struct pm_papiex_parked *p, bool counters)
{
	/* The end record has no texts but those that set_key() will set again. */
	x->end = p->end;
	memcpy(x->hostname, p->hostname, strlen(p->hostname) + 1);
	x->hash = p->hash;
	x->rows = p->rows;
	x->threads = p->threads;
	x->signal = p->signal;
	for (size_t i = 0; counters && i < x->named.counters; i++) {
		x->named.counter[i].total = p->total[i].value;
		x->named.counter[i].total_known = p->total[i].known;
		x->named.counter[i].total_odd = p->total[i].odd;
	}
	free_parked(p);
	*p = x->parked[--x->parked_count];
	x->state = PM_PAPIEX_OPEN;
}

static int write_end(struct pm_papiex *x, struct pm_err *e)
{
	const char *why = NULL;
	struct pm_buf b;
	int rc;

	x->state = PM_PAPIEX_NONE;
	if (pm_papiex_row_room(&x->named, &x->tail, 0, &b, e) < 0)
		return -1;
	/* Sums over only some of the threads are meaningless, so make them unknown. */
	if (x->rows < x->threads) {
		x->missing += (uint64_t)(x->threads - x->rows);
		for (int c = 0; c < PM_COLUMNS; c++)
			if (pm_column_info[c].kind == PM_KIND_COUNTER)
				pm_record_unset(&x->end, (enum pm_column)c);
		for (size_t i = 0; i < x->named.counters; i++)
			x->named.counter[i].total_known = x->named.counter[i].total_odd = false;
	}
	set_key(x, &x->end, "end");
	set_text(&x->end, PM_COL_end_reason, x->signal ? "signal" : "exit");
	if (x->signal)
		pm_record_unset(&x->end, PM_COL_exitcode);
	set_duration(&x->end);
	set_counters(x, &b, &x->end, true);
	rc = x->record(x->ctx, &x->end, &why, e);
	/* The start record was accepted, and nothing else in an end record can be rejected. */
	return rc < 0 ? -1 : 0;
}

int pm_papiex_end(struct pm_papiex *x, struct pm_err *e)
{
	if (x->state != PM_PAPIEX_OPEN)
		return 0;
	if (!x->known || x->rows >= x->threads)
		return write_end(x, e);
	x->state = PM_PAPIEX_NONE;
	return park_process(x, e);
}

int pm_papiex_finish(struct pm_papiex *x, struct pm_err *e)
{
	if (pm_papiex_end(x, e) < 0)
		return -1;
	while (x->parked_count) {
		unpark_process(x, &x->parked[0], false);
		if (write_end(x, e) < 0)
			return -1;
	}
	return 0;
}

/*
 * Compare a row with those of other loads. A process is identified by its first row; rows of
 * further threads, which do not name their process, by that row and their position after it.
 * Returns 1 if another load has the row, 0 if not, or -1 with e filled.
 */
static int is_known(struct pm_papiex *x, const struct pm_str *value, bool first, struct pm_err *e)
{
	uint64_t hash = first ? x->named.hash : pm_hashmap_mix(x->hash, ++x->seen);
	int rc;

	if (first && (x->named.hostname_at == SIZE_MAX || value[x->named.hostname_at].n == 0))
		hash = pm_hashmap_mix_bytes(hash, x->host, strlen(x->host));
	for (size_t i = 0; i < x->named.columns; i++)
		hash = pm_hashmap_mix(pm_hashmap_mix_bytes(hash, value[i].p, value[i].n),
				      value[i].n);
	if (first) {
		x->hash = hash;
		x->seen = 0;
	}
	rc = x->known(x->ctx, hash, e);
	if (rc <= 0 || !first)
		return rc;
	x->state = PM_PAPIEX_KNOWN;
	for (size_t i = 0; i < x->parked_count; i++)
		if (x->parked[i].hash == hash) {
			unpark_process(x, &x->parked[i], true);
			break;
		}
	return 1;
}

int pm_papiex_row(struct pm_papiex *x, const struct pm_str *value, const char **why,
		  const char **column, struct pm_err *e)
{
	bool first = value[x->named.pid_at].n != 0;
	struct pm_buf b;
	struct pm_papiex_values row;
	int rc;

	*why = *column = NULL;
	x->again = false;
	if (first && pm_papiex_end(x, e) < 0)
		return -1;
	rc = x->known ? is_known(x, value, first, e) : 0;
	x->again = rc > 0;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	rc = pm_papiex_row_read(&x->named, value, &row, &b, why, column, e);
	if (first) {
		if (rc == 0)
			rc = begin_process(x, &row, why, e);
		x->state = rc == 0 ? PM_PAPIEX_OPEN : PM_PAPIEX_REFUSED;
	} else if (rc == 0 && x->state != PM_PAPIEX_OPEN) {
		*why = x->state == PM_PAPIEX_REFUSED
			       ? "a thread of a process whose own line was rejected"
		       : x->state == PM_PAPIEX_KNOWN
			       ? "a thread of a process whose threads are already complete"
			       : "a thread without a process: no line before it has a pid";
		rc = 1;
	}
	/* Without a number of threads, a second row shows that there are several. */
	if (rc == 0 && x->threads == 0 && x->rows == 1)
		rc = write_first(x, why, e);
	if (rc == 0 && (x->threads > 1 || (x->threads == 0 && x->rows > 0)))
		rc = write_thread(x, &row.r, &b, false, why, e);
	if (rc)
		return rc;
	add_row(x, &row);
	return x->rows == x->threads ? pm_papiex_end(x, e) : 0;
}
