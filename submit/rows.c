/*
 * From what the kernel said to what an image used. The kernel counts from the birth of a pid and
 * goes on over exec, so an image's part is the difference to the image before it. perfmon-tsv(5)
 * has the rules.
 */
#include "config.h"

#include "submit/rows.h"

#include <string.h>

/* What a reaped record holds of the process and of the children it waited for. */
static const enum pm_column reaped_metrics[] = {
	PM_COL_usertime, PM_COL_systemtime, PM_COL_minflt,    PM_COL_majflt,
	PM_COL_inblock,  PM_COL_outblock,   PM_COL_vol_ctxsw, PM_COL_invol_ctxsw,
};

#define REAPED_METRICS (sizeof reaped_metrics / sizeof reaped_metrics[0])

/* Where the children's part of a metric stands in an end record, PM_COLUMNS for nowhere. */
static const enum pm_column children_of[REAPED_METRICS] = {
	PM_COL_cutime, PM_COL_cstime, PM_COL_cminflt, PM_COL_cmajflt,
	PM_COLUMNS,    PM_COLUMNS,    PM_COLUMNS,     PM_COLUMNS,
};

static void set_text(struct pm_record *r, enum pm_column c, const char *text)
{
	pm_record_text(r, c, text, strlen(text));
}

static void copy(struct pm_record *to, const struct pm_record *from, enum pm_column c)
{
	if (!pm_record_has(from, c))
		return;
	to->v[c] = from->v[c];
	to->set[c / 64] |= (uint64_t)1 << (c % 64);
}

/* Take what describes the image (all but COUNTER) from a record of a kind. */
static void describe(struct pm_record *to, const struct pm_record *from, const uint64_t *mask)
{
	for (size_t w = 0; w < sizeof to->set / sizeof to->set[0]; w++) {
		uint64_t bits = from->set[w] & mask[w];

		to->set[w] |= bits;
		for (; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);

			to->v[c] = from->v[c];
		}
	}
}

void pm_rows_init(struct pm_rows *x, struct pm_images *images, const struct pm_lineage *tree)
{
	static const char letter[] = "RSEL";

	memset(x, 0, sizeof *x);
	x->images = images;
	x->tree = tree;
	for (int k = 0; k < 4; k++)
		for (int c = 0; c < PM_COLUMNS; c++)
			if (pm_column_info[c].kind != PM_KIND_COUNTER &&
			    strchr(pm_column_info[c].records, letter[k]))
				x->described[k][c / 64] |= (uint64_t)1 << (c % 64);
}

static int read_record(struct pm_rows *x, uint64_t offset, struct pm_record *r,
		       struct pm_store_item *item, struct pm_err *e)
{
	if (offset)
		return pm_images_read(x->images, offset, r, item, e);
	pm_record_clear(r);
	return 0;
}

/* v less what is to be taken off, never below 0; unknown stays unknown. */
static void take_off(struct pm_record *r, enum pm_column c, int64_t off)
{
	if (pm_record_has(r, c))
		r->v[c].i = r->v[c].i > off ? r->v[c].i - off : 0;
}

/* Counters beside what of them the collector caused. */
static const enum pm_column own_part[][2] = {
	{ PM_COL_minflt, PM_COL_own_minflt }, { PM_COL_rchar, PM_COL_own_rchar },
	{ PM_COL_wchar, PM_COL_own_wchar },   { PM_COL_syscr, PM_COL_own_syscr },
	{ PM_COL_syscw, PM_COL_own_syscw },   { PM_COL_outblock, PM_COL_own_outblock },
};
#define OWN_PARTS (sizeof own_part / sizeof own_part[0])

/*
 * A fork child that went on to exec within a millisecond did not read its counters, but says what
 * the collector did in it. The rest of what they hold goes to the image it became.
 */
static bool was_brief(const struct pm_record *end)
{
	return pm_record_has(end, PM_COL_own_rchar) && !pm_record_has(end, PM_COL_rchar);
}

static int64_t own_part_of(const struct pm_record *r, enum pm_column c)
{
	for (size_t i = 0; i < OWN_PARTS; i++)
		if (own_part[i][0] == c)
			return pm_record_get(r, own_part[i][1], 0);
	return c == PM_COL_write_bytes ? 512 * pm_record_get(r, PM_COL_own_outblock, 0) : 0;
}

/*
 * Take off what the process had used before this image: what its previous image's end says, else
 * what this image's own start says. `previous` is the end record of the image before, empty where
 * it has none; a first image has nothing to take off.
 */
