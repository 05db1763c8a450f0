/*
 * Preloaded into a program: one call of a file, of SQLite or for memory fails, at a chosen place of
 * the program or of a library.
 *
 *	SITES_LIST=FILE   gets every place with its number of calls: "pwrite64 libsqlite3.so.0+2f3c1
 *12" SITES_AT="pwrite64 libsqlite3.so.0+2f3c1" SITES_HIT=3   the third call there fails,
 *	SITES_HOW=error   once; `lasting`: with all of its kind that follow, as on a full disk;
 *`short`: half of a write is made; `before`, `after`: killed there SITES_SAID=FILE   is made by the
 *failure and gets its name SITES_INPUT=FILE  is made by the first read of standard input
 *
 * Allocations are told apart by their library alone. What cannot fail in earnest is let be: giving
 * up a lock, ROLLBACK.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <poll.h>
#include <unistd.h>

/* glibc's own, which need no looking up: that would allocate. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);

#define SITES 4096

enum how { LET, ERROR, LASTING, SHORT, BEFORE, AFTER };

struct site {
	const char *function;
	uintptr_t from; /* where it returns to; of allocations the beginning of that library */
	long calls;
};

static struct {
	struct site site[SITES];
	size_t sites;
	atomic_flag lock;
	const char *list, *at, *said, *input;
	long hit;
	enum how how;
	atomic_int over; /* 1 once it failed */
	const char *failed;
	bool ready;
} x = { .lock = ATOMIC_FLAG_INIT };

static __thread bool inside;

__attribute__((constructor)) static void begin(void)
{
	static const char *const name[] = { "", "error", "lasting", "short", "before", "after" };
	const char *how = getenv("SITES_HOW");

	x.list = getenv("SITES_LIST");
	x.at = getenv("SITES_AT");
	x.said = getenv("SITES_SAID");
	x.input = getenv("SITES_INPUT");
	x.hit = getenv("SITES_HIT") ? atol(getenv("SITES_HIT")) : 1;
	for (size_t i = 0; how && i < sizeof name / sizeof name[0]; i++)
		if (strcmp(how, name[i]) == 0)
			x.how = (enum how)i;
	x.ready = true;
}

/* "pwrite64 libsqlite3.so.0+2f3c1", of allocations without a place. */
static void name_site(const struct site *s, char *text, size_t n)
{
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)s->from, &info) || !info.dli_fname) {
		snprintf(text, n, "%s unknown", s->function);
		return;
	}
	slash = strrchr(info.dli_fname, '/');
	if ((uintptr_t)info.dli_fbase == s->from)
		snprintf(text, n, "%s %s", s->function, slash ? slash + 1 : info.dli_fname);
	else
		snprintf(text, n, "%s %s+%lx", s->function, slash ? slash + 1 : info.dli_fname,
			 (unsigned long)(s->from - (uintptr_t)info.dli_fbase));
}

static void say(const char *file, const char *text)
{
	static int (*real)(const char *, int, ...);
	int fd;

	if (!file)
		return;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "open");
	fd = real(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0) {
		dprintf(fd, "%s\n", text);
		close(fd);
	}
}

/* Count a call. Returns what becomes of it. */
static enum how count(const char *function, void *from, bool memory)
{
	char name[256];
	Dl_info info;
	struct site *s = NULL;
	enum how how = LET;
	long calls;

	if (!x.ready || inside || (!x.list && !x.at))
		return LET;
	inside = true;
	if (memory && dladdr(from, &info))
		from = info.dli_fbase;
	/* What SQLite calls of itself has failed for it only where it did. */
	if (strncmp(function, "sqlite3_", 8) == 0 && dladdr(from, &info) && info.dli_fname &&
	    strstr(info.dli_fname, "libsqlite3")) {
		inside = false;
		return LET;
	}
	while (atomic_flag_test_and_set(&x.lock))
		;
	for (size_t i = 0; !s && i < x.sites; i++)
		if (x.site[i].from == (uintptr_t)from && x.site[i].function == function)
			s = &x.site[i];
	if (!s && x.sites < SITES) {
		s = &x.site[x.sites++];
		*s = (struct site){ .function = function, .from = (uintptr_t)from };
	}
	calls = s ? ++s->calls : 0;
	atomic_flag_clear(&x.lock);
	if (s && x.at && !x.over && calls == x.hit) {
		name_site(s, name, sizeof name);
		if (strcmp(name, x.at) == 0 && atomic_exchange(&x.over, 1) == 0) {
			how = x.how;
			x.failed = function;
			say(x.said, name);
			if (how == BEFORE)
				kill(getpid(), SIGKILL);
		}
	} else if (x.over && x.how == LASTING && x.failed == function) {
		how = ERROR;
	}
	inside = false;
	return how;
}

__attribute__((destructor)) static void end(void)
{
	FILE *f;

	inside = true;
	if (!x.list || !(f = fopen(x.list, "we")))
		return;
	for (size_t i = 0; i < x.sites; i++) {
		char name[256];

		name_site(&x.site[i], name, sizeof name);
		fprintf(f, "%s %ld\n", name, x.site[i].calls);
	}
	fclose(f);
}

