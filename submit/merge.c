/*
 * Merge late files. A process may have its start in one file, its end in another and its parent's
 * wait in a third one: late files are merged with the loaded files of the same host, whose content
 * the database stores, and the host's rows are made again from all of them. The result equals that
 * of loading all files at once, in any order.
 */
#include "config.h"

#include "submit/merge.h"

#include "common/grow.h"
#include "db/erase.h"
#include "submit/memory/hashmap.h"
#include "submit/merge_parts.h"
#include "submit/rows/files.h"
#include "submit/rows/storedseries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Flag in the batch numbers of loaded files, to tell them from those of sources. */
#define STORED_BATCH 0x80000000u

struct merge {
	struct pm_db *db;
	int64_t job;
	const struct pm_gather *g;
	struct pm_filecontent *keep;
	struct pm_merge *late;
	struct pm_gather_known known;
	struct pm_merge_parts files;
	int64_t user; /* uid of the job's user */
	char *text;   /* text of one metadata file */
	size_t text_len, text_cap;
};

/* Sort by turn, then by name, files of one name by size, the largest first, so that the lines of
 * the smaller versions are known already. */
static int by_name(const void *a, const void *b)
{
	const struct pm_late_part *x = *(struct pm_late_part *const *)a,
				  *y = *(struct pm_late_part *const *)b;
	int c = x->turn - y->turn;

	if (c == 0)
		c = strcmp(x->name, y->name);
	if (c == 0)
		c = (x->bytes < y->bytes) - (x->bytes > y->bytes);
	return c ? c : strcmp(x->digest, y->digest);
}

static int report_gone(struct merge *m, const struct pm_late_part *p, struct pm_err *e)
{
	m->late->refused = true;
	return pm_err(e,
		      "the content of %s, loaded from %s, is not stored any more: --replace, with "
		      "all files of the job, loads it anew",
		      p->name, p->source);
}

/* Pass the content of a file to `take`. Returns 1, 0 if the content is not stored, or -1 with e
 * filled. */
static int read_stored(struct merge *m, const struct pm_late_part *p,
		       int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		       struct pm_err *e)
{
	if (p->bytes == 0)
		return 1;
	if (p->file)
		return pm_files_kept(m->keep, p->file->kept, take, ctx, e) < 0 ? -1 : 1;
	return pm_files_read(m->db, m->job, p->load_id, take, ctx, e);
}

/* As read_stored(), where content that is not stored is an error. */
static int read_part(struct merge *m, const struct pm_late_part *p,
		     int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		     struct pm_err *e)
{
	int rc = read_stored(m, p, take, ctx, e);

	return rc == 0 ? report_gone(m, p, e) : rc < 0 ? -1 : 0;
}

/*
 * Gather the samples that the database has of a series file's host, in place of the file's content:
 * they are those of all its files, which the first of them brings. Returns 0 or -1 with e filled.
 */
static int read_samples(struct merge *m, const struct pm_late_part *p, struct pm_gather_file *f,
			struct pm_err *e)
{
	struct pm_late_host *h = pm_merge_parts_host(&m->files, p->host_id);
	struct pm_gather *all = &m->late->all;
	int64_t blocks;

	if (!h)
		return report_gone(m, p, e);
	f->host = pm_images_host(&all->images, (struct pm_str){ h->boot_id, strlen(h->boot_id) },
				 (struct pm_str){ h->hostname, strlen(h->hostname) });
	if (f->host == PM_NONE)
		return pm_err(e, "out of memory, or too many hosts");
	f->in_samples = true;
	f->series = 0;
	f->bytes = p->bytes;
	if (h->read)
		return 0;
	h->read = true;
	blocks = pm_storedseries_read(m->db, m->job, h->id, &all->series, f->host, e);
	return blocks < 0 ? -1 : blocks == 0 ? report_gone(m, p, e) : 0;
}

static int take_text(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct merge *m = ctx;

	if (!PM_GROW_BY(m->text, m->text_len, n, m->text_cap, 65536))
		return pm_err(e, "out of memory");
	memcpy(m->text + m->text_len, p, n);
	m->text_len += n;
	return 0;
}

static int take_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	return pm_gather_data(ctx, p, n, e);
}

