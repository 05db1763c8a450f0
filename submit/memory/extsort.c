/*
 * LSD radix sort: stable passes over the key bytes, the least significant first. Large inputs are
 * sorted in parts, which are kept in a file and merged. There may be more records than memory: each
 * record is read once to get its key, and the file is read once.
 */
#include "config.h"

#include "submit/memory/extsort.h"

#include "submit/memory/filemem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Up to this many numbers qsort_r is used. */
#define FEW 256

/* Numbers in a part: sorting accesses a part and its copy at random. */
#define PART ((size_t)1 << PM_EXTSORT_PART_BITS)

#define BYTES 16 /* in a key */

struct item {
	uint64_t key[2];
	uint32_t number;
};

/* Storage of the sorted parts. */
struct parts {
	int fd;
	struct item *item; /* used when there is no file, or no disk space */
};

/* A part being merged. */
struct source {
	struct item *item; /* its next items, in memory */
	size_t at, n;
	size_t next, end; /* range of its items still in the file */
};

static unsigned byte_of(const struct item *x, unsigned b)
{
	return x->key[1 - b / 8] >> (b % 8 * 8) & 0xff;
}

static void fill_items(const struct pm_extsort *o, const uint32_t *number, size_t n,
		       struct item *item, uint32_t count[BYTES][256])
{
	memset(count, 0, BYTES * sizeof count[0]);
	for (size_t k = 0; k < n; k++) {
		struct item *x = &item[k];

		pm_filemem_trim();
		x->number = number[k];
		o->key(o->ctx, number[k], x->key);
		for (unsigned b = 0; b < BYTES; b++)
			count[b][byte_of(x, b)]++;
	}
}

/* Distribute items by key byte b, given the histogram of its values. */
static void move_items(const struct item *from, struct item *to, size_t n, unsigned b,
		       uint32_t *count)
{
	uint32_t next = 0;

	for (unsigned v = 0; v < 256; v++) {
		uint32_t in_bucket = count[v];

		count[v] = next;
		next += in_bucket;
	}
	for (size_t k = 0; k < n; k++)
		to[count[byte_of(&from[k], b)]++] = from[k];
}

/* Sort the items of n numbers, using `other` as scratch. Returns the one of the two arrays that
 * holds the result. */
static struct item *sort_part(const struct pm_extsort *o, const uint32_t *number, size_t n,
			      struct item *item, struct item *other, uint32_t count[BYTES][256])
{
	fill_items(o, number, n, item, count);
	for (unsigned b = 0; b < BYTES; b++) {
		struct item *from = item;

		/* Skip a byte that is the same in all items. */
		if (count[b][byte_of(item, b)] == n)
			continue;
		move_items(from, other, n, b, count[b]);
		item = other;
		other = from;
	}
	return item;
}

static int compare_keys(const struct item *a, const struct item *b)
{
	if (a->key[0] != b->key[0])
		return a->key[0] < b->key[0] ? -1 : 1;
	return (a->key[1] > b->key[1]) - (a->key[1] < b->key[1]);
}

/* Output of the sort: numbers ordered by key. Runs of equal keys still need a full comparison. */
struct sorted {
	const struct pm_extsort *o;
	uint32_t *number;
	size_t n, first; /* numbers so far; start of the run with last's key */
	struct item last;
};

static void sort_same(const struct sorted *s)
{
	if (s->n - s->first > 1)
		qsort_r(s->number + s->first, s->n - s->first, sizeof s->number[0], s->o->compare,
			s->o->ctx);
}

static void take_item(struct sorted *s, const struct item *x)
{
	if (s->n > 0 && compare_keys(&s->last, x) != 0) {
		sort_same(s);
		s->first = s->n;
	}
	s->last = *x;
	s->number[s->n++] = x->number;
}

/* --- parts in a file ---------------------------------------------------------------------- */

/* Create storage for n items. Returns 0, or -1 without file or memory. */
static int open_parts(struct parts *p, size_t n)
{
	p->item = NULL;
	p->fd = pm_filemem_file();
	if (p->fd >= 0 && posix_fallocate(p->fd, 0, (off_t)(n * sizeof(struct item))) != 0) {
		close(p->fd);
		p->fd = -1;
	}
	if (p->fd < 0)
		p->item = malloc(n * sizeof(struct item));
	return p->fd >= 0 || p->item ? 0 : -1;
}

static void close_parts(struct parts *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->item);
}

/* Write or read n items from number `at` on. Returns 0 or -1 with errno set. */
static int transfer_items(const struct parts *p, struct item *item, size_t n, size_t at,
			  bool to_file)
{
	size_t bytes = n * sizeof *item, done = 0;
	off_t from = (off_t)(at * sizeof *item);

	if (p->item) {
		memcpy(to_file ? p->item + at : item, to_file ? item : p->item + at, bytes);
		return 0;
	}
	while (done < bytes) {
		char *q = (char *)item + done;
		ssize_t rc = to_file ? pwrite(p->fd, q, bytes - done, from + (off_t)done)
				     : pread(p->fd, q, bytes - done, from + (off_t)done);

		if (rc == 0)
			errno = EIO;
		if (rc > 0)
			done += (size_t)rc;
		else if (rc == 0 || errno != EINTR)
			return -1;
	}
	return 0;
}

