/* Tallies: slots to rows. */
#include "config.h"

#include "submit/tally.h"

#include "common/tally.h"
#include "submit/gather.h"
#include "submit/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The host that the header names, PM_NONE where there is no header of ours. */
static uint32_t header_host(struct pm_gather *g, const char *slot)
{
	struct pm_str field[4];
	size_t n = PM_TALLY_SLOT;

	if (slot[--n] != '\n' || memchr(slot, '\n', n))
		return PM_NONE;
	while (n > 0 && slot[n - 1] == ' ')
		n--;
	if (pm_tsv_split(slot, n, field, 4) != 4 || field[0].n != strlen(PM_TALLY_HEADER) ||
	    memcmp(field[0].p, PM_TALLY_HEADER, field[0].n) != 0 ||
	    !pm_tsv_valid(field[1].p, field[1].n) || !pm_tsv_valid(field[2].p, field[2].n))
		return PM_NONE;
	return pm_images_host(&g->images, field[2], field[1]);
}

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* Counts only grow: of several versions of a tally the larger ones are the later ones. Returns
 * whether there was an earlier version of the slot. */
static bool keep_larger(struct pm_gather *g, uint32_t host, const struct pm_tally *t)
{
	for (size_t i = 0; g->known && i < g->tallies; i++) {
		struct pm_tally_item *item = &g->tally[i];

		if (item->host != host || item->values != t->values || item->file == g->files - 1 ||
		    !is_text(t->kind, item->kind) || !is_text(t->key, item->key) ||
		    strcmp(g->file[item->file].name, g->file[g->files - 1].name) != 0)
			continue;
		for (int v = 0; v < t->values; v++)
			if (t->v[v] > item->v[v])
				item->v[v] = t->v[v];
		return true;
	}
	return false;
}

static int add(struct pm_gather *g, uint32_t host, const struct pm_tally *t)
{
	struct pm_tally_item *item;

	if (keep_larger(g, host, t))
		return 0;
	if (g->tallies == g->tallies_cap) {
		size_t cap = g->tallies_cap ? 2 * g->tallies_cap : 64;

		item = realloc(g->tally, cap * sizeof *item);
		if (!item)
			return -1;
		g->tally = item;
		g->tallies_cap = cap;
	}
	item = &g->tally[g->tallies];
	memset(item, 0, sizeof *item);
	item->host = host;
	item->file = (uint32_t)(g->files - 1);
	snprintf(item->kind, sizeof item->kind, "%.*s", (int)t->kind.n, t->kind.p);
	snprintf(item->key, sizeof item->key, "%.*s", (int)t->key.n, t->key.p);
	item->values = t->values;
	memcpy(item->v, t->v, sizeof item->v);
	g->tallies++;
	return 0;
}

int pm_tally_gather(struct pm_gather *g, const char *text, size_t n, struct pm_err *e)
{
	const char *name = g->file[g->files - 1].name;
	size_t counted = 0, damaged = 0;
	uint32_t host = n >= PM_TALLY_SLOT ? header_host(g, text) : PM_NONE;

	if (host == PM_NONE) {
		pm_gather_problem(g, "%s: not a tally", name);
		return 1;
	}
	g->file[g->files - 1].host = host;
	for (size_t at = PM_TALLY_SLOT; at + PM_TALLY_SLOT <= n; at += PM_TALLY_SLOT) {
		struct pm_tally t;

		if (pm_tally_parse(text + at, &t) < 0)
			damaged++;
		else if (t.kind.n > 0 && ++counted && add(g, host, &t) < 0)
			return pm_err(e, "out of memory");
	}
	if (damaged || n % PM_TALLY_SLOT)
		pm_gather_problem(g, "%s: damaged: some of what it counted is not known", name);
	return counted || damaged || n % PM_TALLY_SLOT;
}

/* Where the slots of a kind go: the statement has job, host, key and the values as parameters. */
static const struct target {
	const char *kind;
	int values;
	const char *sql;
} target[] = {
	{ "lost", 2,
	  "INSERT INTO lost (job_id, host_id, reason, lines, bytes) VALUES (?, ?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, reason) DO UPDATE SET lines = lost.lines + "
	  "excluded.lines, bytes = lost.bytes + excluded.bytes" },
	{ "folded", 6,
	  "INSERT INTO folded_program (job_id, host_id, exename, images, usertime, systemtime, "
	  "duration_us, failed, rssmax) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, exename) DO UPDATE SET "
	  "images = folded_program.images + excluded.images, "
	  "usertime = folded_program.usertime + excluded.usertime, "
	  "systemtime = folded_program.systemtime + excluded.systemtime, "
	  "duration_us = folded_program.duration_us + excluded.duration_us, "
	  "failed = folded_program.failed + excluded.failed, "
	  "rssmax = CASE WHEN excluded.rssmax > folded_program.rssmax THEN excluded.rssmax "
	  "ELSE folded_program.rssmax END" },
	{ "children", 5,
	  "INSERT INTO folded_wait (job_id, host_id, key, waits, usertime, systemtime, failed, "
	  "killed) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, key) DO UPDATE SET "
	  "waits = folded_wait.waits + excluded.waits, "
	  "usertime = folded_wait.usertime + excluded.usertime, "
	  "systemtime = folded_wait.systemtime + excluded.systemtime, "
	  "failed = folded_wait.failed + excluded.failed, "
	  "killed = folded_wait.killed + excluded.killed" },
	{ "excluded", 1,
	  "INSERT INTO excluded_program (job_id, host_id, exename, images) VALUES (?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, exename) DO UPDATE SET "
	  "images = excluded_program.images + excluded.images" },
};

int pm_write_tallies(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     struct pm_err *e)
{
	int rc = 0;

	for (size_t k = 0; k < sizeof target / sizeof target[0] && rc == 0; k++) {
		struct pm_stmt *q;

		if (g->tallies == 0)
			break;
		if (pm_db_prepare(db, target[k].sql, &q, e) < 0)
			return -1;
		for (size_t i = 0; i < g->tallies && rc == 0; i++) {
			const struct pm_tally_item *t = &g->tally[i];

			if (strcmp(t->kind, target[k].kind) != 0 || t->values != target[k].values)
				continue;
			pm_db_bind_int(q, 1, base->job_id);
			pm_db_bind_int(q, 2, base->host + t->host + 1);
			pm_db_bind_str(q, 3, t->key);
			for (int v = 0; v < t->values; v++)
				pm_db_bind_int(q, 4 + v, t->v[v]);
			rc = pm_db_run(q, e);
		}
		pm_db_finish(q);
	}
	return rc < 0 ? pm_err_prefix(e, "write tallies") : 0;
}
