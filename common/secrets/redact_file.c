/* Redact record files and metadata, line by line. */
#include "config.h"

#include "common/secrets/redact_file.h"

#include "common/grow.h"
#include "common/record/phase.h"
#include "common/safe/record.h"
#include "common/secrets/redact.h"
#include "common/secrets/redact_json.h"
#include "common/secrets/redact_papiex.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Longest line or document that is searched as a whole; longer ones are searched in pieces. */
#define PIECE_MAX ((size_t)16 << 20)

/* A pickle as EPMT writes the file, JSON as a database stores it. */
#define EPMT_METADATA "job_metadata"

/* Growing byte buffer. */
struct bytes {
	char *p;
	size_t n, room;
	bool failed; /* ran out of memory */
};

struct pm_redact_file {
	pm_redact_take *take;
	void *ctx;
	bool json; /* the whole file is one document */
	bool epmt; /* the document is JSON or a pickle */
	bool csv;  /* fields end at commas */
	struct bytes in, out;
	struct pm_map map; /* columns of the last header; version 0: no header yet */
	struct pm_redact_papiex papiex;
	int64_t count;
};

static void put_bytes(struct bytes *b, const char *p, size_t n)
{
	if (!PM_GROW_BY(b->p, b->n, n, b->room, 4096)) {
		b->failed = true;
		return;
	}
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

/* Escaping of a text: none, TSV field, item of a list field. */
enum form { RAW, FIELD, ITEM };

static void put_text(struct bytes *b, const char *p, size_t n, enum form form, bool first)
{
	struct pm_buf out;
	char *mem;

	if (form == RAW) {
		put_bytes(b, p, n);
		return;
	}
	mem = malloc(4 * n + 8);
	if (!mem) {
		b->failed = true;
		return;
	}
	pm_buf_init(&out, mem, 4 * n + 8);
	if (form == FIELD)
		pm_tsv_escape(&out, p, n);
	else
		pm_tsv_escape_item(&out, p, n, first);
	put_bytes(b, out.p, out.len);
	free(mem);
}

/* Append a C string without its secrets. Returns the number of secrets replaced. */
static int64_t put_redacted(struct bytes *b, struct pm_secrets *s, const char *text, enum form form,
			    pm_secrets_find *find)
{
	size_t from = 0, at, n;
	int64_t count = 0;

	for (; (n = find(s, text, from, &at)) != 0; from = at + n) {
		if (at > from)
			put_text(b, text + from, at - from, form, true);
		put_bytes(b, PM_REDACTED, sizeof PM_REDACTED - 1);
		/* The value of an option may have been redacted before, so do not count it. */
		count += n != sizeof PM_REDACTED - 1 || memcmp(text + at, PM_REDACTED, n) != 0;
	}
	if (text[from])
		put_text(b, text + from, strlen(text + from), form, true);
	return count;
}

/* Decode a field or item to a C string, which the caller frees; NULL where it is malformed or
 * contains a NUL. */
static char *decode_field(const char *p, size_t n)
{
	char *text = malloc(n + 1);
	long len = text ? pm_tsv_unescape(text, p, n) : -1;

	if (len < 0 || memchr(text, '\0', (size_t)len)) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

/* Redact arbitrary bytes: each run between NULs is searched as text. */
static int64_t redact_raw(struct bytes *b, const char *p, size_t n)
{
	int64_t count = 0;

	for (;;) {
		struct pm_secrets s = { 0 };
		size_t len = strnlen(p, n);
		char *text = strndup(p, len);

		if (!text) {
			b->failed = true;
			return 0;
		}
		count += put_redacted(b, &s, text, RAW, pm_secrets_text);
		free(text);
		if (len == n)
			return count;
		put_bytes(b, "", 1);
		p += len + 1;
		n -= len + 1;
	}
}

/* Redact a field of unknown meaning. */
static int64_t redact_field(struct bytes *b, struct pm_str field)
{
	struct pm_secrets s = { 0 };
	size_t before = b->n;
	char *text = decode_field(field.p, field.n);
	int64_t count;

	if (!text)
		return redact_raw(b, field.p, field.n);
	count = put_redacted(b, &s, text, FIELD, pm_secrets_text);
	free(text);
	/* An unchanged field keeps its own escaping. */
	if (count == 0) {
		b->n = before;
		put_bytes(b, field.p, field.n);
	}
	return count;
}

static int64_t redact_list(struct bytes *b, struct pm_str list, struct pm_str exename)
{
	char *program = decode_field(exename.p, exename.n);
	struct pm_secrets s = { 0 };
	struct pm_str item, rest = list;
	size_t start = b->n;
	int64_t count = 0;

	if (program)
		pm_secrets_program(&s, program);
	free(program);
	while (pm_tsv_next_item(&rest, &item)) {
		char *text = pm_tsv_is_cut(item.p, item.n) ? NULL : decode_field(item.p, item.n);
		size_t before = b->n + (b->n > start);
		int64_t n = 0;

		if (b->n > start)
			put_bytes(b, " ", 1);
		if (text)
			n = put_redacted(b, &s, text, ITEM, pm_secrets_argument);
		if (n == 0 && !b->failed) {
			b->n = before;
			put_bytes(b, item.p, item.n);
		}
		count += n;
		free(text);
	}
	if (count == 0 && !b->failed) {
		b->n = start;
		put_bytes(b, list.p, list.n);
	}
	return count;
}

/* Redact the field tags of a process. */
static int64_t redact_tags(struct bytes *b, struct pm_str field)
{
	char *text = decode_field(field.p, field.n), *tags;
	size_t count = 0;

	if (!text)
		return redact_raw(b, field.p, field.n);
	tags = pm_redact_tags(text, &count);
	if (!tags)
		b->failed = true;
	else if (count == 0)
		put_bytes(b, field.p, field.n);
	else
		put_text(b, tags, strlen(tags), FIELD, true);
	free(tags);
	free(text);
	return (int64_t)count;
}

/* Redact a line of comma-separated values, quoted or not. */
static int64_t redact_csv(struct bytes *b, const char *p, size_t n)
{
	bool quoted = false;
	int64_t count = 0;
	size_t from = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && p[i] == '"')
			quoted = !quoted;
		if (i < n && (p[i] != ',' || quoted))
			continue;
		count += redact_raw(b, p + from, i - from);
		if (i < n)
			put_bytes(b, ",", 1);
		from = i + 1;
	}
	return count;
}

