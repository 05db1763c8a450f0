/* Match reaped records to images: to the latest image of the pid if it is plausible. */
#include "config.h"

#include "submit/tree/reaped.h"

#include "submit/memory/extsort.h"
#include "submit/memory/filemem.h"
#include "submit/tree/reaped_guess.h"

#include <stdlib.h>

/* Maximum number of ancestors to examine. */
#define GENERATIONS 256

/* TRACER_US: longest delay from a tracer's wait to the wait of a parent not known by other means.
 * CPU_AFTER_END_US: CPU time that the kernel may charge in between. */
#define TRACER_US        1000000
#define CPU_AFTER_END_US 10000

static int reaped_by_process(const void *a, const void *b, void *ctx)
{
	const struct pm_reaped *reaped = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_reaped *x = &reaped[i], *y = &reaped[k];
	int c = pm_chains_compare(x->space, y->space);

	pm_filemem_trim();
	if (c == 0)
		c = pm_chains_compare(x->pid, y->pid);
	if (c == 0)
		c = pm_chains_compare(x->end_us, y->end_us);
	if (c == 0)
		c = pm_chains_compare(x->ppid, y->ppid);
	return c ? c : pm_chains_compare(i, k);
}

static void process_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct pm_reaped *reaped = ctx;

	key[0] = pm_chains_pid(reaped[i].space, reaped[i].pid);
	key[1] = pm_extsort_signed(reaped[i].end_us);
}

/* Sort the reaped records by process: first an index, then the records in place, since there may be
 * more of them than memory. Returns 0 or -1 with e filled. */
static int sort_reaped(struct pm_images *m, struct pm_err *e)
{
	const struct pm_extsort by_process = { process_key, reaped_by_process, m->reaped };
	size_t n = m->reaped_count;
	uint32_t *order = pm_filemem_calloc(n, sizeof order[0]);

	if (!order)
		return pm_err(e, "out of memory");
	for (size_t k = 0; k < n; k++)
		order[k] = (uint32_t)k;
	if (pm_extsort_sort(&by_process, order, n, e) < 0) {
		pm_filemem_free(order);
		return -1;
	}
	/* Permute cycle by cycle: the record for place k comes from order[k]. */
	for (size_t k = 0; k < n; k++) {
		struct pm_reaped first = m->reaped[k];
		size_t to = k;

		while (order[to] != k) {
			size_t from = order[to];

			pm_filemem_trim();
			m->reaped[to] = m->reaped[from];
			order[to] = (uint32_t)to;
			to = from;
		}
		m->reaped[to] = first;
		order[to] = (uint32_t)to;
	}
	pm_filemem_free(order);
	return 0;
}

static bool is_sorted(const struct pm_images *m)
{
	for (uint32_t k = 1; k < m->reaped_count; k++) {
		uint32_t before = k - 1;

		if (reaped_by_process(&before, &k, m->reaped) > 0)
			return false;
	}
	return true;
}

/* Until when the pid in record k belonged to another process, or PM_NO_TIME: records of one pid are
 * adjacent. */
static int64_t another_until(const struct pm_chains *w, size_t k)
{
	const struct pm_reaped *x = &w->m->reaped[k];
	uint32_t before = pm_chains_at(w, x->space, x->pid, x->end_us);
	int64_t until = PM_NO_TIME;

	while (k > 0 && w->m->reaped[k - 1].aside)
		k--;
	if (k > 0 && w->m->reaped[k - 1].space == x->space && w->m->reaped[k - 1].pid == x->pid)
		until = w->m->reaped[k - 1].end_us;
	if (before != PM_NONE) {
		const struct pm_image *last = &w->m->image[pm_chains_last(w, before)];
		int64_t end_us = last->end_us != PM_NO_TIME ? last->end_us : last->image_us;

		until = end_us > until ? end_us : until;
	}
	return until;
}

/* Add an image known from its reaped record alone: a process of its own, or the successor after an
 * exec whose program was not recorded. Returns 0 or -1 with e filled. */
