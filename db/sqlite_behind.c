/*
 * A file system between SQLite and the one it uses otherwise, for two things that it writes page by
 * page: frames of the log that belong to no commit yet, and pages of the database while a log is
 * copied into it that nobody else uses. They are put together and written by a thread.
 *
 * Nothing of what SQLite relies on changes. Frames count from the commit on that is behind them:
 * all are written before that one is, by SQLite's own call, which tells what failed. Pages of the
 * database count once SQLite has synced it, which waits for them and tells, too; until then the log
 * has them. So a program that is killed meanwhile leaves what it would have left otherwise.
 *
 * Nor is a file used by two threads at a time: an SQLite that was built without pread(2) moves the
 * descriptor to where it reads or writes next.
 *
 * A frame is a head of 24 bytes and a page; the head's second word is 0 but for a commit
 * (https://sqlite.org/fileformat2.html, 4.1).
 */
#include "config.h"

#include "db/sqlite_behind.h"

#include "db/behind.h"
#include "db/sqlite_handle.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define FRAME_HEAD 24

/* Of the log's index: the only one there has been. */
#define KNOWN_INDEX 3007000

struct file {
	sqlite3_file base;
	sqlite3_file *real;       /* behind this one in its memory */
	struct pm_behind *behind; /* NULL until something is written, and without memory */
	sqlite3_int64 end;        /* of a log, as far as we wrote it */
	bool collecting;          /* a frame without commit, or a copy into the database */
	bool alone;               /* with a database: nobody else uses it */
	bool writer;              /* nobody else may add to its log */
	int failure;              /* of a copy, until that is told */
	pthread_mutex_t lock;     /* held for a read, and by what writes behind */
	int error;                /* errno of what failed behind */
};

static struct {
	pthread_once_t once;
	sqlite3_vfs *below;
	sqlite3_vfs vfs;
	bool registered;
} behind = { .once = PTHREAD_ONCE_INIT };

static struct file *file_of(sqlite3_file *f)
{
	return (struct file *)f;
}

static sqlite3_file *real_of(sqlite3_file *f)
{
	return file_of(f)->real;
}

static int write_piece(void *ctx, const void *p, size_t n, int64_t at)
{
	struct file *x = ctx;
	int rc;

	pthread_mutex_lock(&x->lock);
	rc = x->real->pMethods->xWrite(x->real, p, (int)n, at);
	if (rc != SQLITE_OK)
		x->error = errno;
	pthread_mutex_unlock(&x->lock);
	return rc;
}

/* Wait until all is written. Returns SQLITE_OK or what went wrong, with errno set, which is a
 * thread's own, and what SQLite asks for. */
static int settle(struct file *x)
{
	int rc = x->behind ? pm_behind_wait(x->behind) : SQLITE_OK;

	if (rc != SQLITE_OK)
		errno = x->error;
	return rc;
}

static int write_now(struct file *x, const void *p, int n, sqlite3_int64 at)
{
	int rc = settle(x);

	return rc == SQLITE_OK ? x->real->pMethods->xWrite(x->real, p, n, at) : rc;
}

static int write_behind(struct file *x, const void *p, int n, sqlite3_int64 at)
{
	if (!x->behind && !(x->behind = pm_behind_new(write_piece, x)))
		return write_now(x, p, n, at);
	return pm_behind_put(x->behind, p, (size_t)n, at) ? settle(x) : SQLITE_OK;
}

static int x_close(sqlite3_file *f)
{
	pm_behind_free(file_of(f)->behind);
	pthread_mutex_destroy(&file_of(f)->lock);
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int x_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	struct file *x = file_of(f);
	int rc = x->behind && pm_behind_holds(x->behind, (size_t)n, at) ? settle(x) : SQLITE_OK;

	if (rc != SQLITE_OK)
		return rc;
	if (x->behind)
		pthread_mutex_lock(&x->lock);
	rc = x->real->pMethods->xRead(x->real, p, n, at);
	if (x->behind)
		pthread_mutex_unlock(&x->lock);
	return rc;
}

static int log_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	static const char none[4];
	struct file *x = file_of(f);
	int rc;

	/* What comes anywhere but at the end is not a new frame. */
	if (at != x->end)
		x->collecting = false;
	else if (n == FRAME_HEAD)
		x->collecting = memcmp((const char *)p + 4, none, sizeof none) == 0;
	rc = x->collecting ? write_behind(x, p, n, at) : write_now(x, p, n, at);
	/* A log begins anew with its head. */
	if (rc == SQLITE_OK && (at == 0 || at + n > x->end))
		x->end = at + n;
	return rc;
}

static int database_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	struct file *x = file_of(f);

	return x->collecting ? write_behind(x, p, n, at) : write_now(x, p, n, at);
}

/* What went wrong with what is to be truncated or synced now. */
static int told(struct file *x)
{
	int rc = settle(x);

	if (x->failure) {
		rc = x->failure;
		errno = x->error;
	}
	x->failure = SQLITE_OK;
	return rc;
}

