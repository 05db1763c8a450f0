/*
 * Format stored records as lines again. A tar header holds the member's length, so the lines of
 * each host are formatted twice, first to measure them.
 */
#include "config.h"

#include "submit/convert_job.h"

#include "submit/memory/filemem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Store offsets of a job's records, grouped by host, in their original order. */
struct order {
	uint64_t *offset;
	size_t *first; /* host -> index of its first offset; one more entry ends the last host */
};

struct lines {
	struct pm_tarwrite *t; /* NULL: only count bytes */
	uint64_t bytes;
	char *mem;
	size_t cap;
};

/* Make a file name from a host's name. */
static void file_name(char *name, size_t size, const struct pm_host *h, size_t number)
{
	if (h->hostname[0] && strlen(h->hostname) < 200)
		snprintf(name, size, "%s", h->hostname);
	else
		snprintf(name, size, "host%zu", number + 1);
	for (char *p = name; *p; p++)
		if (*p == '/' || *p == '\\' || (unsigned char)*p < ' ')
			*p = '_';
	if (name[0] == '.')
		name[0] = '_';
}

/* Index of a record's host, or PM_NONE. */
static uint32_t host_of(struct pm_gather *g, const struct pm_record *r)
{
	struct pm_str none = { "", 0 };

	return pm_images_host(&g->images,
			      pm_record_has(r, PM_COL_boot_id) ? r->v[PM_COL_boot_id].s : none,
			      pm_record_has(r, PM_COL_hostname) ? r->v[PM_COL_hostname].s : none);
}

/* Call `each` for every record, in the order of the store. Returns 0 or -1. */
static int each_record(struct pm_gather *g, int (*each)(void *ctx, uint32_t host, uint64_t offset),
		       void *ctx, struct pm_err *e)
{
	struct pm_blobs *s = &g->images.pack.store;
	struct pm_record r;
	struct pm_str item;
	int rc = 0;

	for (uint64_t at = PM_BLOBS_FIRST; at < pm_blobs_end(s) && rc == 0;
	     at = pm_blobs_next(at, item), pm_filemem_trim()) {
		uint32_t host;

		if (pm_blobs_get(s, at, &item, e) < 0 || pm_images_read(&g->images, at, &r, e) < 0)
			return -1;
		host = host_of(g, &r);
		rc = host == PM_NONE ? pm_err(e, "out of memory") : each(ctx, host, at);
	}
	return rc;
}

static int count_record(void *ctx, uint32_t host, uint64_t offset)
{
	struct order *o = ctx;

	(void)offset;
	o->first[host + 1]++;
	return 0;
}

static int place_record(void *ctx, uint32_t host, uint64_t offset)
{
	struct order *o = ctx;

	o->offset[o->first[host]++] = offset;
	return 0;
}

/* Sort the records by host. Returns 0 or -1 with e filled; the caller frees o's arrays. */
static int sort_by_host(struct pm_gather *g, struct order *o, struct pm_err *e)
{
	size_t hosts = g->images.hosts;

	o->first = calloc(hosts + 2, sizeof o->first[0]);
	if (!o->first)
		return pm_err(e, "out of memory");
	if (each_record(g, count_record, o, e) < 0)
		return -1;
	for (size_t h = 0; h < hosts; h++)
		o->first[h + 1] += o->first[h];
	o->offset = calloc(o->first[hosts] + 1, sizeof o->offset[0]);
	if (!o->offset)
		return pm_err(e, "out of memory");
	if (each_record(g, place_record, o, e) < 0)
		return -1;
	/* place_record() advanced each entry to the start of the next host: shift them back. */
	memmove(o->first + 1, o->first, hosts * sizeof o->first[0]);
	o->first[0] = 0;
	return 0;
}

static int put_bytes(struct lines *l, const char *p, size_t n, struct pm_err *e)
{
	l->bytes += n;
	return l->t ? pm_tarwrite_data(l->t, p, n, e) : 0;
}

/* Format a record as a line. Returns 0 or -1 with e filled. */
static int put_record(struct lines *l, const struct pm_record *r, struct pm_err *e)
{
	size_t need = PM_COLUMNS * (PM_BUF_NUMBER_MAX + 3) + 64;
	struct pm_buf b;
	char *p;

	for (int c = 0; c < PM_COLUMNS; c++)
		if (pm_record_has(r, (enum pm_column)c) && pm_column_is_text[c])
			need += r->v[c].s.n;
	if (need > l->cap) {
		p = realloc(l->mem, need);
		if (!p)
			return pm_err(e, "out of memory");
		l->mem = p;
		l->cap = need;
	}
	pm_buf_init(&b, l->mem, l->cap);
	pm_record_format(r, &b);
	return put_bytes(l, b.p, b.len, e);
}

/* Count or write the header and the lines of records [from, to). Returns 0 or -1 with e filled. */
static int put_records(struct pm_gather *g, const struct order *o, size_t from, size_t to,
		       struct lines *l, struct pm_err *e)
{
	struct pm_record r;
	int rc;

	l->bytes = 0;
	rc = put_bytes(l, pm_column_header, pm_column_header_len, e);
	for (size_t i = from; i < to && rc == 0; i++, pm_filemem_trim()) {
		rc = pm_images_read(&g->images, o->offset[i], &r, e);
		if (rc == 0)
			rc = put_record(l, &r, e);
	}
	return rc;
}

static int write_records(struct pm_gather *g, const struct order *o, struct pm_tarwrite *t,
			 const char *path, size_t host, struct pm_err *e)
{
	struct lines l = { .t = NULL };
	size_t from = o->first[host], to = o->first[host + 1];
	int rc;

	if (from == to)
		return 0;
	rc = put_records(g, o, from, to, &l, e);
	if (rc == 0)
		rc = pm_tarwrite_member(t, path, l.bytes, e);
	l.t = t;
	if (rc == 0)
		rc = put_records(g, o, from, to, &l, e);
	free(l.mem);
	return rc;
}

static int write_meta(struct pm_tarwrite *t, const char *path, const struct pm_meta *m,
		      struct pm_err *e)
{
	char *text = pm_meta_text(m);
	int rc;

	if (!text)
		return pm_err(e, "out of memory");
	rc = pm_tarwrite_member(t, path, strlen(text), e);
	if (rc == 0)
		rc = pm_tarwrite_data(t, text, strlen(text), e);
	free(text);
	return rc;
}

int pm_convert_job(struct pm_gather *g, struct pm_tarwrite *t, const char *directory,
		   struct pm_err *e)
{
	struct order o = { NULL, NULL };
	size_t room = strlen(directory) + 320;
	char *path = malloc(room), host[256];
	int rc = path ? sort_by_host(g, &o, e) : pm_err(e, "out of memory");

	/* Metadata first: a streaming reader then knows the job's user before the records. */
	for (size_t i = 0; i < g->metas && rc == 0; i++) {
		file_name(host, sizeof host, &g->images.host[g->meta[i].host], g->meta[i].host);
		snprintf(path, room, "%s/job-%s.json", directory, host);
		rc = write_meta(t, path, &g->meta[i], e);
	}
	for (size_t h = 0; h < g->images.hosts && rc == 0; h++) {
		file_name(host, sizeof host, &g->images.host[h], h);
		snprintf(path, room, "%s/%s.tsv", directory, host);
		rc = write_records(g, &o, t, path, h, e);
	}
	free(path);
	free(o.first);
	free(o.offset);
	return rc;
}
