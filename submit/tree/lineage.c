/*
 * Build the process tree by sorting and walking sorted arrays, so that cost is O(n log n) whatever
 * the input: pids may repeat, clocks may step, parent links may form cycles.
 */
#include "config.h"

#include "submit/tree/lineage.h"

#include "submit/memory/extsort.h"
#include "submit/memory/filemem.h"
#include "submit/tree/chains.h"
#include "submit/tree/reaped.h"

#include <stdlib.h>
#include <string.h>

static int reaped_by_waiter(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_reaped *x = &m->reaped[i], *y = &m->reaped[k];
	int c = pm_chains_compare(x->space, y->space);

	pm_filemem_trim();
	if (c == 0)
		c = pm_chains_compare(x->ppid, y->ppid);
	if (c == 0)
		c = pm_chains_compare(x->end_us, y->end_us);
	if (c == 0)
		c = pm_chains_compare(x->pid, y->pid);
	return c ? c : pm_chains_compare(i, k);
}

static void waiter_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct pm_images *m = ctx;
	const struct pm_reaped *x = &m->reaped[i];

	key[0] = pm_chains_pid(x->space, x->ppid);
	key[1] = pm_extsort_signed(x->end_us);
}

/* Start of an image: its end if the start is unknown. */
static int64_t start_of(const struct pm_image *i)
{
	return i->image_us != PM_NO_TIME ? i->image_us : i->end_us;
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_image *x = &m->image[i], *y = &m->image[k];
	int c = pm_chains_compare(m->space[x->space].host, m->space[y->space].host);

	pm_filemem_trim();
	if (c == 0)
		c = pm_chains_compare(start_of(x), start_of(y));
	/* Break ties by content, so that the order of the files does not matter. */
	if (c == 0)
		c = pm_chains_compare(m->space[x->space].pid_ns, m->space[y->space].pid_ns);
	if (c == 0)
		c = pm_chains_compare(x->pid, y->pid);
	if (c == 0)
		c = pm_chains_compare(x->generation, y->generation);
	return c ? c : pm_chains_compare(i, k);
}

static void time_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct pm_images *m = ctx;
	const struct pm_image *x = &m->image[i];

	key[0] = m->space[x->space].host;
	key[1] = pm_extsort_signed(start_of(x));
}

/* End of a process as told by a reaped record, or PM_NO_TIME. */
static int64_t gone_by(const struct pm_chains *w, uint32_t i)
{
	const struct pm_image *last = &w->m->image[pm_chains_last(w, i)];

	return last->reaped ? last->end_us : PM_NO_TIME;
}

/* Find the first image of a pid that is known from its reaped record alone and ended at or after
 * `time`. These images were added in the order of (space, pid, end_us). */
static uint32_t find_unseen(const struct pm_chains *w, uint32_t space, uint32_t pid, int64_t time)
{
	size_t low = w->known, high = w->m->images;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_image *i = &w->m->image[mid];
		int c = pm_chains_compare(i->space, space);

		if (c == 0)
			c = pm_chains_compare(i->pid, pid);
		if (c < 0 || (c == 0 && i->end_us < time))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < w->m->images; low++) {
		const struct pm_image *i = &w->m->image[low];

		if (i->space != space || i->pid != pid)
			break;
		if (i->image_us == PM_NO_TIME)
			return (uint32_t)low;
	}
	return PM_NONE;
}

/* How much later than its parent's end a child's start may be recorded, in microseconds: a pid is
 * not reused so soon. */
#define LATE_US 1000000

