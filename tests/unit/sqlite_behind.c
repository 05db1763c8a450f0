/* The file system that writes behind SQLite, over one that is made up here. */
#include "config.h"

#include "db/behind.h"
#include "db/sqlite_behind.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FRAME_HEAD 24
#define PAGE       4096

/* The one file there is, and what came of it. */
static struct {
	atomic_int inside; /* reads and writes that are under way */
	atomic_bool together;
	atomic_uint writes;
	int64_t fails_from; /* a place from which on nothing can be written */
	union {
		uint32_t word[8192];
		char bytes[32768];
	} index;
} disk;

static void use(unsigned us)
{
	if (atomic_fetch_add(&disk.inside, 1) > 0)
		disk.together = true;
	usleep(us);
	atomic_fetch_sub(&disk.inside, 1);
}

static int d_close(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

static int d_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	(void)f, (void)at;
	use(0);
	memset(p, 0, (size_t)n);
	return SQLITE_OK;
}

static int d_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	(void)f, (void)p;
	use(300);
	disk.writes++;
	if (at + n <= disk.fails_from)
		return SQLITE_OK;
	errno = EFBIG;
	return SQLITE_IOERR_WRITE;
}

static int d_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	(void)f, (void)n;
	return SQLITE_OK;
}

static int d_sync(sqlite3_file *f, int flags)
{
	(void)f, (void)flags;
	return SQLITE_OK;
}

static int d_control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int d_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	(void)f, (void)page, (void)extend;
	ck_assert_int_eq(size, sizeof disk.index.bytes);
	*out = disk.index.bytes;
	return SQLITE_OK;
}

static int d_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	(void)f, (void)offset, (void)n, (void)flags;
	return SQLITE_OK;
}

static int d_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
	static const sqlite3_io_methods methods = {
		.iVersion = 2,
		.xClose = d_close,
		.xRead = d_read,
		.xWrite = d_write,
		.xTruncate = d_truncate,
		.xSync = d_sync,
		.xFileControl = d_control,
		.xShmMap = d_shm_map,
		.xShmLock = d_shm_lock,
	};

	(void)v, (void)name, (void)flags, (void)out;
	f->pMethods = &methods;
	return SQLITE_OK;
}

