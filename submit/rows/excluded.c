/*
 * Excluded programs: the number of starts and the CPU time of each, derived from other records.
 *
 * An excluded image's start record holds what its process had used by then. The use at the end of
 * the image is known if the image went on to another by exec, or if the process ended and a
 * recorded program waited for it. Such a wait includes the children: recorded children are
 * subtracted, as far as they are known.
 */
#include "config.h"

#include "submit/rows/write.h"

#include "submit/job/keytext.h"
#include "submit/memory/filemem.h"
#include "submit/rows/imagerow.h"

#include <stdlib.h>

struct work {
	struct pm_images *m;
	const struct pm_lineage *t;
	uint32_t *last; /* image -> last image of its process */
	/* Last image -> CPU time of the children of its process, with all they waited for; -1: a
	 * process without excluded images, which needs no sum. */
	int64_t *children;
};

/* CPU time in a record: of the process and, with `children`, of the waited-for children in an end
 * record. -1 if there is no record or no value; -2 with e filled. */
static int64_t cpu_in(struct work *w, uint64_t record, bool children, struct pm_err *e)
{
	struct pm_record r;
	int64_t cpu;

	if (!record)
		return -1;
	if (pm_images_read(w->m, record, &r, e) < 0)
		return -2;
	cpu = pm_imagerow_cpu(&r);
	if (cpu >= 0 && children)
		cpu += pm_record_get(&r, PM_COL_cutime, 0) + pm_record_get(&r, PM_COL_cstime, 0);
	return cpu;
}

/* CPU time of an image's process when the image began. Returns the same as cpu_in(), but never
 * -1. */
static int64_t used_before(struct work *w, uint32_t i, struct pm_err *e)
{
	const struct pm_image *image = &w->m->image[i];
	int64_t cpu = -1;

	if (image->previous == PM_NONE)
		return 0;
	cpu = cpu_in(w, w->m->image[image->previous].end, false, e);
	if (cpu == -1)
		cpu = cpu_in(w, image->start, false, e);
	return cpu == -1 ? 0 : cpu;
}

/* CPU time of a process as far as is known, with all it waited for. Returns the same as
 * used_before(). */
static int64_t used_in_all(struct work *w, uint32_t last, struct pm_err *e)
{
	const struct pm_image *image = &w->m->image[last];
	int64_t cpu = cpu_in(w, image->reaped, false, e);

	if (cpu == -1)
		cpu = cpu_in(w, image->end ? image->end : image->last, true, e);
	if (cpu != -1)
		return cpu;
	cpu = used_before(w, last, e);
	return cpu >= 0 && w->children[last] > 0 ? cpu + w->children[last] : cpu;
}

/*
 * CPU time of waited-for children that left no record: what the end record of the process' last
 * image, a recorded program, holds beyond the recorded children. Counted once per process. Returns
 * the same as used_before().
 */
static int64_t used_unrecorded(struct work *w, uint32_t last, struct pm_err *e)
{
	uint64_t end = w->m->image[last].end;
	int64_t own = cpu_in(w, end, false, e), all = cpu_in(w, end, true, e);
	int64_t children = w->children[last];

	if (own == -2 || all == -2)
		return -2;
	w->children[last] = INT64_MAX;
	return own >= 0 && all - own > children ? all - own - children : 0;
}

/* CPU time of an excluded image. Returns the same as cpu_in(). */
static int64_t used_by(struct work *w, uint32_t i, uint32_t next, struct pm_err *e)
{
	const struct pm_image *image = &w->m->image[i];
	int64_t before = used_before(w, i, e), cpu, more = 0;

	if (before < 0)
		return before;
	cpu = cpu_in(w, image->end, false, e);
	if (cpu == -1 && next != PM_NONE)
		cpu = cpu_in(w, w->m->image[next].start, false, e);
	if (cpu == -1 && next == PM_NONE) {
		cpu = cpu_in(w, image->reaped, false, e);
		before += w->children[i];
	}
	if (cpu < 0)
		return cpu;
	if (!(w->m->image[w->last[i]].flags & PM_IMAGE_EXCLUDED))
		more = used_unrecorded(w, w->last[i], e);
	if (more < 0)
		return more;
	return (cpu > before ? cpu - before : 0) + more;
}

/* Find the last image of each process, and the processes with excluded images. `next` gets the
 * successor of each image. */
