/* Gather files one at a time, streaming their content. */
#include "config.h"

#include "submit/job/gather.h"

#include "common/log.h"
#include "common/safe/tsv.h"
#include "submit/foreign/epmt_meta.h"
#include "submit/memory/filemem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void init_parts(struct pm_gather *g)
{
	const struct pm_foreign_sink sink = pm_gather_foreign_sink(g);

	pm_images_init(&g->images);
	pm_series_init(&g->series);
	pm_blobs_init(&g->rejects);
	pm_foreign_init(&g->foreign, &sink);
	g->users.job = PM_UNKNOWN_USER;
}

int pm_gather_init(struct pm_gather *g, const char *source, const char *directory, uid_t owner,
		   struct pm_err *e)
{
	memset(g, 0, sizeof *g);
	init_parts(g);
	pm_bounds_init(&g->bounds);
	g->owner = owner;
	g->directory = strdup(directory);
	return g->directory ? pm_gather_source(g, source, e) : pm_err(e, "out of memory");
}

const char *pm_gather_from(const struct pm_gather *g)
{
	return g->source[g->sources - 1];
}

/* Drop the last file: it has no content. */
static void drop_last(struct pm_gather *g)
{
	free(g->file[--g->files].name);
	pm_filemem_trim();
}

void pm_gather_free(struct pm_gather *g)
{
	if (!g->directory)
		return;
	while (g->files)
		drop_last(g);
	for (size_t i = 0; i < g->metas; i++)
		pm_meta_free(&g->meta[i]);
	pm_filemem_free(g->file);
	pm_filemem_free(g->meta);
	free(g->text);
	pm_tallies_free(&g->tallies);
	free(g->split.kept);
	while (g->sources)
		free(g->source[--g->sources]);
	free(g->source);
	free(g->directory);
	pm_series_file_free(&g->ticks);
	pm_foreign_free(&g->foreign);
	pm_redact_file_free(g->redact);
	pm_images_free(&g->images);
	pm_series_free(&g->series);
	pm_phases_free(&g->phases);
	pm_hashmap_free(&g->users.hosts);
	pm_blobs_free(&g->rejects);
	pm_oddvalue_free(&g->odds);
	/* It is large: another job begins with pm_gather_init(), which clears it. */
	g->directory = NULL;
}

int pm_gather_source(struct pm_gather *g, const char *source, struct pm_err *e)
{
	char **grown, *copy;

	if (g->sources && strcmp(pm_gather_from(g), source) == 0)
		return 0;
	grown = realloc(g->source, (g->sources + 1) * sizeof *grown);
	if (grown)
		g->source = grown;
	copy = grown ? strdup(source) : NULL;
	if (!copy)
		return pm_err(e, "out of memory");
	g->source[g->sources++] = copy;
	return 0;
}

int pm_gather_digests(struct pm_gather *g, struct pm_err *e)
{
	for (size_t i = 0; i < g->files; i++, pm_filemem_trim()) {
		const char *text;

		if (g->file[i].kept == PM_NONE)
			continue;
		text = pm_filecontent_digest(g->keep, g->file[i].kept, e);
		if (!text)
			return -1;
		snprintf(g->file[i].digest, sizeof g->file[i].digest, "%s", text);
	}
	return 0;
}

bool pm_gather_has_content(const struct pm_gather *g)
{
	return g->images.images || g->images.reaped_count || g->series.count || g->phases.count ||
	       g->tallies.count || g->metas || g->reject_count;
}

void pm_gather_problem(struct pm_gather *g, const char *fmt, ...)
{
	size_t len = strlen(g->problems.text);
	struct pm_err one;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(one.text, sizeof one.text, fmt, ap);
	va_end(ap);
	if (!g->silent)
		pm_warn("%s: %s", g->directory, one.text);
	g->faulty = true;
	/* Store a problem common to a thousand files only once. */
	if (strstr(g->problems.text, one.text))
		return;
	snprintf(g->problems.text + len, sizeof g->problems.text - len, "%s%s", len ? "; " : "",
		 one.text);
}

void pm_gather_inherit(struct pm_gather *g, const struct pm_gather *from)
{
	g->silent = from->silent;
	g->progress = from->progress;
	g->faulty = g->faulty || from->faulty;
	if (!strstr(g->problems.text, from->problems.text))
		g->problems = from->problems;
}

static struct pm_gather_file *current_file(struct pm_gather *g)
{
	return &g->file[g->files - 1];
}

/* Append a zeroed element to an array. Returns the element, or NULL if out of memory. */
static void *add_one(void **array, size_t *count, size_t *cap, size_t size)
{
	char *p = *array;

	if (*count == *cap) {
		size_t n = *cap ? 2 * *cap : 8;

		p = pm_filemem_realloc(p, n * size);
		if (!p)
			return NULL;
		*array = p;
		*cap = n;
	}
	p += *count * size;
	memset(p, 0, size);
	++*count;
	return p;
}