/* Open the file as a log or a database. To be closed by shut(). */
static sqlite3_file *open_as(int flags)
{
	static sqlite3_vfs below = { .iVersion = 1, .mxPathname = 100, .zName = "disk" };
	sqlite3_file *f;
	sqlite3_vfs *v;

	below.szOsFile = (int)sizeof *f;
	below.xOpen = d_open;
	ck_assert_int_eq(sqlite3_vfs_register(&below, 1), SQLITE_OK);
	v = sqlite3_vfs_find(pm_sqlite_behind_vfs());
	ck_assert_ptr_nonnull(v);
	f = calloc(1, (size_t)v->szOsFile);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(v->xOpen(v, "x", f, flags | SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	memset(&disk, 0, sizeof disk);
	disk.fails_from = INT64_MAX;
	return f;
}

static void shut(sqlite3_file *f)
{
	f->pMethods->xClose(f);
	free(f);
}

/* Write a frame of no commit at *at. */
static int put_frame(sqlite3_file *f, int64_t *at)
{
	static const char head[FRAME_HEAD], page[PAGE];
	int rc = f->pMethods->xWrite(f, head, sizeof head, *at);

	*at += FRAME_HEAD;
	if (rc == SQLITE_OK)
		rc = f->pMethods->xWrite(f, page, sizeof page, *at);
	*at += PAGE;
	return rc;
}

/* An SQLite that was built without pread(2) moves the descriptor in a call of its own: a thread in
 * between would write or read somewhere else. */
START_TEST(a_file_is_read_and_written_by_one_thread_at_a_time)
{
	sqlite3_file *f = open_as(SQLITE_OPEN_WAL);
	int64_t at = 0;
	char page[PAGE];

	for (int i = 0; i < 1000; i++) {
		PM_SURE(put_frame(f, &at) == SQLITE_OK);
		/* What is on disk long since. */
		PM_SURE(f->pMethods->xRead(f, page, sizeof page, 0) == SQLITE_OK);
	}
	ck_assert(!disk.together);
	ck_assert_uint_gt(disk.writes, 0);
	/* A thread there was: it has not done it all yet. */
	ck_assert_int_eq(f->pMethods->xSync(f, 0), SQLITE_OK);
	ck_assert_uint_ge(disk.writes, (unsigned)(at / (int64_t)PM_BEHIND_PIECE));
	ck_assert(!disk.together);
	shut(f);
}
END_TEST

/* SQLite asks for errno, which is a thread's own, when it has the failure. */
START_TEST(why_a_thread_could_not_write_is_told)
{
	sqlite3_file *f = open_as(SQLITE_OPEN_WAL);
	int64_t at = 0;
	int rc;

	disk.fails_from = 10 * (int64_t)PM_BEHIND_PIECE;
	do {
		errno = 0;
		rc = put_frame(f, &at);
	} while (rc == SQLITE_OK && at < 1000 * (int64_t)PM_BEHIND_PIECE);
	ck_assert_int_eq(rc, SQLITE_IOERR_WRITE);
	ck_assert_int_eq(errno, EFBIG);
	shut(f);
}
END_TEST

/* Copy a page into a database of a log whose index says so much. Returns how many writes there were
 * before it was synced. */
static unsigned copy(uint32_t version, uint32_t log_end, uint32_t copy_end, bool writer)
{
	sqlite3_file *f = open_as(SQLITE_OPEN_MAIN_DB);
	static const char page[PAGE];
	unsigned writes;

	disk.index.word[0] = version;
	disk.index.word[4] = log_end;
	disk.index.word[32] = copy_end;
	if (writer)
		f->pMethods->xShmLock(f, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
	f->pMethods->xFileControl(f, SQLITE_FCNTL_CKPT_START, NULL);
	ck_assert_int_eq(f->pMethods->xWrite(f, page, sizeof page, 0), SQLITE_OK);
	writes = disk.writes;
	f->pMethods->xFileControl(f, SQLITE_FCNTL_CKPT_DONE, NULL);
	ck_assert_int_eq(f->pMethods->xTruncate(f, PAGE), SQLITE_OK);
	ck_assert_int_eq(f->pMethods->xSync(f, SQLITE_SYNC_NORMAL), SQLITE_OK);
	ck_assert_uint_eq(disk.writes, 1);
	shut(f);
	return writes;
}

START_TEST(pages_are_written_behind_of_a_whole_log_alone)
{
	ck_assert_uint_eq(copy(3007000, 7, 7, true), 0);
	ck_assert_uint_eq(copy(3007000, 7, 6, true), 1);
	ck_assert_uint_eq(copy(3007000, 7, 7, false), 1);
	/* Where an index is laid out in a way that we do not know, these are other words. */
	ck_assert_uint_eq(copy(3999000, 7, 7, true), 1);
}
END_TEST

/* A copy that failed is told by what comes before the log counts as copied. */
START_TEST(a_copy_that_failed_is_told)
{
	sqlite3_file *f = open_as(SQLITE_OPEN_MAIN_DB);
	static const char page[PAGE];

	disk.index.word[0] = 3007000;
	disk.fails_from = 0;
	f->pMethods->xShmLock(f, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
	f->pMethods->xFileControl(f, SQLITE_FCNTL_CKPT_START, NULL);
	ck_assert_int_eq(f->pMethods->xWrite(f, page, sizeof page, 0), SQLITE_OK);
	f->pMethods->xFileControl(f, SQLITE_FCNTL_CKPT_DONE, NULL);
	errno = 0;
	ck_assert_int_eq(f->pMethods->xTruncate(f, PAGE), SQLITE_IOERR_WRITE);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(f->pMethods->xTruncate(f, PAGE), SQLITE_OK);
	shut(f);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sqlite_behind");
	TCase *t = tcase_create("sqlite_behind");

	tcase_add_test(t, a_file_is_read_and_written_by_one_thread_at_a_time);
	tcase_add_test(t, why_a_thread_could_not_write_is_told);
	tcase_add_test(t, pages_are_written_behind_of_a_whole_log_alone);
	tcase_add_test(t, a_copy_that_failed_is_told);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
