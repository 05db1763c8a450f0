/*
 * Independent check of a load, which does not trust the code that wrote the rows: files are looked
 * up in table load and read back, lines of superseded files are looked up in the stored content of
 * other files, processes in table process, samples of series files in their blocks.
 */
#include "config.h"

#include "submit/rows/shown.h"

#include "submit/input/lines.h"
#include "submit/memory/filemem.h"
#include "submit/rows/files.h"
#include "submit/rows/storedseries.h"

#include <string.h>

struct shown {
	struct pm_db *db;
	int64_t job;
	struct pm_gather *g;
	struct pm_filecontent *keep;
	struct pm_hashmap loaded;  /* hash of name and digest -> load */
	struct pm_hashmap lines;   /* marks: lines of the files that are loaded */
	struct pm_hashmap sampled; /* marks: hosts whose samples are checked */
	struct pm_hashmap
		rows;     /* hash of host, pid namespace, pid, start -> number of thread rows */
	uint64_t missing; /* lines of the current file that are not in the database */
	struct pm_err *e;
};

/* --- files ------------------------------------------------------------------------------------ */

static uint64_t file_hash(const char *name, const char *digest)
{
	return pm_hashmap_mix_bytes(pm_hashmap_mix_bytes(1, name, strlen(name)), digest,
				    strlen(digest));
}

static int find_loaded(struct shown *s, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(s->db, "SELECT id, file, digest FROM load WHERE job_id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, s->job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (pm_hashmap_add(&s->loaded,
				   file_hash(pm_db_text(q, 1, NULL), pm_db_text(q, 2, NULL)),
				   (uint32_t)pm_db_int(q, 0)) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	pm_db_finish(q);
	return rc;
}

static int add_digest(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	(void)e;
	pm_digest_add(ctx, p, n);
	return 0;
}

/* Read back the stored content of a file. Returns 1 if it equals the file, 0 if not, or -1. */
static int is_kept(struct shown *s, const struct pm_gather_file *f, struct pm_err *e)
{
	struct pm_decoder *decoder = pm_filecontent_decoder(s->keep);
	char text[PM_DIGEST_TEXT];
	uint32_t load;
	size_t at = 0;

	decoder->take = add_digest;
	while ((load = pm_hashmap_next(&s->loaded, file_hash(f->name, f->digest), &at)) !=
	       UINT32_MAX) {
		struct pm_digest digest;

		pm_digest_init(&digest);
		decoder->ctx = &digest;
		if (pm_files_decode(s->db, s->job, load, decoder, e) < 0)
			return -1;
		pm_digest_text(&digest, text);
		if (strcmp(text, f->digest) == 0)
			return 1;
	}
	return 0;
}

/* --- lines of superseded files ---------------------------------------------------------------- */

static uint64_t line_hash(const char *p, size_t n)
{
	return pm_hashmap_mix(pm_hashmap_mix_bytes(4, p, n), n);
}

static int mark_line(void *ctx, const char *p, size_t n, uint64_t number, enum pm_lines_state state)
{
	struct shown *s = ctx;

	(void)number;
	(void)state;
	pm_filemem_trim();
	if (pm_hashmap_has(&s->lines, line_hash(p, n)))
		return 0;
	return pm_hashmap_mark(&s->lines, line_hash(p, n)) < 0 ? pm_err(s->e, "out of memory") : 0;
}

static int find_line(void *ctx, const char *p, size_t n, uint64_t number, enum pm_lines_state state)
{
	struct shown *s = ctx;

	(void)number;
	s->missing += state == PM_LINES_WHOLE && !pm_hashmap_has(&s->lines, line_hash(p, n));
	return 0;
}

static int feed_lines(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	int rc = pm_lines_feed(ctx, p, n);

	return rc < 0 ? pm_err(e, "out of memory") : 0;
}

