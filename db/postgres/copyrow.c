/* Rows for COPY: a count of fields, then per field its length, -1 for NULL, and its bytes. */
#include "config.h"

#include "db/postgres/copyrow.h"

#include "db/postgres/plaintext.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof PM_COPYROW_HEAD - 1 == PM_COPYROW_HEAD_LEN, "signature, flags, extension");

int pm_copyrow_init(struct pm_copyrow *c, const struct pm_schema_table *table)
{
	memset(c, 0, sizeof *c);
	c->table = table;
	c->value = calloc(table->columns, sizeof *c->value);
	return c->value ? 0 : -1;
}

void pm_copyrow_free(struct pm_copyrow *c)
{
	free(c->value);
	free(c->data);
}

void pm_copyrow_set(struct pm_copyrow *c, int i, struct pm_copyrow_value v)
{
	if (i < 1 || (size_t)i > c->table->columns)
		c->overflow = true;
	else
		c->value[i - 1] = v;
}

void pm_copyrow_clear(struct pm_copyrow *c)
{
	memset(c->value, 0, c->table->columns * sizeof *c->value);
	c->overflow = false;
}

/* Make room for n more bytes. Returns their address, or NULL if out of memory. */
static char *make_room(struct pm_copyrow *c, size_t n)
{
	if (c->cap - c->len < n) {
		size_t cap = c->cap ? c->cap : 65536;
		char *p;

		while (cap - c->len < n)
			cap *= 2;
		p = realloc(c->data, cap);
		if (!p)
			return NULL;
		c->data = p;
		c->cap = cap;
	}
	return c->data + c->len;
}

static char *put_length(char *p, int32_t n)
{
	uint32_t big = htobe32((uint32_t)n);

	memcpy(p, &big, sizeof big);
	return p + sizeof big;
}

static int put_number(struct pm_copyrow *c, uint64_t bits)
{
	char *p = make_room(c, 4 + sizeof bits);

	if (!p)
		return -1;
	bits = htobe64(bits);
	memcpy(put_length(p, sizeof bits), &bits, sizeof bits);
	c->len += 4 + sizeof bits;
	return 0;
}

static int put_real(struct pm_copyrow *c, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return put_number(c, bits);
}

static int put_bytes(struct pm_copyrow *c, const char *p, size_t n, bool text)
{
	size_t len = text ? pm_plaintext_length(p, n) : n;
	char *to;

	if (len > INT_MAX / 2) {
		errno = EINVAL;
		return -1;
	}
	to = make_room(c, 4 + len);
	if (!to)
		return -1;
	to = put_length(to, (int32_t)len);
	if (len != n)
		pm_plaintext_copy(to, p, n);
	else if (n)
		memcpy(to, p, n);
	c->len += 4 + len;
	return 0;
}

/* Append a value in the type of its column. Integers become reals, and numbers become text, as in
 * SQLite. */
static int put_value(struct pm_copyrow *c, const struct pm_schema_column *column,
		     const struct pm_copyrow_value *v)
{
	bool is_text = v->type == PM_SCHEMA_TEXT || v->type == PM_SCHEMA_BLOB;
	char text[32];

	switch (column->type) {
	case PM_SCHEMA_TEXT:
		if (is_text)
			return put_bytes(c, v->p, v->n, true);
		if (v->type == PM_SCHEMA_REAL)
			snprintf(text, sizeof text, "%.15g", v->r);
		else
			snprintf(text, sizeof text, "%" PRId64, v->i);
		return put_bytes(c, text, strlen(text), false);
	case PM_SCHEMA_BLOB:
		if (is_text)
			return put_bytes(c, v->p, v->n, false);
		break;
	case PM_SCHEMA_REAL:
		if (!is_text)
			return put_real(c, v->type == PM_SCHEMA_REAL ? v->r : (double)v->i);
		break;
	default:
		if (v->type == PM_SCHEMA_INTEGER)
			return put_number(c, (uint64_t)v->i);
		break;
	}
	errno = EINVAL;
	return -1;
}

static int put_row(struct pm_copyrow *c)
{
	uint16_t fields = htobe16((uint16_t)c->table->columns);
	char *p = make_room(c, sizeof fields);

	if (!p)
		return -1;
	memcpy(p, &fields, sizeof fields);
	c->len += sizeof fields;
	for (size_t i = 0; i < c->table->columns; i++) {
		if (c->value[i].known) {
			if (put_value(c, &c->table->column[i], &c->value[i]) < 0)
				return -1;
			continue;
		}
		p = make_room(c, 4);
		if (!p)
			return -1;
		put_length(p, -1);
		c->len += 4;
	}
	return 0;
}

int pm_copyrow_add(struct pm_copyrow *c, struct pm_err *e)
{
	size_t before = c->len;
	bool overflow = c->overflow;
	int rc;

	errno = overflow ? EINVAL : ENOMEM;
	rc = overflow ? -1 : put_row(c);
	pm_copyrow_clear(c);
	if (rc == 0)
		return 0;
	c->len = before;
	return errno == EINVAL
		       ? pm_err(e, "table %s: a value does not fit its column", c->table->name)
		       : pm_err(e, "out of memory");
}

size_t pm_copyrow_length(const struct pm_schema_table *t, const char *row)
{
	size_t at = sizeof(uint16_t);
	uint32_t n;

	for (size_t i = 0; i < t->columns; i++) {
		memcpy(&n, row + at, sizeof n);
		n = be32toh(n);
		at += sizeof n + (n == UINT32_MAX ? 0 : n);
	}
	return at;
}

struct key {
	const char *rows;
	size_t n; /* bytes of a row up to the end of its key: the same in all rows */
};

/* Compare keys by memcmp: their numbers are big-endian and not negative. */
static int by_key(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct key *key = ctx;
	int order = memcmp(key->rows + x, key->rows + y, key->n);

	return order ? order : (x > y) - (x < y);
}

int pm_copyrow_sort(struct pm_copyrow_order *o, const struct pm_schema_table *t, const char *rows,
		    size_t n)
{
	struct key key = { rows, sizeof(uint16_t) };

	for (size_t i = 0;
	     i < t->columns && t->column[i].required && t->column[i].type == PM_SCHEMA_INTEGER; i++)
		key.n += sizeof(uint32_t) + sizeof(uint64_t);
	o->rows = 0;
	o->sorted = true;
	for (size_t at = 0; at < n; at += pm_copyrow_length(t, rows + at)) {
		/* The server refuses a row that is too short for its key. */
		if (n - at < key.n) {
			o->sorted = true;
			return 0;
		}
		if (o->rows == o->cap) {
			size_t cap = o->cap ? 2 * o->cap : 1024;
			uint32_t *p = realloc(o->at, cap * sizeof *p);

			if (!p)
				return -1;
			o->at = p;
			o->cap = cap;
		}
		o->at[o->rows] = (uint32_t)at;
		if (o->rows && by_key(&o->at[o->rows - 1], &o->at[o->rows], &key) > 0)
			o->sorted = false;
		o->rows++;
	}
	if (!o->sorted)
		qsort_r(o->at, o->rows, sizeof o->at[0], by_key, &key);
	return 0;
}
