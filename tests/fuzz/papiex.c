/*
 * Lines of papiex from arbitrary bytes, as a job's files: the first byte of a file says what it is
 * called. Every line is taken, rejected or known from another load, and what is taken are records
 * that perfmon itself can write, read and load.
 */
#include "config.h"

#include "submit/foreign/foreign.h"
#include "submit/job/images.h"
#include "submit/memory/hashmap.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

struct job {
	struct pm_images images;
	struct pm_foreign foreign;
	uint32_t file;
	uint64_t lines, rejected, again, starts, ends;
	struct pm_hashmap known; /* rows, by hash, and the file that had them first */
	struct pm_err e;
};

static int is(const struct pm_record *r, const char *kind)
{
	return r->v[PM_COL_record].s.n == strlen(kind) &&
	       memcmp(r->v[PM_COL_record].s.p, kind, strlen(kind)) == 0;
}

/* What is written reads again to the same. */
static void check_record(const struct pm_record *r)
{
	size_t cap = PM_COLUMNS * (PM_BUF_NUMBER_MAX + 3) + 16;
	const char *why, *column;
	struct pm_record back;
	struct pm_map map;
	struct pm_buf b;
	char *line;

	for (int c = 0; c < PM_COLUMNS; c++)
		if (pm_record_has(r, (enum pm_column)c) && pm_column_is_text[c])
			cap += r->v[c].s.n;
	line = malloc(cap);
	pm_buf_init(&b, line, cap);
	pm_record_format(r, &b);
	FUZZ_SURE(!b.truncated && b.len > 0 && memchr(line, '\n', b.len) == line + b.len - 1);
	pm_map_builtin(&map);
	FUZZ_SURE(pm_record_parse(&back, &map, line, b.len - 1, &why, &column) == 0);
	FUZZ_SURE(memcmp(r->set, back.set, sizeof r->set) == 0);
	free(line);
}

static int take(void *ctx, uint32_t file, const struct pm_record *r, const char **why,
		struct pm_err *e)
{
	struct job *j = ctx;
	int rc;

	FUZZ_SURE(file <= j->file);
	check_record(r);
	rc = pm_images_add(&j->images, r, why, e);
	FUZZ_SURE(rc >= 0);
	FUZZ_SURE(rc == 0 || *why != NULL);
	/* Only a start can be refused: what follows one is complete. */
	FUZZ_SURE(rc == 0 || !is(r, "end"));
	j->starts += rc == 0 && is(r, "start");
	j->ends += is(r, "end");
	return rc;
}

static int refuse(void *ctx, uint32_t file, uint64_t line, const char *p, size_t n,
		  const char *column, const char *why, struct pm_err *e)
{
	struct job *j = ctx;

	(void)p;
	(void)column;
	(void)e;
	FUZZ_SURE(file <= j->file && line > 0 && n > 0 && why != NULL);
	j->rejected++;
	return 0;
}

static int odd(void *ctx, uint32_t file, uint64_t line, const char *column,
	       enum pm_oddvalue_why why, struct pm_err *e)
{
	struct job *j = ctx;

	(void)e;
	FUZZ_SURE(file <= j->file && line > 0 && column[0] && why < PM_ODDVALUE_WHYS);
	return 0;
}

/* Every file is a load of its own. */
static int known(void *ctx, uint32_t file, uint64_t hash, struct pm_err *e)
{
	struct job *j = ctx;
	uint32_t other;
	size_t at = 0;

	(void)e;
	while ((other = pm_hashmap_next(&j->known, hash, &at)) != UINT32_MAX)
		if (other != file)
			return 1;
	return pm_hashmap_add(&j->known, hash, file);
}

static void again(void *ctx, uint32_t file)
{
	struct job *j = ctx;

	FUZZ_SURE(j->foreign.merges && file <= j->file);
	j->again++;
}

static int line(void *ctx, const char *p, size_t n, uint64_t number, enum pm_lines_state state)
{
	struct job *j = ctx;
	char *copy = malloc(n);
	int rc;

	j->lines++;
	memcpy(copy, p, n);
	rc = pm_foreign_line(&j->foreign, copy, n, number, state, &j->e);
	free(copy);
	return rc;
}

/* Files are separated by bytes 0x01; the byte behind one says which kind comes. */
static void read_file(struct job *j, const char *s, size_t n)
{
	static const char *const name[] = { "n1-papiex-1-0.csv", "n1-papiex.tsv",
					    "n1-papiex-header.tsv", "n2-papiex.tsv" };
	struct pm_lines split;

	if (n == 0)
		return;
	pm_lines_init(&split, line, j);
	j->foreign.batch = j->file;
	FUZZ_SURE(pm_foreign_begin(&j->foreign, name[(unsigned char)s[0] % 4], j->file, &j->e) ==
		  0);
	FUZZ_SURE(pm_lines_feed(&split, s + 1, n - 1) == 0);
	FUZZ_SURE(pm_lines_end(&split) == 0);
	FUZZ_SURE(pm_foreign_end(&j->foreign, &j->e) == 0);
	j->file++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct job j = { .file = 0 };
	const struct pm_foreign_sink sink = { take, refuse, odd, known, again, &j };
	const char *s = (const char *)data, *end = s + n;

	pm_images_init(&j.images);
	pm_foreign_init(&j.foreign, &sink);
	/* Of one load, or several that are put together. */
	j.foreign.merges = n > 0 && data[0] & 4;
	while (s < end) {
		const char *stop = memchr(s, 1, (size_t)(end - s));

		if (!stop)
			stop = end;
		read_file(&j, s, (size_t)(stop - s));
		s = stop + (stop < end);
	}
	FUZZ_SURE(pm_foreign_finish(&j.foreign, &j.e) == 0);
	FUZZ_SURE(j.rejected + j.again <= j.lines && j.starts == j.ends && j.starts <= j.lines);
	FUZZ_SURE(j.starts == j.images.images);
	pm_foreign_free(&j.foreign);
	pm_images_free(&j.images);
	pm_hashmap_free(&j.known);
	return 0;
}
