/*
 * Compute what an image used from the kernel's totals. The kernel counts from the start of a pid
 * and goes on over exec, so an image's part is the difference to the image before it.
 * perfmon-tsv(5) has the rules.
 */
#include "config.h"

#include "submit/rows/imagerow.h"

#include "submit/rows/subtract.h"

#include <string.h>

static void set_text(struct pm_record *r, enum pm_column c, const char *text)
{
	pm_record_text(r, c, text, strlen(text));
}

/* Copy the columns in `mask`, which describe the image, from a record. */
static void copy_described(struct pm_record *to, const struct pm_record *from, const uint64_t *mask)
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

/* Whether a column of an end or reaped record may describe the image after the exec, not this one.
 */
static bool is_of_next(char record, int column)
{
	return (record == 'E' || record == 'R') &&
	       (column == PM_COL_path || column == PM_COL_last_call);
}

void pm_imagerow_init(struct pm_imagerow *x, struct pm_images *images, struct pm_lineage *tree)
{
	static const char letter[] = "RSEL";

	memset(x, 0, sizeof *x);
	x->images = images;
	x->waited.images = images;
	x->waited.tree = tree;
	for (int k = 0; k < 4; k++)
		for (int c = 0; c < PM_COLUMNS; c++)
			if (pm_column_info[c].kind != PM_KIND_COUNTER &&
			    strchr(pm_column_info[c].records, letter[k]) &&
			    !is_of_next(letter[k], c))
				x->described[k][c / 64] |= (uint64_t)1 << (c % 64);
}

bool pm_imagerow_is_unseen(const struct pm_record *row)
{
	static const char call[] = "execve";

	return pm_record_has(row, PM_COL_last_call) &&
	       row->v[PM_COL_last_call].s.n >= sizeof call - 1 &&
	       memcmp(row->v[PM_COL_last_call].s.p, call, sizeof call - 1) == 0;
}

int64_t pm_imagerow_cpu(const struct pm_record *r)
{
	if (!pm_record_has(r, PM_COL_usertime) || !pm_record_has(r, PM_COL_systemtime))
		return -1;
	return r->v[PM_COL_usertime].i + r->v[PM_COL_systemtime].i;
}

/*
 * Add the values of an image's last record, for an image without an end. The parent's wait says
 * what the kernel charged until the very end; other values are as of the last record.
 */
static void add_last_values(bool first, const struct pm_record *last, const struct pm_record *start,
			    const struct pm_record *previous, struct pm_record *out)
{
	int64_t peak = pm_record_get(out, PM_COL_rssmax, -1);
	struct pm_record said = *last;

	for (int c = 0; c < PM_COLUMNS; c++) {
		if (pm_column_info[c].kind != PM_KIND_COUNTER &&
		    pm_column_info[c].kind != PM_KIND_CHILDREN)
			continue;
		pm_subtract_before(&said, (enum pm_column)c, first, previous, start);
		/* Never lower a value that is known already. */
		if (!pm_record_has(out, (enum pm_column)c) ||
		    out->v[c].i < pm_record_get(&said, (enum pm_column)c, 0))
			pm_record_copy(out, &said, (enum pm_column)c);
	}
	if (pm_record_get(last, PM_COL_rssmax, -1) > peak)
		pm_record_copy(out, last, PM_COL_rssmax);
	pm_subtract_own(out);
}