static void take_off_before(struct pm_record *r, enum pm_column c, bool first,
			    const struct pm_record *previous, const struct pm_record *start)
{
	if (first)
		return;
	if (pm_record_has(previous, c))
		take_off(r, c, previous->v[c].i);
	else if (pm_record_has(start, c))
		take_off(r, c, start->v[c].i);
	else if (was_brief(previous))
		take_off(r, c, own_part_of(previous, c));
	else
		pm_record_unset(r, c);
}

/* Take off what the collector itself caused. Its CPU time is nearly all system time. */
static void take_off_own(struct pm_record *r)
{
	int64_t cpu = pm_record_get(r, PM_COL_own_cpu_us, 0);
	int64_t in_system = pm_record_get(r, PM_COL_systemtime, 0);

	for (size_t i = 0; i < OWN_PARTS; i++)
		take_off(r, own_part[i][0], pm_record_get(r, own_part[i][1], 0));
	take_off(r, PM_COL_write_bytes, 512 * pm_record_get(r, PM_COL_own_outblock, 0));
	take_off(r, PM_COL_time_oncpu, 1000 * cpu);
	take_off(r, PM_COL_systemtime, cpu);
	if (cpu > in_system)
		take_off(r, PM_COL_usertime, cpu - in_system);
}

int64_t pm_rows_cpu(const struct pm_record *r)
{
	if (!pm_record_has(r, PM_COL_usertime) || !pm_record_has(r, PM_COL_systemtime))
		return -1;
	return r->v[PM_COL_usertime].i + r->v[PM_COL_systemtime].i;
}

/* Take off what the children account for that the process itself waited for, as its own reaped
 * records say. */
static int take_off_waited(struct pm_rows *x, uint32_t i, struct pm_record *r, struct pm_err *e)
{
	const struct pm_images *m = x->images;
	const struct pm_image *image = &m->image[i];
	uint32_t first = i;
	size_t k;

	while (m->image[first].previous != PM_NONE)
		first = m->image[first].previous;
	k = pm_lineage_waited(x->tree, m, image->space, image->pid);
	for (; k < m->reaped_count; k++) {
		const struct pm_reaped *child = &m->reaped[x->tree->by_waiter[k]];
		struct pm_record used;

		if (child->space != image->space || child->ppid != image->pid ||
		    child->end_us > image->end_us)
			break;
		if (m->image[first].image_us != PM_NO_TIME &&
		    child->end_us < m->image[first].image_us)
			continue;
		if (read_record(x, child->record, &used, &x->other, e) < 0)
			return -1;
		for (size_t c = 0; c < REAPED_METRICS; c++) {
			if (pm_record_has(&used, reaped_metrics[c]))
				take_off(r, reaped_metrics[c], used.v[reaped_metrics[c]].i);
			else
				pm_record_unset(r, reaped_metrics[c]);
		}
	}
	return 0;
}

/*
 * Take off what recorded children of a process account for that wrote no reaped records itself. Of
 * what their records do not say with their own descendants' part, the rest stays unknown.
 */
static int take_off_recorded(struct pm_rows *x, uint32_t i, struct pm_record *r, struct pm_err *e)
{
	const struct pm_images *m = x->images;
	const struct pm_image *image = &m->image[i];

	for (uint32_t k = x->tree->child_at[i]; k < x->tree->child_at[i + 1]; k++) {
		const struct pm_image *child = &m->image[x->tree->child[k]];
		struct pm_record used;
		bool whole = child->reaped != 0;

		/* Cumulative: the last image of a process speaks for all of them. One that
		 * outlived its parent was not waited for by it. */
		if (child->flags & PM_IMAGE_EXEC || child->parent != i ||
		    child->end_us > image->end_us)
			continue;
		if (read_record(x, whole ? child->reaped : child->end, &used, &x->other, e) < 0)
			return -1;
		for (size_t c = 0; c < REAPED_METRICS; c++) {
			enum pm_column id = reaped_metrics[c], below = children_of[c];

			if (!whole && (below == PM_COLUMNS || !pm_record_has(&used, below) ||
				       !pm_record_has(&used, id)))
				pm_record_unset(r, id);
			else
				take_off(r, id,
					 pm_record_get(&used, id, 0) +
						 (whole ? 0 : used.v[below].i));
		}
	}
	return 0;
}

/* The peak that a record says, 0 where it does not or there is no record; -1 with e filled. */
static int64_t recorded_peak(struct pm_rows *x, uint64_t record, struct pm_err *e)
{
	struct pm_record r;

	if (read_record(x, record, &r, &x->other, e) < 0)
		return -1;
	return pm_record_get(&r, PM_COL_rssmax, 0);
}

