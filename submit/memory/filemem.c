/* Large blocks as mapped files. */
#include "config.h"

#include "submit/memory/filemem.h"

#include "common/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Blocks of this size and more are files. */
#define LARGE ((size_t)1 << 20)

/* Limit of resident file pages, including the program and its libraries. Random-access blocks keep
 * their pages up to SPREAD_MAX in all, and leave at least BESIDE_MIN for the others. */
#define RESIDENT_MAX ((size_t)28 << 20)
#define SPREAD_MAX   ((size_t)34 << 20)
#define BESIDE_MIN   ((size_t)10 << 20)

/* Every few calls of pm_filemem_trim read the page fault counters: more or fewer calls, within
 * these bounds, as they had faults. */
#define ASK_MIN 16
#define ASK_MAX 128

/* The resident set is checked after so many new faults: one may map 64 kB and more. */
#define LOOK_FAULTS 16

/* Maximum number of large blocks: a job being read has several. */
#define BLOCKS_MAX 4096

struct block {
	char *p;
	size_t n;
	int fd;      /* owned file descriptor, else -1 */
	bool shared; /* file-backed: its pages can be dropped without loss */
	bool spread; /* random access */
};

/* The large blocks of all threads, under the lock: pm_filemem_trim drops pages of any. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *block;
static size_t blocks, blocks_cap, spread; /* spread: total bytes of blocks with .spread */

/* Of this thread: calls of pm_filemem_trim until it reads the counters again, and between the last
 * two times; page faults when it last read them, and those at which it checks next. */
static _Thread_local struct {
	unsigned left, every;
	long seen, check_at;
} mine;

/* TMPDIR once pm_filemem_prepare has looked it up. */
static struct {
	bool known;
	const char *dir;
} tmp;

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t n)
{
	return (n + page_size() - 1) & ~(page_size() - 1);
}

/* Whether there is no large block. A thread that has one sees it without the lock. */
static bool has_none(void)
{
	return __atomic_load_n(&blocks, __ATOMIC_RELAXED) == 0;
}

/* Find a block. Called with the lock held. */
static struct block *find_block(const void *p)
{
	for (size_t i = blocks; p && i > 0; i--)
		if (block[i - 1].p == p)
			return &block[i - 1];
	return NULL;
}

/* Get a copy of a block, which stays true as the block is the caller's. Returns false if p is none.
 */
static bool get_block(const void *p, struct block *copy)
{
	const struct block *b;

	if (has_none())
		return false;
	pthread_mutex_lock(&lock);
	b = find_block(p);
	if (b)
		*copy = *b;
	pthread_mutex_unlock(&lock);
	return b != NULL;
}

