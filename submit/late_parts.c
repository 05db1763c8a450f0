/* The files and hosts of a job that late files may be about. */
#include "config.h"

#include "submit/late_parts.h"

#include "common/grow.h"
#include "submit/big.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name, const char *digest)
{
	return pm_set_mix_bytes(pm_set_mix_bytes(3, name, strlen(name)), digest, strlen(digest));
}

static bool is_loaded(const struct pm_late_parts *l, const char *name, const char *digest)
{
	uint32_t i;
	size_t at = 0;

	while ((i = pm_set_next(&l->by_content, hash_of(name, digest), &at)) != UINT32_MAX)
		if (strcmp(l->part[i].name, name) == 0 && strcmp(l->part[i].digest, digest) == 0)
			return true;
	return false;
}

static bool is_new_name(const struct pm_late_parts *l, const char *name)
{
	uint32_t i;
	size_t at = 0;

	while ((i = pm_set_next(&l->by_name, hash_of(name, ""), &at)) != UINT32_MAX)
		if (strcmp(l->part[i].name, name) == 0)
			return true;
	return false;
}

static int read_loads(struct pm_late_parts *l, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT id, coalesce(host_id, 0), file, source, digest, bytes, loaded_us "
			  "FROM load WHERE job_id = ? ORDER BY id",
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
		if (!p->own || !p->source || strlen(digest) >= sizeof p->digest)
			break;
		memcpy(p->digest, digest, strlen(digest));
		p->name = p->own;
		p->kind = pm_gather_kind(p->name);
		if (pm_set_add(&l->by_content, hash_of(p->name, p->digest),
			       (uint32_t)(l->parts - 1)) < 0)
			break;
	}
	pm_db_finish(q);
	return rc < 0 && !e->text[0] ? pm_err(e, "out of memory") : rc;
}

static int read_hosts(struct pm_late_parts *l, struct pm_db *db, int64_t job, struct pm_err *e)
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
		if (!h->boot_id || !h->hostname)
			break;
	}
	pm_db_finish(q);
	return rc < 0 && !e->text[0] ? pm_err(e, "out of memory") : rc;
}

int pm_late_parts_load(struct pm_late_parts *l, struct pm_db *db, int64_t job, struct pm_err *e)
{
	return read_loads(l, db, job, e) < 0 || read_hosts(l, db, job, e) < 0 ? -1 : 0;
}

int pm_late_parts_add(struct pm_late_parts *l, const struct pm_gather *g, size_t *added,
		      struct pm_err *e)
{
	*added = 0;
	for (size_t i = 0; i < g->files; i++, pm_big_trim()) {
		const struct pm_gather_file *f = &g->file[i];
		struct pm_late_part *p;

		if (is_loaded(l, f->name, f->digest))
			continue;
		if (!PM_GROW(l->part, l->parts, l->parts_cap, 16))
			return pm_err(e, "out of memory");
		p = &l->part[l->parts];
		*p = (struct pm_late_part){ 0 };
		p->name = f->name;
		p->kind = f->kind;
		p->bytes = f->bytes;
		p->file = f;
		p->chosen = true;
		memcpy(p->digest, f->digest, sizeof p->digest);
		if (pm_set_add(&l->by_name, hash_of(p->name, ""), (uint32_t)l->parts++) < 0)
			return pm_err(e, "out of memory");
		++*added;
	}
	return 0;
}

size_t pm_late_parts_mark(struct pm_late_parts *l, const struct pm_host *h)
{
	size_t count = 0;

	for (size_t i = 0; i < l->hosts; i++) {
		struct pm_late_host *d = &l->host[i];

		/* As in pm_images_host. */
		if (d->affected || strcmp(d->boot_id, h->boot_id) != 0 ||
		    (!h->boot_id[0] && strcmp(d->hostname, h->hostname) != 0))
			continue;
		d->affected = true;
		count++;
	}
	return count;
}

static bool is_affected(const struct pm_late_parts *l, int64_t host)
{
	for (size_t i = 0; i < l->hosts; i++)
		if (l->host[i].id == host)
			return l->host[i].affected;
	return false;
}

/* Whether a loaded file is one of those that are put together. Metadata of other tools, which name
 * no host, are about any. */
static bool is_chosen(const struct pm_late_parts *l, const struct pm_late_part *p)
{
	return is_affected(l, p->host_id) || is_new_name(l, p->name) ||
	       (p->host_id == 0 && pm_foreign_kind(p->name) == PM_FOREIGN_PICKLE);
}

void pm_late_parts_choose(struct pm_late_parts *l)
{
	for (size_t i = 0; i < l->parts; i++)
		if (l->part[i].load_id)
			l->part[i].chosen = is_chosen(l, &l->part[i]);
}

void pm_late_parts_free(struct pm_late_parts *l)
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
	pm_set_free(&l->by_content);
	pm_set_free(&l->by_name);
}