#define FROM __builtin_return_address(0)

#define NO (void)0

/* A function that fails with a result and an errno, after a statement, or is libc's or SQLite's. */
#define CALL(type, name, parameters, arguments, statement, bad, error)                             \
	type name parameters                                                                       \
	{                                                                                          \
		static type(*real) parameters;                                                     \
		enum how how = count(#name, FROM, false);                                          \
		type rc;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		if (how == ERROR || how == LASTING || how == SHORT) {                              \
			statement;                                                                 \
			errno = (error);                                                           \
			return (bad);                                                              \
		}                                                                                  \
		rc = real arguments;                                                               \
		if (how == AFTER)                                                                  \
			kill(getpid(), SIGKILL);                                                   \
		return rc;                                                                         \
	}

/* Where files are counted from 64 bits on there are two of a name. */
#define CALLS(type, name, size, parameters, arguments, bad, error)                                 \
	CALL(type, name, parameters(size), arguments, NO, bad, error)                              \
	CALL(type, name##64, parameters(size##64), arguments, NO, bad, error)

/* --- memory ------------------------------------------------------------------------------- */

#define MEMORY(name, parameters, arguments)                                                        \
	void *name parameters                                                                      \
	{                                                                                          \
		enum how how = count(#name, FROM, true);                                           \
		void *got;                                                                         \
                                                                                                   \
		if (how == ERROR || how == LASTING || how == SHORT) {                              \
			errno = ENOMEM;                                                            \
			return NULL;                                                               \
		}                                                                                  \
		got = __libc_##name arguments;                                                     \
		if (how == AFTER)                                                                  \
			kill(getpid(), SIGKILL);                                                   \
		return got;                                                                        \
	}

MEMORY(malloc, (size_t n), (n))
MEMORY(calloc, (size_t n, size_t size), (n, size))
MEMORY(realloc, (void *p, size_t n), (p, n))

/* --- files -------------------------------------------------------------------------------- */

#define WITH_MODE(flags) ((flags) & (O_CREAT | O_TMPFILE))

#define OPEN(name)                                                                                 \
	static int name##_mode(const char *path, int flags, mode_t mode, void *from)               \
	{                                                                                          \
		static int (*real)(const char *, int, ...);                                        \
		enum how how = count(#name, from, false);                                          \
		int fd;                                                                            \
                                                                                                   \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		if (how == ERROR || how == LASTING || how == SHORT) {                              \
			errno = WITH_MODE(flags) ? ENOSPC : EMFILE;                                \
			return -1;                                                                 \
		}                                                                                  \
		fd = real(path, flags, mode);                                                      \
		if (how == AFTER)                                                                  \
			kill(getpid(), SIGKILL);                                                   \
		return fd;                                                                         \
	}                                                                                          \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list ap;                                                                        \
		mode_t mode = 0;                                                                   \
                                                                                                   \
		va_start(ap, flags);                                                               \
		if (WITH_MODE(flags))                                                              \
			mode = va_arg(ap, mode_t);                                                 \
		va_end(ap);                                                                        \
		return name##_mode(path, flags, mode, FROM);                                       \
	}

OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		static int (*real)(int, const char *, int, ...);                                   \
		enum how how = count(#name, FROM, false);                                          \
		va_list ap;                                                                        \
		mode_t mode = 0;                                                                   \
		int fd;                                                                            \
                                                                                                   \
		va_start(ap, flags);                                                               \
		if (WITH_MODE(flags))                                                              \
			mode = va_arg(ap, mode_t);                                                 \
		va_end(ap);                                                                        \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		if (how == ERROR || how == LASTING || how == SHORT) {                              \
			errno = WITH_MODE(flags) ? ENOSPC : EMFILE;                                \
			return -1;                                                                 \
		}                                                                                  \
		fd = real(dir, path, flags, mode);                                                 \
		if (how == AFTER)                                                                  \
			kill(getpid(), SIGKILL);                                                   \
		return fd;                                                                         \
	}

OPENAT(openat)
OPENAT(openat64)

/* Half of a write may be made: who writes goes on, or fails by what comes then. `failing` sets
 * errno. */
#define WRITE(name, parameters, arguments, half, failing)                                          \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		static ssize_t(*real) parameters;                                                  \
		enum how how = count(#name, FROM, false);                                          \
		ssize_t rc;                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		if (how == ERROR || how == LASTING) {                                              \
			failing;                                                                   \
			return -1;                                                                 \
		}                                                                                  \
		rc = how == SHORT || how == AFTER ? real half : real arguments;                    \
		if (how == AFTER)                                                                  \
			kill(getpid(), SIGKILL);                                                   \
		return rc;                                                                         \
	}

WRITE(write, (int fd, const void *p, size_t n), (fd, p, n), (fd, p, n / 2), errno = ENOSPC)
WRITE(pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), (fd, p, n / 2, at),
      errno = ENOSPC)
WRITE(pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), (fd, p, n / 2, at),
      errno = ENOSPC)

/* A stream that cannot be sent to is broken for both sides: libpq waits for the server's word. */
static void lose(int fd)
{
	shutdown(fd, SHUT_RDWR);
	errno = ECONNRESET;
}

WRITE(send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), (fd, p, n / 2, flags),
      lose(fd))

