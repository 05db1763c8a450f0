/* A Parquet file that is written and read back. */
#include "config.h"

#include "tests/unit/export/table.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <string.h>

void table_begin(struct table *t, const struct pm_parquet_column *column, size_t n)
{
	struct pm_err e;

	*t = (struct table){ .column = column, .columns = n, .room = 1 };
	t->want = calloc(n, sizeof *t->want);
	t->f = open_memstream(&t->file, &t->size);
	ck_assert_ptr_nonnull(t->f);
	t->p = pm_parquet_new(t->f, column, n, &e);
	ck_assert_ptr_nonnull(t->p);
}

static struct reader_cell *want(struct table *t, size_t column)
{
	struct reader_cell *cell = &t->want[t->rows * t->columns + column];

	cell->known = true;
	return cell;
}

void table_give_int(struct table *t, size_t column, int64_t v)
{
	pm_parquet_int(t->p, column, v);
	want(t, column)->bits = (uint64_t)v;
}

void table_give_real(struct table *t, size_t column, double v)
{
	pm_parquet_real(t->p, column, v);
	memcpy(&want(t, column)->bits, &v, sizeof v);
}

void table_give_as(struct table *t, size_t column, const void *p, size_t n, const void *as,
		   size_t as_n)
{
	struct reader_cell *cell = want(t, column);
	unsigned char *copy = malloc(as_n + 1);

	pm_parquet_text(t->p, column, p, n);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, as, as_n);
	cell->p = copy;
	cell->n = as_n;
}

void table_give(struct table *t, size_t column, const void *p, size_t n)
{
	table_give_as(t, column, p, n, p, n);
}

void table_give_text(struct table *t, size_t column, const char *text)
{
	table_give(t, column, text, strlen(text));
}

void table_row(struct table *t)
{
	struct pm_err e;

	PM_SURE(pm_parquet_row(t->p, &e) == 0);
	t->rows++;
	if (t->rows < t->room)
		return;
	t->want = realloc(t->want, 2 * t->room * t->columns * sizeof *t->want);
	ck_assert_ptr_nonnull(t->want);
	memset(t->want + t->room * t->columns, 0, t->room * t->columns * sizeof *t->want);
	t->room *= 2;
}

void table_check(struct table *t)
{
	struct pm_err e;

	ck_assert_int_eq(pm_parquet_finish(t->p, &e), 0);
	pm_parquet_free(t->p);
	fclose(t->f);
	t->r = reader_open((const unsigned char *)t->file, t->size);
	ck_assert_uint_eq(t->r->rows, t->rows);
	ck_assert_uint_eq(t->r->columns, t->columns);
	for (size_t i = 0; i < t->columns; i++) {
		const struct reader_column *c = &t->r->column[i];
		enum pm_parquet_type type = t->column[i].type;

		PM_SURE(c->type == (type == INT    ? READER_INT64
				    : type == REAL ? READER_DOUBLE
						   : READER_BYTE_ARRAY));
		PM_SURE(c->utf8 == (type == TEXT));
		for (size_t k = 0; k < t->rows; k++) {
			struct reader_cell *a = &t->want[k * t->columns + i], *b = &c->cell[k];

			PM_SURE(a->known == b->known && a->bits == b->bits && a->n == b->n);
			PM_SURE(a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
			free((void *)(uintptr_t)a->p);
		}
	}
}

void table_end(struct table *t)
{
	reader_close(t->r);
	free(t->want);
	free(t->file);
}

char *table_noise(size_t n)
{
	char *p = malloc(n);
	uint64_t seed = 3;

	ck_assert_ptr_nonnull(p);
	for (size_t i = 0; i < n; i++) {
		p[i] = i < 1 << 20 ? (char)(' ' + random_next(&seed) % 95) : p[i - (1 << 20)];
	}
	return p;
}
