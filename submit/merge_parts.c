/* Files and hosts of a job that late files may affect. */
#include "config.h"

#include "submit/merge_parts.h"

#include "common/grow.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

static uint64_t part_hash(const char *name, const char *digest)
{
	return pm_hashmap_mix_bytes(pm_hashmap_mix_bytes(3, name, strlen(name)), digest,
				    strlen(digest));
}

static bool is_loaded(const struct pm_merge_parts *l, const char *name, const char *digest)
{
	uint32_t i;
	size_t at = 0;

	while ((i = pm_hashmap_next(&l->by_content, part_hash(name, digest), &at)) != UINT32_MAX)
		if (strcmp(l->part[i].name, name) == 0 && strcmp(l->part[i].digest, digest) == 0)
			return true;
	return false;
}

static bool is_new_name(const struct pm_merge_parts *l, const char *name)
{
	uint32_t i;
	size_t at = 0;

	while ((i = pm_hashmap_next(&l->by_name, part_hash(name, ""), &at)) != UINT32_MAX)
		if (strcmp(l->part[i].name, name) == 0)
			return true;
	return false;
}

/* Set the batch of a loaded part to the index of the first part from the same source and load.
 * Returns 0, or -1 if out of memory. */
static int set_batch(struct pm_merge_parts *l, struct pm_late_part *p)
{
	uint64_t hash = pm_hashmap_mix(part_hash(p->source, ""), (uint64_t)p->loaded_us);
	uint32_t i;
	size_t at = 0;

	while ((i = pm_hashmap_next(&l->by_batch, hash, &at)) != UINT32_MAX)
		if (l->part[i].loaded_us == p->loaded_us &&
		    strcmp(l->part[i].source, p->source) == 0) {
			p->batch = i;
			return 0;
		}
	p->batch = (uint32_t)(p - l->part);
	return pm_hashmap_add(&l->by_batch, hash, p->batch);
}

static int read_loads(struct pm_merge_parts *l, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    db,
		    "SELECT id, coalesce(host_id, 0), file, source, digest, bytes, loaded_us, "
		    "coalesce(uid, -1) FROM load WHERE job_id = ? ORDER BY id",
		    &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *digest = pm_db_text(q, 4, NULL);
		struct pm_late_part *p;

		rc = -1;
		if (!PM_GROW(l->part, l->parts, l->parts_cap, 16))
			break;
		p = &l->part[l->parts++];
		*p = (struct pm_late_part){ 0 };
		p->load_id = pm_db_int(q, 0);
		p->host_id = pm_db_int(q, 1);
		p->own = strdup(pm_db_text(q, 2, NULL));
		p->source = strdup(pm_db_text(q, 3, NULL));
		p->bytes = (uint64_t)pm_db_int(q, 5);
		p->loaded_us = pm_db_int(q, 6);
		p->owner = pm_db_int(q, 7);
		if (!p->own || !p->source || strlen(digest) >= sizeof p->digest)
			break;
		memcpy(p->digest, digest, strlen(digest));
		p->name = p->own;
		p->kind = pm_gather_kind(p->name);
		if (pm_hashmap_add(&l->by_content, part_hash(p->name, p->digest),
				   (uint32_t)(l->parts - 1)) < 0 ||
		    set_batch(l, p) < 0)
			break;
	}
	pm_db_finish(q);
	return rc < 0 && !e->text[0] ? pm_err(e, "out of memory") : rc;
}

uint64_t pm_late_host_hash(const char *boot_id, const char *hostname)
{
	if (boot_id && *boot_id)
		return pm_hashmap_mix_bytes(1, boot_id, strlen(boot_id));
	return boot_id || hostname ? pm_hashmap_mix_bytes(2, hostname ? hostname : "",
							  hostname ? strlen(hostname) : 0)
				   : 0;
}

static int read_hosts(struct pm_merge_parts *l, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT id, coalesce(boot_id, ''), coalesce(hostname, '') FROM host "
			  "WHERE job_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_late_host *h;

		rc = -1;
		if (!PM_GROW(l->host, l->hosts, l->hosts_cap, 16))
			break;
		h = &l->host[l->hosts++];
		*h = (struct pm_late_host){ 0 };
		h->id = pm_db_int(q, 0);
		h->boot_id = strdup(pm_db_text(q, 1, NULL));
		h->hostname = strdup(pm_db_text(q, 2, NULL));
		if (!h->boot_id || !h->hostname ||
		    pm_hashmap_add(&l->by_host, pm_late_host_hash(h->boot_id, h->hostname),
				   (uint32_t)(l->hosts - 1)) < 0)
			break;
	}
	pm_db_finish(q);
	return rc < 0 && !e->text[0] ? pm_err(e, "out of memory") : rc;
}

int pm_merge_parts_load(struct pm_merge_parts *l, struct pm_db *db, int64_t job, struct pm_err *e)
{
	return read_loads(l, db, job, e) < 0 || read_hosts(l, db, job, e) < 0 ? -1 : 0;
}

uint64_t pm_late_papiex_hash(const char *name, uint32_t batch)
{
	return pm_hashmap_mix(pm_hashmap_mix_bytes(5, name, pm_foreign_prefix(name)), batch);
}

