/*
 * Hide the collector's descriptors from listings of directories: a program may count the
 * descriptors that it lists, or close all but some. Our numbers are left out of the directories of
 * /proc with the descriptors of this process. In a process without such counters nothing is
 * checked, in others nothing but the names, until one is a number of ours.
 *
 * libc's own functions that list directories call each other inside libc: each is interposed.
 */
#include "config.h"

#include "libperfmon/hooks/listing.h"

#include "common/safe/buf.h"
#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counters.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Longest path of a directory of descriptors; /proc lies at the root as a rule. */
#define PATH_SIZE 256

static bool holds_any(void)
{
	return __atomic_load_n(&pm_counters_lowest, __ATOMIC_RELAXED) != INT_MAX;
}

/* The number that a name spells, or -1. */
static int number_of(const char *name)
{
	int64_t v = 0;

	if (*name == '\0' || (*name == '0' && name[1]))
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9' || v > INT_MAX)
			return -1;
		v = v * 10 + (*name - '0');
	}
	return v > INT_MAX ? -1 : (int)v;
}

/* Cut the last component off a path. Returns it, or NULL. */
static const char *cut_last(char *path)
{
	size_t n = strlen(path);

	while (n > 0 && path[n - 1] != '/')
		n--;
	if (n == 0)
		return NULL;
	path[n - 1] = '\0';
	return path + n;
}

static bool same_text(const char *a, const char *b)
{
	size_t n = strlen(a);

	return n == strlen(b) && memcmp(a, b, n) == 0;
}

/* The path of a descriptor, as the kernel returns it. Returns 0 or -1. */
static int path_of(int fd, char path[PATH_SIZE])
{
	char link[16 + PM_BUF_NUMBER_MAX];
	struct pm_buf b;
	long n;

	pm_buf_init(&b, link, sizeof link - 1);
	pm_buf_mem(&b, "/proc/self/fd/", 14);
	pm_buf_i64(&b, fd);
	link[b.len] = '\0';
	n = pm_sys4(SYS_readlinkat, AT_FDCWD, link, path, PATH_SIZE);
	if (n <= 0 || n == PATH_SIZE)
		return -1;
	path[n] = '\0';
	return 0;
}

/*
 * Whether the directory is PID/fd, PID/task/TID/fd or the fdinfo beside one, of this process. That
 * /proc itself says which pid we have there: it may belong to another pid namespace.
 */
