/* Rows in memory: an array of cells, and a buffer with all texts. */
#include "config.h"

#include "db/rowbatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of text that make a batch full. */
#define TEXT_FULL ((size_t)64 << 10)

static struct pm_rowcell *current_row(const struct pm_rowbatch *b)
{
	return b->cell + b->rows * (size_t)b->columns;
}

int pm_rowbatch_set(struct pm_rowbatch *b, int i, enum pm_db_type type, const void *p, size_t n)
{
	size_t cap = b->cap ? b->cap : TEXT_FULL + TEXT_FULL / 4;
	char *grown;

	if (n > INT32_MAX) {
		errno = EINVAL;
		return -1;
	}
	while (cap - b->len < n)
		cap *= 2;
	if (cap > b->cap) {
		grown = realloc(b->text, cap);
		if (!grown)
			return -1;
		b->text = grown;
		b->cap = cap;
	}
	if (n)
		memcpy(b->text + b->len, p, n);
	current_row(b)[i] =
		(struct pm_rowcell){ .at = b->len, .n = (uint32_t)n, .type = (uint8_t)type };
	b->len += n;
	return 0;
}

void pm_rowbatch_int(struct pm_rowbatch *b, int i, int64_t v)
{
	current_row(b)[i] = (struct pm_rowcell){ .i = v, .type = PM_DB_INTEGER };
}

void pm_rowbatch_real(struct pm_rowbatch *b, int i, double v)
{
	current_row(b)[i] = (struct pm_rowcell){ .d = v, .type = PM_DB_REAL };
}

void pm_rowbatch_clear(struct pm_rowbatch *b)
{
	_Static_assert(PM_DB_NULL == 0, "a cell of zeros is NULL");
	memset(current_row(b), 0, (size_t)b->columns * sizeof b->cell[0]);
}

/* Compare the keys of two rows as SQLite compares integers and texts. A value of another type ends
 * the comparison. */
static int compare_keys(const struct pm_rowbatch *b, uint32_t i, uint32_t k)
{
	const struct pm_rowcell *x = b->cell + i * (size_t)b->columns;
	const struct pm_rowcell *y = b->cell + k * (size_t)b->columns;

	for (int c = 0; c < b->keys && x[c].type == y[c].type; c++) {
		int order = 0;

		if (x[c].type == PM_DB_INTEGER) {
			order = (x[c].i > y[c].i) - (x[c].i < y[c].i);
		} else if (x[c].type == PM_DB_TEXT) {
			uint32_t n = x[c].n < y[c].n ? x[c].n : y[c].n;

			order = memcmp(b->text + x[c].at, b->text + y[c].at, n);
			if (order == 0)
				order = (x[c].n > y[c].n) - (x[c].n < y[c].n);
		} else {
			break;
		}
		if (order != 0)
			return order;
	}
	return 0;
}

/* Sort n rows by insertion. */
static void sort_few(const struct pm_rowbatch *b, uint32_t *order, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t row = order[i];
		size_t at = i;

		for (; at > 0 && compare_keys(b, order[at - 1], row) > 0; at--)
			order[at] = order[at - 1];
		order[at] = row;
	}
}

/* Merge two sorted parts of n rows, the second from `middle` on; `first` is scratch space. Most
 * often the parts are in order already. */
static void merge_parts(const struct pm_rowbatch *b, uint32_t *order, size_t middle, size_t n,
			uint32_t *first)
{
	size_t i = 0, k = middle;

	if (compare_keys(b, order[middle - 1], order[middle]) <= 0)
		return;
	memcpy(first, order, middle * sizeof *first);
	for (size_t at = 0; i < middle; at++) {
		bool second = k < n && compare_keys(b, first[i], order[k]) > 0;

		order[at] = second ? order[k++] : first[i++];
	}
}

void pm_rowbatch_sort(struct pm_rowbatch *b)
{
	enum { FEW = 8 };
	uint32_t *scratch = b->order + b->rows;
	size_t n = b->rows;

	for (size_t i = 0; i < n; i++)
		b->order[i] = (uint32_t)i;
	for (size_t at = 0; at < n; at += FEW)
		sort_few(b, b->order + at, n - at < FEW ? n - at : FEW);
	for (size_t part = FEW; part < n; part *= 2)
		for (size_t at = 0; n - at > part; at += 2 * part) {
			size_t both = n - at < 2 * part ? n - at : 2 * part;

			merge_parts(b, b->order + at, part, both, scratch);
			if (n - at <= 2 * part)
				break;
		}
}

bool pm_rowbatch_add(struct pm_rowbatch *b)
{
	b->rows++;
	if ((b->rows + 1) * (size_t)b->columns > b->cells || b->len >= TEXT_FULL)
		return true;
	pm_rowbatch_clear(b);
	return false;
}
