/* Write processes, threads, counters and tags to their tables. */
#include "config.h"

#include "submit/rows/write.h"

#include "sql/schema.h"
#include "submit/job/keytext.h"
#include "submit/memory/filemem.h"
#include "submit/rows/imagerow.h"
#include "submit/rows/programrow.h"
#include "submit/rows/tagrow.h"
#include "submit/rows/tagset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	struct pm_gather *g;
	struct pm_lineage *t;
	const struct pm_write_base *base;
	struct pm_imagerow rows;
	const struct pm_write_totals *totals;
	struct pm_programrow program;
	struct pm_stmt *process, *thread, *counter;
	struct pm_tagset *tags;
	int64_t *below;   /* row -> CPU time of its descendants, plus 1; 0: unknown */
	uint32_t *sorted; /* sorted threads of one process */
	size_t sorted_cap;
	bool *stopped;               /* host -> a stop was recorded */
	const struct pm_meta **meta; /* host -> metadata with the most derived events, or NULL */
};

/* First parameter of a record's columns, after the table's own leading columns. */
#define PROCESS_HEAD 9
#define THREAD_HEAD  4

static void bind_record(struct pm_stmt *q, int at, const struct pm_record *r,
			bool (*in_table)(enum pm_column))
{
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (!in_table((enum pm_column)c))
			continue;
		if (pm_record_has(r, (enum pm_column)c)) {
			if (pm_column_is_text[c])
				pm_db_bind_text(q, at, r->v[c].s.p, r->v[c].s.n);
			else
				pm_db_bind_int(q, at, r->v[c].i);
		}
		at++;
	}
}

static int write_counter(struct writer *w, int64_t process, int64_t thread,
			 const struct pm_counter *c, struct pm_err *e)
{
	char room[PM_KEYTEXT_MAX + 1];
	struct pm_str name = pm_keytext(c->name, room);

	pm_db_bind_int(w->counter, 1, w->base->job_id);
	pm_db_bind_int(w->counter, 2, process);
	pm_db_bind_int(w->counter, 3, thread);
	pm_db_bind_text(w->counter, 4, name.p, name.n);
	if (c->known)
		pm_db_bind_int(w->counter, 5, c->value);
	if (!isnan(c->ratio))
		pm_db_bind_real(w->counter, 6, c->ratio);
	if (c->reason.n)
		pm_db_bind_text(w->counter, 7, c->reason.p, c->reason.n);
	if (c->scope)
		pm_db_bind_str(w->counter, 8, c->scope);
	return pm_db_run(w->counter, e) < 0 ? pm_err_prefix(e, "write counters") : 0;
}

/* Write the counters of a process or thread, and those that its host's metadata derive from them.
 * Returns 0 or -1 with e filled. */
static int write_counters(struct writer *w, uint32_t host, int64_t process, int64_t thread,
			  const struct pm_record *r, struct pm_err *e)
{
	const struct pm_meta *m = w->meta[host];
	struct pm_str list, item;
	struct pm_counter c;

	if (!pm_record_has(r, PM_COL_counters))
		return 0;
	list = r->v[PM_COL_counters].s;
	while (pm_tsv_next_item(&list, &item))
		if (pm_counter_parse(&c, item) == 0 && write_counter(w, process, thread, &c, e) < 0)
			return -1;
	for (size_t i = 0; m && i < m->deriveds; i++)
		if (pm_counter_derive(&c, &m->derived[i], r->v[PM_COL_counters].s) &&
		    write_counter(w, process, thread, &c, e) < 0)
			return -1;
	return 0;
}

