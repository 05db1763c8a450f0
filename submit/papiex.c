/* Rows of papiex to records, by the table of common/papiex.def and the kinds of columns.def. */
#include "config.h"

#include "submit/papiex.h"

#include <stdlib.h>
#include <string.h>

enum how { INT, TEXT, LIST, PROGRAM, STATUS, SIGNAL, RANK, RANKS, TICKS, NOTHING };

static const struct {
	const char *name;
	enum how how;
	enum pm_column column;
} table[] = {
#define PM_PAPIEX(name, how, column, help) { #name, how, PM_COL_##column },
#include "common/papiex.def"
#undef PM_PAPIEX
};

#define ROWS (sizeof table / sizeof table[0])

/* What papiex made of a clock tick: 1000000 / sysconf(_SC_CLK_TCK), which is 100 on Linux. */
#define US_PER_TICK 10000

/* What a row says, before anything is done with it. */
struct row {
	struct pm_record r;
	struct pm_str path, program, hostname; /* raw */
	bool signal;
};

void pm_papiex_init(struct pm_papiex *x,
		    int (*record)(void *ctx, const struct pm_record *r, const char **why,
				  struct pm_err *e),
		    void *ctx)
{
	memset(x, 0, sizeof *x);
	x->record = record;
	x->ctx = ctx;
}

static void forget_columns(struct pm_papiex *x)
{
	for (size_t i = 0; i < x->counters; i++)
		free(x->counter[i].name);
	free(x->counter);
	x->counter = NULL;
	x->counters = x->columns = 0;
}

void pm_papiex_free(struct pm_papiex *x)
{
	forget_columns(x);
	free(x->texts.p);
	free(x->tail.p);
	memset(&x->texts, 0, sizeof x->texts);
	memset(&x->tail, 0, sizeof x->tail);
}

/* Escape a host's name into one of the places for it. Returns 0, or -1 where it is too long. */
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

int pm_papiex_is_count(const char *p, size_t n)
{
	int64_t v;

	return pm_tsv_number(p, n, &v) == 0 && v >= 0;
}

static int find(const struct pm_str *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(table[i].name) == name->n &&
		    memcmp(table[i].name, name->p, name->n) == 0)
			return (int)i;
	return -1;
}

static char *counter_name(const struct pm_str *name)
{
	size_t room = 4 * name->n + 4;
	char *text = malloc(room + 1);
	struct pm_buf b;

	if (!text)
		return NULL;
	pm_buf_init(&b, text, room);
	pm_tsv_escape_item(&b, name->p, name->n, 1);
	text[b.len] = '\0';
	return text;
}

int pm_papiex_columns(struct pm_papiex *x, const struct pm_str *name, size_t n, const char **why,
		      struct pm_err *e)
{
	bool seen[ROWS] = { false };
	size_t counters = 0;

	if (n > PM_PAPIEX_COLUMNS) {
		*why = "too many columns";
		return 1;
	}
	forget_columns(x);
	x->counter = calloc(n ? n : 1, sizeof x->counter[0]);
	if (!x->counter)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < n; i++) {
		int row = find(&name[i]);

		if (row >= 0 && seen[row]) {
			*why = "a column is named twice";
			return 1;
		}
		if (row >= 0)
			seen[row] = true;
		if (row >= 0 && table[row].column == PM_COL_pid)
			x->pid_at = i;
		x->column[i].row = (short)row;
		x->column[i].counter = -1;
		if (row >= 0 || name[i].n == 0)
			continue;
		x->counter[counters].name = counter_name(&name[i]);
		if (!x->counter[counters].name)
			return pm_err(e, "out of memory");
		x->column[i].counter = (short)counters++;
		x->counters = counters;
	}
	for (size_t i = 0; i < ROWS; i++)
		if (!seen[i] &&
		    (table[i].column == PM_COL_pid || table[i].column == PM_COL_start_us)) {
			*why = "columns pid and start are missing";
			return 1;
		}
	x->columns = n;
	x->times++;
	return 0;
}

/* Room for texts of `n` bytes, whatever they hold, and for counters. */
static int make_room(const struct pm_papiex *x, struct pm_papiex_text *text, size_t n,
		     struct pm_buf *b, struct pm_err *e)
{
	/* An escaped byte takes 4; a list of empty items takes 3 per item; counters come behind. */
	size_t need = 4 * n + 64;
	char *p;

