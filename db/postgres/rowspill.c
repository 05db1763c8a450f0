/* Parked rows: each is its length, then per value its length and text; length -1 for NULL. */
#include "config.h"

#include "db/postgres/rowspill.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of rows in memory; the rest spills to the file. */
#define MEMORY_MAX ((size_t)1 << 20)

static size_t length_of(const struct pm_rowspill_cell *cell, int cells)
{
	size_t n = 0;

	for (int i = 0; i < cells; i++)
		n += sizeof(int64_t) + (cell[i].p ? cell[i].n + 1 : 0);
	return n;
}

static int reserve_room(char **p, size_t *cap, size_t n)
{
	size_t want = *cap ? *cap : 4096;
	char *grown;

	if (n <= *cap)
		return 0;
	while (want < n)
		want *= 2;
	grown = realloc(*p, want);
	if (!grown)
		return -1;
	*p = grown;
	*cap = want;
	return 0;
}

static void pack_row(char *p, const struct pm_rowspill_cell *cell, int cells)
{
	for (int i = 0; i < cells; i++) {
		int64_t n = cell[i].p ? (int64_t)cell[i].n : -1;

		memcpy(p, &n, sizeof n);
		p += sizeof n;
		if (n < 0)
			continue;
		memcpy(p, cell[i].p, cell[i].n);
		p[n] = '\0';
		p += n + 1;
	}
}

static void unpack_row(const char *p, struct pm_rowspill_cell *cell, int cells)
{
	for (int i = 0; i < cells; i++) {
		int64_t n;

		memcpy(&n, p, sizeof n);
		p += sizeof n;
		cell[i] = (struct pm_rowspill_cell){ n < 0 ? NULL : p, n < 0 ? 0 : (size_t)n };
		p += n < 0 ? 0 : n + 1;
	}
}

int pm_rowspill_add(struct pm_rowspill *k, const struct pm_rowspill_cell *cell, int cells,
		    struct pm_err *e)
{
	size_t n = length_of(cell, cells);

	k->added++;
	if (!k->rest && k->len + sizeof n + n <= MEMORY_MAX) {
		if (reserve_room(&k->text, &k->cap, k->len + sizeof n + n) < 0)
			return pm_err(e, "out of memory");
		memcpy(k->text + k->len, &n, sizeof n);
		pack_row(k->text + k->len + sizeof n, cell, cells);
		k->len += sizeof n + n;
		return 0;
	}
	if (!k->rest && !(k->rest = tmpfile()))
		return pm_err(e, "make a temporary file: %m");
	if (reserve_room(&k->row, &k->row_cap, n) < 0)
		return pm_err(e, "out of memory");
	pack_row(k->row, cell, cells);
	if (fwrite(&n, sizeof n, 1, k->rest) != 1 || (n && fwrite(k->row, n, 1, k->rest) != 1))
		return pm_err(e, "write a temporary file: %m");
	return 0;
}

int pm_rowspill_next(struct pm_rowspill *k, struct pm_rowspill_cell *cell, int cells,
		     struct pm_err *e)
{
	size_t n;

	if (k->taken == k->added)
		return 0;
	if (k->at < k->len) {
		memcpy(&n, k->text + k->at, sizeof n);
		unpack_row(k->text + k->at + sizeof n, cell, cells);
		k->at += sizeof n + n;
		k->taken++;
		return 1;
	}
	if (k->at == k->len) {
		/* Rewind the file, once. */
		k->at++;
		if (fflush(k->rest) != 0 || fseek(k->rest, 0, SEEK_SET) != 0)
			return pm_err(e, "write a temporary file: %m");
	}
	if (fread(&n, sizeof n, 1, k->rest) != 1)
		return pm_err(e, "read a temporary file: %m");
	if (reserve_room(&k->row, &k->row_cap, n) < 0)
		return pm_err(e, "out of memory");
	if (n && fread(k->row, n, 1, k->rest) != 1)
		return pm_err(e, "read a temporary file: %m");
	unpack_row(k->row, cell, cells);
	k->taken++;
	return 1;
}

void pm_rowspill_free(struct pm_rowspill *k)
{
	if (k->rest)
		fclose(k->rest);
	free(k->text);
	free(k->row);
	memset(k, 0, sizeof *k);
}