static int add_unseen(struct pm_chains *w, size_t k, struct pm_err *e)
{
	struct pm_reaped *x = &w->m->reaped[k];
	uint32_t i = pm_images_new(w->m, e);
	struct pm_image *image;

	if (i == PM_NONE)
		return -1;
	x->image = i;
	image = &w->m->image[i];
	image->space = image->parent_space = x->space;
	image->pid = x->pid;
	image->ppid = x->ppid;
	image->end_us = x->end_us;
	image->reaped = x->record;
	image->flags = PM_IMAGE_REAPED_ONLY;
	image->last_us = another_until(w, k);
	if (x->before != PM_NONE) {
		const struct pm_image *b = &w->m->image[x->before];

		/* The pid inside a process's own namespace differs from the pid its parent sees. */
		image->space = b->space;
		image->pid = b->pid;
		image->starttime = b->starttime;
		image->parent_space = b->parent_space;
		image->ppid = b->ppid ? b->ppid : x->ppid;
		/* The image began when the one before it ended, and never before that one by the
		 * clock. */
		image->image_us = b->end_us != PM_NO_TIME && b->end_us > b->image_us
					  ? b->end_us
					  : b->image_us + 1;
	}
	return 0;
}

/* Whether process x began before process y, given their first images. */
static int began_before(const struct pm_image *x, const struct pm_image *y)
{
	/* Ticks do not step; within a tick the wall clock decides. */
	int c = x->starttime >= 0 && y->starttime >= 0
			? pm_chains_compare(x->starttime, y->starttime)
			: 0;

	return c ? c < 0 : x->image_us < y->image_us;
}

/*
 * 1 if the waiter is certainly not an ancestor of the image's process. Only ancestors can wait for
 * a process: its parent, or the process that inherited it. An ancestor began before its
 * descendants, so the walk up ends at a process that began before the waiter.
 */
static int is_stranger(const struct pm_chains *w, uint32_t image, const struct pm_reaped *x)
{
	const struct pm_images *m = w->m;
	uint32_t waiter = pm_chains_at(w, x->space, x->ppid, x->end_us);
	uint32_t i = pm_chains_first(w, image);

	/* An unknown waiter may be perfmon itself, which is not recorded. */
	if (waiter == PM_NONE)
		return 0;
	for (int steps = 0; steps < GENERATIONS && i != PM_NONE && i != waiter; steps++) {
		const struct pm_image *p = &m->image[i];

		if (began_before(p, &m->image[waiter]))
			return 1;
		if (p->ppid == 0)
			return 0;
		i = pm_chains_at(w, p->parent_space, p->ppid, p->image_us);
	}
	return 0;
}

/*
 * 1 if a reaped record can belong to an image, the latest of its pid; -1 with e filled. Otherwise
 * the record is about an unseen process that got the same pid: the waiter is a stranger, or is not
 * the parent and saw another exit status.
 */
static int is_plausible(struct pm_chains *w, uint32_t image, const struct pm_reaped *x,
			struct pm_err *e)
{
	const struct pm_image *last = &w->m->image[image];
	struct pm_record end, reaped;
	int rc;

	if (last->ppid == 0)
		return 1;
	if (is_stranger(w, image, x))
		return 0;
	if (last->ppid == x->ppid || !last->end)
		return 1;
	rc = pm_images_read(w->m, last->end, &end, e);
	if (rc == 0)
		rc = pm_images_read(w->m, x->record, &reaped, e);
	if (rc == 0)
		rc = pm_record_get(&end, PM_COL_exitcode, -1) ==
		     pm_record_get(&reaped, PM_COL_exitcode, -2);
	return rc;
}

static int64_t cpu_time(const struct pm_record *r)
{
	return pm_record_get(r, PM_COL_usertime, 0) + pm_record_get(r, PM_COL_systemtime, 0);
}

/*
 * 1 if two reaped records of one pid are about the same end; -1 with e filled. A tracer (strace,
 * gdb) is told of its tracee's end before the parent is. Times and context switches may still grow
 * a little in between, the other counts cannot. Forks of one program can match to the last page
 * fault, and pids are reused: the parent's wait is the last.
 */
static int is_same_end(struct pm_chains *w, const struct pm_reaped *x, const struct pm_reaped *y,
		       struct pm_err *e)
{
	uint32_t image = x->image != PM_NONE ? x->image : x->before;
	struct pm_record a, b;
	int rc;

