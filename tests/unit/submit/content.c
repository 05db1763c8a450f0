/* What is kept of files: coded and decoded in pieces of any size, into the database and back. */
#include "config.h"

#include "common/digest.h"
#include "submit/memory/coder.h"
#include "submit/rows/files.h"
#include "tests/unit/submit/submit.h"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define META                                                                                       \
	"{\"format\":\"perfmon-job-1\",\"job\":{\"user\":\"u\",\"uid\":7,\"jobid\":\"1\","         \
	"\"epoch_us\":5},\"host\":{\"hostname\":\"n0\",\"boot_id\":\"boot-a\"}}"

static void ask(struct test_job *j, const char *sql, const char *want)
{
	const char *got = test_query(j, sql);

	ck_assert_msg(strcmp(got, want) == 0, "%s: %s", sql, got);
}

struct taken {
	char *p;
	size_t n;
};

static int take(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct taken *t = ctx;

	(void)e;
	PM_SURE(t->n + n <= 3 << 20);
	memcpy(t->p + t->n, p, n);
	t->n += n;
	return 0;
}

static int refuse(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	(void)ctx;
	(void)p;
	(void)n;
	return pm_err(e, "refused");
}

/* Text that is hardly to be packed. */
static void scramble(char *p, size_t n, uint64_t state)
{
	for (size_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		p[i] = (char)(33 + (state >> 57) % 90);
	}
}

/* Decode all of it in pieces. Returns 0 or -1. */
static int decode(const char *coding, const char *p, size_t n, size_t piece, struct taken *t,
		  struct pm_err *e)
{
	struct pm_decoder d = { .take = take, .ctx = t };
	int rc = pm_decoder_begin(&d, coding, e);

	t->n = 0;
	for (size_t at = 0; at < n && rc == 0; at += piece)
		rc = pm_decoder_feed(&d, p + at, n - at < piece ? n - at : piece, e);
	pm_decoder_end(&d);
	return rc;
}

START_TEST(codings)
{
	enum { SIZE = 300000 };
	static char text[SIZE], room[2 * SIZE], back[3 << 20];
	struct taken coded = { room, 0 }, t = { back, 0 };
	struct pm_coder *c;
	struct pm_err e;

	scramble(text, SIZE / 2, 3);
	memset(text + SIZE / 2, 'a', SIZE / 2);
	c = pm_coder_new(take, &coded, &e);
	ck_assert_ptr_nonnull(c);
	/* One file after the other, in pieces or none; each is by itself. */
	for (size_t piece = 7; piece < 2 * SIZE; piece *= 30) {
		coded.n = 0;
		for (size_t at = 0; at < SIZE; at += piece)
			ck_assert_int_eq(pm_coder_feed(c, text + at,
						       SIZE - at < piece ? SIZE - at : piece,
						       piece > SIZE, &e),
					 0);
		if (piece < SIZE)
			ck_assert_int_eq(pm_coder_feed(c, "", 0, true, &e), 0);
		for (size_t out = 1; out < 2 * SIZE; out *= 90) {
			ck_assert_int_eq(decode(pm_coder_name(), room, coded.n, out, &t, &e), 0);
			ck_assert_uint_eq(t.n, SIZE);
			ck_assert_int_eq(memcmp(back, text, SIZE), 0);
		}
	}
	coded.n = 0;
	ck_assert_int_eq(pm_coder_feed(c, "", 0, true, &e), 0);
	ck_assert_int_eq(decode(pm_coder_name(), room, coded.n, 9, &t, &e), 0);
	ck_assert_uint_eq(t.n, 0);
	pm_coder_free(c);
	/* What takes it says stop. */
	c = pm_coder_new(refuse, NULL, &e);
	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(pm_coder_feed(c, text, SIZE, true, &e), -1);
	ck_assert_str_eq(e.text, "refused");
	pm_coder_free(c);
	pm_coder_free(NULL);
	/* As it was. */
	ck_assert_int_eq(decode("", text, SIZE, 1000, &t, &e), 0);
	ck_assert_int_eq(memcmp(back, text, SIZE), 0);
	ck_assert_int_eq(decode("lzma", text, SIZE, 1000, &t, &e), -1);
	ck_assert_str_eq(e.text, "stored content has an unknown coding: lzma");
#ifdef HAVE_ZLIB
	{
		uLongf n = sizeof room;

		ck_assert_int_eq(compress2((Bytef *)room, &n, (const Bytef *)text, SIZE, 1), Z_OK);
		for (size_t out = 1; out < 2 * SIZE; out *= 90) {
			ck_assert_int_eq(decode("deflate", room, n, out, &t, &e), 0);
			ck_assert_uint_eq(t.n, SIZE);
			ck_assert_int_eq(memcmp(back, text, SIZE), 0);
		}
		ck_assert_int_eq(decode("deflate", text, SIZE, 1000, &t, &e), -1);
		ck_assert_str_eq(e.text, "stored content is damaged");
	}
#else
	ck_assert_int_eq(decode("deflate", text, SIZE, 1000, &t, &e), -1);
	ck_assert_str_eq(e.text, "this perfmon was built without the library that decodes stored content of coding "
				 "deflate");
#endif
#ifdef HAVE_ZSTD
	ck_assert_str_eq(pm_coder_name(), "zstd");
	ck_assert_int_eq(decode("zstd", text, SIZE, 1000, &t, &e), -1);
	ck_assert_str_eq(e.text, "stored content is damaged");
#else
	ck_assert_int_eq(decode("zstd", text, SIZE, 1000, &t, &e), -1);
	ck_assert_str_eq(e.text,
			 "this perfmon was built without the library that decodes stored content of coding zstd");
#endif
}
END_TEST

