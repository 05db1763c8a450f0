/*
 * Pass foreign lines to their parsers. papiex writes the names of collated columns to a separate
 * file, which may be read after the lines; until then the lines wait in a store.
 */
#include "config.h"

#include "submit/foreign/foreign.h"

#include "submit/foreign/papiex_csv.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct pm_foreign_names {
	uint32_t batch;
	char *host;
	char *line;
};

/* A waiting line, followed by the name of its host and its bytes. */
struct held {
	uint32_t file;
	uint32_t batch;
	uint32_t host; /* length of the host's name */
	uint64_t number;
};

enum pm_foreign_kind pm_foreign_kind(const char *name)
{
	static const struct {
		const char *pattern;
		enum pm_foreign_kind kind;
	} known[] = {
		{ "*papiex-header.tsv", PM_FOREIGN_NAMES },
		/* Not *papiex*.tsv: perfmon's files begin with the host's name, which may contain
		 * "papiex". */
		{ "*papiex.tsv", PM_FOREIGN_TSV },
		{ "*papiex*.csv", PM_FOREIGN_CSV },
		{ "job_metadata", PM_FOREIGN_PICKLE },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (fnmatch(known[i].pattern, name, FNM_PERIOD) == 0)
			return known[i].kind;
	return PM_FOREIGN_NONE;
}

size_t pm_foreign_prefix(const char *name)
{
	const char *papiex = strstr(name, "papiex");

	return papiex ? (size_t)(papiex - name) : 0;
}

static int take_record(void *ctx, const struct pm_record *r, const char **why, struct pm_err *e)
{
	struct pm_foreign *f = ctx;

	return f->sink.record(f->sink.ctx, f->file, r, why, e);
}

static int is_odd(void *ctx, const char *column, enum pm_oddvalue_why why, struct pm_err *e)
{
	struct pm_foreign *f = ctx;

	return f->sink.odd(f->sink.ctx, f->file, f->line, column, why, e);
}

static int is_known(void *ctx, uint64_t hash, struct pm_err *e)
{
	struct pm_foreign *f = ctx;

	return f->sink.known(f->sink.ctx, f->file, hash, e);
}

void pm_foreign_init(struct pm_foreign *f, const struct pm_foreign_sink *sink)
{
	memset(f, 0, sizeof *f);
	f->sink = *sink;
	pm_papiex_init(&f->papiex, take_record, f);
	f->papiex.named.odd = is_odd;
	pm_blobs_init(&f->held);
}

void pm_foreign_free(struct pm_foreign *f)
{
	for (size_t i = 0; i < f->names_count; i++) {
		free(f->names[i].host);
		free(f->names[i].line);
	}
	free(f->names);
	free(f->host);
	pm_papiex_tsv_free(&f->tsv);
	pm_papiex_free(&f->papiex);
	pm_blobs_free(&f->held);
	memset(f, 0, sizeof *f);
}

/* Find the column names of a host's collated file from this load, else, with `any`, from another
 * load; NULL if they have not been read. */
static const char *find_names(const struct pm_foreign *f, const char *host, size_t n, bool any)
{
	const char *other = NULL;

	for (size_t i = f->names_count; i > 0; i--) {
		const struct pm_foreign_names *x = &f->names[i - 1];

		if (strlen(x->host) != n || memcmp(x->host, host, n) != 0)
			continue;
		if (x->batch == f->batch)
			return x->line;
		other = other ? other : x->line;
	}
	return any ? other : NULL;
}

static int keep_names(struct pm_foreign *f, const char *p, size_t n, struct pm_err *e)
{
	struct pm_foreign_names *grown =
		realloc(f->names, (f->names_count + 1) * sizeof f->names[0]);

	if (!grown)
		return pm_err(e, "out of memory");
	f->names = grown;
	grown += f->names_count;
	grown->batch = f->batch;
	grown->host = strdup(f->host);
	grown->line = strndup(p, n);
	if (!grown->host || !grown->line) {
		free(grown->host);
		free(grown->line);
		return pm_err(e, "out of memory");
	}
	f->names_count++;
	return 0;
}

/* Apply column names read earlier to the lines that follow. Returns 0 or -1 with e filled. */
static int use_names(struct pm_foreign *f, const char *names, struct pm_err *e)
{
	const char *why;

	if (pm_papiex_tsv_names(&f->tsv, &f->papiex, names, strlen(names), &why, e) < 0)
		return -1;
	f->named = true;
	return 0;
}

/* Check and store a line of column names. Returns 0; 1 with *why, rejected; -1 with e filled. */
static int names_line(struct pm_foreign *f, const char *p, size_t n, const char **why,
		      struct pm_err *e)
{
	int rc;