/* A version of a metadata file. */
struct version {
	int64_t value[3]; /* completeness: see rate_version() */
	uint64_t host;    /* hash of its host, 0: none named */
	size_t leader;    /* in a host's first version: index of the host's best version */
	bool best;        /* best version of its host */
};

/* Rate the completeness of a metadata file: a version with a stop wins, then a later time, and any
 * readable version over an unreadable one. Returns 0 or -1 with e filled. */
static int rate_version(struct merge *m, const struct pm_late_part *p, struct version *v,
			struct pm_err *e)
{
	int64_t *value = v->value;
	struct pm_meta meta = { 0 };
	struct pm_err why;
	int rc = -1;

	*v = (struct version){ .host = 0 };
	m->text_len = 0;
	if (read_part(m, p, take_text, m, e) < 0)
		return -1;
	errno = 0;
	if (m->text_len <= PM_META_MAX && m->text)
		rc = pm_gather_parse_meta(p->name, &meta, m->text, m->text_len, &why);
	if (rc < 0 && errno == ENOMEM) {
		pm_meta_free(&meta);
		return pm_err(e, "out of memory");
	}
	if (rc == 0) {
		value[0] = meta.set[PM_JOB_stop_time_us] ? 2 : 1;
		value[1] = meta.number[PM_JOB_stop_time_us];
		value[2] = meta.number[PM_JOB_start_time_us];
		v->host = pm_late_host_hash(meta.text[PM_JOB_host_boot_id],
					    meta.text[PM_JOB_host_hostname]);
	}
	pm_meta_free(&meta);
	return 0;
}

/* Among several versions of metadata choose the best for each host. Returns an array with `best`
 * set, to be freed, or NULL with e filled. */
static struct version *best_meta(struct merge *m, struct pm_late_part *const *p, size_t n,
				 struct pm_err *e)
{
	struct version *v = calloc(n, sizeof *v);
	struct pm_hashmap first = { .used = 0 }; /* host hash -> index of its first version */
	int rc = v ? 0 : pm_err(e, "out of memory");

	for (size_t i = 0; i < n && rc == 0; i++) {
		size_t at = 0, rival;
		uint32_t known;
		int c = 0;

		rc = rate_version(m, p[i], &v[i], e);
		if (rc < 0)
			break;
		known = pm_hashmap_next(&first, v[i].host, &at);
		if (known == UINT32_MAX) {
			v[i].best = true;
			v[i].leader = i;
			if (pm_hashmap_add(&first, v[i].host, (uint32_t)i) < 0)
				rc = pm_err(e, "out of memory");
			continue;
		}
		rival = v[known].leader;
		for (int k = 0; k < 3 && c == 0; k++)
			c = (v[i].value[k] > v[rival].value[k]) -
			    (v[i].value[k] < v[rival].value[k]);
		/* Among equal versions the new one wins: it was changed for a reason. */
		if (c < 0 || (c == 0 && !p[i]->file))
			continue;
		v[rival].best = false;
		v[i].best = true;
		v[known].leader = i;
	}
	pm_hashmap_free(&first);
	if (rc == 0)
		return v;
	free(v);
	return NULL;
}

/* Begin a file of the result, with its origin. Returns it, or NULL with e filled. */
static struct pm_gather_file *begin_part(struct merge *m, const struct pm_late_part *p,
					 struct pm_err *e)
{
	uint32_t batch = p->file ? p->file->batch : STORED_BATCH | p->batch;
	struct pm_gather *all = &m->late->all;
	struct pm_gather_file *f;

	m->known.batch = batch;
	if (pm_gather_source(all, p->file ? p->file->source : p->source, e) < 0 ||
	    pm_gather_begin(all, p->name, e) < 0)
		return NULL;
	f = &all->file[all->files - 1];
	/* pm_gather_begin escaped the name a second time. */
	free(f->name);
	f->name = strdup(p->name);
	if (!f->name) {
		pm_err(e, "out of memory");
		return NULL;
	}
	f->kind = p->kind;
	f->stored = !p->file;
	f->repeated = p->repeated;
	f->load_id = p->load_id;
	f->batch = batch;
	if (p->file)
		f->kept = p->file->kept;
	memcpy(f->digest, p->digest, sizeof f->digest);
	pm_gather_owned_by(all, p->owner);
	return f;
}