/* One decoder for one file after the other: after a whole one, half of one, a damaged one, one of
 * another coding. */
START_TEST(one_decoder)
{
	static char text[70000], room[140000], back[3 << 20];
	struct taken coded = { room, 0 }, t = { back, 0 };
	struct pm_decoder d = { .take = take, .ctx = &t };
	struct pm_coder *c;
	struct pm_err e;

	scramble(text, sizeof text, 5);
	c = pm_coder_new(take, &coded, &e);
	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(pm_coder_feed(c, text, sizeof text, true, &e), 0);
	pm_coder_free(c);
	for (int round = 0; round < 8; round++) {
		void *before = d.stream;

		t.n = 0;
		ck_assert_int_eq(pm_decoder_begin(&d, pm_coder_name(), &e), 0);
		ck_assert(round % 4 == 0 || d.stream == before);
		ck_assert_int_eq(pm_decoder_feed(&d, room, coded.n, &e), 0);
		ck_assert_uint_eq(t.n, sizeof text);
		ck_assert_int_eq(memcmp(back, text, sizeof text), 0);
		if (round % 4 == 0)
			continue;
		ck_assert_int_eq(pm_decoder_begin(&d, pm_coder_name(), &e), 0);
		if (round % 4 == 1)
			ck_assert_int_eq(pm_decoder_feed(&d, room, coded.n / 2, &e), 0);
		else if (round % 4 == 2 && pm_coder_name()[0])
			ck_assert_int_eq(pm_decoder_feed(&d, text, sizeof text, &e), -1);
		if (round % 4 != 3)
			continue;
		t.n = 0;
		ck_assert_int_eq(pm_decoder_begin(&d, "", &e), 0);
		ck_assert_int_eq(pm_decoder_feed(&d, text, 1000, &e), 0);
		ck_assert_uint_eq(t.n, 1000);
		ck_assert_int_eq(pm_decoder_begin(&d, "lzma", &e), -1);
	}
	pm_decoder_end(&d);
	pm_decoder_end(&d);
}
END_TEST

/* Text that is hardly to be packed, or well. */
static void make(char *p, size_t n, size_t i)
{
	if (i == 1)
		memset(p, 'a', n);
	else
		scramble(p, n, i);
}

