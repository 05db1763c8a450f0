/* The loader's small parts: lines, digests, stores, tar headers. */
#include "config.h"

#include "common/digest.h"
#include "submit/input/lines.h"
#include "submit/input/tarhead.h"
#include "submit/job/keytext.h"
#include "submit/memory/filemem.h"
#include "submit/memory/packed.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct taken {
	char text[4096];
	size_t n;
};

static int take(void *ctx, const char *p, size_t n, uint64_t number, enum pm_lines_state state)
{
	struct taken *t = ctx;

	t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%d%c%.*s|", (int)number,
				 "=!~"[state], (int)n, p);
	return 0;
}

START_TEST(lines_whatever_the_pieces)
{
	static const char text[] = "\nfirst\n\n\nsecond line\nx\nlast without end";
	const size_t len = sizeof text - 1;

	for (size_t piece = 1; piece <= len; piece++) {
		struct taken t = { .n = 0 };
		struct pm_lines l;

		pm_lines_init(&l, take, &t);
		for (size_t at = 0; at < len; at += piece)
			ck_assert_int_eq(
				pm_lines_feed(&l, text + at, len - at < piece ? len - at : piece),
				0);
		ck_assert_int_eq(pm_lines_end(&l), 0);
		ck_assert_str_eq(t.text, "2=first|5=second line|6=x|7~last without end|");
	}
}
END_TEST

struct lengths {
	size_t n[8];
	enum pm_lines_state state[8];
	int count;
};

static int measure(void *ctx, const char *p, size_t n, uint64_t number, enum pm_lines_state state)
{
	struct lengths *x = ctx;

	(void)number;
	PM_SURE(x->count < 8);
	for (size_t i = 0; i < n; i++)
		PM_SURE(p[i] == 'a' + x->count);
	x->n[x->count] = n;
	x->state[x->count++] = state;
	return 0;
}

START_TEST(a_long_line_costs_itself_alone)
{
	static const size_t piece[] = { 1000, 65536, PM_LINES_MAX + 5 };
	static const size_t size[] = { PM_LINES_MAX, PM_LINES_MAX + 1, 5 << 20, 10 };

	for (size_t p = 0; p < 3; p++) {
		char *mem = malloc(piece[p]);
		struct lengths x = { .count = 0 };
		struct pm_lines l;

		ck_assert_ptr_nonnull(mem);
		pm_lines_init(&l, measure, &x);
		for (int i = 0; i < 4; i++) {
			memset(mem, 'a' + i, piece[p]);
			for (size_t left = size[i]; left > 0;) {
				size_t n = left < piece[p] ? left : piece[p];

				ck_assert_int_eq(pm_lines_feed(&l, mem, n), 0);
				left -= n;
			}
			ck_assert_int_eq(pm_lines_feed(&l, "\n", 1), 0);
		}
		ck_assert_int_eq(pm_lines_end(&l), 0);
		ck_assert_int_eq(x.count, 4);
		ck_assert_uint_eq(x.n[0], PM_LINES_MAX);
		ck_assert_int_eq(x.state[0], PM_LINES_WHOLE);
		for (int i = 1; i < 3; i++) {
			ck_assert_uint_eq(x.n[i], PM_LINES_KEEP);
			ck_assert_int_eq(x.state[i], PM_LINES_LONG);
		}
		ck_assert_uint_eq(x.n[3], 10);
		free(mem);
	}
}
END_TEST