/* Mark a file as superseded by another version with all of its content. */
static void supersede_file(struct merge *m, struct pm_gather_file *f)
{
	f->superseded = true;
	if (f->stored)
		m->late->replaced++;
	else
		m->late->added--;
}

/* The digest of a file's beginning. */
struct beginning {
	struct pm_digest digest;
	uint64_t left;
};

static int add_beginning(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct beginning *b = ctx;

	(void)e;
	if (n > b->left)
		n = (size_t)b->left;
	pm_digest_add(&b->digest, p, n);
	b->left -= n;
	return 0;
}

/* Whether a new file begins with the content of a loaded one. Returns 1, 0 or -1 with e filled. */
static int begins_with(struct merge *m, const struct pm_gather_file *f,
		       const struct pm_gather_file *loaded, struct pm_err *e)
{
	struct beginning b = { .left = loaded->bytes };
	char text[PM_DIGEST_TEXT];

	pm_digest_init(&b.digest);
	if (pm_files_kept(m->keep, f->kept, add_beginning, &b, e) < 0)
		return -1;
	pm_digest_text(&b.digest, text);
	return strcmp(text, loaded->digest) == 0;
}

/*
 * Supersede one of two versions of a series file, of which the database has the samples of one: the
 * loaded one if the new one begins with it; the new one, if smaller, if the database has its
 * samples. Returns 0 or -1 with e filled.
 */
static int supersede_series(struct merge *m, struct pm_gather_file *f,
			    struct pm_gather_file *loaded, struct pm_err *e)
{
	int64_t missing;

	if (f->bytes > loaded->bytes) {
		int rc = begins_with(m, f, loaded, e);

		if (rc > 0)
			supersede_file(m, loaded);
		return rc < 0 ? -1 : 0;
	}
	/* A last line that was cut, as of a copy made while the sampler wrote, brings nothing. */
	if (f->series == 0 || f->rejected > f->cut)
		return 0;
	missing = pm_storedseries_missing_of(m->db, m->job, &m->late->all, f->series, e);
	if (missing == 0)
		supersede_file(m, f);
	return missing < 0 ? -1 : 0;
}

/* Supersede versions of series files whose content is not stored. Returns 0 or -1 with e filled. */
static int supersede_stored(struct merge *m, struct pm_err *e)
{
	struct pm_gather *all = &m->late->all;

	/* Files of one name are neighbours. */
	for (size_t i = 0, end; i < all->files; i = end) {
		for (end = i + 1; end < all->files; end++)
			if (strcmp(all->file[end].name, all->file[i].name) != 0)
				break;
		for (size_t k = i; k < end; k++)
			for (size_t n = i; n < end; n++) {
				struct pm_gather_file *loaded = &all->file[k], *f = &all->file[n];

				if (loaded->stored && loaded->in_samples && !f->stored &&
				    !loaded->superseded && !f->superseded &&
				    f->host == loaded->host &&
				    supersede_series(m, f, loaded, e) < 0)
					return -1;
			}
	}
	return 0;
}

/* Mark the loads and hosts whose collated lines are still used. Returns 0, or -1 if out of
 * memory. */
static int mark_used_lines(const struct pm_gather *all, struct pm_hashmap *used)
{
	int rc = 0;

	for (size_t i = 0; i < all->files && rc == 0; i++) {
		const struct pm_gather_file *f = &all->file[i];

		if (!f->superseded && pm_foreign_kind(f->name) == PM_FOREIGN_TSV)
			rc = pm_hashmap_mark(used, pm_late_papiex_hash(f->name, f->batch));
	}
	return rc;
}

/* Supersede files whose lines are all in another version. A file of column names stays as long as
 * lines that came with it. Returns 0, or -1 with e filled. */