/* Escape a file's name, which may be any bytes, for the database. Returns a new text or NULL. */
static char *escape_name(const char *name)
{
	size_t n = strlen(name), room = 4 * n;
	char *text = malloc(room + 1);
	struct pm_buf b;

	if (!text)
		return NULL;
	pm_buf_init(&b, text, room);
	pm_tsv_escape(&b, name, n);
	text[b.len] = '\0';
	return text;
}

static int add_text(struct pm_gather *g, const char *p, size_t n, struct pm_err *e)
{
	size_t cap = g->text_cap ? g->text_cap : 4096;
	char *grown;

	/* Keep one byte beyond the limit to tell that there was more. */
	if (g->text_len + n > PM_META_MAX)
		n = PM_META_MAX + 1 - g->text_len;
	while (cap < g->text_len + n)
		cap *= 2;
	if (cap > g->text_cap) {
		grown = realloc(g->text, cap);
		if (!grown)
			return pm_err(e, "out of memory");
		g->text = grown;
		g->text_cap = cap;
	}
	memcpy(g->text + g->text_len, p, n);
	g->text_len += n;
	return 0;
}

/* Process bytes of the current file, redacted if necessary. */
static int take_bytes(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct pm_gather *g = ctx;

	/* A pickle may contain secrets: see take_pickle. */
	if (g->keep && !g->pickle)
		pm_filecontent_add(g->keep, p, n);
	current_file(g)->bytes += n;
	g->err = e;
	if (current_file(g)->kind == PM_FILE_META || current_file(g)->kind == PM_FILE_TALLY)
		return add_text(g, p, n, e);
	return pm_lines_feed(&g->split, p, n);
}

int pm_gather_begin(struct pm_gather *g, const char *name, struct pm_err *e)
{
	struct pm_gather_file *f;

	f = add_one((void **)&g->file, &g->files, &g->files_cap, sizeof *f);
	if (!f || !(f->name = escape_name(name)))
		return pm_err(e, "out of memory");
	f->source = pm_gather_from(g);
	f->kind = pm_gather_kind(name);
	f->host = f->kept = PM_NONE;
	g->pickle = pm_foreign_kind(f->name) == PM_FOREIGN_PICKLE;
	if (pm_gather_begin_user(g, e) < 0)
		return -1;
	f->batch = g->known ? g->known->batch : 0;
	g->text_len = 0;
	if (pm_gather_begin_redacting(g, name, take_bytes, e) < 0)
		return -1;
	if (f->kind == PM_FILE_RECORDS) {
		pm_map_builtin(&g->map);
		g->own = g->map;
		pm_lines_init(&g->split, pm_gather_record_line, g);
	} else if (f->kind == PM_FILE_SERIES) {
		pm_series_file_init(&g->ticks, &g->series, &g->images);
		pm_lines_init(&g->split, pm_gather_series_line, g);
	} else if (f->kind == PM_FILE_PHASES) {
		pm_lines_init(&g->split, pm_gather_phase_line, g);
	} else if (f->kind == PM_FILE_FOREIGN) {
		pm_lines_init(&g->split, pm_gather_foreign_line, g);
		g->foreign.merges = g->known != NULL;
		g->foreign.batch = f->batch;
		return pm_foreign_begin(&g->foreign, name, (uint32_t)(g->files - 1), e);
	}
	return 0;
}

int pm_gather_data(struct pm_gather *g, const char *p, size_t n, struct pm_err *e)
{
	return g->redact ? pm_redact_file_feed(g->redact, p, n, e) : take_bytes(g, p, n, e);
}

/* The host described by metadata. */
static uint32_t meta_host(struct pm_gather *g, const struct pm_meta *m)
{
	const char *boot = m->text[PM_JOB_host_boot_id], *name = m->text[PM_JOB_host_hostname];
	struct pm_str b = { boot ? boot : "", boot ? strlen(boot) : 0 };
	struct pm_str n = { name ? name : "", name ? strlen(name) : 0 };

	return pm_images_host(&g->images, b, n);
}

/* Parse the current metadata file. Damage is noted as a problem. Returns 0, or -1 if out of
 * memory. */
