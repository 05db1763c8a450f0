/* tsv.c: escape, split and unescape. */
#include "config.h"

#include "common/tsv.h"
#include "tests/unit/main.h"

#include <string.h>

START_TEST(escapes)
{
	char mem[64];
	struct pm_buf b;

	pm_buf_init(&b, mem, sizeof mem);
	ck_assert_uint_eq(pm_tsv_escape(&b, "a\tb\\\n\r\x01", 7), 7);
	ck_assert_uint_eq(b.len, 14);
	ck_assert_mem_eq(mem, "a\\tb\\\\\\n\\r\\x01", 14);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("tsv");
	TCase *t = tcase_create("tsv");

	tcase_add_test(t, escapes);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