/* The bytes of a file come back, in however many pieces they are kept. */
START_TEST(content)
{
	static const size_t size[] = { 1, 65536, 65537, 262144, 262145, 2 << 20 };
	struct taken t = { malloc(3 << 20), 0 };
	char *text = malloc(3 << 20), digest[PM_DIGEST_TEXT], sql[512];
	struct pm_digest d;
	struct test_job j;

	PM_SURE(t.p && text);
	test_begin(&j);
	test_meta(&j, "job-n0.json", META);
	for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
		char name[16];

		make(text, size[i], i);
		snprintf(name, sizeof name, "n0-%zu.tsv", i);
		test_file(&j, name, text, size[i]);
	}
	test_load(&j);
	ck_assert_int_eq(j.rc, 1);
	for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
		int64_t id;

		make(text, size[i], i);
		snprintf(sql, sizeof sql, "SELECT id FROM load WHERE file = 'n0-%zu.tsv'", i);
		id = atoll(test_query(&j, sql));
		t.n = 0;
		ck_assert_int_eq(pm_files_read(j.db, 1, id, take, &t, &j.e), 1);
		ck_assert_uint_eq(t.n, size[i]);
		ck_assert_int_eq(memcmp(t.p, text, size[i]), 0);
		ck_assert_int_eq(pm_files_read(j.db, 1, id, refuse, &t, &j.e), -1);
		ck_assert_str_eq(j.e.text, "refused");
		pm_digest_init(&d);
		pm_digest_add(&d, text, size[i]);
		pm_digest_text(&d, digest);
		snprintf(sql, sizeof sql,
			 "SELECT bytes, digest = '%s', (SELECT max(part) = count(*) AND min(part) "
			 "= 1 FROM "
			 "content c WHERE c.load_id = l.id), source = '%s' FROM load l WHERE id = "
			 "%lld",
			 digest, j.dir, (long long)id);
		snprintf(digest, sizeof digest, "%zu 1 1 1", size[i]);
		ask(&j, sql, digest);
	}
	ck_assert_int_eq(pm_files_read(j.db, 1, 99, take, &t, &j.e), 0);
	ck_assert_int_eq(pm_files_read(j.db, 2, 1, take, &t, &j.e), 0);
	test_query(&j, "UPDATE content SET coding = 'lzma'");
	ck_assert_int_eq(pm_files_read(j.db, 1, 1, take, &t, &j.e), -1);
	ck_assert_str_eq(j.e.text, "stored content has an unknown coding: lzma");
	test_query(&j, "UPDATE content SET coding = '', bytes = X'6162'");
	t.n = 0;
	ck_assert_int_eq(pm_files_read(j.db, 1, 1, take, &t, &j.e), 1);
	ck_assert_uint_eq(t.n, 2);
	test_end(&j);
	free(t.p);
	free(text);
}
END_TEST

/* What was not kept of a host cannot be put together with what comes late of it. */
START_TEST(content_that_is_gone)
{
	struct test_job j;

	test_begin(&j);
	test_meta(&j, "job-n0.json", META);
	test_records(&j, "n0-7.tsv", LINES("record=start pid=10 ppid=1 image_us=1000"));
	test_load(&j);
	ck_assert_int_eq(j.rc, 0);
	test_query(&j, "DELETE FROM content");
	test_records(
		&j, "n0-8.tsv",
		LINES("record=end pid=10 image_us=1000 end_us=1500 end_reason=exit exitcode=3"));
	test_load(&j);
	ck_assert_int_eq(j.rc, -1);
	ck_assert_ptr_nonnull(strstr(j.e.text, " is not stored any more: --replace, with all files of the job,"));
	ask(&j, "SELECT count(*), (SELECT count(*) FROM load) FROM process", "1 2");
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/memory/coder.c, content.c and keep.c");
	TCase *t = tcase_create("content");

	tcase_add_test(t, codings);
	tcase_add_test(t, one_decoder);
	tcase_add_test(t, content);
	tcase_add_test(t, content_that_is_gone);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
