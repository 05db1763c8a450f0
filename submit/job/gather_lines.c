/* Lines of record files, series and marks: parsed and added to the job, or rejected with a reason.
 */
#include "config.h"

#include "submit/job/gather.h"

#include "common/log.h"
#include "common/safe/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_gather_file *current_file(struct pm_gather *g)
{
	return &g->file[g->files - 1];
}

int pm_gather_reject(struct pm_gather *g, uint32_t file, const char *p, size_t n, uint64_t line,
		     const char *column, const char *why)
{
	struct pm_reject head = { .file = file, .line = line };
	char reason[200];
	size_t keep = n < PM_LINES_KEEP ? n : PM_LINES_KEEP;
	char *mem;
	uint64_t offset;

	if (column)
		snprintf(reason, sizeof reason, "%s: %s", column, why);
	else
		snprintf(reason, sizeof reason, "%s", why);
	head.reason = (uint32_t)strlen(reason);
	mem = malloc(sizeof head + head.reason + keep);
	if (!mem)
		return pm_err(g->err, "out of memory");
	memcpy(mem, &head, sizeof head);
	memcpy(mem + sizeof head, reason, head.reason);
	memcpy(mem + sizeof head + head.reason, p, keep);
	offset = pm_blobs_put(&g->rejects, mem, sizeof head + head.reason + keep, g->err);
	free(mem);
	if (!offset)
		return -1;
	g->file[file].rejected++;
	g->reject_count++;
	pm_info("%s: line %llu: %s", g->file[file].name, (unsigned long long)line, reason);
	return 0;
}

static int reject_line(struct pm_gather *g, const char *p, size_t n, uint64_t line,
		       const char *column, const char *why)
{
	return pm_gather_reject(g, (uint32_t)(g->files - 1), p, n, line, column, why);
}

void pm_gather_of_host(struct pm_gather_file *f, uint32_t host)
{
	if (host == PM_NONE || host == f->host || f->hosts)
		return;
	f->hosts = f->host != PM_NONE;
	f->host = f->hosts ? PM_NONE : host;
}

static int count_line(struct pm_gather *g)
{
	current_file(g)->lines++;
	g->lines++;
	return 0;
}

int pm_gather_is_known(struct pm_gather *g, uint64_t hash, uint32_t batch, struct pm_err *e)
{
	struct pm_gather_known *k = g->known;
	uint32_t other;
	size_t at = 0;

	while ((other = pm_hashmap_next(&k->lines, hash, &at)) != UINT32_MAX)
		if (other != batch)
			return 1;
	return pm_hashmap_add(&k->lines, hash, batch) < 0 ? pm_err(e, "out of memory") : 0;
}

/* Like pm_gather_is_known, for a line. `host` keeps equal lines of different hosts apart. */
static int is_known(struct pm_gather *g, const char *p, size_t n, uint64_t host)
{
	uint64_t hash = pm_hashmap_mix(pm_hashmap_mix_bytes(host, p, n), n);
	int rc = pm_gather_is_known(g, hash, g->known->batch, g->err);

	if (rc > 0)
		current_file(g)->known++;
	return rc;
}

/* Column map of a line. A header applies to lines of its own version: a header with a damaged
 * version must not make them unreadable. */
static const struct pm_map *map_of(const struct pm_gather *g, const char *p, size_t n)
{
	const char *tab = memchr(p, '\t', n);
	int64_t version;

	if (g->map.version != PM_FORMAT_VERSION && tab &&
	    pm_tsv_number(p, (size_t)(tab - p), &version) == 0 && version == PM_FORMAT_VERSION)
		return &g->own;
	return &g->map;
}

/* Add a parsed record. A record in another user's file gets that user's uid. */
static int take_record(struct pm_gather *g, struct pm_record *r, uint64_t line, const char **why)
{
	struct pm_gather_file *f = current_file(g);
	uint64_t odd[PM_BOUNDS_WORDS];
	bool any = pm_gather_drop_odd(g, r, odd);
	int rc;

	pm_gather_user_record(g, r);
	rc = pm_images_add(&g->images, r, why, g->err);
	if (rc == 0)
		pm_gather_of_host(f, g->images.space[g->images.last_space].host);
	if (rc == 0 && any)
		rc = pm_gather_count_odd(g, odd, (uint32_t)(g->files - 1), line, g->err);
	return rc;
}

int pm_gather_record_line(void *ctx, const char *p, size_t n, uint64_t number,
			  enum pm_lines_state state)
{
	struct pm_gather *g = ctx;
	const char *why = NULL, *column = NULL;
	struct pm_record r;
	int rc = 0;

	if (g->known && !pm_map_is_header(p, n)) {
		rc = is_known(g, p, n, 0);
		if (rc != 0)
			return rc < 0 ? -1 : count_line(g);
	}
	if (state == PM_LINES_LONG) {
		why = "line is too long";
	} else if (pm_map_is_header(p, n)) {
		if (pm_map_parse(&g->map, p, n, &why) == 0) {
			if (g->map.version == PM_FORMAT_VERSION)
				g->own = g->map;
			return 0;
		}
	} else if (memchr(p, '\0', n)) {
		why = "a NUL byte";
	} else if (pm_record_parse(&r, map_of(g, p, n), p, n, &why, &column) == 0) {
		why = column = NULL;
		rc = take_record(g, &r, number, &why);
	}
	count_line(g);
	if (rc < 0)
		return -1;
	if (why && state == PM_LINES_CUT)
		current_file(g)->cut = 1;
	return why ? reject_line(g, p, n, number, column, why) : 0;
}

int pm_gather_series_line(void *ctx, const char *p, size_t n, uint64_t number,
			  enum pm_lines_state state)
{
	struct pm_gather *g = ctx;
	const bool tick = n > 5 && memcmp(p, "tick\t", 5) == 0;
	const char *why = NULL;
	int rc;

	count_line(g);
	if (g->known && tick) {
		rc = is_known(g, p, n, 1 + g->ticks.host);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	if (state == PM_LINES_LONG)
		return reject_line(g, p, n, number, NULL, "line is too long");
	rc = pm_series_line(&g->ticks, p, n, &why, g->err);
	if (rc < 0)
		return -1;
	/* Later ticks of this file refer to a declaration, whoever else has it; it has no data. */
	if (g->known && !tick && rc == 0)
		current_file(g)->known++;
	else if (g->known && !tick && is_known(g, p, n, 1 + g->ticks.host) < 0)
		return -1;
	if (rc == 0)
		pm_gather_of_host(current_file(g), g->ticks.host);
	if (rc && state == PM_LINES_CUT)
		current_file(g)->cut = 1;
	return rc ? reject_line(g, p, n, number, NULL, why) : 0;
}

int pm_gather_phase_line(void *ctx, const char *p, size_t n, uint64_t number,
			 enum pm_lines_state state)
{
	struct pm_gather *g = ctx;
	const char *why = "line is too long";
	uint32_t host;
	int rc = 1;

	count_line(g);
	if (g->known) {
		rc = is_known(g, p, n, 0);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		rc = 1;
	}
	if (state != PM_LINES_LONG)
		rc = pm_phases_line(&g->phases, &g->images, p, n, &host, &why, g->err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		pm_gather_of_host(current_file(g), host);
	if (rc && state == PM_LINES_CUT)
		current_file(g)->cut = 1;
	return rc ? reject_line(g, p, n, number, NULL, why) : 0;
}
