/*
 * Late files. A process may have its start in one file, its end in another and its parent's wait in
 * a third one: what comes late is put together with the files that are loaded of the same host,
 * whose content the database has, and the host is made anew from all of them. That gives what a
 * load of all at once would have given, in whatever order they come.
 */
#include "config.h"

#include "submit/late.h"

#include "submit/content.h"

#include <stdlib.h>
#include <string.h>

/* Number of the batch of what is loaded: the highest bit apart from those of sources. */
#define STORED_BATCH 0x80000000u

/* A file to be put together with others. */
struct part {
	const char *name;
	char *own; /* name and source of a loaded one */
	char *source;
	enum pm_file_kind kind;
	uint64_t bytes;
	int64_t load_id, host_id; /* 0: not loaded; not known */
	int64_t loaded_us;
	const struct pm_gather_file *file; /* of one that is new */
	char digest[PM_DIGEST_TEXT];
	bool chosen;
};

struct db_host {
	int64_t id;
	char *boot_id, *hostname;
	bool affected;
};

struct merge {
	struct pm_db *db;
	int64_t job;
	const struct pm_gather *g;
	struct pm_keep *keep;
	struct pm_late *late;
	struct pm_gather_known known;
	struct part *part;
	size_t parts, parts_cap;
	struct db_host *host;
	size_t hosts, hosts_cap;
	struct pm_set by_content, by_name; /* of the parts that are loaded, of those that are new */
	char *text;                        /* of one file of metadata */
	size_t text_len, text_cap;
};

static void *grow(void **array, size_t count, size_t *cap, size_t size)
{
	if (count == *cap) {
		size_t n = *cap ? 2 * *cap : 16;
		void *p = realloc(*array, n * size);

		if (!p)
			return NULL;
		*array = p;
		*cap = n;
	}
	return (char *)memset((char *)*array + count * size, 0, size);
}

static uint64_t hash_of(const char *name, const char *digest)
{
	return pm_set_mix_bytes(pm_set_mix_bytes(3, name, strlen(name)), digest, strlen(digest));
}

static bool is_loaded(const struct merge *m, const char *name, const char *digest)
{
	uint32_t i;
	size_t at = 0;

	while ((i = pm_set_next(&m->by_content, hash_of(name, digest), &at)) != UINT32_MAX)
		if (strcmp(m->part[i].name, name) == 0 && strcmp(m->part[i].digest, digest) == 0)
			return true;
	return false;
}

static bool is_new_name(const struct merge *m, const char *name)
{
	uint32_t i;
	size_t at = 0;

	while ((i = pm_set_next(&m->by_name, hash_of(name, ""), &at)) != UINT32_MAX)
		if (strcmp(m->part[i].name, name) == 0)
			return true;
	return false;
}

static int read_loads(struct merge *m, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(m->db,
			  "SELECT id, coalesce(host_id, 0), file, source, digest, bytes, loaded_us "
			  "FROM load WHERE job_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, m->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct part *p = grow((void **)&m->part, m->parts, &m->parts_cap, sizeof *p);
		const char *digest = pm_db_text(q, 4, NULL);

		rc = -1;
		if (!p)
			break;
		m->parts++;
		p->load_id = pm_db_int(q, 0);
		p->host_id = pm_db_int(q, 1);
		p->own = strdup(pm_db_text(q, 2, NULL));
		p->source = strdup(pm_db_text(q, 3, NULL));
		p->bytes = (uint64_t)pm_db_int(q, 5);
		p->loaded_us = pm_db_int(q, 6);
		if (!p->own || !p->source || strlen(digest) >= sizeof p->digest)
			break;
		memcpy(p->digest, digest, strlen(digest));
		p->name = p->own;
		p->kind = pm_gather_kind(p->name);
		if (pm_set_add(&m->by_content, hash_of(p->name, p->digest),
			       (uint32_t)(m->parts - 1)) < 0)
			break;
	}
	pm_db_finish(q);
	return rc < 0 && !e->text[0] ? pm_err(e, "out of memory") : rc;
}