/* Load a source's next items, at most `room`, unless one is in memory or none is left. Returns 0 or
 * -1 with errno set. */
static int refill_source(const struct parts *p, struct source *s, size_t room)
{
	size_t left = s->end - s->next;

	if (s->at < s->n || left == 0)
		return 0;
	s->at = 0;
	s->n = left < room ? left : room;
	if (transfer_items(p, s->item, s->n, s->next, false) < 0)
		return -1;
	s->next += s->n;
	return 0;
}

static int compare_sources(const struct source *a, const struct source *b)
{
	return compare_keys(&a->item[a->at], &b->item[b->at]);
}

/* Sift the source at the top of a heap of n down to its place. */
static void sift_down(struct source *heap, size_t n)
{
	struct source s = heap[0];
	size_t at = 0, below;

	while ((below = 2 * at + 1) < n) {
		if (below + 1 < n && compare_sources(&heap[below + 1], &heap[below]) < 0)
			below++;
		if (compare_sources(&s, &heap[below]) <= 0)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = s;
}

static int by_first(const void *a, const void *b)
{
	return compare_sources(a, b);
}

/* Merge sorted parts of n items in all. Returns 0 or -1 with errno set. */
static int merge_parts(const struct parts *p, size_t n, struct item *memory, struct sorted *to)
{
	size_t count = (n + PART - 1) / PART, room = PART / count;
	struct source *heap = calloc(count, sizeof *heap);
	int rc = heap ? 0 : -1;

	room = room ? room : 1;
	for (size_t i = 0; i < count && rc == 0; i++) {
		heap[i].item = memory + i * room;
		heap[i].next = i * PART;
		heap[i].end = i + 1 < count ? (i + 1) * PART : n;
		rc = refill_source(p, &heap[i], room);
	}
	if (rc == 0)
		qsort(heap, count, sizeof *heap, by_first);
	for (size_t k = 0; k < n && rc == 0; k++) {
		if (k % 64 == 0)
			pm_filemem_trim();
		take_item(to, &heap[0].item[heap[0].at++]);
		rc = refill_source(p, &heap[0], room);
		if (rc == 0 && heap[0].at == heap[0].n)
			heap[0] = heap[--count];
		if (rc == 0 && count > 1)
			sift_down(heap, count);
	}
	free(heap);
	return rc;
}

static int sort_many(const struct pm_extsort *o, uint32_t *number, size_t n, struct item *item,
		     struct item *other, uint32_t count[BYTES][256], struct sorted *to)
{
	struct parts p;
	int rc = open_parts(&p, n), error;

	for (size_t at = 0; at < n && rc == 0; at += PART) {
		size_t some = n - at < PART ? n - at : PART;

		rc = transfer_items(&p, sort_part(o, number + at, some, item, other, count), some,
				    at, true);
	}
	if (rc == 0)
		rc = merge_parts(&p, n, item, to);
	error = errno;
	close_parts(&p);
	errno = error;
	return rc;
}

/* Memory for n items that munmap(2) returns to the kernel at once. */
static struct item *new_items(size_t n)
{
	void *p = mmap(NULL, n * sizeof(struct item), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void free_items(struct item *p, size_t n)
{
	if (p)
		munmap(p, n * sizeof *p);
}

int pm_extsort_sort(const struct pm_extsort *o, uint32_t *number, size_t n, struct pm_err *e)
{
	struct sorted to = { .o = o, .number = number };
	size_t some = n < PART ? n : PART, room = some > n / PART + 1 ? some : n / PART + 1;
	struct item *item, *other;
	uint32_t(*count)[256];
	int rc = -1;

	if (n <= FEW) {
		if (n > 1)
			qsort_r(number, n, sizeof number[0], o->compare, o->ctx);
		return 0;
	}
	/* Merging needs at least one item of each part in memory. */
	item = new_items(room);
	other = new_items(some);
	count = malloc(BYTES * sizeof count[0]);
	errno = ENOMEM;
	if (item && other && count && n > PART) {
		rc = sort_many(o, number, n, item, other, count, &to);
	} else if (item && other && count) {
		const struct item *all = sort_part(o, number, n, item, other, count);

		for (size_t k = 0; k < n; k++)
			take_item(&to, &all[k]);
		rc = 0;
	}
	if (rc == 0)
		sort_same(&to);
	free_items(item, room);
	free_items(other, some);
	free(count);
	return rc < 0 ? pm_err(e, "sort: %m") : 0;
}