/*
 * The peak of memory in a wait is the largest of the process itself, of the images before it, of
 * the parent it was forked from and of the children it waited for. It is the image's own where it
 * is larger than all of the others; else nobody knows. (A parent without a record, perfmon itself
 * above all, counts as small.)
 */
static int peak_of_wait(struct pm_rows *x, uint32_t i, const struct pm_record *reaped,
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
		copy(out, reaped, PM_COL_rssmax);
	return 0;
}

/* Metrics of an image that wrote no end, from its parent's wait. */
static int from_reaped(struct pm_rows *x, uint32_t i, const struct pm_record *reaped,
		       const struct pm_record *start, const struct pm_record *previous,
		       struct pm_record *out, struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	bool first = image->previous == PM_NONE;

	for (size_t c = 0; c < REAPED_METRICS; c++) {
		copy(out, reaped, reaped_metrics[c]);
		take_off_before(out, reaped_metrics[c], first, previous, start);
	}
	if (peak_of_wait(x, i, reaped, out, e) < 0 || take_off_waited(x, i, out, e) < 0)
		return -1;
	if (!(image->flags & PM_IMAGE_REAPED_ONLY))
		return 0;
	return take_off_recorded(x, i, out, e);
}

/*
 * What an image's last words tell of it, for one that wrote no end. Its parent's wait says what the
 * kernel charged until the very end; the rest is as it was then.
 */
static void from_last(bool first, const struct pm_record *last, const struct pm_record *start,
		      const struct pm_record *previous, struct pm_record *out)
{
	int64_t peak = pm_record_get(out, PM_COL_rssmax, -1);
	struct pm_record said = *last;

	for (int c = 0; c < PM_COLUMNS; c++) {
		if (pm_column_info[c].kind != PM_KIND_COUNTER &&
		    pm_column_info[c].kind != PM_KIND_CHILDREN)
			continue;
		take_off_before(&said, (enum pm_column)c, first, previous, start);
		/* Never less than what was known already. */
		if (!pm_record_has(out, (enum pm_column)c) ||
		    out->v[c].i < pm_record_get(&said, (enum pm_column)c, 0))
			copy(out, &said, (enum pm_column)c);
	}
	if (pm_record_get(last, PM_COL_rssmax, -1) > peak)
		copy(out, last, PM_COL_rssmax);
	take_off_own(out);
}

/* How it ended, and with what. */
static void ending(const struct pm_image *image, const struct pm_record *reaped, bool stopped,
		   struct pm_record *out)
{
	if (image->reaped) {
		pm_record_unset(out, PM_COL_exitcode);
		pm_record_unset(out, PM_COL_exitsignal);
		copy(out, reaped, PM_COL_exitcode);
		copy(out, reaped, PM_COL_exitsignal);
		set_text(out, PM_COL_end_reason,
			 pm_record_has(out, PM_COL_exitsignal) ? "signal"
			 : pm_record_has(out, PM_COL_exitcode) ? "exit"
							       : "unknown");
	} else if (image->flags & PM_IMAGE_EXEC) {
		pm_record_unset(out, PM_COL_exitcode);
	} else if (!image->end) {
		set_text(out, PM_COL_end_reason, stopped ? "unknown" : "running");
	}
}

/*
 * The wait tells what the kernel charged up to the very end, when the memory of the process was
 * given back: take its CPU times, less what the end record says of waited-for children, where they
 * are not less than the end record's own.
 */
static void to_the_very_end(struct pm_record *end, const struct pm_record *reaped)
{
	static const enum pm_column time[][2] = { { PM_COL_usertime, PM_COL_cutime },
						  { PM_COL_systemtime, PM_COL_cstime } };
	int64_t all[2];

	for (int k = 0; k < 2; k++) {
		if (!pm_record_has(reaped, time[k][0]) || !pm_record_has(end, time[k][0]) ||
		    !pm_record_has(end, time[k][1]))
			return;
		all[k] = reaped->v[time[k][0]].i - end->v[time[k][1]].i;
		if (all[k] < end->v[time[k][0]].i)
			return;
	}
	end->v[PM_COL_usertime].i = all[0];
	end->v[PM_COL_systemtime].i = all[1];
}

static void set_known(struct pm_record *r, enum pm_column c, int64_t v, int64_t unknown)
{
	if (v != unknown)
		pm_record_int(r, c, v);
}

