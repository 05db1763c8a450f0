/* common/record/sampleblock.c, samplecode.c and tickblock.c: what is coded comes back; damage is noticed. */
#include "config.h"

#include "common/record/samplecode.h"
#include "common/record/tickblock.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <string.h>

static uint64_t seed = 1;

static uint64_t random_number(void)
{
	return random_next(&seed);
}

static uint8_t coded[PM_SAMPLEBLOCK_BYTES(PM_SAMPLEBLOCK_MAX)];
static int64_t back[PM_SAMPLEBLOCK_MAX];

/* Code and decode; returns the bytes. */
static size_t there_and_back(const int64_t *v, size_t n)
{
	struct pm_sampleblock b;
	size_t bytes = pm_sampleblock_encode(&b, v, n, coded);

	ck_assert_uint_le(bytes, PM_SAMPLEBLOCK_BYTES(n));
	memset(back, 1, sizeof back);
	ck_assert_int_eq(pm_sampleblock_decode(&b, coded, bytes, back, n), 0);
	ck_assert_mem_eq(back, v, n * sizeof *v);
	return bytes;
}

START_TEST(known_codes)
{
	static const int64_t level[] = { 7, 7, 7, 7, 7, 7 }, steps[] = { 0, 4096, 0, 12288, 12288 },
			     counter[] = { 100, 200, 300, 400, 501, 600 };
	struct pm_sampleblock b;

	ck_assert_uint_eq(there_and_back(level, 6), 2); /* a run of 5 */
	ck_assert_mem_eq(coded, "\0\005", 2);
	ck_assert_uint_eq(there_and_back(steps, 5), 4);
	ck_assert_mem_eq(coded, "\003\002\007\001", 4); /* 1, -1, 3, 0 */
	pm_sampleblock_encode(&b, steps, 5, coded);
	ck_assert_int_eq(b.step, 4096);
	ck_assert_int_eq(b.base, 0);
	pm_sampleblock_encode(&b, counter, 6, coded);
	ck_assert_int_eq(b.first, 100);
	ck_assert_int_eq(b.step, 1);
	ck_assert_int_eq(b.base, 100);
	ck_assert_mem_eq(coded, "\0\003\003\002", 4);
	there_and_back(counter, 6);
	there_and_back(counter, 1);
}
END_TEST

/* Values of every size, in walks and in leaps that a block may have. */
START_TEST(any_values)
{
	int64_t v[PM_SAMPLEBLOCK_MAX];

	for (int round = 0; round < 2000; round++) {
		const int bits = round % 61, quiet = round / 61 % 4;
		const size_t n = 1 + (size_t)(random_number() % PM_SAMPLEBLOCK_MAX);

		v[0] = (int64_t)random_number();
		for (size_t i = 1; i < n; i++) {
			int64_t d = bits ? (int64_t)(random_number() >> (64 - bits)) : 0;

			d = quiet && random_number() % 8 < (unsigned)quiet * 2 ? 0 : d;
			if (__builtin_add_overflow(v[i - 1], random_number() & 1 ? d : -d, &v[i]) ||
			    !pm_sampleblock_follows(v[i - 1], v[i]))
				v[i] = v[i - 1];
		}
		there_and_back(v, n);
	}
}
END_TEST

START_TEST(what_may_follow)
{
	const int64_t far = INT64_C(1) << 60;

	ck_assert(pm_sampleblock_follows(0, far - 1));
	ck_assert(pm_sampleblock_follows(0, 1 - far));
	ck_assert(!pm_sampleblock_follows(0, far));
	ck_assert(!pm_sampleblock_follows(0, -far));
	ck_assert(!pm_sampleblock_follows(INT64_MIN, INT64_MAX));
	ck_assert(pm_sampleblock_follows(INT64_MAX, INT64_MAX));
}
END_TEST

