/* Walk the processes of a job backwards along the waits that decided its wall time. */
#include "config.h"

#include "analysis/path/path_frame.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

/* --- children -----------------------------------------------------------------------------------
 */

static bool is_usable(const struct pm_path_image *x)
{
	return x->end_us != PM_PATH_UNKNOWN && x->start_us != PM_PATH_UNKNOWN;
}

/* List the children of each image. Returns 0, or -1 if out of memory. */
static int list_children(struct pm_path_walk *w)
{
	const size_t n = w->n;

	w->child_at = calloc(n + 3, sizeof *w->child_at);
	w->child = calloc(n + 1, sizeof *w->child);
	if (!w->child_at || !w->child)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const uint32_t p = w->image[i].parent;

		if (is_usable(&w->image[i]))
			w->child_at[(p == PM_PATH_NONE ? n : p) + 2]++;
	}
	for (size_t i = 2; i < n + 3; i++)
		w->child_at[i] += w->child_at[i - 1];
	for (size_t i = 0; i < n; i++) {
		const uint32_t p = w->image[i].parent;

		if (is_usable(&w->image[i]))
			w->child[w->child_at[(p == PM_PATH_NONE ? n : p) + 1]++] = (uint32_t)i;
	}
	return 0;
}

/* --- the walk ----------------------------------------------------------------------------------
 */

static void free_frame(struct pm_path_frame *f)
{
	free(f->image);
	free(f->child);
	free(f->order);
}

/* Enter a process that the walk reaches at its end. Returns 0, or -1 if out of memory. */
static int enter(struct pm_path_walk *w, uint32_t *image, uint32_t images, int64_t from_us,
		 int64_t at_us, int64_t shift_us)
{
	struct pm_path_frame f = { .image = image,
				   .images = images,
				   .from_us = from_us,
				   .at_us = at_us,
				   .shift_us = shift_us };

	if (pm_path_choose(w, &f) < 0 || !PM_GROW(w->frame, w->frames, w->room, 16)) {
		free_frame(&f);
		return -1;
	}
	w->frame[w->frames++] = f;
	return 0;
}

/* Add a step in front of the others: steps are gathered backwards. Returns 0, or -1 if out of
 * memory. */
static int add_step(struct pm_path *p, uint32_t image, int64_t from_us, int64_t to_us)
{
	if (from_us >= to_us)
		return 0;
	if (p->steps > 0 && p->step[p->steps - 1].image == image) {
		p->step[p->steps - 1].from_us = from_us;
		return 0;
	}
	if (!PM_GROW(p->step, p->steps, p->room, 64))
		return -1;
	p->step[p->steps++] = (struct pm_path_step){ image, from_us, to_us };
	return 0;
}

/* Add the time back to `to_us` as the process's own, by its images: from the end of one to the
 * start of the next one it loaded that. Returns 0, or -1 if out of memory. */
static int add_own(struct pm_path_walk *w, struct pm_path_frame *f, int64_t to_us)
{
	uint32_t k = f->images;

	if (k == 0) {
		if (add_step(w->path, PM_PATH_NONE, to_us, f->at_us) < 0)
			return -1;
		f->at_us = to_us;
		return 0;
	}
	while (f->at_us > to_us) {
		int64_t from = to_us, before;

		k--;
		before = k > 0 ? w->image[f->image[k - 1]].end_us + f->shift_us : INT64_MIN;
		if (k > 0 && before >= f->at_us)
			continue;
		if (before > from)
			from = before;
		if (add_step(w->path, f->image[k], from, f->at_us) < 0)
			return -1;
		f->at_us = from;
	}
	return 0;
}

/* Go on in the innermost frame: to its next child, or out of it. Returns 0, or -1 if out of memory.
 */
static int advance(struct pm_path_walk *w)
{
	struct pm_path_frame *f = &w->frame[w->frames - 1];
	const struct pm_path_child *c;
	uint32_t *image;
	int64_t from, to, shift;

	if (f->children == 0) {
		const int64_t start = f->from_us;
		int rc = add_own(w, f, start);

		free_frame(f);
		w->frames--;
		return rc;
	}
	c = &f->child[--f->children];
	if (add_own(w, f, c->end_us) < 0)
		return -1;
	from = c->start_us > f->from_us ? c->start_us : f->from_us;
	to = c->end_us;
	image = malloc(c->images * sizeof *image);
	if (!image)
		return -1;
	memcpy(image, f->order + c->first, c->images * sizeof *image);
	for (uint32_t i = 0; i < c->images; i++)
		w->path->unended += w->image[image[i]].unended;
	shift = c->start_us - w->image[image[0]].start_us;
	f->at_us = from;
	return enter(w, image, c->images, from, to, shift);
}

static void reverse(struct pm_path_step *step, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		const struct pm_path_step last = step[n - 1 - i];

		step[n - 1 - i] = step[i];
		step[i] = last;
	}
}

/* Forget times that cannot be meant. */
static void drop_odd(struct pm_path_image *x)
{
	if (x->start_us < -PM_PATH_MOST || x->start_us > PM_PATH_MOST)
		x->start_us = PM_PATH_UNKNOWN;
	if (x->end_us < -PM_PATH_MOST || x->end_us > PM_PATH_MOST)
		x->end_us = PM_PATH_UNKNOWN;
	if (x->busy_us < 0 || x->busy_us > PM_PATH_MOST)
		x->busy_us = 0;
}

int pm_path_find(struct pm_path *p, struct pm_path_image *image, size_t n, int64_t start_us,
		 int64_t end_us, struct pm_err *e)
{
	struct pm_path_walk w = { .image = image, .n = n, .path = p };
	int rc;

	memset(p, 0, sizeof *p);
	if (n >= PM_PATH_NONE - 3)
		return pm_err(e, "critical path: too many processes");
	if (start_us < -PM_PATH_MOST || end_us > PM_PATH_MOST)
		return 0;
	for (size_t i = 0; i < n; i++)
		drop_odd(&image[i]);
	pm_path_complete(image, n, end_us);
	if (pm_path_attach(image, n, e) < 0)
		return -1;
	rc = list_children(&w);
	if (rc == 0)
		rc = enter(&w, NULL, 0, start_us, end_us, 0);
	while (rc == 0 && w.frames > 0)
		rc = advance(&w);
	while (w.frames > 0)
		free_frame(&w.frame[--w.frames]);
	free(w.frame);
	free(w.child_at);
	free(w.child);
	if (rc < 0)
		return pm_err(e, "critical path: out of memory");
	reverse(p->step, p->steps);
	return 0;
}

void pm_path_free(struct pm_path *p)
{
	free(p->step);
	memset(p, 0, sizeof *p);
}