static int x_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	int rc = told(file_of(f));

	return rc == SQLITE_OK ? real_of(f)->pMethods->xTruncate(real_of(f), n) : rc;
}

static int x_sync(sqlite3_file *f, int flags)
{
	int rc = told(file_of(f));

	return rc == SQLITE_OK ? real_of(f)->pMethods->xSync(real_of(f), flags) : rc;
}

static int x_size(sqlite3_file *f, sqlite3_int64 *n)
{
	int rc = settle(file_of(f));

	return rc == SQLITE_OK ? real_of(f)->pMethods->xFileSize(real_of(f), n) : rc;
}

static int x_lock(sqlite3_file *f, int how)
{
	int rc = real_of(f)->pMethods->xLock(real_of(f), how);

	if (rc == SQLITE_OK)
		file_of(f)->alone = how == SQLITE_LOCK_EXCLUSIVE;
	return rc;
}

static int x_unlock(sqlite3_file *f, int how)
{
	file_of(f)->alone = false;
	return real_of(f)->pMethods->xUnlock(real_of(f), how);
}

static int x_reserved(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static uint32_t word_at(const volatile void *p, size_t at)
{
	return *(const volatile uint32_t *)((const volatile char *)p + at);
}

/*
 * Whether a copy that begins is one of the whole log: it is synced then, so that what failed is
 * told in time. Of a part, because others still read what was before it or add to it meanwhile, it
 * is not. The log's index says how far the copy goes, and how far the log
 * (https://sqlite.org/walformat.html, 2.2); of one that is laid out otherwise nothing is known.
 */
static bool is_whole(const struct file *x)
{
	enum { INDEX = 32768, LAID_OUT = 0, LOG_END = 16, COPY_END = 128 };
	volatile void *index = NULL;

	if (x->alone)
		return true;
	if (!x->writer || x->real->pMethods->xShmMap(x->real, 0, INDEX, 0, &index) != SQLITE_OK ||
	    !index)
		return false;
	return word_at(index, LAID_OUT) == KNOWN_INDEX &&
	       word_at(index, LOG_END) == word_at(index, COPY_END);
}

static int x_control(sqlite3_file *f, int op, void *arg)
{
	struct file *x = file_of(f);

	if (op == SQLITE_FCNTL_CKPT_START)
		x->collecting = is_whole(x);
	if (op == SQLITE_FCNTL_CKPT_DONE && x->collecting) {
		x->collecting = false;
		x->failure = settle(x);
	}
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int x_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int x_characteristics(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int x_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int x_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	int rc = real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);

	/* The first lock is the writer's. */
	if (rc == SQLITE_OK && offset == 0)
		file_of(f)->writer = flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
	return rc;
}

static void x_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int x_shm_unmap(sqlite3_file *f, int delete)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), delete);
}

/* Version 2: nothing is mapped, which would be reading without a call. */
#define METHODS(write)                                                                             \
	{                                                                                          \
		.iVersion = 2, .xClose = x_close, .xRead = x_read, .xWrite = (write),              \
		.xTruncate = x_truncate, .xSync = x_sync, .xFileSize = x_size, .xLock = x_lock,    \
		.xUnlock = x_unlock, .xCheckReservedLock = x_reserved, .xFileControl = x_control,  \
		.xSectorSize = x_sector, .xDeviceCharacteristics = x_characteristics,              \
		.xShmMap = x_shm_map, .xShmLock = x_shm_lock, .xShmBarrier = x_shm_barrier,        \
		.xShmUnmap = x_shm_unmap                                                           \
	}

static int open_file(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
	static const sqlite3_io_methods log = METHODS(log_write),
					database = METHODS(database_write);
	struct file *x = file_of(f);
	int rc;

	(void)v;
	if (!(flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)))
		return behind.below->xOpen(behind.below, name, f, flags, out);
	memset(x, 0, sizeof *x);
	x->real = (sqlite3_file *)(x + 1);
	rc = behind.below->xOpen(behind.below, name, x->real, flags, out);
	/* Without methods it is not closed. */
	if (rc == SQLITE_OK) {
		pthread_mutex_init(&x->lock, NULL);
		x->base.pMethods = flags & SQLITE_OPEN_WAL ? &log : &database;
	} else if (x->real->pMethods) {
		x->real->pMethods->xClose(x->real);
	}
	return rc;
}

static void make(void)
{
	behind.below = sqlite3_vfs_find(NULL);
	if (!behind.below)
		return;
	behind.vfs = *behind.below;
	behind.vfs.pNext = NULL;
	behind.vfs.zName = "perfmon";
	behind.vfs.szOsFile = (int)sizeof(struct file) + behind.below->szOsFile;
	behind.vfs.xOpen = open_file;
	behind.registered = sqlite3_vfs_register(&behind.vfs, 0) == SQLITE_OK;
}

const char *pm_sqlite_behind_vfs(void)
{
	pthread_once(&behind.once, make);
	return behind.registered ? behind.vfs.zName : NULL;
}
