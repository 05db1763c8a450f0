/* A file system for SQLite that fails once. See faults_vfs.h. */
#include "config.h"

#include "tests/progs/faults_vfs.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512

struct faults faults;

struct file {
	sqlite3_file base;
	sqlite3_file *real; /* behind this one in its memory */
	struct state *state;
};

/* What a file was at its last sync. It outlives the handle: a loss of power takes all. */
struct state {
	struct state *next;
	sqlite3_file *real; /* to write to, while one is open */
	struct write {
		struct write *next;
		sqlite3_int64 at, size; /* where, and the size of the file before */
		int n, old;             /* bytes, and how many of them there were before */
		char *data, *before;
	} * first, **last;
};

static sqlite3_vfs *below;

/* Rows are written by a thread of their own: what is counted and kept here is looked at under the
 * lock, which a call holds from its beginning on. */
static struct state *states;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static sqlite3_file *real_of(sqlite3_file *f)
{
	return ((struct file *)f)->real;
}

/* --- a loss of power ---------------------------------------------------------------------- */

static void remember(struct file *f, const void *p, int n, sqlite3_int64 at)
{
	struct write *w = calloc(1, sizeof *w);
	sqlite3_file *real = f->real;

	if (!w || !(w->data = malloc((size_t)n)) || !(w->before = calloc(1, (size_t)n)))
		abort();
	w->at = at;
	w->n = n;
	memcpy(w->data, p, (size_t)n);
	real->pMethods->xFileSize(real, &w->size);
	w->old = w->size <= at ? 0 : w->size - at < n ? (int)(w->size - at) : n;
	if (w->old && real->pMethods->xRead(real, w->before, w->old, at) != SQLITE_OK)
		abort();
	*f->state->last = w;
	f->state->last = &w->next;
}

static void forget(struct state *s)
{
	struct write *w;

	pthread_mutex_lock(&lock);
	while ((w = s->first)) {
		s->first = w->next;
		free(w->data);
		free(w->before);
		free(w);
	}
	s->last = &s->first;
	pthread_mutex_unlock(&lock);
}

static unsigned pick(unsigned below_this)
{
	/* Marsaglia's xorshift. */
	faults.seed ^= faults.seed << 13;
	faults.seed ^= faults.seed >> 7;
	faults.seed ^= faults.seed << 17;
	return (unsigned)(faults.seed >> 33) % below_this;
}

static void undo(struct state *s, struct write *w)
{
	const sqlite3_io_methods *m = s->real->pMethods;

	if (!w)
		return;
	undo(s, w->next);
	if (w->old)
		m->xWrite(s->real, w->before, w->old, w->at);
	m->xTruncate(s->real, w->size);
}

/* Back to the last sync, and from there what happened to reach the disk: all, some, or nothing. */
static void lose(struct state *s)
{
	unsigned luck = pick(4);

	if (!s->real || !s->first)
		return;
	undo(s, s->first);
	for (struct write *w = s->first; w; w = w->next)
		for (int at = 0; at < w->n; at += SECTOR) {
			int n = w->n - at < SECTOR ? w->n - at : SECTOR;

			if (luck == 0 || (luck < 3 && pick(4) < luck))
				continue;
			s->real->pMethods->xWrite(s->real, w->data + at, n, w->at + at);
		}
}

/* --- the fault ---------------------------------------------------------------------------- */

static void die(void)
{
	pthread_mutex_lock(&lock);
	for (struct state *s = states; s && faults.how == FAULTS_POWER; s = s->next)
		lose(s);
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* Count a call. Returns whether it is the one that fails. */
static bool fails(const char *name)
{
	bool here;

	pthread_mutex_lock(&lock);
	here = ++faults.calls == faults.at;
	if (here)
		faults.failed = name;
	if (here && (faults.how == FAULTS_KILL || faults.how == FAULTS_POWER ||
		     (faults.how == FAULTS_TORN && strcmp(name, "write") != 0)))
		die();
	pthread_mutex_unlock(&lock);
	return here && faults.how != FAULTS_NONE;
}

#define FAIL(name, code)                                                                           \
	do {                                                                                       \
		if (fails(name))                                                                   \
			return code;                                                               \
	} while (0)

static int f_close(sqlite3_file *f)
{
	struct file *x = (struct file *)f;

	/* It cannot fail, but be the last. */
	fails("close");
	if (x->state && x->state->real == x->real)
		x->state->real = NULL;
	return x->real->pMethods ? x->real->pMethods->xClose(x->real) : SQLITE_OK;
}

static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	FAIL("read", SQLITE_IOERR_READ);
	return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	int rc;

	if (fails("write")) {
		if (faults.how == FAULTS_ERROR)
			return SQLITE_FULL;
		real_of(f)->pMethods->xWrite(real_of(f), p, n / 2, at);
		if (faults.how == FAULTS_TORN)
			die();
		return SQLITE_IOERR_WRITE;
	}
	if (faults.how != FAULTS_POWER)
		return real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
	pthread_mutex_lock(&lock);
	remember((struct file *)f, p, n, at);
	rc = real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
	pthread_mutex_unlock(&lock);
	return rc;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	FAIL("truncate", SQLITE_IOERR_TRUNCATE);
	/* Counts as on the disk, with what was written before. */
	forget(((struct file *)f)->state);
	return real_of(f)->pMethods->xTruncate(real_of(f), n);
}