/* Redact a line without its newline. */
static int64_t redact_line(struct bytes *b, struct pm_map *map, const char *p, size_t n)
{
	struct pm_str field[2 * PM_COLUMNS], exename = { "", 0 };
	size_t fields = pm_tsv_split(p, n, field, 2 * PM_COLUMNS);
	int64_t count = 0;
	const char *why;
	bool known;

	if (pm_map_is_header(p, n)) {
		if (pm_map_parse(map, p, n, &why) < 0)
			map->version = 0;
		put_bytes(b, p, n);
		return 0;
	}
	if (fields > 2 * PM_COLUMNS || fields < 2)
		return redact_raw(b, p, n);
	known = map->version > 0 && (size_t)map->fields == fields;
	for (size_t i = 0; i < fields && known; i++)
		if (map->column[i] == PM_COL_exename)
			exename = field[i];
	for (size_t i = 0; i < fields; i++) {
		if (i > 0)
			put_bytes(b, "\t", 1);
		if (known && map->column[i] == PM_COL_args &&
		    !pm_tsv_is_null(field[i].p, field[i].n))
			count += redact_list(b, field[i], exename);
		else if (known && map->column[i] == PM_COL_tags &&
			 !pm_tsv_is_null(field[i].p, field[i].n))
			count += redact_tags(b, field[i]);
		else if (known)
			put_bytes(b, field[i].p, field[i].n);
		else
			count += redact_field(b, field[i]);
	}
	return count;
}

int pm_redact_is_file(const char *name)
{
	return fnmatch("job-*.json", name, FNM_PERIOD) == 0 ||
	       fnmatch("*.tsv", name, FNM_PERIOD) == 0 || fnmatch("*.csv", name, FNM_PERIOD) == 0 ||
	       fnmatch("*" PM_PHASE_SUFFIX, name, FNM_PERIOD) == 0 ||
	       strcmp(name, EPMT_METADATA) == 0;
}

struct pm_redact_file *pm_redact_file_new(const char *name, pm_redact_take *take, void *ctx,
					  struct pm_err *e)
{
	struct pm_redact_file *f = calloc(1, sizeof *f);

	if (!f) {
		pm_err(e, "out of memory");
		return NULL;
	}
	f->take = take;
	f->ctx = ctx;
	f->epmt = strcmp(name, EPMT_METADATA) == 0;
	f->json = f->epmt || fnmatch("*.json", name, 0) == 0;
	f->csv = fnmatch("*.csv", name, 0) == 0;
	return f;
}

void pm_redact_file_free(struct pm_redact_file *f)
{
	if (f) {
		free(f->in.p);
		free(f->out.p);
	}
	free(f);
}

/* Pass the contents of `out` to the caller's `take` and empty it. */
static int flush_output(struct pm_redact_file *f, struct pm_err *e)
{
	int rc = f->out.failed || f->in.failed ? pm_err(e, "out of memory") : 0;

	if (rc == 0 && f->out.n > 0)
		rc = f->take(f->ctx, f->out.p, f->out.n, e);
	f->out.n = 0;
	return rc;
}

