/* Processes, threads, counters and tags into their tables. */
#include "config.h"

#include "submit/write.h"

#include "sql/schema.h"
#include "submit/big.h"
#include "submit/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	struct pm_gather *g;
	const struct pm_lineage *t;
	const struct pm_write_base *base;
	struct pm_rows rows;
	struct pm_stmt *process, *thread, *counter, *tag;
	int64_t *inclusive; /* per row; -1 unknown */
	uint32_t *sorted;   /* threads of one process */
	size_t sorted_cap;
	bool *stopped;               /* per host: it has a stop */
	const struct pm_meta **meta; /* per host, NULL for none: that which derives most */
};

/* First parameter of a record's columns: behind those the tables put in front. */
#define PROCESS_HEAD 8
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
	pm_db_bind_int(w->counter, 1, w->base->job_id);
	pm_db_bind_int(w->counter, 2, process);
	pm_db_bind_int(w->counter, 3, thread);
	pm_db_bind_text(w->counter, 4, c->name.p, c->name.n);
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

/* The counters of a process or thread, and what the metadata of its host derives from them. */
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

/* The tags of a process: NAME:VALUE;NAME:VALUE, a bare NAME is 1. */
static int write_tags(struct writer *w, int64_t process, const struct pm_record *r,
		      struct pm_err *e)
{
	const char *p, *end;

	if (!pm_record_has(r, PM_COL_tags))
		return 0;
	p = r->v[PM_COL_tags].s.p;
	end = p + r->v[PM_COL_tags].s.n;
	while (p < end) {
		const char *semicolon = memchr(p, ';', (size_t)(end - p));
		const char *stop = semicolon ? semicolon : end;
		const char *colon = memchr(p, ':', (size_t)(stop - p));

		if (stop > p && colon != p) {
			pm_db_bind_int(w->tag, 1, w->base->job_id);
			pm_db_bind_int(w->tag, 2, process);
			pm_db_bind_text(w->tag, 3, p, (size_t)((colon ? colon : stop) - p));
			if (colon)
				pm_db_bind_text(w->tag, 4, colon + 1, (size_t)(stop - colon - 1));
			else
				pm_db_bind_text(w->tag, 4, "1", 1);
			if (pm_db_run(w->tag, e) < 0)
				return pm_err_prefix(e, "write tags");
		}
		p = stop + 1;
	}
	return 0;
}

static int by_tid(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int64_t x = m->thread[i].tid, y = m->thread[k].tid;

	/* Those whose id is not known, -1, -2, ..., come behind the others. */
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
		if (pm_rows_thread(&w->rows, i, w->sorted[k], &r, e) < 0)
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

static bool stopped(const struct writer *w, const struct pm_image *image)
{
	return w->stopped[host_of(w, image)];
}

/*
 * CPU times of the rows with those of the rows below each: in depth-first order a child comes
 * behind its parent, so that one walk backwards adds them up. Rows have their own time already; few
 * have others below them.
 */
static int write_inclusive(struct pm_db *db, struct writer *w, struct pm_err *e)
{
	const struct pm_images *m = &w->g->images;
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(db,
			  "UPDATE process SET inclusive_cpu_time = ? WHERE job_id = ? AND id = ?",
			  &q, e) < 0)
		return -1;
	for (uint32_t k = w->t->count; k > 0 && rc == 0; k--) {
		const struct pm_image *image = &m->image[w->t->order[k - 1]];
		int64_t all, *above;

		pm_big_trim();
		if (!image->id || (all = w->inclusive[image->id - 1]) < 0)
			continue;
		if (image->above != PM_NONE) {
			above = &w->inclusive[m->image[image->above].id - 1];
			*above = *above < 0 ? all : *above + all;
		}
		if (all == image->cpu_time)
			continue;
		pm_db_bind_int(q, 1, all);
		pm_db_bind_int(q, 2, w->base->job_id);
		pm_db_bind_int(q, 3, w->base->process + image->id);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write CPU times of trees") : 0;
}

static int write_process(struct writer *w, uint32_t i, struct pm_err *e)
{
	struct pm_images *m = &w->g->images;
	struct pm_image *image = &m->image[i];
	int64_t id = w->base->process + image->id;
	struct pm_stmt *q = w->process;
	struct pm_record r;

	if (pm_rows_image(&w->rows, i, stopped(w, image), &r, e) < 0)
		return -1;
	image->cpu_time = w->inclusive[image->id - 1] = pm_rows_cpu(&r);
	pm_db_bind_int(q, 1, w->base->job_id);
	pm_db_bind_int(q, 2, id);
	pm_db_bind_int(q, 3, w->base->host + m->space[image->space].host + 1);
	if (image->above != PM_NONE)
		pm_db_bind_int(q, 4, w->base->process + m->image[image->above].id);
	pm_db_bind_int(q, 5, image->depth);
	if (image->cpu_time >= 0) {
		pm_db_bind_int(q, 6, image->cpu_time);
		pm_db_bind_int(q, 7, image->cpu_time);
	}
	bind_record(q, PROCESS_HEAD, &r, pm_schema_in_process);
	if (pm_db_run(q, e) < 0)
		return pm_err_prefix(e, "write a process");
	if (write_counters(w, host_of(w, image), id, 0, &r, e) < 0 || write_tags(w, id, &r, e) < 0)
		return -1;
	return image->threads == PM_NONE ? 0 : write_threads(w, i, id, e);
}

static int prepare(struct pm_db *db, struct writer *w, struct pm_err *e)
{
	if (pm_write_prepare(db, "process", &w->process, e) < 0 ||
	    pm_write_prepare(db, "thread_row", &w->thread, e) < 0)
		return -1;
	if (pm_db_prepare(db,
			  "INSERT INTO counter (job_id, process_id, thread_id, name, value, ratio, "
			  "reason, scope) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			  &w->counter, e) < 0)
		return -1;
	return pm_db_prepare(
		db,
		"INSERT INTO tag (job_id, process_id, name, value) VALUES (?, ?, ?, ?) "
		"ON CONFLICT (job_id, process_id, name) DO UPDATE SET value = excluded.value",
		&w->tag, e);
}

int pm_write_processes(struct pm_db *db, struct pm_gather *g, const struct pm_lineage *t,
		       const struct pm_write_base *base, struct pm_err *e)
{
	struct writer w = { .g = g, .t = t, .base = base };
	int rc = -1;

	pm_rows_init(&w.rows, &g->images, t);
	w.inclusive = pm_big_calloc(t->count + 1, sizeof w.inclusive[0]);
	w.stopped = calloc(g->images.hosts + 1, sizeof w.stopped[0]);
	w.meta = calloc(g->images.hosts + 1, sizeof w.meta[0]);
	if (!w.inclusive || !w.stopped || !w.meta) {
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
	if (prepare(db, &w, e) < 0)
		goto out;
	rc = 0;
	for (uint32_t k = 0; k < t->count && rc == 0; k++)
		if (g->images.image[t->order[k]].id)
			rc = write_process(&w, t->order[k], e);
	if (rc == 0)
		rc = write_inclusive(db, &w, e);
out:
	pm_db_finish(w.process);
	pm_db_finish(w.thread);
	pm_db_finish(w.counter);
	pm_db_finish(w.tag);
	pm_big_free(w.inclusive);
	free(w.stopped);
	free(w.meta);
	free(w.sorted);
	return rc;
}