/* Find the image that started the process whose first image is `i`, or PM_NONE. */
static uint32_t find_parent(const struct pm_chains *w, uint32_t i)
{
	const struct pm_image *child = &w->m->image[i];
	int64_t time = start_of(child), gone;
	uint32_t found = PM_NONE, unseen;
	size_t low, high, first;

	if (child->ppid == 0 || (child->ppid == child->pid && child->parent_space == child->space))
		return PM_NONE;
	low = first = pm_chains_find(w, child->parent_space, child->ppid);
	high = pm_chains_end(w, first, child->parent_space, child->ppid);
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_image *p = &w->m->image[w->sorted[mid]];

		/* Start ticks order two processes of the same microsecond. */
		if (p->image_us <= time &&
		    (p->starttime <= child->starttime || child->starttime < 0))
			low = mid + 1;
		else
			high = mid;
	}
	if (low > first)
		found = w->sorted[low - 1];
	gone = found == PM_NONE ? PM_NO_TIME : gone_by(w, found);
	if (found != PM_NONE && (gone == PM_NO_TIME || gone >= time))
		return found;
	unseen = find_unseen(w, child->parent_space, child->ppid, time);
	if (unseen != PM_NONE && unseen != i)
		return unseen;
	/* A forked child may record its start only after its parent has ended. */
	return found != PM_NONE && time - gone <= LATE_US ? found : PM_NONE;
}

/* Set the parent of every image to that of its process's first image, except after excluded
 * programs. */
static void link_parents(struct pm_chains *w)
{
	struct pm_images *m = w->m;

	for (size_t k = 0; k < w->count; k++) {
		struct pm_image *i = &m->image[w->sorted[k]];

		pm_filemem_trim();
		if (i->previous == PM_NONE)
			i->parent = find_parent(w, w->sorted[k]);
		else
			i->parent = m->image[i->previous].parent;
	}
	for (size_t i = w->known; i < m->images; i++, pm_filemem_trim())
		if (m->image[i].image_us == PM_NO_TIME)
			m->image[i].parent = find_parent(w, (uint32_t)i);
	/* Processes started by an excluded program go below the program that exec'ed it. */
	for (size_t k = 0; k < w->count; k++, pm_filemem_trim()) {
		struct pm_image *i = &m->image[w->sorted[k]];

		if (i->flags & PM_IMAGE_EXCLUDED && i->previous != PM_NONE)
			i->parent = i->previous;
	}
}

/* Find the cycle above an image and cut it at its earliest image. Returns that image. */
static uint32_t cut_cycle(struct pm_images *m, uint32_t i, uint32_t mark)
{
	uint32_t best;

	/* depth is not in use yet: it marks the images that this walk has passed. */
	while (m->image[i].depth != mark) {
		m->image[i].depth = mark;
		i = m->image[i].parent;
	}
	best = i;
	for (uint32_t k = m->image[i].parent; k != i; k = m->image[k].parent)
		if (by_time(&k, &best, m) < 0)
			best = k;
	m->image[best].parent = PM_NONE;
	m->image[best].flags |= PM_IMAGE_CYCLE;
	return best;
}

/* Append an image and all of its descendants to the order, depth first. */
static void number_below(struct pm_lineage *t, struct pm_images *m, uint32_t root, uint32_t *stack)
{
	size_t top = 0;

	stack[top++] = root;
	while (top > 0) {
		uint32_t i = stack[--top];

		pm_filemem_trim();
		t->order[t->count++] = i;
		m->image[i].id = 1; /* visited */
		for (uint32_t k = t->child_at[i + 1]; k > t->child_at[i]; k--, pm_filemem_trim()) {
			uint32_t c = t->child[k - 1];

			/* A cut link still has its entry here, but its child has been visited. */
			if (!m->image[c].id)
				stack[top++] = c;
		}
	}
}

/* Number the rows. Excluded programs get none: their descendants go below the nearest ancestor with
 * a row. */
static void number_rows(struct pm_lineage *t, struct pm_images *m)
{
	uint32_t rows = 0;

	for (uint32_t k = 0; k < t->count; k++) {
		struct pm_image *i = &m->image[t->order[k]];
		uint32_t p = i->parent;

		pm_filemem_trim();
		i->above = p != PM_NONE && m->image[p].flags & PM_IMAGE_EXCLUDED ? m->image[p].above
										 : p;
		i->depth = i->above == PM_NONE ? 0 : m->image[i->above].depth + 1;
		i->id = i->flags & PM_IMAGE_EXCLUDED ? 0 : ++rows;
	}
}