static int add_new(struct pm_merge_parts *l, const struct pm_gather_file *f, bool repeated)
{
	enum pm_foreign_kind kind = pm_foreign_kind(f->name);
	struct pm_late_part *p;

	if (!PM_GROW(l->part, l->parts, l->parts_cap, 16))
		return -1;
	p = &l->part[l->parts];
	*p = (struct pm_late_part){ .name = f->name,
				    .kind = f->kind,
				    .bytes = f->bytes,
				    .owner = f->owner,
				    .file = f,
				    .chosen = true,
				    .repeated = repeated };
	memcpy(p->digest, f->digest, sizeof p->digest);
	if (kind == PM_FOREIGN_TSV &&
	    pm_hashmap_mark(&l->new_lines, pm_late_papiex_hash(f->name, f->batch)) < 0)
		return -1;
	if (kind == PM_FOREIGN_NAMES &&
	    pm_hashmap_mark(&l->new_columns, pm_late_papiex_hash(f->name, 0)) < 0)
		return -1;
	return pm_hashmap_add(&l->by_name, part_hash(p->name, ""), (uint32_t)l->parts++);
}

int pm_merge_parts_add(struct pm_merge_parts *l, const struct pm_gather *g, size_t *added,
		       struct pm_err *e)
{
	*added = 0;
	/* Column names last: names that are loaded already are chosen along with new lines. */
	for (int names = 0; names < 2; names++)
		for (size_t i = 0; i < g->files; i++, pm_filemem_trim()) {
			const struct pm_gather_file *f = &g->file[i];
			bool loaded;

			if ((pm_foreign_kind(f->name) == PM_FOREIGN_NAMES) != names)
				continue;
			loaded = is_loaded(l, f->name, f->digest);
			if (loaded &&
			    !(names && pm_hashmap_has(&l->new_lines,
						      pm_late_papiex_hash(f->name, f->batch))))
				continue;
			if (add_new(l, f, loaded) < 0)
				return pm_err(e, "out of memory");
			++*added;
		}
	return 0;
}

size_t pm_merge_parts_mark(struct pm_merge_parts *l, const struct pm_host *h)
{
	uint64_t hash = pm_late_host_hash(h->boot_id, h->hostname);
	size_t count = 0, at = 0;
	uint32_t i;

	while ((i = pm_hashmap_next(&l->by_host, hash, &at)) != UINT32_MAX) {
		struct pm_late_host *d = &l->host[i];

		if (d->affected || strcmp(d->boot_id, h->boot_id) != 0 ||
		    (!h->boot_id[0] && strcmp(d->hostname, h->hostname) != 0))
			continue;
		d->affected = true;
		count++;
	}
	return count;
}

static int by_id(const void *key, const void *member)
{
	const int64_t id = *(const int64_t *)key, other = ((const struct pm_late_host *)member)->id;

	return (id > other) - (id < other);
}

struct pm_late_host *pm_merge_parts_host(const struct pm_merge_parts *l, int64_t id)
{
	return l->hosts ? bsearch(&id, l->host, l->hosts, sizeof *l->host, by_id) : NULL;
}

static bool is_affected(const struct pm_merge_parts *l, int64_t host)
{
	const struct pm_late_host *h = pm_merge_parts_host(l, host);

	return h && h->affected;
}

/* Whether there are new column names for a loaded file. */
static bool has_new_columns(const struct pm_merge_parts *l, const struct pm_late_part *p)
{
	return pm_foreign_kind(p->name) == PM_FOREIGN_TSV &&
	       pm_hashmap_has(&l->new_columns, pm_late_papiex_hash(p->name, 0));
}

/* Whether a loaded file takes part in the merge. Files of several hosts, and other tools' metadata,
 * which name no host, may concern any host. */
static bool is_chosen(const struct pm_merge_parts *l, const struct pm_late_part *p)
{
	return is_affected(l, p->host_id) || is_new_name(l, p->name) || has_new_columns(l, p) ||
	       (p->host_id == 0 &&
		(pm_gather_kind_merges(p->kind) || pm_foreign_kind(p->name) == PM_FOREIGN_PICKLE));
}

int pm_merge_parts_choose(struct pm_merge_parts *l)
{
	struct pm_hashmap lines = { .used = 0 };
	int rc = 0;

	for (size_t i = 0; i < l->parts && rc == 0; i++) {
		struct pm_late_part *p = &l->part[i];

		if (p->load_id)
			p->chosen = is_chosen(l, p);
		if (p->chosen && pm_foreign_kind(p->name) == PM_FOREIGN_TSV)
			rc = pm_hashmap_mark(&lines, pm_late_papiex_hash(p->name, 0));
	}
	/* Collated lines need their column names. */
	for (size_t i = 0; i < l->parts; i++) {
		struct pm_late_part *p = &l->part[i];

		if (p->load_id && pm_foreign_kind(p->name) == PM_FOREIGN_NAMES)
			p->chosen = p->chosen ||
				    pm_hashmap_has(&lines, pm_late_papiex_hash(p->name, 0));
	}
	pm_hashmap_free(&lines);
	return rc;
}

void pm_merge_parts_free(struct pm_merge_parts *l)
{
	for (size_t i = 0; i < l->parts; i++) {
		free(l->part[i].own);
		free(l->part[i].source);
	}
	for (size_t i = 0; i < l->hosts; i++) {
		free(l->host[i].boot_id);
		free(l->host[i].hostname);
	}
	free(l->part);
	free(l->host);
	pm_hashmap_free(&l->by_content);
	pm_hashmap_free(&l->by_name);
	pm_hashmap_free(&l->by_batch);
	pm_hashmap_free(&l->by_host);
	pm_hashmap_free(&l->new_lines);
	pm_hashmap_free(&l->new_columns);
}