static int read_hosts(struct merge *m, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(m->db,
			  "SELECT id, coalesce(boot_id, ''), coalesce(hostname, '') FROM host "
			  "WHERE job_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, m->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct db_host *h = grow((void **)&m->host, m->hosts, &m->hosts_cap, sizeof *h);

		rc = -1;
		if (!h)
			break;
		m->hosts++;
		h->id = pm_db_int(q, 0);
		h->boot_id = strdup(pm_db_text(q, 1, NULL));
		h->hostname = strdup(pm_db_text(q, 2, NULL));
		if (!h->boot_id || !h->hostname)
			break;
	}
	pm_db_finish(q);
	return rc < 0 && !e->text[0] ? pm_err(e, "out of memory") : rc;
}

/* The gathered files that are not loaded. */
static int add_new(struct merge *m, struct pm_err *e)
{
	for (size_t i = 0; i < m->g->files; i++) {
		const struct pm_gather_file *f = &m->g->file[i];
		struct part *p;

		if (is_loaded(m, f->name, f->digest))
			continue;
		p = grow((void **)&m->part, m->parts, &m->parts_cap, sizeof *p);
		if (!p)
			return pm_err(e, "out of memory");
		p->name = f->name;
		p->kind = f->kind;
		p->bytes = f->bytes;
		p->file = f;
		p->chosen = true;
		memcpy(p->digest, f->digest, sizeof p->digest);
		if (pm_set_add(&m->by_name, hash_of(p->name, ""), (uint32_t)m->parts++) < 0)
			return pm_err(e, "out of memory");
		m->late->added++;
	}
	return 0;
}

/* Mark the hosts in the database that are this one. Returns how many were not marked before. */
static size_t mark(struct merge *m, const struct pm_host *h)
{
	size_t count = 0;

	for (size_t i = 0; i < m->hosts; i++) {
		struct db_host *d = &m->host[i];

		/* As in pm_images_host. */
		if (d->affected || strcmp(d->boot_id, h->boot_id) != 0 ||
		    (!h->boot_id[0] && strcmp(d->hostname, h->hostname) != 0))
			continue;
		d->affected = true;
		count++;
	}
	return count;
}

static bool is_affected(const struct merge *m, int64_t host)
{
	for (size_t i = 0; i < m->hosts; i++)
		if (m->host[i].id == host)
			return m->host[i].affected;
	return false;
}

/* By name, of one name the longest first: what is in the shorter ones is known then. */
static int by_name(const void *a, const void *b)
{
	const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
	int c = strcmp(x->name, y->name);

	if (c == 0)
		c = (x->bytes < y->bytes) - (x->bytes > y->bytes);
	return c ? c : strcmp(x->digest, y->digest);
}

static int unpack(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	return pm_unpack_feed(ctx, p, n, e);
}

/* Hand the content of a file to `take`. Returns 0 or -1 with e filled. */
static int read_part(struct merge *m, const struct part *p,
		     int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		     struct pm_err *e)
{
	struct pm_unpack u = { .take = take, .ctx = ctx };
	int rc;

	if (p->bytes == 0)
		return 0;
	if (p->file) {
		rc = pm_unpack_begin(&u, pm_keep_coding(), e);
		if (rc == 0)
			rc = pm_keep_each(m->keep, p->file->kept, unpack, &u, e);
		pm_unpack_end(&u);
		return rc;
	}
	rc = pm_content_read(m->db, m->job, p->load_id, take, ctx, e);
	if (rc == 0)
		return pm_err(e,
			      "what was in %s, loaded from %s, was not kept: submit both together",
			      p->name, p->source);
	return rc < 0 ? -1 : 0;
}

static int take_text(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct merge *m = ctx;

	if (m->text_len + n > m->text_cap) {
		size_t cap = m->text_cap ? m->text_cap : 65536;
		char *grown;

		while (cap < m->text_len + n)
			cap *= 2;
		grown = realloc(m->text, cap);
		if (!grown)
			return pm_err(e, "out of memory");
		m->text = grown;
		m->text_cap = cap;
	}
	memcpy(m->text + m->text_len, p, n);
	m->text_len += n;
	return 0;
}

static int take_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	return pm_gather_data(ctx, p, n, e);
}

/* How much a version of a file of metadata says: a stop counts more than none, a later time more
 * than an earlier one, and anything more than what cannot be read. */