static int number_images(struct pm_lineage *t, struct pm_images *m, struct pm_err *e)
{
	const struct pm_extsort order = { time_key, by_time, m };
	size_t n = m->images;
	uint32_t *sorted = pm_filemem_calloc(n, sizeof sorted[0]),
		 *stack = pm_filemem_calloc(n, sizeof stack[0]);
	int rc = -1;

	t->order = pm_filemem_calloc(n, sizeof t->order[0]);
	t->child = pm_filemem_calloc(n, sizeof t->child[0]);
	t->child_at = pm_filemem_calloc(n + 2, sizeof t->child_at[0]);
	if (!sorted || !stack || !t->order || !t->child || !t->child_at) {
		pm_err(e, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		pm_filemem_trim();
		sorted[i] = (uint32_t)i;
		m->image[i].depth = 0;
		m->image[i].id = 0;
		if (m->image[i].parent != PM_NONE)
			t->child_at[m->image[i].parent + 2]++;
	}
	if (pm_extsort_sort(&order, sorted, n, e) < 0)
		goto out;
	for (size_t i = 2; i < n + 2; i++, pm_filemem_trim())
		t->child_at[i] += t->child_at[i - 1];
	for (size_t k = 0; k < n; k++, pm_filemem_trim()) {
		uint32_t p = m->image[sorted[k]].parent;

		if (p != PM_NONE)
			t->child[t->child_at[p + 1]++] = sorted[k];
	}
	for (size_t k = 0; k < n; k++, pm_filemem_trim())
		if (m->image[sorted[k]].parent == PM_NONE)
			number_below(t, m, sorted[k], stack);
	for (size_t k = 0; k < n && t->count < n; k++, pm_filemem_trim()) {
		if (m->image[sorted[k]].id)
			continue;
		number_below(t, m, cut_cycle(m, sorted[k], (uint32_t)k + 1), stack);
		t->cycles++;
	}
	number_rows(t, m);
	rc = 0;
out:
	pm_filemem_free(sorted);
	pm_filemem_free(stack);
	return rc;
}

int pm_lineage_build(struct pm_lineage *t, struct pm_images *m, struct pm_err *e)
{
	struct pm_chains w = { .m = m, .known = (uint32_t)m->images };
	int rc;

	memset(t, 0, sizeof *t);
	rc = pm_chains_build(&w, e);
	if (rc == 0)
		rc = pm_reaped_match(&w, e);
	if (rc == 0) {
		link_parents(&w);
		rc = number_images(t, m, e);
	}
	pm_chains_free(&w);
	if (rc < 0)
		return -1;
	return 0;
}

/* Sort the reaped records by waiting process. Returns 0 or -1 with e filled. */
static int sort_waits(struct pm_lineage *t, struct pm_images *m, struct pm_err *e)
{
	const struct pm_extsort order = { waiter_key, reaped_by_waiter, m };
	uint32_t *sorted = pm_filemem_calloc(m->reaped_count, sizeof sorted[0]);

	if (!sorted)
		return pm_err(e, "out of memory");
	for (size_t k = 0; k < m->reaped_count; k++)
		sorted[k] = (uint32_t)k;
	if (pm_extsort_sort(&order, sorted, m->reaped_count, e) < 0) {
		pm_filemem_free(sorted);
		return -1;
	}
	t->by_waiter = sorted;
	return 0;
}

void pm_lineage_free(struct pm_lineage *t)
{
	pm_filemem_free(t->order);
	pm_filemem_free(t->by_waiter);
	pm_filemem_free(t->child_at);
	pm_filemem_free(t->child);
	memset(t, 0, sizeof *t);
}

int pm_lineage_waited(struct pm_lineage *t, struct pm_images *m, uint32_t space, uint32_t ppid,
		      size_t *first, struct pm_err *e)
{
	size_t low = 0, high = m->reaped_count;

	if (!t->by_waiter && sort_waits(t, m, e) < 0)
		return -1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_reaped *x = &m->reaped[t->by_waiter[mid]];

		if (x->space < space || (x->space == space && x->ppid < ppid))
			low = mid + 1;
		else
			high = mid;
	}
	*first = low;
	return 0;
}