/* Mark the lines of all loaded files except metadata. Returns 0 or -1. */
static int mark_lines(struct shown *s, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(s->db, "SELECT id, file FROM load WHERE job_id = ? ORDER BY id", &q, e) <
	    0)
		return -1;
	pm_db_bind_int(q, 1, s->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_lines split;

		if (!pm_gather_kind_merges(pm_gather_kind(pm_db_text(q, 1, NULL))))
			continue;
		pm_lines_init(&split, mark_line, s);
		rc = pm_files_read(s->db, s->job, pm_db_int(q, 0), feed_lines, &split, e);
		if (pm_lines_end(&split) < 0 || rc < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

/* Whether another version of the metadata is loaded: the more complete one counts. */
static int has_version(struct shown *s, const struct pm_gather_file *f, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(s->db, "SELECT 1 FROM load WHERE job_id = ? AND file = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, s->job);
	pm_db_bind_str(q, 2, f->name);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

/* Check that the database has each sample of a series file, once for all files of its host. */
static int check_samples(struct shown *s, const struct pm_gather_file *f, struct pm_err *e)
{
	int64_t missing;

	if (pm_hashmap_has(&s->sampled, pm_hashmap_mix(7, f->host)))
		return 0;
	missing = pm_storedseries_missing(s->db, s->job, s->g, f->host, e);
	if (missing == 0 && pm_hashmap_mark(&s->sampled, pm_hashmap_mix(7, f->host)) < 0)
		return pm_err(e, "out of memory");
	return missing > 0 ? pm_err(e, "%s: samples missing from the database: %lld", f->name,
				    (long long)missing)
			   : (int)missing;
}

static int check_file(struct shown *s, const struct pm_gather_file *f, struct pm_err *e)
{
	struct pm_lines split;
	int rc = is_kept(s, f, e);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (f->kind == PM_FILE_SERIES && f->in_samples)
		return check_samples(s, f, e);
	if (f->kind == PM_FILE_META) {
		rc = has_version(s, f, e);
		return rc > 0 ? 0 : rc < 0 ? -1 : pm_err(e, "%s is not in the database", f->name);
	}
	if (!pm_gather_kind_merges(f->kind))
		return pm_err(e, "%s is not in the database", f->name);
	if (s->lines.used == 0 && mark_lines(s, e) < 0)
		return -1;
	s->missing = 0;
	pm_lines_init(&split, find_line, s);
	rc = pm_files_kept(s->keep, f->kept, feed_lines, &split, e);
	if (pm_lines_end(&split) < 0 || rc < 0)
		return -1;
	return s->missing ? pm_err(e, "%s: lines missing from the database: %llu", f->name,
				   (unsigned long long)s->missing)
			  : 0;
}

/* --- rows of processes ------------------------------------------------------------------------ */

/* As in pm_images_host, the host's name counts only without a boot id. */
static uint64_t row_hash(const char *boot, const char *host, int64_t pid_ns, int64_t pid,
			 int64_t image_us)
{
	const char *name = *boot ? boot : host;
	uint64_t hash = pm_hashmap_mix_bytes(*boot ? 1 : 2, name, strlen(name));

	return pm_hashmap_mix(pm_hashmap_mix(pm_hashmap_mix(hash, (uint64_t)pid_ns), (uint64_t)pid),
			      (uint64_t)image_us);
}

static int find_rows(struct shown *s, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(s->db,
			  "SELECT coalesce(h.boot_id, ''), coalesce(h.hostname, ''), "
			  "coalesce(p.pid_ns, -1), p.pid, p.image_us, (SELECT count(*) FROM "
			  "thread_row t WHERE t.job_id = ? AND t.process_id = p.id) FROM "
			  "process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id WHERE "
			  "p.job_id = ? AND p.image_us IS NOT NULL",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, s->job);
	pm_db_bind_int(q, 2, s->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		uint64_t hash = row_hash(pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
					 pm_db_int(q, 2), pm_db_int(q, 3), pm_db_int(q, 4));

		pm_filemem_trim();
		if (pm_hashmap_add(&s->rows, hash, (uint32_t)pm_db_int(q, 5)) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

static bool has_row(const struct shown *s, const struct pm_image *x)
{
	const struct pm_images *m = &s->g->images;
	const struct pm_space *space = &m->space[x->space];
	const struct pm_host *h = &m->host[space->host];
	uint32_t threads = 0, found;
	size_t at = 0;

	found = pm_hashmap_next(
		&s->rows, row_hash(h->boot_id, h->hostname, space->pid_ns, x->pid, x->image_us),
		&at);
	for (uint32_t t = x->threads; t != PM_NONE; t = m->thread[t].next)
		threads++;
	return found != UINT32_MAX && found >= threads;
}

static int check_rows(struct shown *s, struct pm_err *e)
{
	const struct pm_images *m = &s->g->images;
	uint64_t missing = 0;

	if (m->images && find_rows(s, e) < 0)
		return -1;
	for (size_t i = 0; i < m->images; i++, pm_filemem_trim()) {
		const struct pm_image *x = &m->image[i];

		/* Processes known only from a wait, or excluded from recording, have no such row.
		 */
		if (x->image_us != PM_NO_TIME && !(x->flags & PM_IMAGE_EXCLUDED))
			missing += !has_row(s, x);
	}
	return missing ? pm_err(e, "processes missing from the database: %llu",
				(unsigned long long)missing)
		       : 0;
}

int pm_shown_job(struct pm_db *db, int64_t job, struct pm_gather *g, struct pm_filecontent *keep,
		 struct pm_err *e)
{
	struct shown s = { .db = db, .job = job, .g = g, .keep = keep, .e = e };
	int rc = find_loaded(&s, e);

	for (size_t i = 0; i < g->files && rc == 0; i++, pm_filemem_trim())
		rc = check_file(&s, &g->file[i], e);
	if (rc == 0)
		rc = check_rows(&s, e);
	pm_hashmap_free(&s.loaded);
	pm_hashmap_free(&s.lines);
	pm_hashmap_free(&s.sampled);
	pm_hashmap_free(&s.rows);
	return rc < 0 ? -1 : 0;
}
