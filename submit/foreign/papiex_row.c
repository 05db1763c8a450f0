/* Parse papiex's rows: columns and values. */
#include "config.h"

#include "submit/foreign/papiex_row.h"

#include "submit/memory/hashmap.h"

#include <stdlib.h>
#include <string.h>

enum how { INT, TEXT, LIST, PROGRAM, STATUS, SIGNAL, RANK, RANKS, TICKS, NOTHING };

static const struct {
	const char *name;
	enum how how;
	enum pm_column column;
} table[] = {
#define PM_PAPIEX(name, how, column, help) { #name, how, PM_COL_##column },
#include "common/record/papiex.def"
#undef PM_PAPIEX
};

#define ROWS (sizeof table / sizeof table[0])

/* papiex's microseconds per clock tick: 1000000 / sysconf(_SC_CLK_TCK), which is 100 on Linux. */
#define US_PER_TICK 10000

static void forget_columns(struct pm_papiex_columns *x)
{
	for (size_t i = 0; i < x->counters; i++)
		free(x->counter[i].name);
	free(x->counter);
	x->counter = NULL;
	x->counters = x->columns = 0;
}

void pm_papiex_row_free(struct pm_papiex_columns *x)
{
	forget_columns(x);
	free(x->texts.p);
	memset(&x->texts, 0, sizeof x->texts);
}

static int find_row(const struct pm_str *name)
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

int pm_papiex_row_columns(struct pm_papiex_columns *x, const struct pm_str *name, size_t n,
			  const char **why, struct pm_err *e)
{
	bool seen[ROWS] = { false };
	size_t counters = 0;

	if (n > PM_PAPIEX_COLUMNS) {
		*why = "too many columns";
		return 1;
	}
	forget_columns(x);
	x->hostname_at = SIZE_MAX;
	x->has_tid = false;
	x->counter = calloc(n ? n : 1, sizeof x->counter[0]);
	if (!x->counter)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < n; i++) {
		int row = find_row(&name[i]);

		if (row >= 0 && seen[row]) {
			*why = "a column is named twice";
			return 1;
		}
		if (row >= 0)
			seen[row] = true;
		if (row >= 0 && table[row].column == PM_COL_pid)
			x->pid_at = i;
		if (row >= 0 && table[row].column == PM_COL_hostname)
			x->hostname_at = i;
		if (row >= 0 && table[row].column == PM_COL_tid)
			x->has_tid = true;
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
	x->hash = 1;
	for (size_t i = 0; i < n; i++)
		x->hash = pm_hashmap_mix(pm_hashmap_mix_bytes(x->hash, name[i].p, name[i].n),
					 name[i].n);
	x->times++;
	return 0;
}

int pm_papiex_row_room(const struct pm_papiex_columns *x, struct pm_papiex_text *text, size_t n,
		       struct pm_buf *b, struct pm_err *e)
{
	/* An escaped byte takes 4 bytes; a list of empty items takes 3 per item; counters follow.
	 */
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

/* Append arguments, which papiex joins by spaces, as a list. */
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

static void add_text(struct pm_papiex_columns *x, struct pm_buf *b, struct pm_papiex_values *row,
		     size_t i, const struct pm_str *v)
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

/* Parse a whole number, also one with zeros after a point: pandas writes counts so if some are
 * missing. Returns 0 or -1. */
static int parse_number(const struct pm_str *s, int64_t *v)
{
	const char *point = memchr(s->p, '.', s->n);
	size_t n = point ? (size_t)(point - s->p) : s->n, zeros = n + 1;

	while (point && zeros < s->n && s->p[zeros] == '0')
		zeros++;
	return point && (zeros < s->n || n + 1 == s->n) ? -1 : pm_tsv_number(s->p, n, v);
}

/* Why a text is not a usable number: not a whole number, negative, or too large. */
static enum pm_oddvalue_why why_no_number(const struct pm_str *s)
{
	size_t sign = s->n > 1 && s->p[0] == '-';

