/* Compute an image's part of what a wait reported. */
#include "config.h"

#include "submit/rows/unended.h"

#include "submit/rows/subtract.h"

/* Column of an end record with the children's part of each metric; PM_COLUMNS: none. */
static const enum pm_column children_of[PM_WAITED_METRICS] = {
	PM_COL_cutime, PM_COL_cstime, PM_COL_cminflt, PM_COL_cmajflt,
	PM_COLUMNS,    PM_COLUMNS,    PM_COLUMNS,     PM_COLUMNS,
};

/* Longest time from the end of a child to that of a parent killed as it waits for it. */
#define LAST_WAIT_US 100000

/* Subtract the use of children that the process itself waited for, according to its own reaped
 * records, and set *last_us to the time of the last of these waits. Returns 0 or -1 with e filled.
 */
static int subtract_waited(struct pm_waited *x, uint32_t i, struct pm_record *r, int64_t *last_us,
			   struct pm_err *e)
{
	struct pm_record used;

	if (pm_waited_sum(x, i, INT64_MIN, x->images->image[i].end_us, &used, last_us, e) < 0)
		return -1;
	for (size_t c = 0; c < PM_WAITED_METRICS; c++) {
		if (pm_record_has(&used, pm_waited_metrics[c]))
			pm_subtract(r, pm_waited_metrics[c], used.v[pm_waited_metrics[c]].i);
		else
			pm_record_unset(r, pm_waited_metrics[c]);
	}
	return 0;
}

/* Subtract what the records of a child say that it used. Counts are cumulative, so the last image
 * of a process covers all of its images. A metric becomes unknown if the records lack it or the
 * part of the child's descendants. Returns 0 or -1 with e filled. */
static int subtract_child(struct pm_waited *x, const struct pm_image *child, struct pm_record *r,
			  struct pm_err *e)
{
	bool whole = child->reaped != 0;
	struct pm_record used;

	if (pm_images_read(x->images, whole ? child->reaped : child->end, &used, e) < 0)
		return -1;
	for (size_t c = 0; c < PM_WAITED_METRICS; c++) {
		enum pm_column id = pm_waited_metrics[c], below = children_of[c];

		if (!whole && (below == PM_COLUMNS || !pm_record_has(&used, below) ||
			       !pm_record_has(&used, id)))
			pm_record_unset(r, id);
		else
			pm_subtract(r, id,
				    pm_record_get(&used, id, 0) + (whole ? 0 : used.v[below].i));
	}
	return 0;
}

/* Whether an image is the last of a child of image i, which may have waited for it: a child that
 * outlived its parent was not waited for by it. */
static bool may_be_waited(const struct pm_images *m, uint32_t i, const struct pm_image *child)
{
	return !(child->flags & PM_IMAGE_EXEC) && child->parent == i &&
	       child->end_us <= m->image[i].end_us;
}

/* Subtract the use of recorded children of a process that wrote no reaped records itself. Returns 0
 * or -1 with e filled. */
static int subtract_recorded(struct pm_waited *x, uint32_t i, struct pm_record *r, struct pm_err *e)
{
	const struct pm_images *m = x->images;

	for (uint32_t k = x->tree->child_at[i]; k < x->tree->child_at[i + 1]; k++) {
		const struct pm_image *child = &m->image[x->tree->child[k]];

		if (may_be_waited(m, i, child) && subtract_child(x, child, r, e) < 0)
			return -1;
	}
	return 0;
}

/*
 * Whether what the kernel charged to a process, `r`, leaves room for all that a child with this end
 * record and its own children used, beside what the process had used when its start record was
 * written. Both CPU times and both kinds of page faults must be known and fit.
 */
static bool has_room(const struct pm_record *r, const struct pm_record *start,
		     const struct pm_record *end)
{
	for (size_t c = 0; c < PM_WAITED_METRICS; c++) {
		enum pm_column id = pm_waited_metrics[c], below = children_of[c];
		int64_t used;

		if (below == PM_COLUMNS)
			continue;
		if (!pm_record_has(r, id) || !pm_record_has(end, id) || !pm_record_has(end, below))
			return false;
		if (__builtin_add_overflow(end->v[id].i, end->v[below].i, &used) ||
		    __builtin_add_overflow(used, pm_record_get(start, id, 0), &used) ||
		    used > r->v[id].i)
			return false;
	}
	return true;
}

