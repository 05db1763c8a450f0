/* Large blocks as mapped files. */
#include "config.h"

#include "submit/big.h"

#include "common/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* From this size on a block is a file. */
#define LARGE ((size_t)1 << 20)

/* Pages of files that may be resident, those of the program and its libraries included. Blocks that
 * are looked at everywhere keep theirs, up to so many in all, and leave at least some for others.
 */
#define RESIDENT_MAX ((size_t)28 << 20)
#define SPREAD_MAX   ((size_t)34 << 20)
#define BESIDE_MIN   ((size_t)10 << 20)

/* How many calls of pm_big_trim ask once how many page faults there were, and how many of these
 * make a look worthwhile: with each the kernel may map 64 kB. */
#define ASK_EVERY   64
#define LOOK_FAULTS 32

/* Large blocks at a time: some per job that is being read. */
#define BLOCKS_MAX 4096

struct block {
	char *p;
	size_t n;
	int fd;      /* of the file, where it is ours to close, else -1 */
	bool shared; /* with a file: nothing is lost when its pages go */
	bool spread; /* looked at everywhere */
};

static struct block *block;
static size_t blocks, blocks_cap, spread; /* bytes of those that are looked at everywhere */
static unsigned calls;
static long faults; /* at the last look */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t n)
{
	return (n + page_size() - 1) & ~(page_size() - 1);
}

static struct block *find(const void *p)
{
	for (size_t i = blocks; p && i > 0; i--)
		if (block[i - 1].p == p)
			return &block[i - 1];
	return NULL;
}

/* Note a new block. Returns 0 or -1. */
static int note(char *p, size_t n, int fd, bool shared)
{
	if (blocks == BLOCKS_MAX)
		return -1;
	if (!PM_GROW(block, blocks, blocks_cap, 16))
		return -1;
	/* One that is looked at must not bring two megabytes along: neither as such a page nor,
	 * where the kernel reads ahead, in ever larger ones of the file, mapped at once. */
	madvise(p, n, MADV_NOHUGEPAGE);
	madvise(p, n, MADV_RANDOM);
	block[blocks++] = (struct block){ p, n, fd, shared, false };
	return 0;
}

int pm_big_file(void)
{
	const char *dir[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

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

/* A new large block of zeros, of whole pages. Without a file, or room for it, it is memory. */
static void *make(size_t n)
{
	int fd = pm_big_file();
	char *p;

	/* Room is taken now: a write to a page without any would be a signal. */
	if (fd >= 0 && (errno = posix_fallocate(fd, 0, (off_t)n)) != 0) {
		close(fd);
		fd = -1;
	}
	p = fd >= 0 ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		    : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED && note(p, n, fd, fd >= 0) == 0)
		return p;
	if (p != MAP_FAILED)
		munmap(p, n);
	if (fd >= 0)
		close(fd);
	return NULL;
}

void *pm_big_calloc(size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		return NULL;
	return n < LARGE ? calloc(1, n ? n : 1) : make(whole_pages(n));
}

void *pm_big_spread(size_t count, size_t size)
{
	void *p = pm_big_calloc(count, size);
	struct block *b = find(p);

	if (b) {
		b->spread = true;
		spread += b->n;
	}
	return p;
}

/* A larger block in place of one that cannot grow where it is. */
static void *move(void *p, size_t old, size_t n)
{
	void *moved = make(whole_pages(n));

	if (moved && p)
		memcpy(moved, p, old < n ? old : n);
	if (moved)
		pm_big_free(p);
	return moved;
}

void *pm_big_realloc(void *p, size_t n)
{
	struct block *b = find(p);
	char *grown;

	if (!b)
		return n < LARGE ? realloc(p, n ? n : 1)
				 : move(p, p ? malloc_usable_size(p) : 0, n);
	n = whole_pages(n);
	if (n <= b->n)
		return p;
	if (b->fd >= 0 && posix_fallocate(b->fd, 0, (off_t)n) != 0)
		return move(p, b->n, n);
	grown = mremap(p, b->n, n, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		return NULL;
	b->p = grown;
	b->n = n;
	return grown;
}

void pm_big_free(void *p)
{
	struct block *b = find(p);

	if (!b) {
		free(p);
		return;
	}
	munmap(b->p, b->n);
	if (b->fd >= 0)
		close(b->fd);
	if (b->spread)
		spread -= b->n;
	*b = block[--blocks];
	if (blocks)
		return;
	free(block);
	block = NULL;
	blocks_cap = 0;
}

void *pm_big_map(void *p, int fd, size_t n)
{
	char *map = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return NULL;
	pm_big_free(p);
	if (note(map, n, -1, true) == 0)
		return map;
	munmap(map, n);
	errno = ENOMEM;
	return NULL;
}

/* Bytes of files that are resident, 0 where the kernel does not tell. */
static size_t resident(void)
{
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long pages = 0;
	char text[128];
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%*u %*u %lu", &pages) == 1 ? pages * page_size() : 0;
}

void pm_big_trim(void)
{
	const bool keep = spread <= SPREAD_MAX;
	const size_t beside = keep ? spread + BESIDE_MIN : 0;
	struct rusage now;

	if (blocks == 0 || ++calls % ASK_EVERY != 0 || getrusage(RUSAGE_THREAD, &now) < 0 ||
	    now.ru_minflt + now.ru_majflt - faults < LOOK_FAULTS)
		return;
	faults = now.ru_minflt + now.ru_majflt;
	if (resident() <= (beside > RESIDENT_MAX ? beside : RESIDENT_MAX))
		return;
	for (size_t i = 0; i < blocks; i++)
		if (block[i].shared && !(keep && block[i].spread))
			madvise(block[i].p, block[i].n, MADV_DONTNEED);
}