static bool is_own(int dir)
{
	char path[PATH_SIZE], threads[PATH_SIZE + 32];
	const char *last, *id;
	struct statfs fs;
	struct pm_buf b;

	if (pm_sys2(SYS_fstatfs, dir, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC ||
	    path_of(dir, path) < 0)
		return false;
	last = cut_last(path);
	if (!last || (!same_text(last, "fd") && !same_text(last, "fdinfo")))
		return false;
	id = cut_last(path);
	if (!id || number_of(id) < 0)
		return false;
	/* .../PID/task: the files of a thread are those of its process. */
	pm_buf_init(&b, threads, sizeof threads - 1);
	if (strlen(path) > 5 && memcmp(path + strlen(path) - 5, "/task", 5) == 0) {
		cut_last(path);
		id = cut_last(path);
		if (!id || number_of(id) < 0)
			return false;
	}
	pm_buf_str(&b, path);
	pm_buf_mem(&b, "/self/task/", 11);
	pm_buf_str(&b, id);
	threads[b.len] = '\0';
	return !b.truncated && pm_sys3(SYS_faccessat, AT_FDCWD, threads, F_OK) == 0;
}

/* Whether a name may be the number of one of our descriptors. Makes no system call once the
 * collector is off, as before a filter of system calls. */
static bool is_ours(const char *name)
{
	int fd = holds_any() && pm.on ? number_of(name) : -1;

	return fd >= 0 && pm_counters_hold(fd);
}

static bool is_hidden(DIR *dir, const char *name)
{
	__typeof__(dirfd) *number = is_ours(name) ? PM_REAL(dirfd) : NULL;

	return number && is_own(number(dir));
}

/* --- entry by entry -----------------------------------------------------------------------------
 */

#define READDIR(name, type)                                                                        \
	EXPORT struct type *name(DIR *dir)                                                         \
	{                                                                                          \
		__typeof__(name) *real = PM_REAL(name);                                            \
		struct type *e;                                                                    \
                                                                                                   \
		if (!real) {                                                                       \
			pm_nextsymbol_missing();                                                   \
			return NULL;                                                               \
		}                                                                                  \
		do                                                                                 \
			e = real(dir);                                                             \
		while (e && is_hidden(dir, e->d_name));                                            \
		return e;                                                                          \
	}

READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

#define READDIR_R(name, type)                                                                      \
	EXPORT int name(DIR *restrict dir, struct type *restrict entry,                            \
			struct type **restrict result)                                             \
	{                                                                                          \
		__typeof__(name) *real = PM_REAL(name);                                            \
		int ret;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return ENOSYS;                                                             \
		do                                                                                 \
			ret = real(dir, entry, result);                                            \
		while (ret == 0 && *result && is_hidden(dir, entry->d_name));                      \
		return ret;                                                                        \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
READDIR_R(readdir_r, dirent)
READDIR_R(readdir64_r, dirent64)
#pragma GCC diagnostic pop

/* --- the kernel's own lists ---------------------------------------------------------------------
 */

/* Remove our descriptors from a list of `size` bytes, whose entries have their names at offset
 * `name_at`. Returns the new size. */
static long leave_out(int dir, char *list, long size, size_t name_at)
{
	int own = -1;

	for (long at = 0; at < size;) {
		uint16_t length;

		/* In both kinds of entry the length follows two long numbers. */
		memcpy(&length, list + at + 16, sizeof length);
		if (is_ours(list + at + name_at) && (own >= 0 ? own : (own = is_own(dir)))) {
			memmove(list + at, list + at + length, (size_t)(size - at - length));
			size -= length;
		} else {
			at += length;
		}
	}
	return size;
}

/* The kernel's struct linux_dirent, which no header has. */
struct old_dirent {
	unsigned long d_ino, d_off;
	unsigned short d_reclen;
	char d_name[];
};

EXPORT ssize_t getdents64(int dir, void *list, size_t size)
{
	__typeof__(getdents64) *real = PM_REAL(getdents64);
	ssize_t all, left;

	if (!real)
		return pm_nextsymbol_missing();
	/* An empty list would mean the end of the directory. */
	do {
		all = left = real(dir, list, size);
		if (all > 0 && holds_any())
			left = leave_out(dir, list, all, offsetof(struct dirent64, d_name));
	} while (all > 0 && left == 0);
	return left;
}

static size_t name_at(long nr)
{
#ifdef SYS_getdents
	if (nr == SYS_getdents)
		return offsetof(struct old_dirent, d_name);
#endif
	return nr == SYS_getdents64 ? offsetof(struct dirent64, d_name) : 0;
}

bool pm_listing_watches(long nr)
{
	return holds_any() && name_at(nr) != 0;
}

long pm_listing_raw(long (*real)(long, long, long, long, long, long, long), long nr, long dir,
		    long list, long size)
{
	long all, left;

	do {
		all = left = real(nr, dir, list, size, 0, 0, 0);
		if (all > 0)
			left = leave_out((int)dir, (char *)list, all, name_at(nr));
	} while (all > 0 && left == 0);
	return left;
}

/* --- scandir ------------------------------------------------------------------------------------
 */

/* A scan under way. The program's filter never sees our descriptors. */
struct scan {
	int at;
	const char *path;
	int own; /* whether the directory lists our descriptors, -1 not known yet */
	void *filter;
	struct scan *outer;
};

/* The innermost scan: a filter may scan another directory. */
static __thread struct scan *scanning;

static bool is_own_path(int at, const char *path)
{
	long dir = pm_descriptors_openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	bool own = dir >= 0 && is_own((int)dir);

	if (dir >= 0)
		pm_sys1(SYS_close, dir);
	return own;
}

static bool is_left_out(const char *name)
{
	struct scan *s = scanning;

	if (!is_ours(name))
		return false;
	if (s->own < 0)
		s->own = is_own_path(s->at, s->path);
	return s->own;
}

#define SCANDIR(name, name_at, filtered, type)                                                     \
	static int filtered(const struct type *e)                                                  \
	{                                                                                          \
		struct scan *s = scanning;                                                         \
		int (*filter)(const struct type *) = (int (*)(const struct type *))s->filter;      \
		int taken;                                                                         \
                                                                                                   \
		if (is_left_out(e->d_name))                                                        \
			return 0;                                                                  \
		taken = filter ? filter(e) : 1;                                                    \
		/* A jump out of an inner scan may have left another value. */                     \
		scanning = s;                                                                      \
		return taken;                                                                      \
	}                                                                                          \
                                                                                                   \
	EXPORT int name_at(int at, const char *restrict path, struct type ***restrict list,        \
			   int (*filter)(const struct type *),                                     \
			   int (*compare)(const struct type **, const struct type **))             \
	{                                                                                          \
		__typeof__(name_at) *real = PM_REAL(name_at);                                      \
		struct scan s = { at, path, -1, (void *)filter, scanning };                        \
		int ret;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return pm_nextsymbol_missing();                                            \
		if (!holds_any())                                                                  \
			return real(at, path, list, filter, compare);                              \
		scanning = &s;                                                                     \
		ret = real(at, path, list, filtered, compare);                                     \
		scanning = s.outer;                                                                \
		return ret;                                                                        \
	}                                                                                          \
                                                                                                   \
	EXPORT int name(const char *restrict path, struct type ***restrict list,                   \
			int (*filter)(const struct type *),                                        \
			int (*compare)(const struct type **, const struct type **))                \
	{                                                                                          \
		__typeof__(name) *real = PM_REAL(name);                                            \
		struct scan s = { AT_FDCWD, path, -1, (void *)filter, scanning };                  \
		int ret;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return pm_nextsymbol_missing();                                            \
		if (!holds_any())                                                                  \
			return real(path, list, filter, compare);                                  \
		scanning = &s;                                                                     \
		ret = real(path, list, filtered, compare);                                         \
		scanning = s.outer;                                                                \
		return ret;                                                                        \
	}

SCANDIR(scandir, scandirat, filtered, dirent)
SCANDIR(scandir64, scandirat64, filtered64, dirent64)