static int worth(struct merge *m, const struct part *p, int64_t value[3], struct pm_err *e)
{
	struct pm_meta meta = { 0 };
	struct pm_err why;

	value[0] = value[1] = value[2] = 0;
	m->text_len = 0;
	if (read_part(m, p, take_text, m, e) < 0)
		return -1;
	if (m->text_len <= PM_META_MAX && m->text &&
	    pm_gather_parse_meta(p->name, &meta, m->text, m->text_len, &why) == 0) {
		value[0] = meta.set[PM_JOB_stop_time_us] ? 2 : 1;
		value[1] = meta.number[PM_JOB_stop_time_us];
		value[2] = meta.number[PM_JOB_start_time_us];
	}
	pm_meta_free(&meta);
	return 0;
}

/* Of several versions of a file of metadata the one that counts. Returns its place or -1. */
static int best_meta(struct merge *m, struct part *const *p, size_t n, struct pm_err *e)
{
	int64_t best[3], value[3];
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		int c = 0;

		if (worth(m, p[i], value, e) < 0)
			return -1;
		for (int k = 0; k < 3 && i > 0 && c == 0; k++)
			c = (value[k] > best[k]) - (value[k] < best[k]);
		/* Of equal ones that which comes now: something was changed about it. */
		if (i > 0 && (c < 0 || (c == 0 && !p[i]->file)))
			continue;
		memcpy(best, value, sizeof best);
		found = (int)i;
	}
	return found;
}

/* Begin a file of the result as what it is. */
static struct pm_gather_file *begin(struct merge *m, const struct part *p, struct pm_err *e)
{
	struct pm_gather *all = &m->late->all;
	struct pm_gather_file *f;

	if (pm_gather_source(all, p->file ? p->file->source : p->source, e) < 0 ||
	    pm_gather_begin(all, p->name, e) < 0)
		return NULL;
	f = &all->file[all->files - 1];
	/* The name is escaped already. */
	free(f->name);
	f->name = strdup(p->name);
	if (!f->name) {
		pm_err(e, "out of memory");
		return NULL;
	}
	f->kind = p->kind;
	f->stored = !p->file;
	f->load_id = p->load_id;
	f->batch = p->file ? p->file->batch : STORED_BATCH | (uint32_t)(uint64_t)p->loaded_us;
	if (p->file)
		f->kept = p->file->kept;
	memcpy(f->digest, p->digest, sizeof f->digest);
	m->known.batch = f->batch;
	return f;
}

/* Note that another version of a file has all that this one says. */
static void supersede(struct merge *m, struct pm_gather_file *f)
{
	f->superseded = true;
	if (f->stored)
		m->late->replaced++;
	else
		m->late->added--;
}

static int take_part(struct merge *m, const struct part *p, bool first, struct pm_err *e)
{
	struct pm_gather *all = &m->late->all;
	struct pm_gather_file *f = begin(m, p, e);
	size_t files = all->files;
	uint32_t kept;

	if (!f)
		return -1;
	kept = f->kept;
	if (read_part(m, p, take_data, all, e) < 0 ||
	    pm_gather_end(all, p->file ? p->file->whole : true, e) < 0)
		return -1;
	if (all->files < files) /* it counted nothing */
		return 0;
	f = &all->file[all->files - 1];
	f->kept = kept;
	if (!first && (f->kind == PM_FILE_RECORDS || f->kind == PM_FILE_SERIES) &&
	    f->known + f->cut == f->lines)
		supersede(m, f);
	return 0;
}

/* All versions of one file. */
static int take_group(struct merge *m, struct part *const *p, size_t n, struct pm_err *e)
{
	int best = -1;

	if (n > 1 && p[0]->kind == PM_FILE_META) {
		best = best_meta(m, p, n, e);
		if (best < 0)
			return -1;
	} else if (p[0]->kind == PM_FILE_FOREIGN) {
		/* They are no sequences of lines of their own: the longest. */
		best = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct pm_gather_file *f;

		if (best < 0 || (size_t)best == i) {
			if (take_part(m, p[i], i == 0, e) < 0)
				return -1;
			continue;
		}
		f = begin(m, p[i], e);
		if (!f)
			return -1;
		supersede(m, f);
	}
	return 0;
}

