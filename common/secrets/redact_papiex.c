/* Lines of papiex's CSV and collated TSV without secrets. */
#include "config.h"

#include "common/redact_papiex.h"

#include "common/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most fields of a line. */
#define FIELDS_MAX 1024

/* Places of the columns where papiex's own names count: braces, tags, hostname, exename, path,
 * exitcode, exitsignal, pid, generation, ppid, pgid, sid, numtids, start, end, args. */
static const struct pm_redact_papiex collated = {
	.fields = 16, .args = 15, .exename = 3, .tags = 1
};

struct field {
	const char *p;
	size_t n;
};

/* A line on its way. */
struct lines {
	char *p;
	size_t n, room;
	bool failed;
};

static void put(struct lines *l, const char *p, size_t n)
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

/* Cut a line at commas without a backslash before them, or at tabs. Returns how many fields there
 * are, 0 where those are too many. */
static size_t split(const char *line, size_t n, bool csv, struct field *field)
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

static bool is(const struct field *f, const char *text)
{
	return f->n == strlen(text) && memcmp(f->p, text, f->n) == 0;
}

/* Learn the columns where the line is one of names. Returns whether it is. */
static bool learn(struct pm_redact_papiex *x, const struct field *field, size_t n)
{
	struct pm_redact_papiex found = { .fields = n, .args = n, .exename = n, .tags = n };
	bool pid = false, start = false;

	for (size_t i = 0; i < n; i++) {
		pid = pid || is(&field[i], "pid");
		start = start || is(&field[i], "start");
		if (is(&field[i], "args"))
			found.args = i;
		else if (is(&field[i], "exename"))
			found.exename = i;
		else if (is(&field[i], "tags"))
			found.tags = i;
	}
	if (!pid || !start)
		return false;
	*x = found;
	return true;
}

/* The text of a field of CSV or TSV, to be freed; NULL without memory. */
static char *decode(const struct field *f, bool csv)
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

static void encode(struct lines *out, const char *text, bool csv)
{
	static const char code[] = "ntr\\,", meant[] = "\n\t\r\\,";

	for (; *text; text++) {
		const char *c = csv ? strchr(meant, *text) : NULL;

		if (c) {
			put(out, "\\", 1);
			put(out, code + (c - meant), 1);
		} else {
			put(out, text, 1);
		}
	}
}

static int64_t marks(const char *text)
{
	int64_t n = 0;

	while ((text = strstr(text, PM_REDACTED)) != NULL) {
		text += sizeof PM_REDACTED - 1;
		n++;
	}
	return n;
}

/* Arguments with blanks between, of a program, without their secrets: a new text, or NULL without
 * memory. */
static char *joined(const char *program, const char *args)
{
	struct pm_secrets s = { 0 };
	struct lines out = { .n = 0 };
	bool first = true;
	size_t room = strlen(program) + strlen(args) + 2;
	char *command = malloc(room), *text;

	/* As one text, for values with blanks in them, then as words. */
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
		put(&out, " ", !first);
		first = false;
		put(&out, word ? word : "", word ? strlen(word) : 0);
		out.failed = out.failed || !word;
		free(word);
	}
	put(&out, "", 1);
	free(text);
	if (out.failed) {
		free(out.p);
		return NULL;
	}
	return out.p;
}

/* Whether a field is a number: nothing is hidden there. */
static bool is_number(const struct field *f)
{
	for (size_t i = 0; i < f->n; i++)
		if ((f->p[i] < '0' || f->p[i] > '9') && f->p[i] != '.' && f->p[i] != '-')
			return false;
	return true;
}

/* Texts are searched again, up to so many times, until nothing is found: what was hidden may show
 * that more is, and to redact twice is to change nothing. */
#define ROUNDS 4

/* A field's text without its secrets: a new text, or NULL without memory. */
static char *without(const struct pm_redact_papiex *x, size_t i, const char *text,
		     const char *program)
{
	char *bare = strdup(text);
	size_t count;

	for (int round = 0; bare && round < ROUNDS; round++) {
		char *next = i == x->args   ? joined(program, bare)
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

/* Append a field without its secrets. Returns how many there were. */
static int64_t clean(struct lines *out, const struct pm_redact_papiex *x, bool csv,
		     const struct field *field, size_t i, const char *program)
{
	const struct field *f = &field[i];
	int64_t count = 0;
	char *text, *bare;

	if (is_number(f) || memchr(f->p, '\0', f->n)) {
		put(out, f->p, f->n);
		return 0;
	}
	text = decode(f, csv);
	bare = text ? without(x, i, text, program) : NULL;
	out->failed = out->failed || !bare;
	if (bare && strcmp(bare, text) != 0) {
		encode(out, bare, csv);
		count = marks(bare) - marks(text);
		count = count > 0 ? count : 1;
	} else {
		put(out, f->p, f->n);
	}
	free(text);
	free(bare);
	return count;
}

/* The program of a line, by the last part of its name; to be freed, NULL without memory. */
static char *program_of(const struct pm_redact_papiex *x, const struct field *field, bool csv)
{
	static const struct field none = { "", 0 };
	char *name = decode(x->exename < x->fields ? &field[x->exename] : &none, csv);

	/* A name with a blank would be two words. */
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
	fields = split(line, n, csv, field);
	if (!csv && fields > 0 && (field[0].n < 2 || field[0].p[0] != '{'))
		fields = 0;
	if (fields > 0 && learn(x, field, fields)) {
		put(&made, line, n);
		rc = 1;
	} else if (fields > 0) {
		if (!csv && x->fields == 0)
			by = &collated;
		rc = fields == by->fields;
		program = rc ? program_of(by, field, csv) : NULL;
		made.failed = rc && !program;
		for (size_t i = 0; i < fields && rc && !made.failed; i++) {
			if (i > 0)
				put(&made, csv ? "," : "\t", 1);
			*count += clean(&made, by, csv, field, i, program);
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
