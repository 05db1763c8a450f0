/*
 * The process tree. Everything is sorting and walking sorted arrays, so that cost grows with n log
 * n whatever the input: pids may repeat, clocks may step, links may lead in circles.
 */
#include "config.h"

#include "submit/lineage.h"

#include <stdlib.h>
#include <string.h>

struct work {
	struct pm_images *m;
	uint32_t *sorted; /* images of known start by (space, pid, starttime, image_us) */
	size_t count;
	uint32_t *last;  /* per place in sorted that begins a process: place of its last image */
	uint32_t *place; /* per image: its place in sorted, PM_NONE for one of unknown start */
	uint32_t known;  /* images before reaped records added more */
};

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_process(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	const struct pm_image *x = &m->image[*(const uint32_t *)a];
	const struct pm_image *y = &m->image[*(const uint32_t *)b];
	int c = compare(x->space, y->space);

	if (c == 0)
		c = compare(x->pid, y->pid);
	if (c == 0)
		c = compare(x->starttime, y->starttime);
	return c ? c : compare(x->image_us, y->image_us);
}

static int reaped_by_process(const void *a, const void *b)
{
	const struct pm_reaped *x = a, *y = b;
	int c = compare(x->space, y->space);

	if (c == 0)
		c = compare(x->pid, y->pid);
	if (c == 0)
		c = compare(x->end_us, y->end_us);
	return c ? c : compare(x->ppid, y->ppid);
}

static int reaped_by_waiter(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	const struct pm_reaped *x = &m->reaped[*(const uint32_t *)a];
	const struct pm_reaped *y = &m->reaped[*(const uint32_t *)b];
	int c = compare(x->space, y->space);

	if (c == 0)
		c = compare(x->ppid, y->ppid);
	if (c == 0)
		c = compare(x->end_us, y->end_us);
	return c ? c : compare(x->pid, y->pid);
}

/* When an image began, as near as is known. */
static int64_t start_of(const struct pm_image *i)
{
	return i->image_us != PM_NO_TIME ? i->image_us : i->end_us;
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_image *x = &m->image[i], *y = &m->image[k];
	int c = compare(m->space[x->space].host, m->space[y->space].host);

	if (c == 0)
		c = compare(start_of(x), start_of(y));
	/* Equal times too are in an order of their own, whatever file came first. */
	if (c == 0)
		c = compare(m->space[x->space].pid_ns, m->space[y->space].pid_ns);
	if (c == 0)
		c = compare(x->pid, y->pid);
	if (c == 0)
		c = compare(x->generation, y->generation);
	return c ? c : compare(i, k);
}

static void *array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

static int same_process(const struct pm_image *x, const struct pm_image *y)
{
	return x->space == y->space && x->pid == y->pid && x->starttime == y->starttime;
}

/* Sort the images of known start, chain those of one process and number them. */
static int chain(struct work *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	size_t head = 0;

	free(w->sorted);
	free(w->last);
	free(w->place);
	w->sorted = array(m->images, sizeof w->sorted[0]);
	w->last = array(m->images, sizeof w->last[0]);
	w->place = array(m->images, sizeof w->place[0]);
	if (!w->sorted || !w->last || !w->place)
		return pm_err(e, "out of memory");
	w->count = 0;
	for (size_t i = 0; i < m->images; i++) {
		w->place[i] = PM_NONE;
		if (m->image[i].image_us != PM_NO_TIME)
			w->sorted[w->count++] = (uint32_t)i;
	}
	qsort_r(w->sorted, w->count, sizeof w->sorted[0], by_process, m);
	for (size_t k = 0; k < w->count; k++) {
		struct pm_image *i = &m->image[w->sorted[k]];

		w->place[w->sorted[k]] = (uint32_t)k;
		i->previous = PM_NONE;
		i->generation = 0;
		if (k > 0 && same_process(i, &m->image[w->sorted[k - 1]])) {
			i->previous = w->sorted[k - 1];
			i->generation = m->image[i->previous].generation + 1;
		} else {
			head = k;
		}
		w->last[head] = (uint32_t)k;
	}
	return 0;
}

/* Last image of the process an image belongs to. */
static uint32_t last_image(const struct work *w, uint32_t i)
{
	uint32_t head = w->place[i] - w->m->image[i].generation;

	return w->sorted[w->last[head]];
}