/*
 * Subtract the use of a child whose wait may have gone unrecorded: a signal that comes as the wait
 * returns kills the process before it writes. That was its last wait, so it is one child, which
 * ended by itself after every wait that the process wrote of and shortly before the process, and
 * which the counts have room for; of several the one that ended last. `at_start` is what the
 * process had used at its start record. This is a guess: a child that the process never waited for
 * can look the same. Returns 0 or -1 with e filled.
 */
static int subtract_last_wait(struct pm_waited *x, uint32_t i, const struct pm_record *at_start,
			      int64_t last_wait_us, struct pm_record *r, struct pm_err *e)
{
	const struct pm_images *m = x->images;
	const struct pm_image *last = NULL;

	for (uint32_t k = x->tree->child_at[i]; k < x->tree->child_at[i + 1]; k++) {
		const struct pm_image *child = &m->image[x->tree->child[k]];
		struct pm_record end;

		if (!may_be_waited(m, i, child) || child->reaped || !child->end ||
		    child->end_us <= last_wait_us ||
		    m->image[i].end_us - child->end_us > LAST_WAIT_US ||
		    (last && child->end_us < last->end_us))
			continue;
		if (pm_images_read(x->images, child->end, &end, e) < 0)
			return -1;
		if (has_room(r, at_start, &end))
			last = child;
	}
	return last ? subtract_child(x, last, r, e) : 0;
}

/* Peak memory in a record, 0 if it has none or there is no record; -1 with e filled. */
static int64_t recorded_peak(struct pm_waited *x, uint64_t record, struct pm_err *e)
{
	struct pm_record r;

	if (pm_images_read(x->images, record, &r, e) < 0)
		return -1;
	return pm_record_get(&r, PM_COL_rssmax, 0);
}

/*
 * Peak memory in a wait is the maximum over the process itself, the images before it, the parent it
 * was forked from and the children it waited for. The peak is the image's own if it exceeds all the
 * others; else it is unknown. (A parent without a record, usually perfmon itself, counts as small.)
 */
static int peak_of_wait(struct pm_waited *x, uint32_t i, const struct pm_record *reaped,
			struct pm_record *out, struct pm_err *e)
{
	const struct pm_images *m = x->images;
	const struct pm_image *image = &m->image[i];
	int64_t others = 0, peak;

	for (uint32_t k = image->previous; k != PM_NONE; k = m->image[k].previous) {
		if ((peak = recorded_peak(x, m->image[k].end, e)) < 0)
			return -1;
		others = peak > others ? peak : others;
	}
	if (image->parent != PM_NONE) {
		if ((peak = recorded_peak(x, m->image[image->parent].end, e)) < 0)
			return -1;
		others = peak > others ? peak : others;
	}
	for (uint32_t k = x->tree->child_at[i]; k < x->tree->child_at[i + 1]; k++) {
		const struct pm_image *child = &m->image[x->tree->child[k]];

		if ((peak = recorded_peak(x, child->reaped ? child->reaped : child->end, e)) < 0)
			return -1;
		others = peak > others ? peak : others;
	}
	if (pm_record_get(reaped, PM_COL_rssmax, 0) > others)
		pm_record_copy(out, reaped, PM_COL_rssmax);
	return 0;
}

int pm_unended_metrics(struct pm_waited *x, uint32_t i, const struct pm_record *reaped,
		       const struct pm_record *start, const struct pm_record *previous,
		       struct pm_record *out, struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	bool first = image->previous == PM_NONE;
	struct pm_record at_start = *start;
	int64_t last_wait_us;

	for (size_t c = 0; c < PM_WAITED_METRICS; c++) {
		pm_record_copy(out, reaped, pm_waited_metrics[c]);
		pm_subtract_before(out, pm_waited_metrics[c], first, previous, start);
		pm_subtract_before(&at_start, pm_waited_metrics[c], first, previous, start);
	}
	if (peak_of_wait(x, i, reaped, out, e) < 0 ||
	    subtract_waited(x, i, out, &last_wait_us, e) < 0)
		return -1;
	if (image->flags & PM_IMAGE_REAPED_ONLY)
		return subtract_recorded(x, i, out, e);
	return subtract_last_wait(x, i, &at_start, last_wait_us, out, e);
}
