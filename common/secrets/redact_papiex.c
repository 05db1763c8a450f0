/* Redact lines of papiex's CSV and collated TSV. */
#include "config.h"

#include "common/secrets/redact_papiex.h"

#include "common/secrets/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most fields of a line. */
#define FIELDS_MAX 1024

/* Positions of the columns in papiex's collated files: braces, tags, hostname, exename, path,
 * exitcode, exitsignal, pid, generation, ppid, pgid, sid, numtids, start, end, args. */
static const struct pm_redact_papiex collated = {
	.fields = 16, .args = 15, .exename = 3, .tags = 1
};

struct field {
	const char *p;
	size_t n;
};

/* The output line. */
struct lines {
	char *p;
	size_t n, room;
	bool failed;
};

static void put_bytes(struct lines *l, const char *p, size_t n)
{
	if (!l->failed && l->n + n > l->room) {
		size_t room = 2 * (l->n + n) + 256;
		char *grown = realloc(l->p, room);

		l->failed = !grown;
		if (grown) {
			l->p = grown;
			l->room = room;
		}
	}
	if (l->failed || n == 0)
		return;
	memcpy(l->p + l->n, p, n);
	l->n += n;
}

/* Split a line at tabs, or a line of CSV at commas without a backslash before them. Returns the
 * number of fields, 0 for more than FIELDS_MAX. */
static size_t split_line(const char *line, size_t n, bool csv, struct field *field)
{
	size_t count = 0, start = 0;

	for (size_t i = 0; i <= n; i++) {
		if (csv && i + 1 < n && line[i] == '\\') {
			i++;
			continue;
		}
		if (i < n && line[i] != (csv ? ',' : '\t'))
			continue;
		if (count == FIELDS_MAX)
			return 0;
		field[count++] = (struct field){ line + start, i - start };
		start = i + 1;
	}
	return count;
}

static bool is_text(const struct field *f, const char *text)
{
	return f->n == strlen(text) && memcmp(f->p, text, f->n) == 0;
}

/* If the line consists of column names, remember the columns. Returns whether it does. */
static bool learn_columns(struct pm_redact_papiex *x, const struct field *field, size_t n)
{
	struct pm_redact_papiex found = { .fields = n, .args = n, .exename = n, .tags = n };
	bool pid = false, start = false;

	for (size_t i = 0; i < n; i++) {
		pid = pid || is_text(&field[i], "pid");
		start = start || is_text(&field[i], "start");
		if (is_text(&field[i], "args"))
			found.args = i;
		else if (is_text(&field[i], "exename"))
			found.exename = i;
		else if (is_text(&field[i], "tags"))
			found.tags = i;
	}
	if (!pid || !start)
		return false;
	*x = found;
	return true;
}

/* Decode a field of CSV or TSV. The caller frees the text; NULL if out of memory. */
static char *decode_field(const struct field *f, bool csv)
{
	static const char code[] = "ntr\\,", meant[] = "\n\t\r\\,";
	char *text = malloc(f->n + 1);
	size_t to = 0;

	for (size_t i = 0; text && i < f->n; i++) {
		const char *c = csv && f->p[i] == '\\' && i + 1 < f->n && f->p[i + 1]
					? strchr(code, f->p[i + 1])
					: NULL;

		text[to++] = c ? meant[c - code] : f->p[i];
		i += c != NULL;
	}
	if (text)
		text[to] = '\0';
	return text;
}

static void put_encoded(struct lines *out, const char *text, bool csv)
{
	static const char code[] = "ntr\\,", meant[] = "\n\t\r\\,";

	for (; *text; text++) {
		const char *c = csv ? strchr(meant, *text) : NULL;

		if (c) {
			put_bytes(out, "\\", 1);
			put_bytes(out, code + (c - meant), 1);
		} else {
			put_bytes(out, text, 1);
		}
	}
}

static int64_t count_marks(const char *text)
{
	int64_t n = 0;

	while ((text = strstr(text, PM_REDACTED)) != NULL) {
		text += sizeof PM_REDACTED - 1;
		n++;
	}
	return n;
}

/* Redact the blank-separated arguments of a program. Returns a new text, or NULL if out of memory.
 */
