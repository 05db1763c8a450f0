/* Chain the images of each process in the order of its execs. */
#include "config.h"

#include "submit/tree/chains.h"

#include "submit/memory/extsort.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>

int pm_chains_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_process(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_image *x = &m->image[i], *y = &m->image[k];
	int c = pm_chains_compare(x->space, y->space);

	pm_filemem_trim();
	if (c == 0)
		c = pm_chains_compare(x->pid, y->pid);
	if (c == 0)
		c = pm_chains_compare(x->starttime, y->starttime);
	if (c == 0)
		c = pm_chains_compare(x->image_us, y->image_us);
	return c ? c : pm_chains_compare(i, k);
}

static void process_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct pm_images *m = ctx;
	const struct pm_image *x = &m->image[i];

	key[0] = pm_chains_pid(x->space, x->pid);
	key[1] = pm_extsort_signed(x->starttime);
}

/* Whether image x follows image y in the same process. Without a start time, an image that ended
 * without an exec was the last of its process. */
static int same_process(const struct pm_image *x, const struct pm_image *y)
{
	return x->space == y->space && x->pid == y->pid && x->starttime == y->starttime &&
	       (x->starttime >= 0 || !y->end || y->flags & PM_IMAGE_EXEC);
}

int pm_chains_build(struct pm_chains *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	const struct pm_extsort order = { process_key, by_process, m };
	size_t head = 0;

	pm_chains_free(w);
	w->pid = pm_filemem_calloc(m->images, sizeof w->pid[0]);
	w->sorted = pm_filemem_calloc(m->images, sizeof w->sorted[0]);
	w->last = pm_filemem_calloc(m->images, sizeof w->last[0]);
	w->place = pm_filemem_calloc(m->images, sizeof w->place[0]);
	if (!w->pid || !w->sorted || !w->last || !w->place)
		return pm_err(e, "out of memory");
	w->count = 0;
	for (size_t i = 0; i < m->images; i++) {
		pm_filemem_trim();
		w->place[i] = PM_NONE;
		if (m->image[i].image_us != PM_NO_TIME)
			w->sorted[w->count++] = (uint32_t)i;
	}
	if (pm_extsort_sort(&order, w->sorted, w->count, e) < 0)
		return -1;
	for (size_t k = 0; k < w->count; k++) {
		struct pm_image *i = &m->image[w->sorted[k]];

		pm_filemem_trim();
		w->pid[k] = pm_chains_pid(i->space, i->pid);
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

int pm_chains_add(struct pm_chains *w, size_t first, struct pm_err *e)
{
	struct pm_images *m = w->m;
	void *place;

	for (size_t i = first; i < m->images; i++, pm_filemem_trim())
		if (m->image[i].image_us != PM_NO_TIME)
			return pm_chains_build(w, e);
	place = pm_filemem_realloc(w->place, m->images * sizeof w->place[0]);
	if (!place)
		return pm_err(e, "out of memory");
	w->place = place;
	for (size_t i = first; i < m->images; i++)
		w->place[i] = PM_NONE;
	return 0;
}

uint32_t pm_chains_last(const struct pm_chains *w, uint32_t i)
{
	uint32_t head = w->place[i] - w->m->image[i].generation;

	return w->sorted[w->last[head]];
}

uint32_t pm_chains_first(const struct pm_chains *w, uint32_t i)
{
	return w->sorted[w->place[i] - w->m->image[i].generation];
}

uint32_t pm_chains_at(const struct pm_chains *w, uint32_t space, uint32_t pid, int64_t time)
{
	size_t first = pm_chains_find(w, space, pid), low = first, high;

	high = pm_chains_end(w, first, space, pid);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->m->image[w->sorted[mid]].image_us <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low > first ? pm_chains_first(w, w->sorted[low - 1]) : PM_NONE;
}

void pm_chains_reaped(struct pm_chains *w, uint32_t i, struct pm_reaped *x)
{
	struct pm_image *last = &w->m->image[i];

	if (!pm_images_may_tell(w->m, x->guest, i)) {
		x->aside = true;
		return;
	}
	if (last->flags & PM_IMAGE_EXEC) {
		x->before = i;
		return;
	}
	last->reaped = x->record;
	if (last->end_us == PM_NO_TIME)
		last->end_us = x->end_us;
	x->image = i;
}

/* First index in [low, high) whose pid is >= `pid`; high if there is none. */
static size_t lower_bound(const struct pm_chains *w, size_t low, size_t high, uint64_t pid)
{
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->pid[mid] < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t pm_chains_find(const struct pm_chains *w, uint32_t space, uint32_t pid)
{
	return lower_bound(w, 0, w->count, pm_chains_pid(space, pid));
}

size_t pm_chains_end(const struct pm_chains *w, size_t first, uint32_t space, uint32_t pid)
{
	uint64_t next = pm_chains_pid(space, pid) + 1;
	size_t step = 1;

	/* Gallop: a pid usually has few images. */
	while (step < w->count - first && w->pid[first + step - 1] < next)
		step *= 2;
	return lower_bound(w, first + step / 2, step < w->count - first ? first + step : w->count,
			   next);
}

void pm_chains_free(struct pm_chains *w)
{
	pm_filemem_free(w->pid);
	pm_filemem_free(w->sorted);
	pm_filemem_free(w->last);
	pm_filemem_free(w->place);
	w->pid = NULL;
	w->sorted = w->last = w->place = NULL;
}