	if (memchr(p, '\0', n)) {
		*why = "a NUL byte";
		return 1;
	}
	rc = pm_papiex_tsv_names(&f->tsv, &f->papiex, p, n, why, e);
	return rc ? rc : keep_names(f, p, n, e);
}

/* Store a line until its column names are known. Returns 0 or -1 with e filled. */
static int hold_line(struct pm_foreign *f, const char *p, size_t n, uint64_t number,
		     struct pm_err *e)
{
	struct held head = { f->file, f->batch, (uint32_t)strlen(f->host), number };
	size_t size = sizeof head + head.host + n;
	char *mem = malloc(size);
	uint64_t offset;

	if (!mem)
		return pm_err(e, "out of memory");
	memcpy(mem, &head, sizeof head);
	memcpy(mem + sizeof head, f->host, head.host);
	memcpy(mem + sizeof head + head.host, p, n);
	offset = pm_blobs_put(&f->held, mem, size, e);
	free(mem);
	f->held_count++;
	return offset ? 0 : -1;
}

static int take_line(struct pm_foreign *f, const char *p, size_t n, uint64_t number,
		     struct pm_err *e)
{
	const char *why = NULL, *column = NULL;
	uint64_t times = f->papiex.named.times;
	int rc;

	f->line = number;
	rc = f->kind == PM_FOREIGN_CSV
		     ? pm_papiex_csv_line(&f->papiex, p, n, &why, &column, e)
		     : pm_papiex_tsv_line(&f->tsv, &f->papiex, p, n, &why, &column, e);

	/* Without columns, a line that was not rejected is a comment. */
	f->counts = rc != 0 || (f->papiex.named.times == times && f->papiex.named.columns);
	if (rc == 0 && f->counts && f->papiex.again)
		f->sink.again(f->sink.ctx, f->file);
	return rc > 0 ? f->sink.reject(f->sink.ctx, f->file, number, p, n, column, why, e) : rc;
}

int pm_foreign_begin(struct pm_foreign *f, const char *name, uint32_t file, struct pm_err *e)
{
	size_t n = pm_foreign_prefix(name);
	const char *names;

	f->kind = pm_foreign_kind(name);
	f->file = file;
	free(f->host);
	f->host = strndup(name, n && name[n - 1] == '-' ? n - 1 : n);
	if (!f->host)
		return pm_err(e, "out of memory");
	pm_papiex_host(&f->papiex, f->host, strlen(f->host));
	f->papiex.named.columns = 0;
	f->named = false;
	f->papiex.known = f->merges ? is_known : NULL;
	names = f->kind == PM_FOREIGN_TSV ? find_names(f, f->host, strlen(f->host), false) : NULL;
	return names ? use_names(f, names, e) : 0;
}

int pm_foreign_line(struct pm_foreign *f, const char *p, size_t n, uint64_t number,
		    enum pm_lines_state state, struct pm_err *e)
{
	const char *why = NULL;
	int rc = 0;

	f->counts = true;
	if (state == PM_LINES_LONG)
		why = "line is too long";
	else if (f->kind == PM_FOREIGN_NAMES)
		rc = names_line(f, p, n, &why, e);
	else if (state == PM_LINES_CUT)
		why = "the line is cut: it has no newline";
	else if (memchr(p, '\0', n))
		why = "a NUL byte";
	else if (f->kind == PM_FOREIGN_TSV && !f->named)
		return hold_line(f, p, n, number, e);
	else
		return take_line(f, p, n, number, e);
	if (rc < 0)
		return -1;
	f->counts = why != NULL;
	return why ? f->sink.reject(f->sink.ctx, f->file, number, p, n, NULL, why, e) : 0;
}

int pm_foreign_end(struct pm_foreign *f, struct pm_err *e)
{
	return pm_papiex_end(&f->papiex, e);
}

/* Process a stored line. Returns 0 or -1 with e filled. */
static int take_held(struct pm_foreign *f, struct pm_str item, struct pm_err *e)
{
	const char *host = item.p + sizeof(struct held), *names;
	struct held head;

	memcpy(&head, item.p, sizeof head);
	if (!f->named || f->file != head.file) {
		if (pm_papiex_end(&f->papiex, e) < 0)
			return -1;
		f->kind = PM_FOREIGN_TSV;
		f->file = head.file;
		f->batch = head.batch;
		pm_papiex_host(&f->papiex, host, head.host);
		names = find_names(f, host, head.host, true);
		if (use_names(f, names ? names : pm_papiex_tsv_default, e) < 0)
			return -1;
	}
	return take_line(f, host + head.host, item.n - sizeof head - head.host, head.number, e);
}

int pm_foreign_finish(struct pm_foreign *f, struct pm_err *e)
{
	struct pm_str item = { NULL, 0 };
	uint64_t at = PM_BLOBS_FIRST;
	int rc = 0;

	f->named = false;
	for (; f->held_count && rc == 0; f->held_count--) {
		rc = pm_blobs_get(&f->held, at, &item, e);
		if (rc == 0)
			rc = take_held(f, item, e);
		at = pm_blobs_next(at, item);
	}
	return rc < 0 ? -1 : pm_papiex_finish(&f->papiex, e);
}