static int f_sync(sqlite3_file *f, int flags)
{
	(void)flags;
	FAIL("sync", SQLITE_IOERR_FSYNC);
	/* Nothing is lost but by us: the disk need not hear of it. */
	forget(((struct file *)f)->state);
	return SQLITE_OK;
}

static int f_size(sqlite3_file *f, sqlite3_int64 *n)
{
	FAIL("size", SQLITE_IOERR_FSTAT);
	return real_of(f)->pMethods->xFileSize(real_of(f), n);
}

static int f_lock(sqlite3_file *f, int how)
{
	FAIL("lock", SQLITE_IOERR_LOCK);
	return real_of(f)->pMethods->xLock(real_of(f), how);
}

static int f_unlock(sqlite3_file *f, int how)
{
	/* What failed was told by then; the lock goes all the same. */
	fails("unlock");
	return real_of(f)->pMethods->xUnlock(real_of(f), how);
}

static int f_reserved(sqlite3_file *f, int *out)
{
	FAIL("reserved", SQLITE_IOERR_CHECKRESERVEDLOCK);
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int f_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int f_characteristics(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	FAIL("shm map", SQLITE_IOERR_SHMMAP);
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	if (flags & SQLITE_SHM_LOCK)
		FAIL("shm lock", SQLITE_IOERR_SHMLOCK);
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void f_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int f_shm_unmap(sqlite3_file *f, int delete)
{
	fails("shm unmap");
	return real_of(f)->pMethods->xShmUnmap(real_of(f), delete);
}

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
	/* Version 2: no mapping of the database, which would be reading without a call. */
	static const sqlite3_io_methods methods = {
		.iVersion = 2,
		.xClose = f_close,
		.xRead = f_read,
		.xWrite = f_write,
		.xTruncate = f_truncate,
		.xSync = f_sync,
		.xFileSize = f_size,
		.xLock = f_lock,
		.xUnlock = f_unlock,
		.xCheckReservedLock = f_reserved,
		.xFileControl = f_control,
		.xSectorSize = f_sector,
		.xDeviceCharacteristics = f_characteristics,
		.xShmMap = f_shm_map,
		.xShmLock = f_shm_lock,
		.xShmBarrier = f_shm_barrier,
		.xShmUnmap = f_shm_unmap,
	};
	struct file *x = (struct file *)f;
	int rc;

	(void)v;
	memset(x, 0, sizeof *x);
	FAIL("open", SQLITE_CANTOPEN);
	x->real = (sqlite3_file *)(x + 1);
	rc = below->xOpen(below, name, x->real, flags, out);
	if (rc != SQLITE_OK)
		return rc;
	x->state = calloc(1, sizeof *x->state);
	if (!x->state)
		abort();
	x->state->real = x->real;
	x->state->last = &x->state->first;
	x->state->next = states;
	states = x->state;
	x->base.pMethods = &methods;
	return SQLITE_OK;
}

static int v_delete(sqlite3_vfs *v, const char *name, int sync)
{
	(void)v;
	FAIL("delete", SQLITE_IOERR_DELETE);
	return below->xDelete(below, name, sync);
}

static int v_access(sqlite3_vfs *v, const char *name, int flags, int *out)
{
	(void)v;
	FAIL("access", SQLITE_IOERR_ACCESS);
	return below->xAccess(below, name, flags, out);
}

int faults_register(void)
{
	static sqlite3_vfs vfs;

	below = sqlite3_vfs_find(NULL);
	if (!below)
		return -1;
	vfs = *below;
	vfs.pNext = NULL;
	vfs.zName = "faults";
	vfs.szOsFile = (int)sizeof(struct file) + below->szOsFile;
	vfs.xOpen = v_open;
	vfs.xDelete = v_delete;
	vfs.xAccess = v_access;
	return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK ? 0 : -1;
}