static int supersede_known(struct merge *m, struct pm_err *e)
{
	struct pm_gather *all = &m->late->all;
	struct pm_hashmap used = { .used = 0 };

	for (size_t i = 1; i < all->files; i++) {
		struct pm_gather_file *f = &all->file[i];

		if (!f->superseded && pm_gather_kind_merges(f->kind) &&
		    !(f->stored && f->in_samples) && strcmp(f->name, f[-1].name) == 0 &&
		    f->known + f->cut == f->lines && pm_foreign_kind(f->name) != PM_FOREIGN_NAMES)
			supersede_file(m, f);
	}
	if (mark_used_lines(all, &used) < 0) {
		pm_hashmap_free(&used);
		return pm_err(e, "out of memory");
	}
	for (size_t i = 0; i < all->files; i++) {
		struct pm_gather_file *f = &all->file[i];

		if (f->repeated && !pm_hashmap_has(&used, pm_late_papiex_hash(f->name, f->batch)))
			supersede_file(m, f);
	}
	pm_hashmap_free(&used);
	return 0;
}

static int take_part(struct merge *m, const struct pm_late_part *p, struct pm_err *e)
{
	struct pm_gather *all = &m->late->all;
	struct pm_gather_file *f = begin_part(m, p, e);
	size_t files = all->files;
	uint32_t kept;
	int rc;

	if (!f)
		return -1;
	kept = f->kept;
	rc = read_stored(m, p, take_data, all, e);
	if (rc < 0 || pm_gather_end(all, p->file ? p->file->whole : true, e) < 0)
		return -1;
	if (all->files < files) /* an empty tally was dropped */
		return 0;
	f = &all->file[all->files - 1];
	f->kept = kept;
	if (rc == 0)
		return p->kind == PM_FILE_SERIES ? read_samples(m, p, f, e) : report_gone(m, p, e);
	return 0;
}

/* Gather all versions of one file. Returns 0 or -1 with e filled. */
static int take_group(struct merge *m, struct pm_late_part *const *p, size_t n, struct pm_err *e)
{
	struct version *meta = NULL;
	int rc = 0;

	if (n > 1 && p[0]->kind == PM_FILE_META) {
		meta = best_meta(m, p, n, e);
		if (!meta)
			return -1;
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct pm_gather_file *f;

		if (!meta || meta[i].best) {
			rc = take_part(m, p[i], e);
			continue;
		}
		f = begin_part(m, p[i], e);
		if (f)
			supersede_file(m, f);
		rc = f ? 0 : -1;
	}
	free(meta);
	return rc;
}

static int turn_of(const struct pm_gather *all, const struct pm_late_part *p)
{
	if (p->kind == PM_FILE_META)
		return 0;
	return p->kind == PM_FILE_RECORDS &&
			       (p->owner >= 0 || pm_guest_named(p->name, &all->users.hosts) >= 0)
		       ? 2
		       : 1;
}

/* Gather the chosen parts in order. Returns 0 or -1 with e filled. */
static int gather_chosen(struct merge *m, struct pm_err *e)
{
	struct pm_late_part **sorted = calloc(m->files.parts + 1, sizeof *sorted);
	size_t n = 0, end;
	int rc = sorted ? 0 : pm_err(e, "out of memory");

	for (size_t i = 0; i < m->files.parts && rc == 0; i++)
		if (pm_guest_note_hosts(&m->late->all.users.hosts, m->files.part[i].name) < 0)
			rc = pm_err(e, "out of memory");
	for (size_t i = 0; i < m->files.parts && rc == 0; i++) {
		m->files.part[i].turn = turn_of(&m->late->all, &m->files.part[i]);
		if (m->files.part[i].chosen)
			sorted[n++] = &m->files.part[i];
	}
	if (rc == 0 && n)
		qsort(sorted, n, sizeof *sorted, by_name);
	for (size_t i = 0; i < n && rc == 0; i = end) {
		for (end = i + 1; end < n; end++)
			if (sorted[i]->turn != sorted[end]->turn ||
			    strcmp(sorted[i]->name, sorted[end]->name) != 0)
				break;
		rc = take_group(m, sorted + i, end - i, e);
	}
	free(sorted);
	return rc;
}

/* Mark all gathered hosts as affected. Returns the number of hosts newly marked. */
static size_t mark_all(struct merge *m, const struct pm_gather *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->images.hosts; i++)
		count += pm_merge_parts_mark(&m->files, &g->images.host[i]);
	return count;
}

/* Gather until no further hosts of the database are affected: a loaded file may cover several.
 * Returns 0 or -1 with e filled. */