	for (size_t i = 0; i < x->counters; i++)
		need += strlen(x->counter[i].name) + PM_BUF_NUMBER_MAX + 2;
	if (need > text->cap) {
		p = realloc(text->p, need);
		if (!p)
			return pm_err(e, "out of memory");
		text->p = p;
		text->cap = need;
	}
	pm_buf_init(b, text->p, text->cap);
	return 0;
}

static void set_text(struct pm_record *r, enum pm_column c, const char *text)
{
	pm_record_text(r, c, text, strlen(text));
}

/* Arguments that papiex put behind each other. */
static void add_list(struct pm_buf *b, const char *p, size_t n)
{
	const char *end = p + n;
	int first = 1;

	for (;;) {
		const char *space = memchr(p, ' ', (size_t)(end - p));
		const char *stop = space ? space : end;

		pm_tsv_escape_item(b, p, (size_t)(stop - p), first);
		first = 0;
		if (!space)
			return;
		p = space + 1;
	}
}

static void add_text(struct pm_papiex *x, struct pm_buf *b, struct row *row, size_t i,
		     const struct pm_str *v)
{
	enum pm_column c = table[x->column[i].row].column;
	size_t at = b->len;

	if (c == PM_COL_hostname)
		row->hostname = *v;
	else if (table[x->column[i].row].how == PROGRAM)
		row->program = *v;
	else {
		if (c == PM_COL_path)
			row->path = *v;
		if (table[x->column[i].row].how == LIST)
			add_list(b, v->p, v->n);
		else
			pm_tsv_escape(b, v->p, v->n);
		pm_record_text(&row->r, c, b->p + at, b->len - at);
	}
}

/* Take a number. Returns NULL or why it is refused. */
static const char *add_number(struct pm_papiex *x, struct row *row, size_t i, int64_t v)
{
	enum pm_column c = table[x->column[i].row].column;

	switch (table[x->column[i].row].how) {
	case STATUS:
		pm_record_int(&row->r, c, v & 255);
		return NULL;
	case SIGNAL:
		row->signal = v != 0;
		return NULL;
	case RANKS:
		if (v > 0)
			pm_record_int(&row->r, c, v);
		return NULL;
	case TICKS:
		if (v < 0)
			return "a value is negative that cannot be";
		pm_record_int(&row->r, c, v / US_PER_TICK);
		return NULL;
	default:
		if (v < 0 && pm_column_info[c].kind != PM_KIND_GAUGE)
			return "a value is negative that cannot be";
		pm_record_int(&row->r, c, v);
		return NULL;
	}
}

/* The base name of the path, else of what papiex calls the program. */
static void add_program(struct pm_buf *b, struct row *row)
{
	const struct pm_str *from = row->path.n ? &row->path : &row->program;
	const char *slash = from->n ? memrchr(from->p, '/', from->n) : NULL;
	const char *base = slash ? slash + 1 : from->p;
	size_t at = b->len;

	if (!from->n)
		return;
	pm_tsv_escape(b, base, from->n - (size_t)(base - from->p));
	pm_record_text(&row->r, PM_COL_exename, b->p + at, b->len - at);
}

/* Read the values. Returns 0, 1, -1 as pm_papiex_row. */
static int read_row(struct pm_papiex *x, const struct pm_str *value, struct row *row,
		    struct pm_buf *b, const char **why, const char **column, struct pm_err *e)
{
	size_t bytes = 0;

	memset(row, 0, sizeof *row);
	for (size_t i = 0; i < x->columns; i++)
		bytes += value[i].n;
	/* The base name is there once more. */
	if (make_room(x, &x->texts, 2 * bytes, b, e) < 0)
		return -1;
	for (size_t i = 0; i < x->counters; i++)
		x->counter[i].known = false;
	for (size_t i = 0; i < x->columns; i++) {
		const struct pm_papiex_column *c = &x->column[i];
		enum how how = c->row >= 0 ? table[c->row].how : INT;
		int64_t v;

		if (value[i].n == 0 || (c->row < 0 && c->counter < 0))
			continue;
		*column = c->row >= 0 ? table[c->row].name : x->counter[c->counter].name;
		if (how == TEXT || how == LIST || how == PROGRAM) {
			add_text(x, b, row, i, &value[i]);
			continue;
		}
		if (pm_tsv_number(value[i].p, value[i].n, &v) < 0) {
			*why = "not a number";
			return 1;
		}
		if (how == NOTHING)
			continue;
		if (c->row < 0) {
			x->counter[c->counter].value = v;
			x->counter[c->counter].known = true;
		} else if ((*why = add_number(x, row, i, v)) != NULL) {
			return 1;
		}
	}
	*column = NULL;
	add_program(b, row);
	return 0;
}

