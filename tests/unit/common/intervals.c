/* common/record/intervals.c: unions against an account of each moment. */
#include "config.h"

#include "common/record/intervals.h"

#include "tests/unit/main.h"

#include <stdlib.h>
#include <string.h>

/* Moments of the account: of each whether an interval has it, and whether one goes on to the next.
 */
#define MOMENTS 400

struct account {
	bool has[MOMENTS], on[MOMENTS];
};

static void add(struct pm_intervals *x, struct account *a, int64_t start, int64_t end)
{
	ck_assert(pm_intervals_valid(start, end));
	ck_assert(pm_intervals_add(x, start, end));
	for (int64_t t = start; t <= end; t++) {
		a->has[t] = true;
		a->on[t] = a->on[t] || t < end;
	}
}

static void check(struct pm_intervals *x, const struct account *a)
{
	size_t runs = 0;
	int64_t length = 0;

	for (size_t t = 0; t < MOMENTS; t++) {
		runs += a->has[t] && (t == 0 || !a->on[t - 1]);
		length += a->on[t];
	}
	pm_intervals_merge(x);
	ck_assert_uint_eq(x->count, runs);
	ck_assert_int_eq(pm_intervals_length(x), length);
	for (size_t i = 1; i < x->count; i++)
		ck_assert_int_gt(x->at[i].start_us, x->at[i - 1].end_us);
}

/* Written and read again, also behind others. */
static void check_bytes(const struct pm_intervals *x)
{
	struct pm_intervals y = { .at = NULL };
	uint8_t *bytes;
	const int64_t n = pm_intervals_encode(x, &bytes);

	ck_assert_int_ge(n, 2 * (int64_t)x->count);
	for (int round = 0; round < 2; round++) {
		ck_assert_int_eq(pm_intervals_decode(&y, bytes, (size_t)n), 0);
		pm_intervals_merge(&y);
		ck_assert_uint_eq(y.count, x->count);
		ck_assert(!y.count || memcmp(y.at, x->at, x->count * sizeof *x->at) == 0);
	}
	/* Without the last byte. */
	if (n)
		ck_assert_int_eq(pm_intervals_decode(&y, bytes, (size_t)n - 1), -2);
	free(bytes);
	pm_intervals_free(&y);
}

START_TEST(random_intervals)
{
	srand(7);
	for (int round = 0; round < 300; round++) {
		struct pm_intervals x = { .at = NULL };
		struct account a;
		const int n = rand() % 60, longest = 1 + rand() % 20, rising = rand() % 2;

		memset(&a, 0, sizeof a);
		for (int i = 0; i < n; i++) {
			const int64_t start = rising ? i * 6 + rand() % 9 : rand() % (MOMENTS - 20);

			add(&x, &a, start, start + rand() % longest);
			if (rand() % 20 == 0)
				pm_intervals_merge(&x);
		}
		check(&x, &a);
		check_bytes(&x);
		pm_intervals_free(&x);
	}
}
END_TEST

START_TEST(bytes)
{
	const int64_t far = INT64_MAX / 4;
	struct pm_intervals x = { .at = NULL };
	static const uint8_t beyond[] = { 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0 };

	check_bytes(&x);
	ck_assert(pm_intervals_add(&x, -far, -far) && pm_intervals_add(&x, -5, -1));
	pm_intervals_merge(&x);
	check_bytes(&x);
	ck_assert(pm_intervals_add(&x, 1700000000000000, 1700000000000001));
	ck_assert(pm_intervals_add(&x, far, far));
	pm_intervals_merge(&x);
	check_bytes(&x);
	pm_intervals_free(&x);
	/* The second is beyond all times; half of a number; a start without a length. */
	ck_assert_int_eq(pm_intervals_decode(&x, beyond, sizeof beyond), -2);
	ck_assert_int_eq(pm_intervals_decode(&x, beyond + 2, 3), -2);
	ck_assert_int_eq(pm_intervals_decode(&x, beyond, 1), -2);
	pm_intervals_free(&x);
}
END_TEST

/* Memory is that of the union. */
START_TEST(many)
{
	struct pm_intervals x = { .at = NULL };
	struct account a;

	memset(&a, 0, sizeof a);
	for (int i = 0; i < 100000; i++)
		add(&x, &a, 2 * (i * 7919 % 190), 2 * (i * 7919 % 190) + i % 2);
	ck_assert_uint_le(x.room, 4096);
	check(&x, &a);
	pm_intervals_free(&x);
}
END_TEST

START_TEST(corners)
{
	struct pm_intervals x = { .at = NULL };

	pm_intervals_merge(&x);
	ck_assert_int_eq(pm_intervals_length(&x), 0);
	ck_assert(!pm_intervals_valid(5, 4));
	ck_assert(!pm_intervals_valid(INT64_MIN, 0));
	ck_assert(!pm_intervals_valid(0, INT64_MAX));
	/* Touching ones are one, those a microsecond apart two. */
	ck_assert(pm_intervals_add(&x, 10, 20) && pm_intervals_add(&x, 20, 20));
	ck_assert(pm_intervals_add(&x, 0, 9) && pm_intervals_add(&x, 22, 22));
	pm_intervals_merge(&x);
	ck_assert_uint_eq(x.count, 3);
	ck_assert_int_eq(pm_intervals_length(&x), 19);
	pm_intervals_free(&x);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("intervals");
	TCase *t = tcase_create("intervals");

	tcase_add_test(t, random_intervals);
	tcase_add_test(t, bytes);
	tcase_add_test(t, many);
	tcase_add_test(t, corners);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