static void find_last(struct work *w, uint32_t *next)
{
	struct pm_images *m = w->m;

	for (size_t i = 0; i < m->images; i++, pm_filemem_trim())
		next[i] = PM_NONE;
	for (size_t i = 0; i < m->images; i++, pm_filemem_trim())
		if (m->image[i].previous != PM_NONE)
			next[m->image[i].previous] = (uint32_t)i;
	for (size_t i = 0; i < m->images; i++, pm_filemem_trim()) {
		uint32_t last = (uint32_t)i;
		bool excluded = false;

		if (m->image[i].previous != PM_NONE)
			continue;
		for (uint32_t k = (uint32_t)i; k != PM_NONE; k = next[k]) {
			excluded |= (m->image[k].flags & PM_IMAGE_EXCLUDED) != 0;
			last = k;
		}
		for (uint32_t k = (uint32_t)i; k != PM_NONE; k = next[k])
			w->last[k] = last;
		w->children[last] = excluded ? 0 : -1;
	}
}

/* Add up the CPU time of children. In depth-first order children follow their parents, and the
 * first image of a process follows those of its parent. */
static int add_up_children(struct work *w, struct pm_err *e)
{
	struct pm_images *m = w->m;

	for (uint32_t k = w->t->count; k > 0; k--, pm_filemem_trim()) {
		const struct pm_image *first = &m->image[w->t->order[k - 1]];
		uint32_t last = w->last[w->t->order[k - 1]], parent;
		int64_t cpu;

		if (first->previous != PM_NONE || first->parent == PM_NONE)
			continue;
		parent = w->last[first->parent];
		/* A child that outlived its parent was not waited for by it. */
		if (w->children[parent] < 0 || (m->image[parent].end_us != PM_NO_TIME &&
						m->image[last].end_us > m->image[parent].end_us))
			continue;
		cpu = used_in_all(w, last, e);
		if (cpu < 0)
			return -1;
		w->children[parent] += cpu;
	}
	return 0;
}

static int write_image(struct work *w, uint32_t i, uint32_t next, const struct pm_write_base *base,
		       struct pm_stmt *q, struct pm_err *e)
{
	const struct pm_image *image = &w->m->image[i];
	int64_t cpu = used_by(w, i, next, e);
	struct pm_str name = { "", 0 };
	char room[PM_KEYTEXT_MAX + 1];
	struct pm_record start;

	if (cpu == -2 || pm_images_read(w->m, image->start, &start, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, base->job_id);
	pm_db_bind_int(q, 2, base->host + w->m->space[image->space].host + 1);
	if (pm_record_has(&start, PM_COL_exename))
		name = pm_keytext(start.v[PM_COL_exename].s, room);
	pm_db_bind_text(q, 3, name.p, name.n);
	if (cpu >= 0)
		pm_db_bind_int(q, 4, cpu);
	return pm_db_run(q, e);
}

int pm_write_excluded(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		      const struct pm_write_base *base, struct pm_err *e)
{
	struct pm_images *m = &g->images;
	struct work w = { .m = m, .t = t };
	struct pm_stmt *q = NULL;
	uint32_t *next = NULL;
	size_t some = 0;
	int rc = -1;

	for (; some < m->images && !(m->image[some].flags & PM_IMAGE_EXCLUDED); some++)
		pm_filemem_trim();
	if (some == m->images)
		return 0;
	next = pm_filemem_calloc(m->images, sizeof next[0]);
	w.last = pm_filemem_calloc(m->images, sizeof w.last[0]);
	w.children = pm_filemem_calloc(m->images, sizeof w.children[0]);
	if (!next || !w.last || !w.children) {
		pm_err(e, "out of memory");
		goto out;
	}
	find_last(&w, next);
	rc = pm_db_prepare(
		db,
		"INSERT INTO excluded_program (job_id, host_id, exename, images, cpu_time) "
		"VALUES (?, ?, ?, 1, ?) ON CONFLICT (job_id, host_id, exename) DO UPDATE SET "
		"images = excluded_program.images + 1, cpu_time = coalesce("
		"excluded_program.cpu_time + excluded.cpu_time, excluded_program.cpu_time, "
		"excluded.cpu_time)",
		&q, e);
	if (rc == 0)
		rc = add_up_children(&w, e);
	for (uint32_t k = 0; k < t->count && rc == 0; k++, pm_filemem_trim())
		if (m->image[t->order[k]].flags & PM_IMAGE_EXCLUDED)
			rc = write_image(&w, t->order[k], next[t->order[k]], base, q, e);
out:
	pm_db_finish(q);
	pm_filemem_free(next);
	pm_filemem_free(w.last);
	pm_filemem_free(w.children);
	return rc < 0 ? pm_err_prefix(e, "write excluded programs") : 0;
}