/* FIPS 180-4's published examples, and the million of a, by either way. */
START_TEST(digests_are_sha256)
{
	static const struct {
		const char *text, *want;
	} example[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	void (*begin)(struct pm_digest *) = _i ? pm_digest_init_plain : pm_digest_init;
	char text[PM_DIGEST_TEXT], a[997];
	struct pm_digest d;

	for (size_t i = 0; i < 3; i++) {
		for (size_t cut = 0; cut <= strlen(example[i].text); cut++) {
			begin(&d);
			pm_digest_add(&d, example[i].text, cut);
			pm_digest_add(&d, example[i].text + cut, strlen(example[i].text) - cut);
			pm_digest_text(&d, text);
			ck_assert_str_eq(text, example[i].want);
		}
	}
	memset(a, 'a', sizeof a);
	begin(&d);
	for (size_t left = 1000000; left > 0;) {
		size_t n = left < sizeof a ? left : sizeof a;

		pm_digest_add(&d, a, n);
		left -= n;
	}
	pm_digest_text(&d, text);
	ck_assert_str_eq(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

/* Blocks keep what is in them as they grow, and as their pages come and go. */
START_TEST(large_blocks_stay)
{
	enum { STEP = 300000, STEPS = 40 };
	uint32_t *p = NULL, *other = pm_filemem_calloc(1 << 20, sizeof *other);
	struct rusage usage;
	size_t n = 0;

	PM_SURE(other != NULL);
	for (int k = 0; k < STEPS; k++) {
		p = pm_filemem_realloc(p, (n + STEP) * sizeof *p);
		PM_SURE(p != NULL);
		for (size_t i = 0; i < STEP; i++, n++) {
			p[n] = (uint32_t)(n * 2654435761u);
			pm_filemem_trim();
		}
	}
	for (size_t i = 0; i < n; i++) {
		PM_SURE(p[i] == (uint32_t)(i * 2654435761u));
		pm_filemem_trim();
	}
	for (size_t i = 0; i < 1 << 20; i++)
		PM_SURE(other[i] == 0);
	/* 48 MB went through it. In kB. */
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	if (strcmp(getenv("PM_SANITIZED") ? getenv("PM_SANITIZED") : "no", "no") == 0)
		ck_assert_int_lt(usage.ru_maxrss, 44000);
	ck_assert_ptr_null(pm_filemem_calloc(SIZE_MAX / 2, 4));
	pm_filemem_free(other);
	pm_filemem_free(p);
	pm_filemem_free(NULL);
}
END_TEST

/* Where there is no room for files, memory serves. */
START_TEST(large_blocks_without_a_file)
{
	struct rlimit none = { 0, 0 };
	char *p, *before = pm_filemem_calloc(3, 1 << 20);

	PM_SURE(before != NULL);
	memset(before, 8, 3 << 20);

	PM_SURE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	/* One that has a file goes into memory where that cannot grow. */
	before = pm_filemem_realloc(before, 5 << 20);
	PM_SURE(before != NULL && before[0] == 8 && before[(3 << 20) - 1] == 8);
	PM_SURE(before[3 << 20] == 0 && before[(5 << 20) - 1] == 0);
	pm_filemem_free(before);
	p = pm_filemem_calloc(3, 1 << 20);
	PM_SURE(p != NULL);
	memset(p, 7, 3 << 20);
	for (int i = 0; i < 100000; i++)
		pm_filemem_trim();
	p = pm_filemem_realloc(p, 5 << 20);
	PM_SURE(p != NULL && p[0] == 7 && p[(3 << 20) - 1] == 7 && p[(5 << 20) - 1] == 0);
	pm_filemem_free(p);
}
END_TEST

/* A record with values of every size, of which texts come again, or are as long as can be, or of a
 * kind that has too many of them. */
static void make_record(struct pm_record *r, uint64_t *state, char *text, int turn)
{
	static const int64_t edge[] = { 0, 1, -1, 127, 128, INT64_MAX, INT64_MIN, INT64_MIN + 1 };
	static const size_t length[] = { 0, 1, 7, 8, 9, 255, 256, 20000 };

	pm_record_clear(r);
	for (int c = 0; c < PM_COLUMNS; c++) {
		size_t pick = (size_t)random_below(state, 16), n;

		/* Some turns have sets of columns that are seen again. */
		if (turn % 2 ? random_below(state, 2) : c % 5 == turn % 5)
			continue;
		if (!pm_column_is_text[c]) {
			pm_record_int(r, (enum pm_column)c,
				      pick < 8 ? edge[pick]
					       : (int64_t)(random_below(state, 1 << 30) << pick));
			continue;
		}
		n = pick < 8 ? length[pick] : 4 + pick;
		for (size_t k = 0; k < n; k++)
			text[k] = (char)('a' + (pick < 14 ? pick : random_below(state, 26)));
		pm_record_text(r, (enum pm_column)c, text, n);
		text += n;
	}
}

START_TEST(records_come_back_as_they_were)
{
	enum { COUNT = 2000 };
	static uint64_t offset[COUNT];
	char *text = malloc(PM_COLUMNS * 20000), *other = malloc(PM_COLUMNS * 20000);
	uint64_t state = 7, again = 7;
	struct pm_record r, back;
	struct pm_packed k;
	struct pm_err e;

	PM_SURE(text && other);
	pm_packed_init(&k);
	for (int i = 0; i < COUNT; i++) {
		make_record(&r, &state, text, i);
		offset[i] = pm_packed_put(&k, &r, &e);
		ck_assert_uint_ne(offset[i], 0);
	}
	/* All that is kept once had its fill. */
	ck_assert_uint_eq(k.sets, PM_PACKED_SETS);
	ck_assert_uint_gt(k.words.count, 1000);
	for (int i = 0; i < COUNT; i++) {
		make_record(&r, &again, other, i);
		ck_assert_int_eq(pm_packed_get(&k, offset[i], &back, &e), 0);
		PM_SURE(memcmp(r.set, back.set, sizeof r.set) == 0);
		for (int c = 0; c < PM_COLUMNS; c++) {
			if (!pm_record_has(&r, (enum pm_column)c))
				continue;
			if (pm_column_is_text[c])
				PM_SURE(r.v[c].s.n == back.v[c].s.n &&
					memcmp(r.v[c].s.p, back.v[c].s.p, r.v[c].s.n) == 0);
			else
				PM_SURE(r.v[c].i == back.v[c].i);
		}
	}
	pm_packed_free(&k);
	free(text);
	free(other);
}
END_TEST

static void head(char block[512], const char *name, const char *size, char type)
{
	memset(block, 0, 512);
	memcpy(block, name, strlen(name));
	memcpy(block + 124, size, strlen(size));
	memcpy(block + 148, "0000123", 7);
	block[156] = type;
	memcpy(block + 257, "ustar\00000", 8);
}

START_TEST(tar_headers)
{
	struct pm_tar_head h;
	char block[512];

	head(block, "a/b", "00000000012", '0');
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_str_eq(h.name, "a/b");
	ck_assert_uint_eq(h.size, 10);
	ck_assert_int_eq(h.sum, 0123);
	memcpy(block + 345, "some/prefix", 11);
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_str_eq(h.name, "some/prefix/a/b");
	memcpy(block + 257, "ustar  ", 8);
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_str_eq(h.name, "a/b");
	memset(block, 'n', 100);
	memcpy(block + 257, "ustar\00000", 8);
	memset(block + 345, 'p', 155);
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_uint_eq(strlen(h.name), 256);
	head(block, "big", "\200\0\0\0\0\0\0\2\0\0\0\1", '0');
	memcpy(block + 124, "\200\0\0\0\0\0\0\2\0\0\0\1", 12);
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_uint_eq(h.size, (2ULL << 32) + 1);
	memset(block + 125, 0xff, 11);
	ck_assert_int_eq(pm_tar_head(&h, block), -1);
	head(block, "bad", "12x", '0');
	ck_assert_int_eq(pm_tar_head(&h, block), -1);
	head(block, "old/", "0", '\0');
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_int_eq(h.type, '5');
	head(block, "old", "  17 ", '\0');
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_int_eq(h.type, '0');
	ck_assert_uint_eq(h.size, 017);
	ck_assert_int_eq(pm_tar_is_marked(block), 1);
	ck_assert_int_eq(pm_tar_is_zero(block), 0);
	/* contiguous, which is as good as any */
	head(block, "c/", "18", '7');
	ck_assert_int_eq(pm_tar_head(&h, block), -1);
	head(block, "c/", "17", '7');
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_int_eq(h.type, '0');
	/* the largest number of base 256 that is taken */
	memcpy(block + 124, "\200\0\0\0\177\377\377\377\377\377\377\377", 12);
	ck_assert_int_eq(pm_tar_head(&h, block), 0);
	ck_assert_uint_eq(h.size, INT64_MAX);
	memcpy(block + 124, "\200\0\0\0\200\0\0\0\0\0\0\0", 12);
	ck_assert_int_eq(pm_tar_head(&h, block), -1);
	memcpy(block + 124, "17\0         ", 12);
	memcpy(block + 148, "12y", 3);
	ck_assert_int_eq(pm_tar_head(&h, block), -1);
	memset(block, 0, sizeof block);
	ck_assert_int_eq(pm_tar_is_marked(block), 0);
	ck_assert_int_eq(pm_tar_is_zero(block), 1);
	block[511] = 1;
	ck_assert_int_eq(pm_tar_is_zero(block), 0);
}
END_TEST

START_TEST(pax_records)
{
	static const char *const bad[] = { "",           "x",
					   "5 a=b\n\n",  "99999999999 path=a\n",
					   "8 path=a\n", "3 \n",
					   "0 \n",       "11 path=ab" };
	static const char good[] =
		"11 path=ab\n20 mtime=1700000000\n10 size=7\n31 path=later=with=equals sign\n";
	struct pm_tar_member m = { 0 };

	ck_assert_int_eq(pm_tar_pax(&m, good, sizeof good - 1), 0);
	ck_assert_str_eq(m.path, "later=with=equals sign");
	ck_assert_uint_eq(m.size, 7);
	pm_tar_member_free(&m);
	for (size_t i = 1; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(pm_tar_pax(&m, bad[i], strlen(bad[i])) == -1, "%s", bad[i]);
		pm_tar_member_free(&m);
	}
	ck_assert_int_eq(pm_tar_pax(&m, "22 GNU.sparse.major=1\n", 22), 0);
	ck_assert_int_eq(m.sparse, 1);
	pm_tar_member_free(&m);
	ck_assert_int_eq(pm_tar_pax(&m, "10 size=0\n", 10), 0);
	ck_assert_int_eq(m.has_size, 1);
	ck_assert_int_eq(pm_tar_pax(&m, "11 size=-1\n", 11), -1);
	ck_assert_int_eq(pm_tar_pax(&m, "10 size=x\n", 10), -1);
	ck_assert_int_eq(pm_tar_pax(&m, "11 path=a\0\n", 11), -1);
	ck_assert_int_eq(pm_tar_pax(&m, "10 path=ab", 10), -1);
	ck_assert_int_eq(pm_tar_pax(&m, "8 path\n\n", 8), -1);
	ck_assert_int_eq(pm_tar_pax(&m, "16 GNU.sparse=1\n", 16), 0);
	ck_assert_int_eq(m.sparse, 0);
	pm_tar_member_free(&m);
}
END_TEST

/* What was said before a header counts more than the header; links and their like have no data. */
START_TEST(members)
{
	struct pm_tar_head h = { .name = "short", .size = 5 };

	for (char type = '0'; type <= '7'; type++) {
		struct pm_tar_member m = { 0 };

		h.type = type;
		ck_assert_int_eq(pm_tar_member(&m, &h), 0);
		ck_assert_str_eq(m.path, "short");
		ck_assert_uint_eq(m.size, type == '0' || type == '7' ? 5 : 0);
		pm_tar_member_free(&m);
		ck_assert_int_eq(pm_tar_long_name(&m, "first"), 0);
		ck_assert_int_eq(pm_tar_long_name(&m, "a/long name"), 0);
		m.size = 9;
		m.has_size = 1;
		ck_assert_int_eq(pm_tar_member(&m, &h), 0);
		ck_assert_str_eq(m.path, "a/long name");
		ck_assert_uint_eq(m.size, type == '0' || type == '7' ? 9 : 0);
		pm_tar_member_free(&m);
		ck_assert_ptr_null(m.path);
		ck_assert_int_eq(m.has_size, 0);
	}
}
END_TEST

START_TEST(unsafe_members_are_refused)
{
	static const struct {
		const char *name;
		char type;
		int sparse;
		const char *why;
	} member[] = {
		{ "a/n0.tsv", '0', 0, NULL },
		{ "./a/n0.tsv", '0', 0, NULL },
		{ "a..b/..c/c..", '0', 0, NULL },
		{ "a/", '5', 0, NULL },
		{ "a/", '5', 1, NULL },
		{ "a", '0', 1, "a sparse file" },
		{ "", '0', 0, "no name" },
		{ "/a", '0', 0, "an absolute path" },
		{ "../a", '0', 0, "a path with .." },
		{ "a/../b", '0', 0, "a path with .." },
		{ "a/..", '5', 0, "a path with .." },
		{ "a//..//b", '0', 0, "a path with .." },
		{ "a", '1', 0, "a hard link" },
		{ "a", '2', 0, "a symbolic link" },
		{ "a", '3', 0, "a device" },
		{ "a", '4', 0, "a device" },
		{ "a", '6', 0, "a fifo" },
		{ "a", 'S', 0, "not a regular file" },
	};

	for (size_t i = 0; i < sizeof member / sizeof member[0]; i++) {
		struct pm_tar_head h = { .type = member[i].type, .size = 5 };
		struct pm_tar_member m = { .sparse = member[i].sparse };
		const char *why;

		snprintf(h.name, sizeof h.name, "%s", member[i].name);
		ck_assert_int_eq(pm_tar_member(&m, &h), 0);
		why = pm_tar_refuse(&m, &h);
		ck_assert_msg(member[i].why ? why && strcmp(why, member[i].why) == 0 : !why,
			      "%s: %s", h.name, why ? why : "taken");
		pm_tar_member_free(&m);
	}
}
END_TEST

START_TEST(long_keys_stay_different)
{
	char text[2][2000], room[2][PM_KEYTEXT_MAX + 1];
	struct pm_str key[2];

	for (int shift = 0; shift < 3; shift++) {
		for (int i = 0; i < 2; i++) {
			/* Characters of three bytes, from each place on. */
			memset(text[i], 'x', sizeof text[i]);
			for (size_t k = (size_t)shift; k + 3 < 1900; k += 3)
				memcpy(text[i] + k, "\xe2\x82\xac", 3);
			text[i][1950] = (char)('a' + i);
			key[i] = pm_keytext((struct pm_str){ text[i], 1960 }, room[i]);
			ck_assert_uint_le(key[i].n, PM_KEYTEXT_MAX);
			ck_assert_uint_ge(key[i].n, PM_KEYTEXT_MAX - 2);
			ck_assert_uint_eq((key[i].n - 17 - (size_t)shift) % 3, 0);
			ck_assert_int_eq(memcmp(key[i].p, text[i], key[i].n - 17), 0);
			text[i][1960] = '\0';
			pm_keytext_cut(text[i]);
			ck_assert_uint_eq(strlen(text[i]), key[i].n);
			ck_assert_int_eq(memcmp(text[i], key[i].p, key[i].n), 0);
		}
		ck_assert_int_ne(memcmp(key[0].p, key[1].p, key[0].n), 0);
	}
	key[0] = pm_keytext((struct pm_str){ text[0], PM_KEYTEXT_MAX }, room[0]);
	ck_assert_ptr_eq(key[0].p, text[0]);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("the loader's parts");
	TCase *t = tcase_create("parts");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, lines_whatever_the_pieces);
	tcase_add_test(t, a_long_line_costs_itself_alone);
	tcase_add_loop_test(t, digests_are_sha256, 0, 2);
	tcase_add_test(t, large_blocks_stay);
	tcase_add_test(t, large_blocks_without_a_file);
	tcase_add_test(t, records_come_back_as_they_were);
	tcase_add_test(t, long_keys_stay_different);
	tcase_add_test(t, tar_headers);
	tcase_add_test(t, pax_records);
	tcase_add_test(t, members);
	tcase_add_test(t, unsafe_members_are_refused);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