static int by_tid(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int64_t x = m->thread[i].tid, y = m->thread[k].tid;

	/* Threads with an unknown id, -1, -2, ..., sort after the others. */
	x = x < 0 ? INT32_MAX - x : x;
	y = y < 0 ? INT32_MAX - y : y;
	return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

static uint32_t host_of(const struct writer *w, const struct pm_image *image)
{
	return w->g->images.space[image->space].host;
}

static int write_threads(struct writer *w, uint32_t i, int64_t process, struct pm_err *e)
{
	struct pm_images *m = &w->g->images;
	struct pm_record r;
	size_t n = 0;

	for (uint32_t t = m->image[i].threads; t != PM_NONE; t = m->thread[t].next) {
		if (n == w->sorted_cap) {
			size_t cap = n ? 2 * n : 64;
			void *p = realloc(w->sorted, cap * sizeof w->sorted[0]);

			if (!p)
				return pm_err(e, "out of memory");
			w->sorted = p;
			w->sorted_cap = cap;
		}
		w->sorted[n++] = t;
	}
	qsort_r(w->sorted, n, sizeof w->sorted[0], by_tid, m);
	for (size_t k = 0; k < n; k++) {
		if (pm_imagerow_thread(&w->rows, i, w->sorted[k], &r, e) < 0)
			return -1;
		pm_db_bind_int(w->thread, 1, w->base->job_id);
		pm_db_bind_int(w->thread, 2, process);
		pm_db_bind_int(w->thread, 3, (int64_t)k + 1);
		bind_record(w->thread, THREAD_HEAD, &r, pm_schema_in_thread);
		if (pm_db_run(w->thread, e) < 0)
			return pm_err_prefix(e, "write a thread");
		if (write_counters(w, host_of(w, &m->image[i]), process, (int64_t)k + 1, &r, e) < 0)
			return -1;
	}
	return 0;
}

static bool is_stopped(const struct writer *w, const struct pm_image *image)
{
	return w->stopped[host_of(w, image)];
}

/* Sum of two values, -1 meaning unknown; unknown only if both are unknown or the sum overflows. */
static int64_t add_known(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return __builtin_add_overflow(a, b, &sum) || sum == INT64_MAX ? -1 : sum;
}

/* Write a process whose descendants have been written, so that their CPU time is known. Returns 0
 * or -1 with e filled. */
static int write_process(struct writer *w, uint32_t i, struct pm_err *e)
{
	struct pm_images *m = &w->g->images;
	const struct pm_image *image = &m->image[i];
	int64_t id = w->base->process + image->id, set = 0, own, all;
	struct pm_stmt *q = w->process;
	struct pm_record r;

	/* Update the progress rarely: each update reads the clock. */
	if (image->id % 256 == 0)
		pm_progress_add(w->g->progress, 256);
	if (pm_imagerow_fill(&w->rows, i, is_stopped(w, image), &r, e) < 0)
		return -1;
	own = pm_imagerow_cpu(&r);
	all = add_known(own, w->below[image->id - 1] - 1);
	pm_db_bind_int(q, 1, w->base->job_id);
	pm_db_bind_int(q, 2, id);
	pm_db_bind_int(q, 3, w->base->host + m->space[image->space].host + 1);
	if (image->above != PM_NONE) {
		uint32_t above = m->image[image->above].id;

		pm_db_bind_int(q, 4, w->base->process + above);
		w->below[above - 1] = add_known(w->below[above - 1] - 1, all) + 1;
	}
	pm_db_bind_int(q, 5, image->depth);
	if (own >= 0)
		pm_db_bind_int(q, 6, own);
	if (all >= 0)
		pm_db_bind_int(q, 7, all);
	if (pm_record_has(&r, PM_COL_tags)) {
		set = pm_tagset_number(w->tags, r.v[PM_COL_tags].s, e);
		if (set < 0)
			return -1;
		if (set > 0)
			pm_db_bind_int(q, 8, set);
	}
	bind_record(q, PROCESS_HEAD, &r, pm_schema_in_process);
	if (pm_db_run(q, e) < 0)
		return pm_err_prefix(e, "write a process");
	if (pm_jobtotals_add(w->totals->job, host_of(w, image), &r, own) < 0)
		return pm_err(e, "out of memory");
	if (pm_programrow_add(&w->program, i, &r, own, e) < 0 ||
	    (set > 0 && w->totals->tags && pm_tagrow_add(w->totals->tags, set, &r, own, e) < 0))
		return -1;
	if (write_counters(w, host_of(w, image), id, 0, &r, e) < 0)
		return -1;
	return image->threads == PM_NONE ? 0 : write_threads(w, i, id, e);
}

/*
 * Write every process after its descendants, so that each is written once, with their sum. In the
 * tree's depth-first order, `open` and its ancestors are the rows still to be written. Returns 0 or
 * -1 with e filled.
 */
static int write_tree(struct writer *w, struct pm_err *e)
{
	const struct pm_images *m = &w->g->images;
	uint32_t open = PM_NONE;

	for (uint32_t k = 0; k < w->t->count; k++) {
		uint32_t i = w->t->order[k];

		pm_filemem_trim();
		if (!m->image[i].id)
			continue;
		for (; open != PM_NONE && open != m->image[i].above; open = m->image[open].above)
			if (write_process(w, open, e) < 0)
				return -1;
		open = i;
	}
	for (; open != PM_NONE; open = m->image[open].above)
		if (write_process(w, open, e) < 0)
			return -1;
	return 0;
}

static int prepare_statements(struct pm_db *db, struct writer *w, struct pm_err *e)
{
	if (pm_db_insert(db, "process", false, &w->process, e) < 0 ||
	    pm_db_insert(db, "thread_row", false, &w->thread, e) < 0 ||
	    pm_db_insert(db, "counter", true, &w->counter, e) < 0)
		return -1;
	w->tags = pm_tagset_new(db, w->base->job_id, w->base->tag_set, e);
	return w->tags ? 0 : -1;
}

int pm_write_processes(struct pm_db *db, struct pm_gather *g, struct pm_lineage *t,
		       const struct pm_write_base *base, const struct pm_write_totals *totals,
		       struct pm_err *e)
{
	struct writer w = { .g = g, .t = t, .base = base, .totals = totals };
	int rc = -1;

	pm_imagerow_init(&w.rows, &g->images, t);
	w.program.rows = &w.rows;
	w.program.programs = totals->programs;
	w.below = pm_filemem_calloc(t->count + 1, sizeof w.below[0]);
	w.stopped = calloc(g->images.hosts + 1, sizeof w.stopped[0]);
	w.meta = calloc(g->images.hosts + 1, sizeof w.meta[0]);
	if (!w.below || !w.stopped || !w.meta) {
		pm_err(e, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < g->metas; i++) {
		const struct pm_meta *m = &g->meta[i], **of = &w.meta[m->host];

		if (m->set[PM_JOB_stop_time_us])
			w.stopped[m->host] = true;
		if (m->deriveds && (!*of || m->deriveds > (*of)->deriveds))
			*of = m;
	}
	pm_progress_begin(g->progress, "writing", "processes", 1, 0, t->count);
	if (prepare_statements(db, &w, e) == 0)
		rc = write_tree(&w, e);
out:
	pm_db_finish(w.process);
	pm_db_finish(w.thread);
	pm_db_finish(w.counter);
	pm_tagset_free(w.tags);
	pm_filemem_free(w.below);
	free(w.stopped);
	free(w.meta);
	free(w.sorted);
	return rc;
}
