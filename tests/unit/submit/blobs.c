/* Byte strings by offset, of a job larger than memory: submit/memory/blobs.c. */
#include "config.h"

#include "submit/memory/blobs.h"
#include "submit/memory/filemem.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Items of many sizes, through the file and back, in order and at random; one is longer than what
 * is read at once. */
START_TEST(stores_give_back_what_was_put)
{
	enum { COUNT = 3000 };
	static uint64_t offset[COUNT];
	static size_t size[COUNT];
	char *mem = malloc(1000000);
	struct pm_str item = { NULL, 0 };
	struct pm_blobs s;
	uint64_t state = 5, at = PM_BLOBS_FIRST;
	struct pm_err e;

	ck_assert_ptr_nonnull(mem);
	pm_blobs_init(&s);
	for (int i = 0; i < COUNT; i++) {
		size[i] = i % 10 ? random_below(&state, 300) : random_below(&state, 100000);
		if (i == 500)
			size[i] = 1000000;
		memset(mem, i & 127, size[i]);
		offset[i] = pm_blobs_put(&s, mem, size[i], &e);
		ck_assert_uint_ne(offset[i], 0);
	}
	ck_assert_int_ge(s.fd, 0);
	for (int turn = 0; turn < 2 * COUNT; turn++) {
		int i = turn < COUNT ? turn : (int)random_below(&state, COUNT);

		ck_assert_int_eq(pm_blobs_get(&s, offset[i], &item, &e), 0);
		PM_SURE(item.n == size[i]);
		for (size_t k = 0; k < item.n; k++)
			PM_SURE(item.p[k] == (i & 127));
		if (turn < COUNT) {
			PM_SURE(at == offset[i]);
			at = pm_blobs_next(at, item);
		}
	}
	ck_assert_uint_eq(at, pm_blobs_end(&s));
	/* Walked through, twice, what is still in memory and back included. */
	for (int turn = 0; turn < 2 * COUNT; turn++) {
		int i = turn % COUNT;

		ck_assert_int_eq(pm_blobs_walk(&s, offset[i], &item, &e), 0);
		PM_SURE(item.n == size[i]);
		for (size_t k = 0; k < item.n; k++)
			PM_SURE(item.p[k] == (i & 127));
	}
	ck_assert_uint_eq(pm_blobs_put(&s, mem, PM_BLOBS_BUFFER, &e), 0);
	pm_blobs_free(&s);
	free(mem);
}
END_TEST

/* Space of a store's file, bytes. */
static uint64_t taken(const struct pm_blobs *s)
{
	struct stat st;

	ck_assert_int_eq(fstat(s->fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* Whether the file system of temporary files can. */
static bool gives_space_back(void)
{
	int fd = pm_filemem_file(), rc;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
	rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
	close(fd);
	return rc == 0;
}

START_TEST(stores_give_space_back)
{
	enum { N = 300, SIZE = 100000 };
	static char mem[SIZE];
	uint64_t offset[N], before;
	struct pm_blobs s;
	struct pm_str item;
	struct pm_err e;

	pm_blobs_init(&s);
	pm_blobs_forget(&s, PM_BLOBS_FIRST, 1000); /* of an empty one */
	for (int i = 0; i < N; i++) {
		memset(mem, i, sizeof mem);
		offset[i] = pm_blobs_put(&s, mem, sizeof mem, &e);
		ck_assert(offset[i]);
	}
	/* Read, so that the last write is done. */
	ck_assert_int_eq(pm_blobs_get(&s, offset[0], &item, &e), 0);
	before = taken(&s);
	pm_blobs_forget(&s, offset[10], offset[210]);
	if (gives_space_back())
		ck_assert_uint_lt(taken(&s), before - 199 * SIZE);
	for (int i = 0; i < N; i++) {
		if (i >= 10 && i < 210)
			continue;
		ck_assert_int_eq(pm_blobs_get(&s, offset[i], &item, &e), 0);
		ck_assert_uint_eq(item.n, SIZE);
		ck_assert_int_eq((unsigned char)item.p[0], i % 256);
		ck_assert_int_eq((unsigned char)item.p[SIZE - 1], i % 256);
	}
	/* What is in memory yet is kept. */
	pm_blobs_forget(&s, offset[210], pm_blobs_end(&s));
	ck_assert_int_eq(pm_blobs_get(&s, offset[N - 1], &item, &e), 0);
	ck_assert_int_eq((unsigned char)item.p[0], (N - 1) % 256);
	pm_blobs_free(&s);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_blobs");
	TCase *t = tcase_create("blobs");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, stores_give_back_what_was_put);
	tcase_add_test(t, stores_give_space_back);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