	for (size_t i = sign; i < s->n; i++)
		if (s->p[i] < '0' || s->p[i] > '9')
			return PM_ODDVALUE_NUMBER;
	return sign ? PM_ODDVALUE_NEGATIVE : PM_ODDVALUE_RANGE;
}

/* Upper limit of papiex's column, if lower than that of perfmon's. */
static int64_t upper_limit(enum how how, enum pm_column c)
{
	if (c == PM_COL_numtids)
		return PM_PAPIEX_THREADS;
	return how == RANK || how == RANKS || c == PM_COL_tid || c == PM_COL_ppid ||
			       c == PM_COL_pgid || c == PM_COL_sid
		       ? INT32_MAX
		       : INT64_MAX;
}

/* Store a number. Returns 0, or 1 with *why if it is impossible. */
static int add_number(struct pm_papiex_columns *x, struct pm_papiex_values *row, size_t i,
		      int64_t v, enum pm_oddvalue_why *why)
{
	enum pm_column c = table[x->column[i].row].column;
	enum how how = table[x->column[i].row].how;

	*why = v < 0 ? PM_ODDVALUE_NEGATIVE : PM_ODDVALUE_RANGE;
	/* The argument of exit(3): the kernel keeps its low 8 bits. */
	if (how == STATUS) {
		if (v < INT32_MIN || v > INT32_MAX)
			return 1;
		v &= 255;
	}
	if (v < 0 || v > upper_limit(how, c))
		return 1;
	switch (how) {
	case SIGNAL:
		row->signal = v != 0 && v < 128;
		return v >= 128;
	case RANKS:
		if (v == 0)
			return 0;
		break;
	case TICKS:
		v /= US_PER_TICK;
		break;
	default:
		if (v == 0 && (c == PM_COL_numtids || c == PM_COL_tid))
			return 1;
		break;
	}
	if (!pm_bounds_have(&x->bounds, c, v))
		return 1;
	pm_record_int(&row->r, c, v);
	return 0;
}

/* Store the count of an event. Returns the same as add_number(). */
static int add_counter(struct pm_papiex_counter *c, int64_t v, enum pm_oddvalue_why *why)
{
	*why = v < 0 ? PM_ODDVALUE_NEGATIVE : PM_ODDVALUE_RANGE;
	if (v < 0 || v > PM_BOUNDS_EVENT)
		return 1;
	c->value = v;
	c->known = true;
	return 0;
}

/* Whether a value is part of the process's key: pid and start in the process's first row. */
static bool is_key(const struct pm_papiex_columns *x, size_t i, bool first)
{
	return first && x->column[i].row >= 0 &&
	       (table[x->column[i].row].column == PM_COL_pid ||
		table[x->column[i].row].column == PM_COL_start_us);
}

/* Check the key in a row. Returns 0, or 1 with *why and *column if it is unusable. */
static int check_key(const struct pm_papiex_columns *x, const struct pm_str *value,
		     const char **why, const char **column)
{
	for (size_t i = 0; i < x->columns; i++) {
		int64_t v;

		if (!is_key(x, i, value[x->pid_at].n != 0))
			continue;
		*column = table[x->column[i].row].name;
		if (value[i].n && parse_number(&value[i], &v) < 0)
			*why = "not a number";
		else if (!value[i].n || v <= 0 || v > (i == x->pid_at ? INT32_MAX : PM_BOUNDS_TIME))
			*why = "missing or out of range";
		else
			continue;
		return 1;
	}
	*column = NULL;
	return 0;
}

/* Set exename to the base name of the path, else of papiex's program name. */
static void add_program(struct pm_buf *b, struct pm_papiex_values *row)
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

int pm_papiex_row_read(struct pm_papiex_columns *x, const struct pm_str *value,
		       struct pm_papiex_values *row, struct pm_buf *b, const char **why,
		       const char **column, struct pm_err *e)
{
	size_t bytes = 0;

	memset(row, 0, sizeof *row);
	for (size_t i = 0; i < x->columns; i++)
		bytes += value[i].n;
	/* The base name is stored a second time. */
	if (pm_papiex_row_room(x, &x->texts, 2 * bytes, b, e) < 0)
		return -1;
	if (check_key(x, value, why, column))
		return 1;
	for (size_t i = 0; i < x->counters; i++)
		x->counter[i].known = x->counter[i].odd = false;
	for (size_t i = 0; i < x->columns; i++) {
		const struct pm_papiex_column *c = &x->column[i];
		enum how how = c->row >= 0 ? table[c->row].how : INT;
		enum pm_oddvalue_why odd;
		int64_t v;
		int rc;

		if (value[i].n == 0 || how == NOTHING || (c->row < 0 && c->counter < 0))
			continue;
		if (how == TEXT || how == LIST || how == PROGRAM) {
			add_text(x, b, row, i, &value[i]);
			continue;
		}
		rc = parse_number(&value[i], &v) < 0;
		if (rc)
			odd = why_no_number(&value[i]);
		else
			rc = c->row >= 0 ? add_number(x, row, i, v, &odd)
					 : add_counter(&x->counter[c->counter], v, &odd);
		if (rc == 0)
			continue;
		/* Only the metric becomes unknown; the process is kept. */
		if (c->row < 0)
			x->counter[c->counter].odd = true;
		if (x->odd &&
		    x->odd(x->ctx, c->row >= 0 ? table[c->row].name : x->counter[c->counter].name,
			   odd, e) < 0)
			return -1;
	}
	/* Without a number of ranks, rank 0 means nothing. */
	if (!pm_record_has(&row->r, PM_COL_numranks))
		pm_record_unset(&row->r, PM_COL_mpirank);
	add_program(b, row);
	return 0;
}