static int64_t redact_next_line(struct pm_redact_file *f, const char *p, size_t n)
{
	char *line;
	int64_t count;
	size_t len;
	int rc = 0;

	if (f->csv || (n > 0 && *p == '{'))
		rc = pm_redact_papiex_line(&f->papiex, f->csv, p, n, &line, &len, &count);
	if (rc == 0)
		return f->csv ? redact_csv(&f->out, p, n) : redact_line(&f->out, &f->map, p, n);
	f->out.failed |= rc < 0;
	if (rc < 0)
		return 0;
	put_bytes(&f->out, line, len);
	free(line);
	return count;
}

/* Redact the complete lines of `in`; with `all` also an unfinished last one. */
static int redact_lines(struct pm_redact_file *f, bool all, struct pm_err *e)
{
	const char *p = f->in.p, *end = f->in.p + f->in.n, *newline;
	int rc = 0;

	while (rc == 0 && p < end && (newline = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		f->count += redact_next_line(f, p, (size_t)(newline - p));
		put_bytes(&f->out, "\n", 1);
		p = newline + 1;
		if (f->out.n > 65536)
			rc = flush_output(f, e);
	}
	if (rc == 0 && p < end && (all || (size_t)(end - p) > PIECE_MAX)) {
		f->count += redact_next_line(f, p, (size_t)(end - p));
		p = end;
	}
	if (f->in.n > 0) {
		f->in.n = (size_t)(end - p);
		memmove(f->in.p, p, f->in.n);
	}
	return rc < 0 ? -1 : flush_output(f, e);
}

int pm_redact_file_feed(struct pm_redact_file *f, const char *p, size_t n, struct pm_err *e)
{
	put_bytes(&f->in, p, n);
	if (f->in.failed)
		return pm_err(e, "out of memory");
	if (f->json && (f->epmt || f->in.n <= PIECE_MAX))
		return 0;
	f->json = false;
	return redact_lines(f, false, e);
}

/* Redact `in` as a JSON document, which is rewritten only if something in it changes. Returns 1, or
 * 0 if it is not a JSON object. */
static int redact_document(struct pm_redact_file *f)
{
	json_t *doc = json_loadb(f->in.p, f->in.n, JSON_REJECT_DUPLICATES, NULL);
	int64_t count = json_is_object(doc) ? pm_redact_metadata(doc) : 0;
	char *text = NULL;

	if (!json_is_object(doc)) {
		json_decref(doc);
		return 0;
	}
	if (count > 0)
		text = json_dumps(doc, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	f->out.failed |= count < 0 || (count > 0 && !text);
	if (text) {
		put_bytes(&f->out, text, strlen(text));
		put_bytes(&f->out, "\n", 1);
	} else {
		put_bytes(&f->out, f->in.p, f->in.n);
	}
	f->count += count;
	free(text);
	json_decref(doc);
	f->in.n = 0;
	return 1;
}

int pm_redact_file_end(struct pm_redact_file *f, struct pm_err *e)
{
	if (f->json && f->in.n > 0 && redact_document(f))
		return flush_output(f, e);
	if (f->epmt && f->in.n > 0)
		return pm_err(e, "EPMT metadata cannot be redacted in place: use perfmon convert "
				 "or submit first");
	return redact_lines(f, true, e);
}

int64_t pm_redact_file_count(const struct pm_redact_file *f)
{
	return f->count;
}

/* Give the buffer to the caller as a C string if secrets were replaced, else free it. Returns
 * count, or -1 if out of memory. */
static int64_t return_buffer(struct bytes *b, int64_t count, char **out, size_t *n)
{
	if (count > 0 && !b->failed) {
		put_bytes(b, "", 1);
		*n = b->n - 1;
	}
	if (b->failed || count == 0) {
		free(b->p);
		return b->failed ? -1 : 0;
	}
	*out = b->p;
	return count;
}

int64_t pm_redact_args(const char *exename, const char *args, char **out)
{
	struct pm_str name = { exename ? exename : "", exename ? strlen(exename) : 0 };
	struct bytes b = { .n = 0 };
	size_t n;

	return return_buffer(&b, redact_list(&b, (struct pm_str){ args, strlen(args) }, name), out,
			     &n);
}

int64_t pm_redact_tags_field(const char *tags, char **out)
{
	struct bytes b = { .n = 0 };
	size_t n;

	return return_buffer(&b, redact_tags(&b, (struct pm_str){ tags, strlen(tags) }), out, &n);
}

int64_t pm_redact_field(const char *field, char **out)
{
	struct bytes b = { .n = 0 };
	size_t n;

	return return_buffer(&b, redact_field(&b, (struct pm_str){ field, strlen(field) }), out,
			     &n);
}

int64_t pm_redact_line(const char *line, size_t len, char **out, size_t *n)
{
	struct pm_map map = { .version = 0 };
	struct bytes b = { .n = 0 };

	return return_buffer(&b, redact_line(&b, &map, line, len), out, n);
}