static int end_meta(struct pm_gather *g, struct pm_err *e)
{
	const char *name = current_file(g)->name;
	struct pm_meta *m;
	struct pm_err why;
	int rc;

	if (g->text_len > PM_META_MAX) {
		pm_gather_problem(g, "%s: too long for metadata", name);
		return 0;
	}
	m = add_one((void **)&g->meta, &g->metas, &g->metas_cap, sizeof *m);
	if (!m)
		return pm_err(e, "out of memory");
	rc = pm_gather_parse_meta(name, m, g->text, g->text_len, &why);
	/* Without this file's metadata the rows would belong to another job. */
	if (rc < 0 && errno == ENOMEM) {
		pm_meta_free(m);
		g->metas--;
		return pm_err(e, "out of memory");
	}
	if (rc < 0 || m->wrong)
		pm_gather_problem(g, "%s: %s", name, why.text);
	if (rc < 0) {
		pm_meta_free(m);
		g->metas--;
		return 0;
	}
	m->host = PM_NONE;
	/* EPMT's metadata may name no host: they describe the host of the records, which come
	 * later. */
	if (!m->set[PM_JOB_host_hostname] && !m->set[PM_JOB_host_boot_id])
		return 0;
	current_file(g)->host = m->host = meta_host(g, m);
	return current_file(g)->host == PM_NONE ? pm_err(e, "out of memory, or too many hosts") : 0;
}

/* Store EPMT's metadata in perfmon's format, without the secrets of the job's environment;
 * unreadable metadata are not stored. Returns 0, or -1 if out of memory. */
static int take_pickle(struct pm_gather *g, struct pm_err *e)
{
	char *ours = NULL;

	if (g->text_len <= PM_META_MAX && g->text_len && g->text[0] != '{' &&
	    pm_gather_convert_meta(g->text, g->text_len, &ours, e) < 0)
		return errno == ENOMEM ? -1 : 0;
	if (ours) {
		free(g->text);
		g->text = ours;
		g->text_len = strlen(ours);
		g->text_cap = g->text_len + 1;
	}
	if (g->keep && g->text_len <= PM_META_MAX)
		pm_filecontent_add(g->keep, g->text, g->text_len);
	return 0;
}

static int end_tally(struct pm_gather *g, struct pm_err *e)
{
	struct pm_gather_file *f = current_file(g);
	const char *wrong;
	int rc;

	g->tallies.versions = g->known != NULL;
	rc = pm_tallies_take(&g->tallies, &g->images, f->name, g->text, g->text_len, &f->host,
			     &wrong, e);
	if (rc >= 0 && wrong)
		pm_gather_problem(g, "%s: %s", f->name, wrong);
	/* A tally that counted nothing is not kept as a file of the job. */
	if (rc == 0)
		drop_last(g);
	return rc < 0 ? -1 : 0;
}

int pm_gather_end(struct pm_gather *g, bool whole, struct pm_err *e)
{
	struct pm_gather_file *f = current_file(g);
	int rc = 0;

	if (g->redact)
		rc = pm_redact_file_end(g->redact, e);
	pm_redact_file_free(g->redact);
	g->redact = NULL;
	if (rc < 0)
		return -1;
	g->err = e;
	f->whole = whole;
	if (whole && g->pickle)
		rc = take_pickle(g, e);
	if (rc < 0)
		return -1;
	if (g->keep)
		f->kept = pm_filecontent_end(g->keep);
	if (f->kind == PM_FILE_META)
		return whole ? end_meta(g, e) : 0;
	if (f->kind == PM_FILE_TALLY)
		return end_tally(g, e);
	rc = pm_lines_end(&g->split);
	if (f->kind == PM_FILE_SERIES) {
		if (rc == 0)
			rc = pm_series_file_end(&g->ticks, e);
		/* Its samples are one host's, and no line has to be shown as rejected. */
		f->in_samples = whole && f->rejected == 0 && f->host != PM_NONE &&
				g->series.samples > g->ticks.before;
		f->series = g->series.files;
		pm_series_file_free(&g->ticks);
	}
	if (rc == 0 && f->kind == PM_FILE_FOREIGN)
		rc = pm_foreign_end(&g->foreign, e);
	return rc;
}

int pm_gather_finish(struct pm_gather *g, struct pm_err *e)
{
	if (pm_foreign_finish(&g->foreign, e) < 0)
		return -1;
	for (size_t i = 0; i < g->metas; i++) {
		if (g->meta[i].host == PM_NONE)
			g->meta[i].host = g->images.hosts ? 0 : meta_host(g, &g->meta[i]);
		if (g->meta[i].host == PM_NONE)
			return pm_err(e, "out of memory, or too many hosts");
	}
	if (g->foreign.papiex.missing)
		pm_gather_problem(g,
				  "%llu threads of papiex's processes are missing: the totals of "
				  "these processes are unknown",
				  (unsigned long long)g->foreign.papiex.missing);
	pm_gather_say_odd(g);
	pm_gather_settle_users(g);
	return 0;
}
