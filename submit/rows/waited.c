/* Add up the waits that a process wrote of. */
#include "config.h"

#include "submit/rows/waited.h"

const enum pm_column pm_waited_metrics[PM_WAITED_METRICS] = {
	PM_COL_usertime, PM_COL_systemtime, PM_COL_minflt,    PM_COL_majflt,
	PM_COL_inblock,  PM_COL_outblock,   PM_COL_vol_ctxsw, PM_COL_invol_ctxsw,
};

/* The earliest time that is known of image i's process. */
static int64_t first_us(const struct pm_images *m, uint32_t i)
{
	while (m->image[i].previous != PM_NONE)
		i = m->image[i].previous;
	return m->image[i].image_us != PM_NO_TIME ? m->image[i].image_us : m->image[i].last_us;
}

static void add(struct pm_record *sum, const struct pm_record *used)
{
	for (size_t c = 0; c < PM_WAITED_METRICS; c++) {
		enum pm_column id = pm_waited_metrics[c];

		if (!pm_record_has(used, id) ||
		    (pm_record_has(sum, id) &&
		     __builtin_add_overflow(sum->v[id].i, used->v[id].i, &sum->v[id].i)))
			pm_record_unset(sum, id);
	}
}

int pm_waited_sum(struct pm_waited *x, uint32_t i, int64_t after_us, int64_t until_us,
		  struct pm_record *sum, int64_t *last_us, struct pm_err *e)
{
	struct pm_images *m = x->images;
	const struct pm_image *image = &m->image[i];
	int64_t since_us = first_us(m, i);
	size_t k;

	pm_record_clear(sum);
	for (size_t c = 0; c < PM_WAITED_METRICS; c++)
		pm_record_int(sum, pm_waited_metrics[c], 0);
	*last_us = INT64_MIN;
	if (pm_lineage_waited(x->tree, m, image->space, image->pid, &k, e) < 0)
		return -1;
	for (; k < m->reaped_count; k++) {
		const struct pm_reaped *child = &m->reaped[x->tree->by_waiter[k]];
		struct pm_record used;

		if (child->space != image->space || child->ppid != image->pid ||
		    child->end_us > until_us)
			break;
		if (child->end_us < since_us || child->end_us <= after_us ||
		    !pm_images_may_tell(m, child->guest, i))
			continue;
		if (pm_images_read(m, child->record, &used, e) < 0)
			return -1;
		*last_us = child->end_us; /* they are in order of time */
		add(sum, &used);
	}
	return 0;
}