static int gather_all(struct merge *m, struct pm_err *e)
{
	struct pm_merge *late = m->late;
	size_t added = late->added;

	for (size_t i = 0; i < m->files.parts; i++) {
		const struct pm_gather_file *f = m->files.part[i].file;

		if (f && f->host != PM_NONE)
			pm_merge_parts_mark(&m->files, &m->g->images.host[f->host]);
	}
	do {
		pm_gather_free(&late->all);
		pm_hashmap_free(&m->known.lines);
		for (size_t i = 0; i < m->files.hosts; i++)
			m->files.host[i].read = false;
		late->added = added;
		late->replaced = 0;
		if (pm_gather_init(&late->all, pm_gather_from(m->g), m->g->directory, m->g->owner,
				   e) < 0)
			return -1;
		late->all.nameless = m->g->nameless;
		late->all.silent = true; /* problems of new files have been printed already */
		late->all.known = &m->known;
		late->all.users.ordered = true;
		late->all.users.job = m->user;
		if (pm_merge_parts_choose(&m->files) < 0)
			return pm_err(e, "out of memory");
		if (gather_chosen(m, e) < 0)
			return -1;
		if (pm_gather_finish(&late->all, e) < 0)
			return -1;
		late->all.known = NULL;
		if (supersede_known(m, e) < 0 || supersede_stored(m, e) < 0)
			return -1;
	} while (mark_all(m, &late->all) > 0);
	for (size_t i = 0; i < m->files.hosts; i++)
		if (m->files.host[i].affected)
			late->host[late->hosts++] = m->files.host[i].id;
	return 0;
}

/* Mark all hosts if record files were loaded before the job's user was known. */
static void mark_hosts(struct merge *m)
{
	bool records = false;

	for (size_t i = 0; i < m->files.parts; i++)
		records = records ||
			  (m->files.part[i].load_id && m->files.part[i].kind == PM_FILE_RECORDS);
	for (size_t i = 0; i < m->files.hosts && records; i++)
		m->files.host[i].affected = true;
}

/* Determine the job's user from the metadata or, without any, from the loaded job. Refuses a job
 * whose processes are deleted: its summary could not be made again. Returns 0 or -1 with e filled.
 */
static int look_at_job(struct merge *m, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	m->user = m->g->users.job;
	if (m->job == 0)
		return 0;
	if (pm_db_prepare(m->db,
			  "SELECT uid, scheduler, CASE WHEN " PM_ERASE_GONE_PROCESSES
			  " THEN 1 ELSE 0 END FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, m->job);
	rc = pm_db_step(q, e);
	m->late->refused = rc > 0 && pm_db_int(q, 2) > 0;
	if (m->late->refused)
		rc = pm_err(e,
			    "the job is retired, and only its summary kept, to which nothing can "
			    "be added: --replace, with all files of the job, loads it anew");
	else if (rc > 0 && m->g->nameless && !pm_db_is_null(q, 0))
		m->user = pm_db_int(q, 0);
	else if (rc > 0 && !m->g->nameless && pm_db_is_null(q, 1))
		mark_hosts(m);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

int pm_merge_job(struct pm_merge *late, struct pm_db *db, const struct pm_gather *g, int64_t job,
		 struct pm_filecontent *keep, struct pm_err *e)
{
	struct merge m = { .db = db, .job = job, .g = g, .keep = keep, .late = late };
	int rc = -1;

	memset(late, 0, sizeof *late);
	e->text[0] = '\0';
	if (pm_gather_init(&late->all, pm_gather_from(g), g->directory, g->owner, e) < 0 ||
	    (job && pm_merge_parts_load(&m.files, db, job, e) < 0) ||
	    pm_merge_parts_add(&m.files, g, &late->added, e) < 0)
		goto out;
	rc = late->added ? look_at_job(&m, e) : 0;
	if (rc < 0 || late->added == 0)
		goto out;
	late->host = calloc(m.files.hosts + 1, sizeof late->host[0]);
	rc = late->host ? gather_all(&m, e) : pm_err(e, "out of memory");
out:
	pm_merge_parts_free(&m.files);
	free(m.text);
	pm_hashmap_free(&m.known.lines);
	return rc;
}

void pm_merge_free(struct pm_merge *late)
{
	pm_gather_free(&late->all);
	free(late->host);
	memset(late, 0, sizeof *late);
}
