/* What an image's counters hold that is not its own: takeoff.c through the loader. */
#include "config.h"

#include "tests/unit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

START_TEST(exec_does_not_write_what_announced_it)
{
	/* The first, a fork child of a moment, does not read its file of I/O. */
	test_expect(LINES("record=start pid=9 image_us=10 outblock=0",
			  "record=end pid=9 image_us=10 end_us=20 end_reason=exec outblock=8 "
			  "own_outblock=8 own_rchar=0 numtids=1",
			  "record=start pid=9 image_us=30 outblock=16",
			  "record=end pid=9 image_us=30 end_us=40 end_reason=exec outblock=32 "
			  "write_bytes=16384 own_outblock=8 numtids=1",
			  "record=start pid=9 image_us=50 outblock=40",
			  "record=end pid=9 image_us=50 end_us=60 end_reason=exec outblock=56 "
			  "write_bytes=28672 own_outblock=8 numtids=1"),
		    "SELECT generation, outblock, write_bytes FROM process ORDER BY image_us",
		    "0 0 -;1 8 4096;2 8 4096");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_takeoff");
	TCase *t = tcase_create("blocks");

	tcase_add_test(t, exec_does_not_write_what_announced_it);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
