/* buf.c: values are appended whole or not at all. */
#include "config.h"

#include "common/safe/buf.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

START_TEST(numbers_are_those_of_printf)
{
	static const uint64_t limit[] = {
		0, 1, 9, 10, 99, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX
	};
	uint64_t state = 3;

	for (size_t i = 0; i < 5000; i++) {
		uint64_t v = i < sizeof limit / sizeof limit[0]
				     ? limit[i]
				     : random_next(&state) >> random_below(&state, 64);
		char mem[128], want[128];
		struct pm_buf b;

		pm_buf_init(&b, mem, sizeof mem - 1);
		pm_buf_u64(&b, v);
		ck_assert_uint_le(b.len, PM_BUF_NUMBER_MAX);
		pm_buf_ch(&b, ' ');
		pm_buf_i64(&b, (int64_t)v);
		pm_buf_ch(&b, ' ');
		pm_buf_hex(&b, v, 16);
		pm_buf_hex(&b, v, 2);
		mem[b.len] = '\0';
		snprintf(want, sizeof want, "%" PRIu64 " %" PRId64 " %016" PRIx64 "%02x", v,
			 (int64_t)v, v, (unsigned)(v & 255));
		ck_assert_str_eq(mem, want);
		ck_assert(!b.truncated);
	}
}
END_TEST

START_TEST(longest_number_fits)
{
	char mem[PM_BUF_NUMBER_MAX];
	struct pm_buf b;

	pm_buf_init(&b, mem, sizeof mem);
	pm_buf_i64(&b, INT64_MIN);
	ck_assert(!b.truncated);
	ck_assert_uint_eq(b.len, PM_BUF_NUMBER_MAX);
}
END_TEST

START_TEST(full_buffers_take_nothing)
{
	char mem[8] = "........";
	struct pm_buf b;

	pm_buf_init(&b, mem, 4);
	pm_buf_str(&b, "abc");
	pm_buf_mem(&b, "de", 2);
	ck_assert(b.truncated);
	ck_assert_uint_eq(b.len, 3);
	b.truncated = false;
	pm_buf_u64(&b, 10);
	ck_assert(b.truncated);
	ck_assert_uint_eq(b.len, 3);
	pm_buf_ch(&b, 'd');
	ck_assert_uint_eq(b.len, 4);
	ck_assert(b.truncated); /* sticky */
	b.truncated = false;
	pm_buf_ch(&b, 'e');
	ck_assert(b.truncated);
	b.truncated = false;
	pm_buf_mem(&b, "", 0);
	ck_assert(!b.truncated);
	ck_assert_mem_eq(mem, "abcd....", 8);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("buf");
	TCase *t = tcase_create("buf");

	tcase_add_test(t, numbers_are_those_of_printf);
	tcase_add_test(t, longest_number_fits);
	tcase_add_test(t, full_buffers_take_nothing);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