/* First place in sorted whose (space, pid) is not less. */
static size_t lower_bound(const struct work *w, uint32_t space, uint32_t pid)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_image *i = &w->m->image[w->sorted[mid]];

		if (i->space < space || (i->space == space && i->pid < pid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* An image known by its reaped record alone: of its own, or what came after an exec whose
 * program was not recorded. */
static int add_unseen(struct work *w, const struct pm_reaped *x, uint32_t before, struct pm_err *e)
{
	uint32_t i = pm_images_new(w->m, e);
	struct pm_image *image;

	if (i == PM_NONE)
		return -1;
	image = &w->m->image[i];
	image->space = x->space;
	image->pid = x->pid;
	image->ppid = x->ppid;
	image->end_us = x->end_us;
	image->reaped = x->record;
	image->flags = PM_IMAGE_REAPED_ONLY;
	if (before != PM_NONE) {
		const struct pm_image *b = &w->m->image[before];

		image->starttime = b->starttime;
		image->ppid = b->ppid ? b->ppid : x->ppid;
		/* It began when the one before it ended; never before it by the clock. */
		image->image_us = b->end_us != PM_NO_TIME && b->end_us > b->image_us
					  ? b->end_us
					  : b->image_us + 1;
	}
	return 0;
}

/*
 * 1 when a reaped record can be that of an image that is the latest of its pid: a wait by
 * somebody other than its parent, with a status other than its own, is about an unseen process
 * that got the same pid.
 */
static int plausible(struct work *w, const struct pm_image *last, const struct pm_reaped *x,
		     struct pm_err *e)
{
	struct pm_store_item one = { 0 }, two = { 0 };
	struct pm_record end, reaped;
	int rc;

	if (last->ppid == 0 || last->ppid == x->ppid || !last->end)
		return 1;
	rc = pm_images_read(w->m, last->end, &end, &one, e);
	if (rc == 0)
		rc = pm_images_read(w->m, x->record, &reaped, &two, e);
	if (rc == 0)
		rc = pm_record_get(&end, PM_COL_exitcode, -1) ==
		     pm_record_get(&reaped, PM_COL_exitcode, -2);
	pm_store_item_free(&one);
	pm_store_item_free(&two);
	return rc;
}

/*
 * 1 when two reaped records of one pid are about the same end: a tracer (strace, gdb) is told of
 * the end of its tracee before the parent is. Times and context switches may still grow a little
 * in between, what the process did cannot.
 */
static int same_end(struct work *w, const struct pm_reaped *x, const struct pm_reaped *y,
		    struct pm_err *e)
{
	struct pm_store_item one = { 0 }, two = { 0 };
	struct pm_record a, b;
	int rc;

	if (x->space != y->space || x->pid != y->pid || x->ppid == y->ppid)
		return 0;
	rc = pm_images_read(w->m, x->record, &a, &one, e);
	if (rc == 0)
		rc = pm_images_read(w->m, y->record, &b, &two, e);
	if (rc == 0) {
		static const enum pm_column settled[] = {
			PM_COL_exitcode, PM_COL_exitsignal, PM_COL_minflt, PM_COL_majflt,
			PM_COL_inblock,  PM_COL_outblock,   PM_COL_rssmax,
		};

		rc = 1;
		for (size_t c = 0; c < sizeof settled / sizeof settled[0] && rc; c++)
			rc = pm_record_get(&a, settled[c], -1) == pm_record_get(&b, settled[c], -1);
	}
	pm_store_item_free(&one);
	pm_store_item_free(&two);
	return rc;
}

/* Give every reaped record to the image it is about. */
static int match(struct work *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	size_t at = 0, unseen = 0;
	uint32_t best = PM_NONE, done = PM_NONE;

	if (m->reaped_count > 0) /* NULL is no array, not even an empty one */
		qsort(m->reaped, m->reaped_count, sizeof m->reaped[0], reaped_by_process);
	for (size_t k = 0; k < m->reaped_count; k++) {
		struct pm_reaped *x = &m->reaped[k];
		uint32_t last;
		int fits;

		fits = k > 0 ? same_end(w, &x[-1], x, e) : 0;
		if (fits < 0)
			return -1;
		if (fits) {
			/* The parent's is the later one and the more complete. */
			struct pm_image *image = &m->image[x[-1].image];

			image->reaped = x->record;
			if (image->flags & PM_IMAGE_REAPED_ONLY && image->ppid == x[-1].ppid)
				image->ppid = x->ppid;
			x->image = x[-1].image;
			x[-1].ppid = 0;
			continue;
		}
		if (k == 0 || x[-1].space != x->space || x[-1].pid != x->pid) {
			at = lower_bound(w, x->space, x->pid);
			best = done = PM_NONE;
		}
		for (; at < w->count; at++) {
			const struct pm_image *i = &m->image[w->sorted[at]];

			if (i->space != x->space || i->pid != x->pid || i->image_us > x->end_us)
				break;
			best = w->sorted[at];
		}
		last = best == PM_NONE ? PM_NONE : last_image(w, best);
		fits = last != PM_NONE && last != done;
		if (fits)
			fits = plausible(w, &m->image[last], x, e);
		if (fits < 0)
			return -1;
		if (fits) {
			done = last;
			if (!(m->image[last].flags & PM_IMAGE_EXEC)) {
				m->image[last].reaped = x->record;
				if (m->image[last].end_us == PM_NO_TIME)
					m->image[last].end_us = x->end_us;
				x->image = last;
				continue;
			}
		}
		if (add_unseen(w, x, fits ? last : PM_NONE, e) < 0)
			return -1;
		x->image = (uint32_t)m->images - 1;
		unseen++;
	}
	return unseen ? chain(w, e) : 0;
}

/* When a process is known to have been gone, or PM_NO_TIME. */
static int64_t gone_by(const struct work *w, uint32_t i)
{
	const struct pm_image *last = &w->m->image[last_image(w, i)];

	return last->reaped ? last->end_us : PM_NO_TIME;
}

/* Among the images known by their reaped record alone, the first of a pid that ended at or after
 * a time. They were added in the order of (space, pid, end_us). */
static uint32_t find_unseen(const struct work *w, uint32_t space, uint32_t pid, int64_t time)
{
	size_t low = w->known, high = w->m->images;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_image *i = &w->m->image[mid];
		int c = compare(i->space, space);

		if (c == 0)
			c = compare(i->pid, pid);
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

/* The image that started a process whose first image is `i`. */
static uint32_t find_parent(const struct work *w, uint32_t i)
{
	const struct pm_image *child = &w->m->image[i];
	int64_t time = start_of(child), gone;
	uint32_t found = PM_NONE, unseen;
	size_t low, high, first;

	if (child->ppid == 0 || child->ppid == child->pid)
		return PM_NONE;
	low = first = lower_bound(w, child->space, child->ppid);
	high = lower_bound(w, child->space, child->ppid + 1);
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_image *p = &w->m->image[w->sorted[mid]];

		/* Of two that start in one microsecond the ticks decide. */
		if (p->image_us <= time &&
		    (p->starttime <= child->starttime || child->starttime < 0))
			low = mid + 1;
		else
			high = mid;
	}
	if (low > first)
		found = w->sorted[low - 1];
	if (found != PM_NONE) {
		gone = gone_by(w, found);
		if (gone != PM_NO_TIME && gone < time)
			found = PM_NONE;
	}
	if (found != PM_NONE)
		return found;
	unseen = find_unseen(w, child->space, child->ppid, time);
	return unseen == i ? PM_NONE : unseen;
}

/* Every image gets the parent of the first image of its process, excluded ones aside. */
static void link_parents(struct work *w)
{
	struct pm_images *m = w->m;

	for (size_t k = 0; k < w->count; k++) {
		struct pm_image *i = &m->image[w->sorted[k]];

		if (i->previous == PM_NONE)
			i->parent = find_parent(w, w->sorted[k]);
		else
			i->parent = m->image[i->previous].parent;
	}
	for (size_t i = w->known; i < m->images; i++)
		if (m->image[i].image_us == PM_NO_TIME)
			m->image[i].parent = find_parent(w, (uint32_t)i);
	/* What an excluded program starts is below the program that it took the place of. */
	for (size_t k = 0; k < w->count; k++) {
		struct pm_image *i = &m->image[w->sorted[k]];

		if (i->flags & PM_IMAGE_EXCLUDED && i->previous != PM_NONE)
			i->parent = i->previous;
	}
}

/* Find the circle above an image and cut it at its earliest image. */
static uint32_t cut_cycle(struct pm_images *m, uint32_t i, uint32_t mark)
{
	uint32_t best;

	/* depth is not in use yet: it marks what this walk has passed. */
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

/* Number an image and everything below it, depth first. */
static void number_below(struct pm_lineage *t, struct pm_images *m, uint32_t root, uint32_t *stack)
{
	size_t top = 0;

	stack[top++] = root;
	while (top > 0) {
		uint32_t i = stack[--top];

		t->order[t->count++] = i;
		m->image[i].id = 1; /* passed */
		for (uint32_t k = t->child_at[i + 1]; k > t->child_at[i]; k--) {
			uint32_t c = t->child[k - 1];

			/* A cut link still has its entry here. */
			if (m->image[c].parent == i && !m->image[c].id)
				stack[top++] = c;
		}
	}
}

/* Excluded programs get no row: what is below them is below the next image above that has one. */
static void give_rows(struct pm_lineage *t, struct pm_images *m)
{
	uint32_t rows = 0;

	for (uint32_t k = 0; k < t->count; k++) {
		struct pm_image *i = &m->image[t->order[k]];
		uint32_t p = i->parent;

		i->above = p != PM_NONE && m->image[p].flags & PM_IMAGE_EXCLUDED ? m->image[p].above
										 : p;
		i->depth = i->above == PM_NONE ? 0 : m->image[i->above].depth + 1;
		i->id = i->flags & PM_IMAGE_EXCLUDED ? 0 : ++rows;
	}
}

static int number(struct pm_lineage *t, struct pm_images *m, struct pm_err *e)
{
	size_t n = m->images;
	uint32_t *sorted = array(n, sizeof sorted[0]), *stack = array(n, sizeof stack[0]);
	int rc = -1;

	t->order = array(n, sizeof t->order[0]);
	t->child = array(n, sizeof t->child[0]);
	t->child_at = array(n + 2, sizeof t->child_at[0]);
	if (!sorted || !stack || !t->order || !t->child || !t->child_at) {
		pm_err(e, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		sorted[i] = (uint32_t)i;
		m->image[i].depth = 0;
		m->image[i].id = 0;
		if (m->image[i].parent != PM_NONE)
			t->child_at[m->image[i].parent + 2]++;
	}
	qsort_r(sorted, n, sizeof sorted[0], by_time, m);
	for (size_t i = 2; i < n + 2; i++)
		t->child_at[i] += t->child_at[i - 1];
	for (size_t k = 0; k < n; k++) {
		uint32_t p = m->image[sorted[k]].parent;

		if (p != PM_NONE)
			t->child[t->child_at[p + 1]++] = sorted[k];
	}
	for (size_t k = 0; k < n; k++)
		if (m->image[sorted[k]].parent == PM_NONE)
			number_below(t, m, sorted[k], stack);
	for (size_t k = 0; k < n && t->count < n; k++) {
		if (m->image[sorted[k]].id)
			continue;
		number_below(t, m, cut_cycle(m, sorted[k], (uint32_t)k + 1), stack);
		t->cycles++;
	}
	give_rows(t, m);
	rc = 0;
out:
	free(sorted);
	free(stack);
	return rc;
}

int pm_lineage_build(struct pm_lineage *t, struct pm_images *m, struct pm_err *e)
{
	struct work w = { .m = m, .known = (uint32_t)m->images };
	int rc;

	memset(t, 0, sizeof *t);
	rc = chain(&w, e);
	if (rc == 0)
		rc = match(&w, e);
	if (rc == 0) {
		link_parents(&w);
		rc = number(t, m, e);
	}
	free(w.sorted);
	free(w.last);
	free(w.place);
	if (rc < 0)
		return -1;
	t->by_waiter = array(m->reaped_count, sizeof t->by_waiter[0]);
	if (!t->by_waiter)
		return pm_err(e, "out of memory");
	for (size_t k = 0; k < m->reaped_count; k++)
		t->by_waiter[k] = (uint32_t)k;
	qsort_r(t->by_waiter, m->reaped_count, sizeof t->by_waiter[0], reaped_by_waiter, m);
	return 0;
}

void pm_lineage_free(struct pm_lineage *t)
{
	free(t->order);
	free(t->by_waiter);
	free(t->child_at);
	free(t->child);
	memset(t, 0, sizeof *t);
}

size_t pm_lineage_waited(const struct pm_lineage *t, const struct pm_images *m, uint32_t space,
			 uint32_t ppid)
{
	size_t low = 0, high = m->reaped_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_reaped *x = &m->reaped[t->by_waiter[mid]];

		if (x->space < space || (x->space == space && x->ppid < ppid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
