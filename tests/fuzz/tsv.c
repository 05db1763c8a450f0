/* Fields, lists and numbers of the record format, from arbitrary bytes. */
#include "config.h"

#include "common/safe/tsv.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

/* As raw bytes: what is escaped is valid and decodes to the same bytes. */
static void check_escape(const char *s, size_t n, char *field, char *back)
{
	struct pm_buf b;

	pm_buf_init(&b, field, 4 * n + 2);
	FUZZ_SURE(pm_tsv_escape(&b, s, n) == n);
	FUZZ_SURE(!b.truncated && pm_tsv_valid(field, b.len) && !pm_tsv_is_null(field, b.len));
	FUZZ_SURE(pm_tsv_unescape(back, field, b.len) == (long)n);
	FUZZ_SURE(n == 0 || memcmp(back, s, n) == 0);

	b.len = 0;
	FUZZ_SURE(pm_tsv_escape_item(&b, s, n, 1) == n);
	FUZZ_SURE(b.len > 0 && memchr(field, ' ', b.len) == NULL &&
		  pm_tsv_valid_list(field, b.len));
	FUZZ_SURE(pm_tsv_unescape(back, field, b.len) == (long)n);
	FUZZ_SURE(n == 0 || memcmp(back, s, n) == 0);
}

/* As a field: validity and decoding agree, and decoding loses nothing. */
static void check_field(const char *s, size_t n, char *field, char *back)
{
	long len = pm_tsv_unescape(back, s, n);

	FUZZ_SURE(pm_tsv_valid(s, n) == (len >= 0));
	FUZZ_SURE(len <= (long)n);
	if (len >= 0)
		check_escape(back, (size_t)len, field, field + 4 * n + 2);
}

/* As a list: it is valid when every item is, or is the cut marker at the end. */
static void check_list(const char *s, size_t n, char *back)
{
	struct pm_str list = { s, n }, item;
	size_t seen = 0;
	int valid = 1;

	while (pm_tsv_next_item(&list, &item)) {
		FUZZ_SURE(item.p >= s && item.p + item.n <= s + n);
		FUZZ_SURE(memchr(item.p, ' ', item.n) == NULL);
		seen += item.n + 1;
		if (pm_tsv_is_cut(item.p, item.n))
			valid = valid && item.p + item.n == s + n;
		else
			valid = valid && pm_tsv_unescape(back, item.p, item.n) >= 0;
	}
	FUZZ_SURE(seen >= n && seen <= n + 1);
	FUZZ_SURE(pm_tsv_valid_list(s, n) == valid);
}

static void check_line(const char *s, size_t n)
{
	struct pm_str field[8];
	size_t count = pm_tsv_split(s, n, field, 8), tabs = 0;
	int64_t v;

	for (size_t i = 0; i < n; i++)
		tabs += s[i] == '\t';
	FUZZ_SURE(count == tabs + 1);
	for (size_t i = 0; i < count && i < 8; i++)
		FUZZ_SURE(memchr(field[i].p, '\t', field[i].n) == NULL);
	if (pm_tsv_number(s, n, &v) == 0) {
		char mem[PM_BUF_NUMBER_MAX];
		struct pm_buf b;
		int64_t again;

		pm_buf_init(&b, mem, sizeof mem);
		pm_buf_i64(&b, v);
		FUZZ_SURE(pm_tsv_number(mem, b.len, &again) == 0 && again == v);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* Exact sizes, so that a sanitizer sees the first byte too far. */
	char *s = malloc(n + 1), *field = malloc(8 * n + 8), *back = malloc(n + 1);

	memcpy(s, data, n);
	check_escape(s, n, field, back);
	check_field(s, n, field, back);
	check_list(s, n, back);
	check_line(s, n);
	free(s);
	free(field);
	free(back);
	return 0;
}