/* Gather the chosen parts, in order of their names. */
static int gather(struct merge *m, struct pm_err *e)
{
	struct part **sorted = calloc(m->parts + 1, sizeof *sorted);
	size_t n = 0, end;
	int rc = sorted ? 0 : pm_err(e, "out of memory");

	for (size_t i = 0; i < m->parts && rc == 0; i++)
		if (m->part[i].chosen)
			sorted[n++] = &m->part[i];
	if (rc == 0 && n)
		qsort(sorted, n, sizeof *sorted, by_name);
	for (size_t i = 0; i < n && rc == 0; i = end) {
		for (end = i + 1; end < n; end++)
			if (strcmp(sorted[i]->name, sorted[end]->name) != 0)
				break;
		rc = take_group(m, sorted + i, end - i, e);
	}
	free(sorted);
	return rc;
}

/* Files of metadata are about the host they name, records about all hosts in them. */
static size_t mark_all(struct merge *m, const struct pm_gather *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->images.hosts; i++)
		count += mark(m, &g->images.host[i]);
	return count;
}

/* Whether a loaded file is one of those that are put together. Metadata of other tools, which name
 * no host, are about any. */
static bool is_chosen(const struct merge *m, const struct part *p)
{
	return is_affected(m, p->host_id) || is_new_name(m, p->name) ||
	       (p->host_id == 0 && pm_foreign_kind(p->name) == PM_FOREIGN_PICKLE);
}

/* Gather until no more hosts of the database turn up: a loaded file may be about several. */
static int gather_all(struct merge *m, struct pm_err *e)
{
	struct pm_late *late = m->late;
	size_t added = late->added;

	for (size_t i = 0; i < m->parts; i++) {
		const struct pm_gather_file *f = m->part[i].file;

		if (f && f->host != PM_NONE)
			mark(m, &m->g->images.host[f->host]);
	}
	do {
		pm_gather_free(&late->all);
		pm_set_free(&m->known.lines);
		late->added = added;
		late->replaced = 0;
		if (pm_gather_init(&late->all, m->g->source, m->g->directory, m->g->owner, e) < 0)
			return -1;
		late->all.nameless = m->g->nameless;
		late->all.silent = true; /* of what is new it was told */
		late->all.known = &m->known;
		for (size_t i = 0; i < m->parts; i++)
			if (m->part[i].load_id)
				m->part[i].chosen = is_chosen(m, &m->part[i]);
		if (gather(m, e) < 0)
			return -1;
		late->all.known = NULL;
		if (pm_gather_finish(&late->all, e) < 0)
			return -1;
	} while (mark_all(m, &late->all) > 0);
	for (size_t i = 0; i < m->hosts; i++)
		if (m->host[i].affected)
			late->host[late->hosts++] = m->host[i].id;
	return 0;
}

int pm_late_merge(struct pm_late *late, struct pm_db *db, const struct pm_gather *g, int64_t job,
		  struct pm_keep *keep, struct pm_err *e)
{
	struct merge m = { .db = db, .job = job, .g = g, .keep = keep, .late = late };
	int rc = -1;

	memset(late, 0, sizeof *late);
	e->text[0] = '\0';
	if (pm_gather_init(&late->all, g->source, g->directory, g->owner, e) < 0 ||
	    (job && (read_loads(&m, e) < 0 || read_hosts(&m, e) < 0)) || add_new(&m, e) < 0)
		goto out;
	rc = 0;
	if (late->added == 0)
		goto out;
	late->host = calloc(m.hosts + 1, sizeof late->host[0]);
	rc = late->host ? gather_all(&m, e) : pm_err(e, "out of memory");
out:
	for (size_t i = 0; i < m.parts; i++) {
		free(m.part[i].own);
		free(m.part[i].source);
	}
	for (size_t i = 0; i < m.hosts; i++) {
		free(m.host[i].boot_id);
		free(m.host[i].hostname);
	}
	free(m.part);
	free(m.host);
	free(m.text);
	pm_set_free(&m.by_content);
	pm_set_free(&m.by_name);
	pm_set_free(&m.known.lines);
	return rc;
}

void pm_late_free(struct pm_late *late)
{
	pm_gather_free(&late->all);
	free(late->host);
	memset(late, 0, sizeof *late);
}
