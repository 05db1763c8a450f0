/* Write a job's files to the tables load, content and reject, and read content back. */
#include "config.h"

#include "submit/rows/files.h"

#include "common/now.h"
#include "common/safe/tsv.h"
#include "submit/memory/coder.h"
#include "submit/memory/filemem.h"

#include <string.h>

struct writer {
	struct pm_db *db;
	struct pm_gather *g;
	struct pm_filecontent *keep;
	const struct pm_write_base *base;
	struct pm_stmt *load, *again, *content;
	const struct pm_gather_file *file; /* file whose content is being written */
	int64_t part;
};

/* Run a statement about one loaded file: parameters are job and load. */
static int run_for_load(struct writer *w, const char *sql, int64_t load, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(w->db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, w->base->job_id);
	pm_db_bind_int(q, 2, load);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* Delete a stored file's rejected lines, which are about to be written again. A superseded file is
 * deleted entirely. */
static int clear_stored(struct writer *w, const struct pm_gather_file *f, struct pm_err *e)
{
	if (run_for_load(w, "DELETE FROM reject WHERE job_id = ? AND load_id = ?", f->load_id, e) <
	    0)
		return -1;
	return f->superseded ? run_for_load(w, "DELETE FROM load WHERE job_id = ? AND id = ?",
					    f->load_id, e)
			     : 0;
}

static int write_piece(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct writer *w = ctx;

	pm_db_bind_int(w->content, 1, w->base->job_id);
	pm_db_bind_int(w->content, 2, w->file->load_id);
	pm_db_bind_int(w->content, 3, ++w->part);
	pm_db_bind_str(w->content, 4, pm_coder_name());
	pm_db_bind_blob(w->content, 5, p, n);
	return pm_db_run(w->content, e);
}

static void bind_host(struct writer *w, struct pm_stmt *q, int i, const struct pm_gather_file *f)
{
	if (f->host != PM_NONE)
		pm_db_bind_int(q, i, w->base->host + f->host + 1);
}

/* Update the row of a file that was loaded earlier, since its host may have a new row. The lines of
 * one whose content is not stored were not read again. */
static int write_again(struct writer *w, const struct pm_gather_file *f, struct pm_err *e)
{
	bind_host(w, w->again, 1, f);
	if (!f->in_samples) {
		pm_db_bind_int(w->again, 2, (int64_t)f->lines);
		pm_db_bind_int(w->again, 3, (int64_t)f->rejected);
	}
	pm_db_bind_int(w->again, 4, w->base->job_id);
	pm_db_bind_int(w->again, 5, f->load_id);
	return pm_db_run(w->again, e);
}

static int write_new(struct writer *w, const struct pm_gather_file *f, int64_t now_us,
		     struct pm_err *e)
{
	char source[4 * 4096 + 1];
	struct pm_buf b;

	/* The file's name is escaped already. */
	pm_buf_init(&b, source, sizeof source);
	pm_tsv_escape(&b, f->source, strlen(f->source));
	pm_db_bind_int(w->load, 1, w->base->job_id);
	pm_db_bind_int(w->load, 2, f->load_id);
	bind_host(w, w->load, 3, f);
	pm_db_bind_str(w->load, 4, f->name);
	pm_db_bind_text(w->load, 5, b.p, b.len);
	pm_db_bind_str(w->load, 6, f->digest);
	pm_db_bind_int(w->load, 7, now_us);
	pm_db_bind_int(w->load, 8, (int64_t)f->bytes);
	pm_db_bind_int(w->load, 9, (int64_t)f->lines);
	pm_db_bind_int(w->load, 10, (int64_t)f->rejected);
	if (f->owner >= 0)
		pm_db_bind_int(w->load, 11, f->owner);
	if (pm_db_run(w->load, e) < 0)
		return -1;
	w->file = f;
	w->part = 0;
	return f->kept == PM_NONE || f->in_samples
		       ? 0
		       : pm_filecontent_each(w->keep, f->kept, write_piece, w, e);
}

static int write_files(struct writer *w, struct pm_err *e)
{
	int64_t next = w->base->load;
	int64_t now_us = pm_now_us();
	int rc = 0;

	for (size_t i = 0; i < w->g->files && rc == 0; i++, pm_filemem_trim()) {
		struct pm_gather_file *f = &w->g->file[i];

		if (f->stored && clear_stored(w, f, e) < 0)
			return -1;
		if (f->superseded)
			continue;
		if (f->stored) {
			rc = write_again(w, f, e);
			continue;
		}
		f->load_id = ++next;
		rc = write_new(w, f, now_us, e);
	}
	return rc;
}

static int write_rejects(struct writer *w, struct pm_err *e)
{
	struct pm_blobs *s = &w->g->rejects;
	struct pm_str item = { NULL, 0 };
	int64_t id = w->base->reject;
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_insert(w->db, "reject", false, &q, e) < 0)
		return -1;
	for (uint64_t at = PM_BLOBS_FIRST; rc == 0 && at < pm_blobs_end(s);
	     at = pm_blobs_next(at, item)) {
		const struct pm_gather_file *f;
		struct pm_reject x;

		rc = pm_blobs_get(s, at, &item, e);
		if (rc < 0)
			break;
		memcpy(&x, item.p, sizeof x);
		f = &w->g->file[x.file];
		if (f->superseded)
			continue;
		pm_db_bind_int(q, 1, w->base->job_id);
		pm_db_bind_int(q, 2, ++id);
		pm_db_bind_int(q, 3, f->load_id);
		pm_db_bind_str(q, 4, f->name);
		pm_db_bind_int(q, 5, (int64_t)x.line);
		pm_db_bind_text(q, 6, item.p + sizeof x, x.reason);
		pm_db_bind_blob(q, 7, item.p + sizeof x + x.reason, item.n - sizeof x - x.reason);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write rejects") : 0;
}

int pm_files_write(struct pm_db *db, struct pm_gather *g, struct pm_filecontent *keep,
		   const struct pm_write_base *base, struct pm_err *e)
{
	struct writer w = { .db = db, .g = g, .keep = keep, .base = base };
	int rc = -1;

	if (pm_db_insert(db, "load", false, &w.load, e) == 0 &&
	    pm_db_insert(db, "content", false, &w.content, e) == 0 &&
	    pm_db_prepare(db,
			  "UPDATE load SET host_id = ?, lines = coalesce(?, lines), rejected = "
			  "coalesce(?, rejected) WHERE job_id = ? AND id = ?",
			  &w.again, e) == 0)
		rc = write_files(&w, e);
	pm_db_finish(w.load);
	pm_db_finish(w.content);
	pm_db_finish(w.again);
	if (rc < 0)
		return pm_err_prefix(e, "write files");
	return write_rejects(&w, e);
}

int pm_files_decode(struct pm_db *db, int64_t job, int64_t load, struct pm_decoder *u,
		    struct pm_err *e)
{
	struct pm_stmt *q;
	int rc, parts = 0;

	if (pm_db_prepare(db,
			  "SELECT coding, bytes FROM content WHERE job_id = ? AND load_id = ? "
			  "ORDER BY part",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, load);
	while ((rc = pm_db_step(q, e)) > 0) {
		size_t n;
		const void *p;

		if (parts++ == 0 && pm_decoder_begin(u, pm_db_text(q, 0, NULL), e) < 0) {
			rc = -1;
			break;
		}
		p = pm_db_blob(q, 1, &n);
		rc = pm_decoder_feed(u, p, n, e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : parts > 0;
}

int pm_files_read(struct pm_db *db, int64_t job, int64_t load,
		  int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		  struct pm_err *e)
{
	struct pm_decoder u = { .take = take, .ctx = ctx };
	int rc = pm_files_decode(db, job, load, &u, e);

	pm_decoder_end(&u);
	return rc;
}

static int unpack_piece(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	return pm_decoder_feed(ctx, p, n, e);
}

int pm_files_kept(struct pm_filecontent *keep, uint32_t file,
		  int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		  struct pm_err *e)
{
	struct pm_decoder u = { .take = take, .ctx = ctx };
	int rc;

	if (file == PM_NONE)
		return 0;
	rc = pm_decoder_begin(&u, pm_coder_name(), e);
	if (rc == 0)
		rc = pm_filecontent_each(keep, file, unpack_piece, &u, e);
	pm_decoder_end(&u);
	return rc;
}