static void note_input(int fd)
{
	static atomic_int told;

	if (fd == STDIN_FILENO && x.input && atomic_exchange(&told, 1) == 0)
		say(x.input, "reads");
}

ssize_t read(int fd, void *p, size_t n)
{
	static ssize_t (*real)(int, void *, size_t);
	enum how how = count("read", FROM, false);
	ssize_t rc;

	note_input(fd);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "read");
	if (how == ERROR || how == LASTING || how == SHORT) {
		errno = EIO;
		return -1;
	}
	rc = real(fd, p, n);
	if (how == AFTER)
		kill(getpid(), SIGKILL);
	return rc;
}

#define PREAD(size)     (int fd, void *p, size_t n, size##_t at)
#define FTRUNCATE(size) (int fd, size##_t n)
#define MMAP(size)      (void *at, size_t n, int prot, int flags, int fd, size##_t offset)
#define TO              (int fd, const struct sockaddr *to, socklen_t n)
#define NAMES           (const char *from, const char *to)
#define NAMES_AT        (int a, const char *from, int b, const char *to, int flags)

CALLS(ssize_t, pread, off, PREAD, (fd, p, n, at), -1, EIO)
CALLS(int, ftruncate, off, FTRUNCATE, (fd, n), -1, EIO)
CALLS(void *, mmap, off, MMAP, (at, n, prot, flags, fd, offset), MAP_FAILED, ENOMEM)
CALL(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), NO, -1, ECONNRESET)
CALL(int, connect, TO, (fd, to, n), NO, -1, ECONNREFUSED)
CALL(int, fsync, (int fd), (fd), NO, -1, EIO)
CALL(int, fdatasync, (int fd), (fd), NO, -1, EIO)
CALL(int, unlink, (const char *path), (path), NO, -1, EIO)
CALL(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), NO, -1, EIO)
CALL(int, rename, NAMES, (from, to), NO, -1, EIO)
CALL(int, link, NAMES, (from, to), NO, -1, EIO)
CALL(int, linkat, NAMES_AT, (a, from, b, to, flags), NO, -1, EIO)

/* Locks that are taken; all else as it is. */
#define FCNTL(name)                                                                                \
	int name(int fd, int op, ...)                                                              \
	{                                                                                          \
		static int (*real)(int, int, ...);                                                 \
		enum how how = LET;                                                                \
		va_list ap;                                                                        \
		void *arg;                                                                         \
		int rc;                                                                            \
                                                                                                   \
		va_start(ap, op);                                                                  \
		arg = va_arg(ap, void *);                                                          \
		va_end(ap);                                                                        \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		if (op == F_SETLK && ((struct flock *)arg)->l_type != F_UNLCK)                     \
			how = count(#name, FROM, false);                                           \
		if (how == ERROR || how == LASTING || how == SHORT) {                              \
			errno = EIO;                                                               \
			return -1;                                                                 \
		}                                                                                  \
		rc = real(fd, op, arg);                                                            \
		if (how == AFTER)                                                                  \
			kill(getpid(), SIGKILL);                                                   \
		return rc;                                                                         \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

/* --- SQLite ------------------------------------------------------------------------------- */

/* clang-format off */
#define OPENED   (const char *name, sqlite3 **db, int flags, const char *vfs)
#define PREPARED (sqlite3 *db, const char *sql, int n, unsigned flags, sqlite3_stmt **q, const char **tail)
#define BOUND    (sqlite3_stmt *q, int i, sqlite3_int64 v)
#define MODULE   (sqlite3 *db, const char *name, const sqlite3_module *m, void *ctx)

CALL(int, sqlite3_open_v2, OPENED, (name, db, flags, vfs), *db = NULL, SQLITE_CANTOPEN, EMFILE)
CALL(int, sqlite3_prepare_v3, PREPARED, (db, sql, n, flags, q, tail), *q = NULL, SQLITE_NOMEM, ENOMEM)
CALL(int, sqlite3_step, (sqlite3_stmt *q), (q), NO, SQLITE_IOERR, EIO)
CALL(int, sqlite3_bind_int64, BOUND, (q, i, v), NO, SQLITE_NOMEM, ENOMEM)
CALL(int, sqlite3_create_module, MODULE, (db, name, m, ctx), NO, SQLITE_NOMEM, ENOMEM)
/* clang-format on */

int sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **), void *ctx,
		 char **why)
{
	static int (*real)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *,
			   char **);
	enum how how = strcmp(sql, "ROLLBACK") == 0 ? LET : count("sqlite3_exec", FROM, false);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_exec");
	if (how == ERROR || how == LASTING || how == SHORT)
		return SQLITE_IOERR;
	rc = real(db, sql, each, ctx, why);
	if (how == AFTER)
		kill(getpid(), SIGKILL);
	return rc;
}