/* Whether a record of the kind `letter` (columns.def) carries a column that is no count. */
static bool describes(enum pm_column c, char letter)
{
	return pm_column_info[c].kind != PM_KIND_COUNTER &&
	       strchr(pm_column_info[c].records, letter);
}

static void copy(struct pm_record *to, const struct pm_record *from, enum pm_column c)
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

/* What every record of the open process has. */
static void set_key(const struct pm_papiex *x, struct pm_record *r, const char *kind)
{
	set_text(r, PM_COL_record, kind);
	if (x->hostname[0])
		set_text(r, PM_COL_hostname, x->hostname);
	copy(r, &x->end, PM_COL_pid);
	copy(r, &x->end, PM_COL_image_us);
}

/* Put counters into a record: of the row, or the totals. */
static void set_counters(struct pm_papiex *x, struct pm_buf *b, struct pm_record *r, bool total)
{
	size_t at = b->len;

	for (size_t i = 0; i < x->counters; i++) {
		const struct pm_papiex_counter *c = &x->counter[i];

		if (!(total ? c->total_known : c->known))
			continue;
		if (b->len > at)
			pm_buf_ch(b, ' ');
		pm_buf_str(b, c->name);
		pm_buf_ch(b, '=');
		pm_buf_i64(b, total ? c->total : c->value);
	}
	if (b->len > at)
		pm_record_text(r, PM_COL_counters, b->p + at, b->len - at);
}

/* Why a row cannot begin a process, or NULL. */
static const char *fault(const struct row *row)
{
	int64_t threads = pm_record_get(&row->r, PM_COL_numtids, 1);

	if (pm_record_get(&row->r, PM_COL_start_us, 0) <= 0)
		return "start: missing or out of range";
	if (threads < 1 || threads > PM_PAPIEX_THREADS)
		return "numtids: out of range";
	return NULL;
}

/* A row begins a process: tell its start. */
static int begin(struct pm_papiex *x, const struct row *row, const char **why, struct pm_err *e)
{
	struct pm_record start;
	int rc;

	*why = fault(row);
	if (!*why && row->hostname.n &&
	    escape_host(x->hostname, row->hostname.p, row->hostname.n) < 0)
		*why = "hostname: too long";
	if (*why)
		return 1;
	if (!row->hostname.n)
		memcpy(x->hostname, x->host, sizeof x->hostname);
	pm_record_clear(&x->end);
	pm_record_clear(&start);
	copy(&x->end, &row->r, PM_COL_pid);
	pm_record_int(&x->end, PM_COL_image_us, row->r.v[PM_COL_start_us].i);
	set_key(x, &start, "start");
	set_text(&start, PM_COL_version, "papiex");
	for (int c = 0; c < PM_COLUMNS; c++)
		if (describes((enum pm_column)c, 'S'))
			copy(&start, &row->r, (enum pm_column)c);
	if (!pm_record_has(&start, PM_COL_numranks))
		pm_record_unset(&start, PM_COL_mpirank);
	rc = x->record(x->ctx, &start, why, e);
	if (rc)
		return rc;
	x->rows = 0;
	x->threads = pm_record_get(&row->r, PM_COL_numtids, 1);
	x->signal = row->signal;
	return 0;
}

/* Tell of a thread by its row. */
static int tell_thread(struct pm_papiex *x, const struct row *row, struct pm_buf *b,
		       const char **why, struct pm_err *e)
{
	struct pm_record t;

	pm_record_clear(&t);
	set_key(x, &t, "thread");
	for (int c = 0; c < PM_COLUMNS; c++)
		if (strchr(pm_column_info[c].records, 'T') && !pm_record_has(&t, (enum pm_column)c))
			copy(&t, &row->r, (enum pm_column)c);
	/* The collated form has no times of threads: those there are the process's. */
	if (!pm_record_has(&row->r, PM_COL_tid)) {
		pm_record_unset(&t, PM_COL_start_us);
		pm_record_unset(&t, PM_COL_end_us);
		pm_record_int(&t, PM_COL_tid, x->rows ? -x->rows : x->end.v[PM_COL_pid].i);
	}
	set_duration(&t);
	set_counters(x, b, &t, false);
	return x->record(x->ctx, &t, why, e);
}