int pm_rows_image(struct pm_rows *x, uint32_t i, bool stopped, struct pm_record *out,
		  struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	const struct pm_space *space = &x->images->space[image->space];
	struct pm_record start, end, reaped, previous;
	bool first = image->previous == PM_NONE, last = !image->end && image->last;

	if (read_record(x, image->start, &start, &x->start, e) < 0 ||
	    read_record(x, last ? image->last : image->end, &end, &x->end, e) < 0 ||
	    read_record(x, image->reaped, &reaped, &x->reaped, e) < 0 ||
	    read_record(x, first ? 0 : x->images->image[image->previous].end, &previous, &x->before,
			e) < 0)
		return -1;
	pm_record_clear(out);
	describe(out, &reaped, x->described[0]);
	describe(out, &start, x->described[1]);
	describe(out, &end, x->described[last ? 3 : 2]);
	if (last) {
		/* It went on. */
		pm_record_unset(out, PM_COL_end_us);
		pm_record_unset(out, PM_COL_duration_us);
		pm_record_unset(out, PM_COL_rdtsc_duration);
	}
	set_known(out, PM_COL_pid, image->pid, 0);
	set_known(out, PM_COL_pid_ns, space->pid_ns, -1);
	set_known(out, PM_COL_starttime, image->starttime, -1);
	set_known(out, PM_COL_image_us, image->image_us, PM_NO_TIME);
	set_known(out, PM_COL_end_us, image->end_us, PM_NO_TIME);
	/* A wait's start is that of the call which made the child. */
	if (!pm_record_has(&start, PM_COL_start_us) && !pm_record_has(&end, PM_COL_start_us))
		set_known(out, PM_COL_start_us, image->image_us, PM_NO_TIME);
	if (image->image_us != PM_NO_TIME)
		pm_record_int(out, PM_COL_generation, image->generation);
	pm_record_unset(out, PM_COL_rssmax);
	ending(image, &reaped, stopped, out);

	if (image->end) {
		if (image->reaped)
			to_the_very_end(&end, &reaped);
		copy(out, &end, PM_COL_rssmax);
		for (int c = 0; c < PM_COLUMNS; c++) {
			if (pm_column_info[c].kind != PM_KIND_COUNTER &&
			    pm_column_info[c].kind != PM_KIND_CHILDREN)
				continue;
			copy(out, &end, (enum pm_column)c);
			take_off_before(out, (enum pm_column)c, first, &previous, &start);
		}
		take_off_own(out);
		return 0;
	}
	if (image->reaped) {
		if (from_reaped(x, i, &reaped, &start, &previous, out, e) < 0)
			return -1;
		if (pm_record_has(out, PM_COL_start_us) &&
		    image->end_us >= out->v[PM_COL_start_us].i)
			pm_record_int(out, PM_COL_duration_us,
				      image->end_us - out->v[PM_COL_start_us].i);
	}
	if (last)
		from_last(first, &end, &start, &previous, out);
	return 0;
}

/* What the main thread had used when the previous image ended: its thread record, or where that
 * image had one thread only, its end record. */
static int main_thread_before(struct pm_rows *x, const struct pm_image *image, struct pm_record *r,
			      struct pm_err *e)
{
	const struct pm_images *m = x->images;
	const struct pm_image *before = &m->image[image->previous];

	for (uint32_t t = before->threads; t != PM_NONE; t = m->thread[t].next)
		if (m->thread[t].tid == image->pid)
			return read_record(x, m->thread[t].record, r, &x->before, e);
	return read_record(x, before->threads == PM_NONE ? before->end : 0, r, &x->before, e);
}

int pm_rows_thread(struct pm_rows *x, uint32_t i, uint32_t thread, struct pm_record *out,
		   struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	const struct pm_image_thread *t = &x->images->thread[thread];
	struct pm_record start, previous;

	if (read_record(x, t->record, out, &x->end, e) < 0)
		return -1;
	if (t->tid == image->pid && image->previous != PM_NONE) {
		if (read_record(x, image->start, &start, &x->start, e) < 0 ||
		    main_thread_before(x, image, &previous, e) < 0)
			return -1;
		for (int c = 0; c < PM_COLUMNS; c++)
			if (pm_column_info[c].kind == PM_KIND_COUNTER)
				take_off_before(out, (enum pm_column)c, false, &previous, &start);
	}
	take_off_own(out);
	/* The number of one whose id is not known stands for nothing. */
	if (t->tid < 0)
		pm_record_unset(out, PM_COL_tid);
	return 0;
}

void pm_rows_free(struct pm_rows *x)
{
	pm_store_item_free(&x->start);
	pm_store_item_free(&x->end);
	pm_store_item_free(&x->reaped);
	pm_store_item_free(&x->before);
	pm_store_item_free(&x->other);
}
