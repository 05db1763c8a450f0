/* A record file from arbitrary bytes: what parses is written and parses again to the same. */
#include "config.h"

#include "common/safe/record.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_record(const struct pm_record *r, size_t n)
{
	/* Integers may grow from "1" to 20 digits, unset fields to \N. */
	size_t cap = n + PM_COLUMNS * (PM_BUF_NUMBER_MAX + 3) + 16;
	char *line = malloc(cap);
	const char *why, *column;
	struct pm_record back;
	struct pm_map map;
	struct pm_buf b;

	pm_buf_init(&b, line, cap);
	pm_record_format(r, &b);
	FUZZ_SURE(!b.truncated && b.len > 0 && memchr(line, '\n', b.len) == line + b.len - 1);
	pm_map_builtin(&map);
	FUZZ_SURE(pm_record_parse(&back, &map, line, b.len - 1, &why, &column) == 0);
	FUZZ_SURE(memcmp(r->set, back.set, sizeof r->set) == 0);
	for (int i = 0; i < PM_COLUMNS; i++) {
		enum pm_column c = (enum pm_column)i;

		if (!pm_record_has(r, c))
			continue;
		if (!pm_column_info[c].text)
			FUZZ_SURE(r->v[c].i == back.v[c].i);
		else
			FUZZ_SURE(r->v[c].s.n == back.v[c].s.n &&
				  memcmp(r->v[c].s.p, back.v[c].s.p, r->v[c].s.n) == 0);
	}
	free(line);
}

static void check_line(struct pm_map *map, const char *text, size_t n)
{
	const char *why = NULL, *column = NULL;
	struct pm_record r;
	/* A copy of exact size: a sanitizer sees a read behind the line. */
	char *line = malloc(n + 1);

	memcpy(line, text, n);
	if (pm_map_is_header(line, n)) {
		struct pm_map next;

		if (pm_map_parse(&next, line, n, &why) == 0) {
			FUZZ_SURE(next.version > 0 && next.fields >= 3);
			*map = next;
		} else {
			FUZZ_SURE(why != NULL);
		}
	} else if (pm_record_parse(&r, map, line, n, &why, &column) == 0) {
		FUZZ_SURE(column == NULL);
		check_record(&r, n);
	} else {
		FUZZ_SURE(why != NULL);
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *s = (const char *)data, *end = s + n;
	struct pm_map map;

	pm_map_builtin(&map);
	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		if (!stop)
			stop = end;
		check_line(&map, s, (size_t)(stop - s));
		s = stop + (stop < end);
	}
	return 0;
}