static char *redact_args(const char *program, const char *args)
{
	struct pm_secrets s = { 0 };
	struct lines out = { .n = 0 };
	bool first = true;
	size_t room = strlen(program) + strlen(args) + 2;
	char *command = malloc(room), *text;

	/* First redact the command as one text, for values that contain blanks, then word by word.
	 */
	if (!command)
		return NULL;
	snprintf(command, room, "%s %s", program, args);
	text = pm_redact_value(command);
	free(command);
	if (!text)
		return NULL;
	pm_secrets_program(&s, program);
	for (char *p = strchr(text, ' '), *end; p && *p; p = end) {
		char *word, kept;

		end = p + 1 + strcspn(p + 1, " ");
		kept = *end;
		*end = '\0';
		word = pm_redact_argument(&s, p + 1);
		*end = kept;
		put_bytes(&out, " ", !first);
		first = false;
		put_bytes(&out, word ? word : "", word ? strlen(word) : 0);
		out.failed = out.failed || !word;
		free(word);
	}
	put_bytes(&out, "", 1);
	free(text);
	if (out.failed) {
		free(out.p);
		return NULL;
	}
	return out.p;
}

/* Whether a field is a number, which cannot hold a secret. */
static bool is_number(const struct field *f)
{
	for (size_t i = 0; i < f->n; i++)
		if ((f->p[i] < '0' || f->p[i] > '9') && f->p[i] != '.' && f->p[i] != '-')
			return false;
	return true;
}

/* Most passes over a text. Passes repeat until one finds nothing: a redacted secret may reveal
 * another, and redacting a file twice must not change it again. */
#define ROUNDS 4

/* Redact a field's decoded text. Returns a new text, or NULL if out of memory. */
static char *redact_field(const struct pm_redact_papiex *x, size_t i, const char *text,
			  const char *program)
{
	char *bare = strdup(text);
	size_t count;

	for (int round = 0; bare && round < ROUNDS; round++) {
		char *next = i == x->args   ? redact_args(program, bare)
			     : i == x->tags ? pm_redact_tags(bare, &count)
					    : pm_redact_value(bare);
		bool same = next && strcmp(next, bare) == 0;

		free(bare);
		bare = next;
		if (same)
			break;
	}
	return bare;
}

/* Append a field without its secrets. Returns the number of secrets replaced. */
static int64_t put_redacted(struct lines *out, const struct pm_redact_papiex *x, bool csv,
			    const struct field *field, size_t i, const char *program)
{
	const struct field *f = &field[i];
	int64_t count = 0;
	char *text, *bare;

	if (is_number(f) || memchr(f->p, '\0', f->n)) {
		put_bytes(out, f->p, f->n);
		return 0;
	}
	text = decode_field(f, csv);
	bare = text ? redact_field(x, i, text, program) : NULL;
	out->failed = out->failed || !bare;
	if (bare && strcmp(bare, text) != 0) {
		put_encoded(out, bare, csv);
		count = count_marks(bare) - count_marks(text);
		count = count > 0 ? count : 1;
	} else {
		put_bytes(out, f->p, f->n);
	}
	free(text);
	free(bare);
	return count;
}

/* The program of a line, from its column exename. The caller frees the text; NULL if out of memory.
 */
static char *program_name(const struct pm_redact_papiex *x, const struct field *field, bool csv)
{
	static const struct field none = { "", 0 };
	char *name = decode_field(x->exename < x->fields ? &field[x->exename] : &none, csv);

	/* Cut the name at a blank, as it would make two words of the command. */
	if (name && strchr(name, ' '))
		*strchr(name, ' ') = '\0';
	return name;
}

int pm_redact_papiex_line(struct pm_redact_papiex *x, bool csv, const char *line, size_t n,
			  char **out, size_t *len, int64_t *count)
{
	struct field field[FIELDS_MAX];
	struct lines made = { .n = 0 };
	const struct pm_redact_papiex *by = x;
	char *program = NULL;
	size_t fields;
	int rc = 0;

	*count = 0;
	fields = split_line(line, n, csv, field);
	if (!csv && fields > 0 && (field[0].n < 2 || field[0].p[0] != '{'))
		fields = 0;
	if (fields > 0 && learn_columns(x, field, fields)) {
		put_bytes(&made, line, n);
		rc = 1;
	} else if (fields > 0) {
		if (!csv && x->fields == 0)
			by = &collated;
		rc = fields == by->fields;
		program = rc ? program_name(by, field, csv) : NULL;
		made.failed = rc && !program;
		for (size_t i = 0; i < fields && rc && !made.failed; i++) {
			if (i > 0)
				put_bytes(&made, csv ? "," : "\t", 1);
			*count += put_redacted(&made, by, csv, field, i, program);
		}
	}
	free(program);
	if (made.failed || rc == 0) {
		free(made.p);
		return made.failed ? -1 : 0;
	}
	*out = made.p;
	*len = made.n;
	return 1;
}