static void add_total(struct pm_record *end, const struct pm_record *r, enum pm_column c)
{
	if (!pm_record_has(end, c))
		return;
	if (!pm_record_has(r, c) || __builtin_add_overflow(end->v[c].i, r->v[c].i, &end->v[c].i))
		pm_record_unset(end, c);
}

/* Add a row to what the end will say: what counts is summed, the rest is that of the main thread.
 */
static void add_up(struct pm_papiex *x, const struct row *row)
{
	for (int i = 0; i < PM_COLUMNS; i++) {
		enum pm_column c = (enum pm_column)i;

		if (!strchr(pm_column_info[c].records, 'E') || pm_column_is_text[c])
			continue;
		if (x->rows == 0 && !pm_record_has(&x->end, c))
			copy(&x->end, &row->r, c);
		else if (x->rows && pm_column_info[c].kind == PM_KIND_COUNTER)
			add_total(&x->end, &row->r, c);
		else if (x->rows && pm_column_info[c].kind == PM_KIND_PEAK &&
			 pm_record_get(&row->r, c, -1) > pm_record_get(&x->end, c, -1))
			copy(&x->end, &row->r, c);
	}
	for (size_t i = 0; i < x->counters; i++) {
		struct pm_papiex_counter *c = &x->counter[i];

		if (x->rows == 0) {
			c->total = c->value;
			c->total_known = c->known;
		} else if (!c->known || __builtin_add_overflow(c->total, c->value, &c->total)) {
			c->total_known = false;
		}
	}
	x->rows++;
}

int pm_papiex_end(struct pm_papiex *x, struct pm_err *e)
{
	const char *why = NULL;
	struct pm_buf b;
	int rc;

	if (x->state != PM_PAPIEX_OPEN)
		return 0;
	x->state = PM_PAPIEX_NONE;
	if (make_room(x, &x->tail, 0, &b, e) < 0)
		return -1;
	/* Sums over some of the threads are those of nothing. */
	if (x->rows < x->threads) {
		x->missing += (uint64_t)(x->threads - x->rows);
		for (int c = 0; c < PM_COLUMNS; c++)
			if (pm_column_info[c].kind == PM_KIND_COUNTER)
				pm_record_unset(&x->end, (enum pm_column)c);
		for (size_t i = 0; i < x->counters; i++)
			x->counter[i].total_known = false;
	}
	set_key(x, &x->end, "end");
	set_text(&x->end, PM_COL_end_reason, x->signal ? "signal" : "exit");
	if (x->signal)
		pm_record_unset(&x->end, PM_COL_exitcode);
	set_duration(&x->end);
	set_counters(x, &b, &x->end, true);
	rc = x->record(x->ctx, &x->end, &why, e);
	/* What its start said is fine; there is nothing left in an end that could be refused. */
	return rc < 0 ? -1 : 0;
}

int pm_papiex_row(struct pm_papiex *x, const struct pm_str *value, const char **why,
		  const char **column, struct pm_err *e)
{
	bool first = value[x->pid_at].n != 0;
	struct pm_buf b;
	struct row row;
	int rc;

	*why = *column = NULL;
	if (first && pm_papiex_end(x, e) < 0)
		return -1;
	rc = read_row(x, value, &row, &b, why, column, e);
	if (rc == 0 && pm_record_has(&row.r, PM_COL_tid) &&
	    (row.r.v[PM_COL_tid].i < 1 || row.r.v[PM_COL_tid].i > INT32_MAX)) {
		*why = "tid: out of range";
		rc = 1;
	}
	if (first) {
		if (rc == 0)
			rc = begin(x, &row, why, e);
		x->state = rc == 0 ? PM_PAPIEX_OPEN : PM_PAPIEX_REFUSED;
	} else if (rc == 0 && x->state != PM_PAPIEX_OPEN) {
		*why = x->state == PM_PAPIEX_REFUSED
			       ? "a thread of a process whose own line was rejected"
			       : "a thread of no process: no pid was before it";
		rc = 1;
	}
	if (rc == 0 && x->threads > 1)
		rc = tell_thread(x, &row, &b, why, e);
	if (rc)
		return rc;
	add_up(x, &row);
	return x->rows == x->threads ? pm_papiex_end(x, e) : 0;
}