/* Set how the image ended, and its exit status. */
static void set_ending(const struct pm_image *image, const struct pm_record *reaped, bool stopped,
		       struct pm_record *out)
{
	if (image->reaped) {
		pm_record_unset(out, PM_COL_exitcode);
		pm_record_unset(out, PM_COL_exitsignal);
		pm_record_copy(out, reaped, PM_COL_exitcode);
		pm_record_copy(out, reaped, PM_COL_exitsignal);
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
 * CPU times of the children that the process of image i waited for, in order of pm_waited_metrics:
 * at least those of its end record and of the waits that it wrote of afterwards, as a signal
 * handler may do while it exits, and those of all its waits. Returns 0 or -1 with e filled.
 */
static int children_cpu(struct pm_imagerow *x, uint32_t i, const struct pm_record *end,
			const struct pm_record *reaped, int64_t cpu[2], struct pm_err *e)
{
	int64_t until = pm_record_get(reaped, PM_COL_end_us, INT64_MAX), last;
	struct pm_record after, all;

	if (pm_waited_sum(&x->waited, i, pm_record_get(end, PM_COL_end_us, INT64_MAX), until,
			  &after, &last, e) < 0 ||
	    pm_waited_sum(&x->waited, i, INT64_MIN, until, &all, &last, e) < 0)
		return -1;
	for (int k = 0; k < 2; k++) {
		int64_t sum = pm_record_get(&all, pm_waited_metrics[k], 0);

		if (__builtin_add_overflow(cpu[k], pm_record_get(&after, pm_waited_metrics[k], 0),
					   &cpu[k]) ||
		    cpu[k] < sum)
			cpu[k] = sum;
	}
	return 0;
}

/*
 * The wait includes what the kernel charged up to the very end, when the memory of the process was
 * freed: take its CPU times, less those of waited-for children, unless that is less than the end
 * record's own. Returns 0 or -1 with e filled.
 */
static int add_final_cpu(struct pm_imagerow *x, uint32_t i, struct pm_record *end,
			 const struct pm_record *reaped, struct pm_err *e)
{
	static const enum pm_column below[] = { PM_COL_cutime, PM_COL_cstime };
	int64_t children[2], own[2], more = 0;

	for (int k = 0; k < 2; k++) {
		enum pm_column time = pm_waited_metrics[k];

		if (!pm_record_has(reaped, time) || !pm_record_has(end, time) ||
		    !pm_record_has(end, below[k]))
			return 0;
		children[k] = end->v[below[k]].i;
		if (__builtin_add_overflow(more, reaped->v[time].i, &more) ||
		    __builtin_sub_overflow(more, children[k], &more) ||
		    __builtin_sub_overflow(more, end->v[time].i, &more))
			return 0;
	}
	if (more > 0 && children_cpu(x, i, end, reaped, children, e) < 0)
		return -1;
	for (int k = 0; k < 2; k++) {
		own[k] = reaped->v[pm_waited_metrics[k]].i - children[k];
		if (own[k] < end->v[pm_waited_metrics[k]].i)
			return 0;
	}
	end->v[PM_COL_usertime].i = own[0];
	end->v[PM_COL_systemtime].i = own[1];
	return 0;
}

/* Name an image without records of its own after the program that its process was about to run. */
static void name_unseen(struct pm_record *out, const struct pm_record *told)
{
	struct pm_str path, base;

	if (!pm_record_has(told, PM_COL_path))
		return;
	set_text(out, PM_COL_last_call, "execve");
	pm_record_copy(out, told, PM_COL_last_call);
	path = base = told->v[PM_COL_path].s;
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/')
			base = (struct pm_str){ path.p + i + 1, path.n - i - 1 };
	if (base.n)
		pm_record_text(out, PM_COL_exename, base.p, base.n);
	/* Other paths were searched for along PATH, or are relative to an unknown directory. */
	if (path.n && path.p[0] == '/')
		pm_record_text(out, PM_COL_path, path.p, path.n);
}

static void set_known(struct pm_record *r, enum pm_column c, int64_t v, int64_t unknown)
{
	if (v != unknown)
		pm_record_int(r, c, v);
}

int pm_imagerow_fill(struct pm_imagerow *x, uint32_t i, bool stopped, struct pm_record *out,
		     struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	const struct pm_space *space = &x->images->space[image->space];
	struct pm_record start, end, reaped, previous;
	bool first = image->previous == PM_NONE, last = !image->end && image->last;

	if (pm_images_read(x->images, image->start, &start, e) < 0 ||
	    pm_images_read(x->images, last ? image->last : image->end, &end, e) < 0 ||
	    pm_images_read(x->images, image->reaped, &reaped, e) < 0 ||
	    pm_images_read(x->images, first ? 0 : x->images->image[image->previous].end, &previous,
			   e) < 0)
		return -1;
	pm_record_clear(out);
	copy_described(out, &reaped, x->described[0]);
	copy_described(out, &start, x->described[1]);
	copy_described(out, &end, x->described[last ? 3 : 2]);
	if (last) {
		/* The process went on after this record. */
		pm_record_unset(out, PM_COL_end_us);
		pm_record_unset(out, PM_COL_duration_us);
		pm_record_unset(out, PM_COL_rdtsc_duration);
	}
	set_known(out, PM_COL_pid, image->pid, 0);
	set_known(out, PM_COL_pid_ns, space->pid_ns, -1);
	set_known(out, PM_COL_starttime, image->starttime, -1);
	set_known(out, PM_COL_image_us, image->image_us, PM_NO_TIME);
	set_known(out, PM_COL_end_us, image->end_us, PM_NO_TIME);
	/* start_us of a wait is the time of the call that created the child, not of this image. */
	if (!pm_record_has(&start, PM_COL_start_us) && !pm_record_has(&end, PM_COL_start_us))
		set_known(out, PM_COL_start_us, image->image_us, PM_NO_TIME);
	if (image->image_us != PM_NO_TIME)
		pm_record_int(out, PM_COL_generation, image->generation);
	if (image->flags & PM_IMAGE_REAPED_ONLY)
		name_unseen(out, first ? &reaped : &previous);
	pm_record_unset(out, PM_COL_rssmax);
	set_ending(image, &reaped, stopped, out);

	if (image->end) {
		if (image->reaped && add_final_cpu(x, i, &end, &reaped, e) < 0)
			return -1;
		pm_record_copy(out, &end, PM_COL_rssmax);
		for (int c = 0; c < PM_COLUMNS; c++) {
			if (pm_column_info[c].kind != PM_KIND_COUNTER &&
			    pm_column_info[c].kind != PM_KIND_CHILDREN)
				continue;
			pm_record_copy(out, &end, (enum pm_column)c);
			pm_subtract_before(out, (enum pm_column)c, first, &previous, &start);
		}
		pm_subtract_own(out);
		return 0;
	}
	if (image->reaped) {
		if (pm_unended_metrics(&x->waited, i, &reaped, &start, &previous, out, e) < 0)
			return -1;
		if (pm_record_has(out, PM_COL_start_us) &&
		    image->end_us >= out->v[PM_COL_start_us].i)
			pm_record_int(out, PM_COL_duration_us,
				      image->end_us - out->v[PM_COL_start_us].i);
	}
	if (last)
		add_last_values(first, &end, &start, &previous, out);
	return 0;
}

int pm_imagerow_names(struct pm_imagerow *x, uint32_t i, struct pm_str *path, struct pm_str *args,
		      struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	bool first = image->previous == PM_NONE;
	struct pm_record row, told;

	/* Of all records that describe an image, only the first has these. */
	if (pm_images_read(x->images, image->start, &row, e) < 0)
		return -1;
	if (image->flags & PM_IMAGE_REAPED_ONLY) {
		if (pm_images_read(x->images,
				   first ? image->reaped : x->images->image[image->previous].end,
				   &told, e) < 0)
			return -1;
		name_unseen(&row, &told);
	}
	*path = pm_record_has(&row, PM_COL_path) ? row.v[PM_COL_path].s
						 : (struct pm_str){ NULL, 0 };
	*args = pm_record_has(&row, PM_COL_args) ? row.v[PM_COL_args].s
						 : (struct pm_str){ NULL, 0 };
	return 0;
}

/* Read what the main thread had used when the previous image ended: its thread record, or if that
 * image had only one thread, its end record. Returns 0 or -1 with e filled. */
static int main_thread_before(struct pm_imagerow *x, const struct pm_image *image,
			      struct pm_record *r, struct pm_err *e)
{
	const struct pm_images *m = x->images;
	const struct pm_image *before = &m->image[image->previous];

	for (uint32_t t = before->threads; t != PM_NONE; t = m->thread[t].next)
		if (m->thread[t].tid == image->pid)
			return pm_images_read(x->images, m->thread[t].record, r, e);
	return pm_images_read(x->images, before->threads == PM_NONE ? before->end : 0, r, e);
}

int pm_imagerow_thread(struct pm_imagerow *x, uint32_t i, uint32_t thread, struct pm_record *out,
		       struct pm_err *e)
{
	const struct pm_image *image = &x->images->image[i];
	const struct pm_image_thread *t = &x->images->thread[thread];
	struct pm_record start, previous;

	if (pm_images_read(x->images, t->record, out, e) < 0)
		return -1;
	if (t->tid == image->pid && image->previous != PM_NONE) {
		if (pm_images_read(x->images, image->start, &start, e) < 0 ||
		    main_thread_before(x, image, &previous, e) < 0)
			return -1;
		for (int c = 0; c < PM_COLUMNS; c++)
			if (pm_column_info[c].kind == PM_KIND_COUNTER)
				pm_subtract_before(out, (enum pm_column)c, false, &previous,
						   &start);
	}
	pm_subtract_own(out);
	/* A negative number replaces an unknown thread id. */
	if (t->tid < 0)
		pm_record_unset(out, PM_COL_tid);
	return 0;
}