	if (x->space != y->space || x->pid != y->pid || x->ppid == y->ppid)
		return 0;
	if (image != PM_NONE && w->m->image[image].ppid == x->ppid)
		return 0;
	if ((image == PM_NONE || w->m->image[image].ppid != y->ppid) &&
	    y->end_us - x->end_us > TRACER_US)
		return 0;
	rc = pm_images_read(w->m, x->record, &a, e);
	if (rc == 0)
		rc = pm_images_read(w->m, y->record, &b, e);
	if (rc == 0) {
		static const enum pm_column settled[] = {
			PM_COL_exitcode, PM_COL_exitsignal, PM_COL_minflt, PM_COL_majflt,
			PM_COL_inblock,  PM_COL_outblock,   PM_COL_rssmax,
		};

		/* Each of the times is truncated to microseconds. */
		rc = cpu_time(&b) + 4 >= cpu_time(&a) &&
		     cpu_time(&b) - cpu_time(&a) <= CPU_AFTER_END_US;
		for (size_t c = 0; c < sizeof settled / sizeof settled[0] && rc; c++)
			rc = pm_record_get(&a, settled[c], -1) == pm_record_get(&b, settled[c], -1);
	}
	return rc;
}

/* 1 if a stranger's wait is that of a tracer that attached: the next record is the parent's; -1
 * with e filled. */
static int is_tracer_wait(struct pm_chains *w, uint32_t image, size_t k, struct pm_err *e)
{
	const struct pm_reaped *x = &w->m->reaped[k];
	int rc;

	if (k + 1 == w->m->reaped_count)
		return 0;
	rc = is_same_end(w, x, x + 1, e);
	return rc > 0 ? is_plausible(w, image, x + 1, e) : rc;
}

/* Match the records of each pid to the images of that pid. Records that fit none stay unmatched.
 * Returns 0 or -1 with e filled. */
static int match_pids(struct pm_chains *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	uint32_t best = PM_NONE, done = PM_NONE;
	size_t at = 0;

	for (size_t k = 0; k < m->reaped_count; k++) {
		struct pm_reaped *x = &m->reaped[k];
		uint32_t last;
		int fits;

		pm_filemem_trim();
		if (x->pid == 0)
			continue;
		fits = k > 0 ? is_same_end(w, &x[-1], x, e) : 0;
		if (fits < 0)
			return -1;
		if (fits) {
			/* The parent's record is later and more complete. */
			x[-1].ppid = 0;
			x[-1].aside = true;
			x->image = x[-1].image;
			x->before = x[-1].before;
			if (x->image != PM_NONE)
				m->image[x->image].reaped = x->record;
			continue;
		}
		if (k == 0 || x[-1].space != x->space || x[-1].pid != x->pid) {
			at = pm_chains_find(w, x->space, x->pid);
			best = done = PM_NONE;
		}
		for (; at < w->count; at++) {
			const struct pm_image *i = &m->image[w->sorted[at]];

			if (i->space != x->space || i->pid != x->pid || i->image_us > x->end_us)
				break;
			best = w->sorted[at];
		}
		last = best == PM_NONE ? PM_NONE : pm_chains_last(w, best);
		fits = last != PM_NONE && last != done;
		if (fits)
			fits = is_plausible(w, last, x, e);
		if (fits == 0 && last != PM_NONE && last != done)
			fits = is_tracer_wait(w, last, k, e);
		if (fits < 0)
			return -1;
		/* Either the image's process ended here, or its pid has been reused by now. */
		done = last;
		if (fits)
			pm_chains_reaped(w, last, x);
	}
	return 0;
}

int pm_reaped_match(struct pm_chains *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	size_t images = m->images;

	if (m->reaped_count == 0) /* NULL must not be passed as an array, even an empty one */
		return 0;
	if (sort_reaped(m, e) < 0 || match_pids(w, e) < 0 || pm_reaped_guess_inits(w, e) < 0 ||
	    pm_reaped_guess_nameless(w, e) < 0)
		return -1;
	/* Guessing gave some records a pid. Sort again: find_unseen (lineage.c) relies on the order
	 * in which add_unseen adds images. */
	if (!is_sorted(m) && sort_reaped(m, e) < 0)
		return -1;
	for (size_t k = 0; k < m->reaped_count; k++, pm_filemem_trim())
		if (m->reaped[k].image == PM_NONE && !m->reaped[k].aside && add_unseen(w, k, e) < 0)
			return -1;
	return m->images > images ? pm_chains_add(w, images, e) : 0;
}
