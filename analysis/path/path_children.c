/* Which children a process waited for. */
#include "config.h"

#include "analysis/path/path_frame.h"

#include <stdlib.h>
#include <string.h>

/*
 * A process need not have waited from the start of a child to its end, but while that was on the
 * path it was idle for this share of the time at least, save so many microseconds: in random
 * programs (tests/unit/analysis/path.c) that judges best.
 */
#define IDLE_SHARE    (1.0 / 3)
#define IDLE_SLACK_US 10000

/* Times that the children of a process are chosen anew without one it did not wait for. */
#define TRIES 64

/* Processes that ended before a top-level one and may show that it is a daemon. */
#define STRAYS_TRIED 256

int pm_path_by_process(const void *a, const void *b, void *images)
{
	const struct pm_path_image *image = images;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_path_image *x = &image[i], *y = &image[k];

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->starttime != y->starttime)
		return x->starttime < y->starttime ? -1 : 1;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return i < k ? -1 : 1;
}

bool pm_path_same_process(const struct pm_path_image *x, const struct pm_path_image *y)
{
	return x->pid && x->pid == y->pid && x->host == y->host && x->starttime == y->starttime;
}

static int by_end(const void *a, const void *b)
{
	const struct pm_path_child *x = a, *y = b;

	if (x->end_us != y->end_us)
		return x->end_us < y->end_us ? -1 : 1;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

/* Gather the child processes of the images of a frame, or the top-level processes, by their end.
 * Returns 0, or -1 if out of memory. */
static int gather_children(struct pm_path_walk *w, struct pm_path_frame *f)
{
	const uint32_t top = (uint32_t)w->n, parents = f->images ? f->images : 1;
	size_t n = 0;

	for (uint32_t i = 0; i < parents; i++) {
		const uint32_t p = f->images ? f->image[i] : top;

		n += w->child_at[p + 1] - w->child_at[p];
	}
	f->children = 0;
	if (n == 0)
		return 0;
	f->order = malloc(n * sizeof *f->order);
	f->child = malloc(n * sizeof *f->child);
	if (!f->order || !f->child)
		return -1;
	n = 0;
	for (uint32_t i = 0; i < parents; i++) {
		const uint32_t p = f->images ? f->image[i] : top;
		const uint32_t count = w->child_at[p + 1] - w->child_at[p];

		memcpy(f->order + n, w->child + w->child_at[p], count * sizeof *f->order);
		n += count;
	}
	qsort_r(f->order, n, sizeof *f->order, pm_path_by_process, (void *)(uintptr_t)w->image);
	for (size_t i = 0; i < n; i++) {
		const struct pm_path_image *x = &w->image[f->order[i]];
		struct pm_path_child *c = f->children ? &f->child[f->children - 1] : NULL;

		if (c && pm_path_same_process(&w->image[f->order[c->first]], x)) {
			c->images++;
			c->unended = x->unended;
			if (x->end_us + f->shift_us > c->end_us)
				c->end_us = x->end_us + f->shift_us;
			continue;
		}
		f->child[f->children++] = (struct pm_path_child){
			.first = (uint32_t)i,
			.images = 1,
			.start_us = x->start_us + f->shift_us,
			.end_us = x->end_us + f->shift_us,
			.unended = x->unended,
		};
	}
	qsort(f->child, f->children, sizeof *f->child, by_end);
	return 0;
}

/* --- which children were waited for ------------------------------------------------------------
 */

/* The least time in which the process was busy. */
static int64_t busy_of(const struct pm_path_walk *w, const struct pm_path_frame *f)
{
	int64_t busy = 0;

	for (uint32_t i = 0; i < f->images && busy < PM_PATH_MOST; i++)
		busy += w->image[f->image[i]].busy_us > 0 ? w->image[f->image[i]].busy_us : 0;
	return busy;
}

/*
 * Move the shift of a task on another host, or recorded beside its launcher, so that it lies within
 * its launcher. Its clock is wrong by that much at least.
 */
static int64_t shift_of(const struct pm_path_frame *f, int64_t end_us,
			const struct pm_path_child *c)
{
	if (c->end_us > end_us)
		return end_us - c->end_us;
	if (c->start_us < f->from_us)
		return f->from_us - c->start_us;
	return 0;
}

/* A child of the frame on the path. */
static bool is_foreign(const struct pm_path_walk *w, const struct pm_path_frame *f,
		       const struct pm_path_child *c)
{
	return f->images > 0 && w->image[f->order[c->first]].foreign &&
	       !w->image[f->image[0]].foreign;
}

/*
 * Choose the children on the path, the last first, and write their places to `chosen`. Returns
 * their number; *left is what the path leaves to the process itself.
 */
static size_t choose_once(const struct pm_path_frame *f, uint32_t *chosen, int64_t *left)
{
	int64_t at = f->at_us;
	size_t count = 0;

	*left = 0;
	for (size_t k = f->children; k-- > 0 && at > f->from_us;) {
		const struct pm_path_child *c = &f->child[k];

		if (c->background || c->end_us > at || c->end_us <= f->from_us ||
		    c->start_us >= c->end_us)
			continue;
		chosen[count++] = (uint32_t)k;
		*left += at - c->end_us;
		at = c->start_us > f->from_us ? c->start_us : f->from_us;
	}
	*left += at - f->from_us;
	return count;
}

/* The child that the process, which was too busy for children that long on the path by the excess,
 * most likely did not wait for: the shortest one that explains it, else the longest. */
static struct pm_path_child *find_background(const struct pm_path_frame *f, const uint32_t *chosen,
					     size_t n, int64_t excess)
{
	struct pm_path_child *best = NULL;

	for (size_t i = 0; i < n; i++) {
		struct pm_path_child *c = &f->child[chosen[i]];
		const int64_t span = c->end_us - c->start_us;
		const int64_t is = best ? best->end_us - best->start_us : 0;

		if (!best || (is < excess ? span > is : span >= excess && span < is))
			best = c;
	}
	return best;
}

/*
 * Whether a top-level process is a daemon of which no record tells the parent: in a session of its
 * own it began while an earlier process ran, and outlived it.
 */
static bool is_stray(const struct pm_path_walk *w, const struct pm_path_frame *f, size_t place)
{
	const struct pm_path_child *c = &f->child[place];
	const struct pm_path_image *x = &w->image[f->order[c->first]];

	if (x->rank || !x->sid)
		return false;
	for (size_t k = place; k > 0 && place - k < STRAYS_TRIED; k--) {
		const struct pm_path_child *other = &f->child[k - 1];
		const struct pm_path_image *y = &w->image[f->order[other->first]];

		if (other->end_us <= c->start_us)
			break;
		if (other->start_us < c->start_us && y->sid && y->sid != x->sid &&
		    y->host == x->host && !y->rank)
			return true;
	}
	return false;
}

/* Mark the daemons among the top-level processes that the path would take. */
static void mark_strays(const struct pm_path_walk *w, struct pm_path_frame *f, uint32_t *chosen)
{
	int64_t left;

	for (int tries = 0; tries < TRIES; tries++) {
		const size_t n = choose_once(f, chosen, &left);
		bool any = false;

		for (size_t i = 0; i < n && !any; i++)
			if (is_stray(w, f, chosen[i]))
				any = f->child[chosen[i]].background = true;
		if (!any)
			return;
	}
}

/*
 * Mark the children whose end is not known: a process that waits records the end of its child. One
 * that was killed, or that runs, may have waited without a record.
 */
static void mark_unended(const struct pm_path_walk *w, struct pm_path_frame *f)
{
	const struct pm_path_image *last = f->images ? &w->image[f->image[f->images - 1]] : NULL;

	for (size_t k = 0; k < f->children && last && !last->running && !last->unended; k++)
		f->child[k].background = f->child[k].background || f->child[k].unended;
}

int pm_path_choose(struct pm_path_walk *w, struct pm_path_frame *f)
{
	const int64_t end = f->at_us, busy = busy_of(w, f);
	uint32_t *chosen;
	int64_t left;
	size_t n;

	if (gather_children(w, f) < 0)
		return -1;
	if (f->children == 0)
		return 0;
	for (size_t k = 0; k < f->children; k++) {
		struct pm_path_child *c = &f->child[k];
		const int64_t shift = is_foreign(w, f, c) ? shift_of(f, end, c) : 0;

		c->start_us += shift;
		c->end_us += shift;
		w->path->shifted += shift != 0;
	}
	qsort(f->child, f->children, sizeof *f->child, by_end);
	chosen = malloc(f->children * sizeof *chosen);
	if (!chosen)
		return -1;
	mark_unended(w, f);
	if (f->images == 0)
		mark_strays(w, f, chosen);
	n = choose_once(f, chosen, &left);
	for (int tries = 0; tries < TRIES && n > 0; tries++) {
		const int64_t life = end - f->from_us, idle = life > busy ? life - busy : 0;
		const int64_t most = (int64_t)((double)idle / IDLE_SHARE) + IDLE_SLACK_US;

		if (life - left <= most)
			break;
		find_background(f, chosen, n, life - left - most)->background = true;
		w->path->background++;
		n = choose_once(f, chosen, &left);
	}
	/* Places rise from the last chosen to the first. */
	for (size_t i = 0; i < n; i++)
		f->child[i] = f->child[chosen[n - 1 - i]];
	f->children = n;
	free(chosen);
	return 0;
}