/* Register a new block. Returns 0 or -1. */
static int note_block(char *p, size_t n, int fd, bool shared)
{
	bool room;

	/* One access must not make two megabytes resident: neither as a huge page, nor through the
	 * ever larger folios that the kernel's read-ahead maps at once. */
	madvise(p, n, MADV_NOHUGEPAGE);
	madvise(p, n, MADV_RANDOM);
	pthread_mutex_lock(&lock);
	room = blocks < BLOCKS_MAX && PM_GROW(block, blocks, blocks_cap, 16);
	if (room) {
		block[blocks] = (struct block){ p, n, fd, shared, false };
		__atomic_store_n(&blocks, blocks + 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
	return room ? 0 : -1;
}

void pm_filemem_prepare(void)
{
	tmp.dir = getenv("TMPDIR");
	tmp.known = true;
}

int pm_filemem_file(void)
{
	const char *dir[] = { tmp.known ? tmp.dir : getenv("TMPDIR"), "/var/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof dir / sizeof dir[0]; i++) {
		char name[4096];
		size_t n = dir[i] ? strlen(dir[i]) : 0;
		int fd;

		if (n == 0 || n > sizeof name - 32)
			continue;
		fd = open(dir[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		memcpy(name, dir[i], n);
		memcpy(name + n, "/perfmon-XXXXXX", 16);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0) {
			unlink(name);
			return fd;
		}
	}
	return -1;
}

/* Create a zeroed large block of whole pages: a file, or without file or disk space anonymous
 * memory. Returns NULL if out of memory. */
static void *make_block(size_t n)
{
	int fd = pm_filemem_file();
	char *p;

	/* Allocate disk blocks now: a write to a page without any would raise SIGBUS. */
	if (fd >= 0 && (errno = posix_fallocate(fd, 0, (off_t)n)) != 0) {
		close(fd);
		fd = -1;
	}
	p = fd >= 0 ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		    : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED && note_block(p, n, fd, fd >= 0) == 0)
		return p;
	if (p != MAP_FAILED)
		munmap(p, n);
	if (fd >= 0)
		close(fd);
	return NULL;
}

void *pm_filemem_calloc(size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		return NULL;
	return n < LARGE ? calloc(1, n ? n : 1) : make_block(whole_pages(n));
}

void *pm_filemem_spread(size_t count, size_t size)
{
	void *p = pm_filemem_calloc(count, size);
	struct block *b;

	if (has_none())
		return p;
	pthread_mutex_lock(&lock);
	b = find_block(p);
	if (b) {
		b->spread = true;
		spread += b->n;
	}
	pthread_mutex_unlock(&lock);
	return p;
}

/* Copy a block that cannot grow in place to a larger one. Returns NULL if out of memory. */
static void *move_block(void *p, size_t old, size_t n)
{
	void *moved = make_block(whole_pages(n));

	if (moved && p)
		memcpy(moved, p, old < n ? old : n);
	if (moved)
		pm_filemem_free(p);
	return moved;
}

/* Grow the map of a block, whose file has room. Returns the block, or NULL if out of memory. */
static void *remap_block(void *p, size_t n)
{
	struct block *b;
	char *grown;

	/* Under the lock, so that nobody drops pages of what is mapped there next. */
	pthread_mutex_lock(&lock);
	b = find_block(p);
	grown = mremap(p, b->n, n, MREMAP_MAYMOVE);
	if (grown != MAP_FAILED) {
		b->p = grown;
		b->n = n;
	}
	pthread_mutex_unlock(&lock);
	return grown == MAP_FAILED ? NULL : grown;
}

void *pm_filemem_realloc(void *p, size_t n)
{
	struct block b;

	if (!get_block(p, &b))
		return n < LARGE ? realloc(p, n ? n : 1)
				 : move_block(p, p ? malloc_usable_size(p) : 0, n);
	n = whole_pages(n);
	if (n <= b.n)
		return p;
	if (b.fd >= 0 && posix_fallocate(b.fd, 0, (off_t)n) != 0)
		return move_block(p, b.n, n);
	return remap_block(p, n);
}

/* Unmap a block and forget it. */
static void drop_block(const void *p)
{
	struct block *b, gone;

	pthread_mutex_lock(&lock);
	b = find_block(p);
	gone = *b;
	munmap(b->p, b->n);
	if (b->spread)
		spread -= b->n;
	*b = block[blocks - 1];
	__atomic_store_n(&blocks, blocks - 1, __ATOMIC_RELAXED);
	if (blocks == 0) {
		free(block);
		block = NULL;
		blocks_cap = 0;
	}
	pthread_mutex_unlock(&lock);
	if (gone.fd >= 0)
		close(gone.fd);
}

void pm_filemem_free(void *p)
{
	struct block b;

	if (get_block(p, &b))
		drop_block(p);
	else
		free(p);
}

void *pm_filemem_map(void *p, int fd, size_t n)
{
	char *map = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return NULL;
	pm_filemem_free(p);
	if (note_block(map, n, -1, true) == 0)
		return map;
	munmap(map, n);
	errno = ENOMEM;
	return NULL;
}

/* Bytes of resident file pages, or 0 if the kernel does not tell. Called with the lock held. */
static size_t resident_bytes(void)
{
	static int fd = -1;
	unsigned long pages = 0;
	char text[128];
	ssize_t n;

	if (fd < 0)
		fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%*u %*u %lu", &pages) == 1 ? pages * page_size() : 0;
}

/* Drop the pages of all blocks if too many are resident. Called with the lock held. */
static void drop_pages(void)
{
	const bool keep = spread <= SPREAD_MAX;
	const size_t beside = keep ? spread + BESIDE_MIN : 0;

	if (resident_bytes() <= (beside > RESIDENT_MAX ? beside : RESIDENT_MAX))
		return;
	for (size_t i = 0; i < blocks; i++)
		if (block[i].shared && !(keep && block[i].spread))
			madvise(block[i].p, block[i].n, MADV_DONTNEED);
}

/* Read this thread's page faults, and set when to read them again. */
static long read_faults(void)
{
	struct rusage now;
	long faults, more;

	if (getrusage(RUSAGE_THREAD, &now) < 0)
		return 0;
	faults = now.ru_minflt + now.ru_majflt;
	more = faults - mine.seen;
	mine.seen = faults;
	if (more > 1)
		mine.every = ASK_MIN;
	else if (mine.every < ASK_MAX)
		mine.every = mine.every ? 2 * mine.every : ASK_MIN;
	mine.left = mine.every;
	return faults;
}

void pm_filemem_trim(void)
{
	long faults;

	if (has_none() || (mine.left && --mine.left))
		return;
	faults = read_faults();
	if (faults < mine.check_at)
		return;
	mine.check_at = faults + LOOK_FAULTS;
	pthread_mutex_lock(&lock);
	drop_pages();
	pthread_mutex_unlock(&lock);
}