/* No damage makes the decoder read or write beyond its buffers. */
START_TEST(damage)
{
	const struct pm_sampleblock b = { INT64_MAX, INT64_MAX, INT64_MAX };
	static const struct {
		const char *bytes;
		size_t size, n;
	} wrong[] = {
		{ "", 0, 2 },             /* a value is missing */
		{ "\003\003", 2, 2 },     /* one too many */
		{ "\203", 1, 2 },         /* a number is cut */
		{ "\0", 1, 2 },           /* so is a run */
		{ "\0\005", 2, 5 },       /* a run too long */
		{ "\0\377\377\377\377\377\377\377\377\177", 10, 9 },
		{ "\377\377\377\377\377\377\377\377\377\001", 10, 2 }, /* a number too long */
		{ "", 0, 0 },
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		ck_assert_msg(pm_sampleblock_decode(&b, (const uint8_t *)wrong[i].bytes,
						    wrong[i].size, back, wrong[i].n) < 0,
			      "%zu", i);
	for (int round = 0; round < 20000; round++) {
		size_t size = (size_t)(random_number() % 40);

		for (size_t i = 0; i < size; i++)
			coded[i] = (uint8_t)random_number();
		pm_sampleblock_decode(&b, coded, size, back, 1 + (size_t)(random_number() % 64));
	}
}
END_TEST

/* Unknown values, and a difference that ends a block. */
START_TEST(runs)
{
	int64_t v[] = { 0, 0, 5, 5, INT64_MAX, INT64_MAX, 9 };
	const struct pm_samplegap gap[] = { { 0, 1, 0, 4 }, { 1, 1, 4, 2 }, { 3, 1, 0, 4 }, { 5, 1, 6, 0 } };
	const struct pm_samplegaps gaps = { (struct pm_samplegap *)gap, 4, 4 };
	const struct pm_samplereasons reasons = { (char *)"lateq\"", 6, 7 };
	const struct pm_samplerun r = { v, 7, &gaps, &reasons };
	struct pm_samplecode c = { .bytes = 0 };
	struct pm_str text, reason;
	uint32_t at, n;

	pm_samplerun_prepare(&r);
	ck_assert_int_eq(v[0], 5);
	ck_assert_int_eq(v[1], 5);
	ck_assert_uint_eq(pm_samplerun_end(&r, 0), 4);
	ck_assert_int_eq(pm_samplerun_code(&r, 0, 4, &c), 0);
	ck_assert_uint_eq(c.samples, 4);
	ck_assert_uint_eq(c.known, 1);
	ck_assert_int_eq(c.least, 5);
	ck_assert_int_eq(c.greatest, 5);
	ck_assert_double_eq(c.mean, 5);
	text = (struct pm_str){ c.unknown, c.unknown_size };
	ck_assert_uint_eq(text.n, strlen("[[0,1,\"late\"],[1,1,\"q\\\"\"],[3,1,\"late\"]]"));
	ck_assert_mem_eq(text.p, "[[0,1,\"late\"],[1,1,\"q\\\"\"],[3,1,\"late\"]]", text.n);
	ck_assert(pm_samplecode_next_gap(&text, &at, &n, &reason));
	ck_assert(pm_samplecode_next_gap(&text, &at, &n, &reason));
	ck_assert_uint_eq(at, 1);
	ck_assert_uint_eq(reason.n, 3);
	ck_assert(pm_samplecode_next_gap(&text, &at, &n, &reason));
	ck_assert(!pm_samplecode_next_gap(&text, &at, &n, &reason));
	ck_assert_uint_eq(pm_samplerun_end(&r, 4), 6);
	ck_assert_int_eq(pm_samplerun_code(&r, 4, 6, &c), 0);
	ck_assert_uint_eq(c.unknown_size, strlen("[[1,1,\"\"]]"));
	ck_assert_mem_eq(c.unknown, "[[1,1,\"\"]]", c.unknown_size);
	ck_assert_int_eq(pm_samplerun_code(&r, 6, 7, &c), 0);
	ck_assert_uint_eq(c.unknown_size, 0);
	ck_assert_uint_eq(c.bytes, 0);
	pm_samplecode_free(&c);
}
END_TEST

START_TEST(ticks)
{
	const int64_t time[] = { 1000, 1000 + PM_TICKBLOCK_SPAN, 990, 1000 };
	char text[4 * PM_TICKBLOCK_DIGITS];
	int64_t least = pm_tickblock_least(time, 4), got[4];
	int digits = pm_tickblock_digits(time, 4, least);

	ck_assert_int_eq(least, 990);
	ck_assert_int_eq(pm_tickblock_digits(time, 1, 1000), 1);
	ck_assert_int_eq(digits, 16); /* 10 more than a block may span */
	least = pm_tickblock_least(time, 2);
	digits = pm_tickblock_digits(time, 2, least);
	ck_assert_int_eq(digits, PM_TICKBLOCK_DIGITS);
	pm_tickblock_encode(time, 2, least, digits, text);
	ck_assert_mem_eq(text, "000000000000000999999999999999", 30);
	ck_assert_int_eq(pm_tickblock_decode(text, 30, least, digits, 0, got, 2), 0);
	ck_assert_mem_eq(got, time, 2 * sizeof *got);
	ck_assert_int_eq(pm_tickblock_decode(text, 30, least, digits, 1, got, 1), 0);
	ck_assert_int_eq(got[0], time[1]);
	ck_assert_int_eq(pm_tickblock_decode(text, 30, least, digits, 1, got, 2), -1);
	ck_assert_int_eq(pm_tickblock_decode(text, 29, least, digits, 1, got, 1), -1);
	ck_assert_int_eq(pm_tickblock_decode(text, 30, least, 0, 1, got, 1), -1);
	ck_assert_int_eq(pm_tickblock_decode("1x", 2, 0, 2, 0, got, 1), -1);
	ck_assert_int_eq(pm_tickblock_decode(text, 30, least, digits, SIZE_MAX, got, 1), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampleblock");
	TCase *t = tcase_create("sampleblock");

	tcase_add_test(t, known_codes);
	tcase_add_test(t, any_values);
	tcase_add_test(t, what_may_follow);
	tcase_add_test(t, damage);
	tcase_add_test(t, runs);
	tcase_add_test(t, ticks);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
