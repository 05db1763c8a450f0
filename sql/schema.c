/* The schema as SQL text, as INSERT statements and as part of a man page. */
#include "config.h"

#include "sql/schema.h"

#include "common/memtext.h"

#include <stdlib.h>
#include <string.h>

static const char *type_name(enum pm_schema_type type, enum pm_dialect dialect)
{
	static const char *const name[][2] = {
		[PM_SCHEMA_INTEGER] = { "INTEGER", "bigint" },
		[PM_SCHEMA_REAL] = { "REAL", "double precision" },
		/* Sorted by bytes, whatever the locale of the database. */
		[PM_SCHEMA_TEXT] = { "TEXT", "text COLLATE \"C\"" },
		[PM_SCHEMA_BLOB] = { "BLOB", "bytea" },
		[PM_SCHEMA_ID] = { "INTEGER PRIMARY KEY", "bigint PRIMARY KEY" },
	};

	return name[type][dialect == PM_DIALECT_POSTGRESQL];
}

/* Names that are SQL keywords in either engine are quoted in both. */
static const char *quote(const char *name)
{
	return strcmp(name, "user") == 0 || strcmp(name, "groups") == 0 ? "\"" : "";
}

static void put_unit(FILE *out, const struct pm_schema_column *c)
{
	if (c->unit[0])
		fprintf(out, " [%s]", c->unit);
}

static void write_table(enum pm_dialect dialect, const struct pm_schema_table *t, FILE *out)
{
	bool partitioned = t->bulk && dialect == PM_DIALECT_POSTGRESQL;
	/* The primary key comes first, references after it. */
	size_t keys = partitioned ? strcspn(t->keys, "\n") - 1 : strlen(t->keys);

	fprintf(out, "\n-- %s\nCREATE TABLE %s (\n", t->help, t->name);
	for (size_t i = 0; i < t->columns; i++) {
		const struct pm_schema_column *c = &t->column[i];
		bool last = i + 1 == t->columns && !t->keys[0];

		fprintf(out, "\t%s%s%s %s%s%s -- %s%s", quote(c->name), c->name, quote(c->name),
			type_name(c->type, dialect),
			c->required && c->type != PM_SCHEMA_ID ? " NOT NULL" : "", last ? "" : ",",
			c->about, c->help);
		put_unit(out, c);
		fputc('\n', out);
	}
	if (t->keys[0])
		fprintf(out, "\t%.*s\n", (int)keys, t->keys);
	if (dialect == PM_DIALECT_SQLITE)
		fputs(t->narrow ? ") WITHOUT ROWID;\n" : ");\n", out);
	else
		fputs(partitioned ? ") PARTITION BY RANGE (job_id);\n" : ");\n", out);
}

/* An SQL string literal. */
static void put_literal(FILE *out, const char *s)
{
	fputc('\'', out);
	for (; *s; s++) {
		if (*s == '\'')
			fputc('\'', out);
		fputc(*s, out);
	}
	fputc('\'', out);
}

static void write_metrics(FILE *out)
{
	fputs("\nINSERT INTO metric (name, unit, kind, scope, source, help) VALUES\n", out);
	for (int i = 0; i < PM_COLUMNS; i++) {
		const struct pm_column_info *c = &pm_column_info[i];
		const char *text[] = {
			c->name,
			c->unit,
			pm_kind_name((enum pm_kind)c->kind),
			c->scope == PM_SCOPE_THREAD ? "THREAD" : "PROCESS",
			c->source,
			c->help,
		};

		for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
			fputs(k == 0 ? "\t(" : ", ", out);
			put_literal(out, text[k]);
		}
		fputs(i + 1 < PM_COLUMNS ? "),\n" : ");\n", out);
	}
}

/* Write the view of every thread: the rows of thread_row, and each process without rows there as
 * its only thread. */
static void write_thread_view(FILE *out)
{
	const struct pm_schema_table *t = pm_schema_find("thread_row");

	fputs("\n-- every thread of every process\nCREATE VIEW thread AS\nSELECT ", out);
	for (size_t i = 0; i < t->columns; i++)
		fprintf(out, "%s%s", i ? ", " : "", t->column[i].name);
	fputs("\nFROM thread_row UNION ALL SELECT ", out);
	for (size_t i = 0; i < t->columns; i++) {
		const char *name = t->column[i].name;

		if (strcmp(name, "tid") == 0)
			name = "coalesce(tid, pid)";
		else if (strcmp(name, "process_id") == 0)
			name = "id";
		else if (strcmp(name, "id") == 0)
			name = "1";
		fprintf(out, "%s%s", i ? ", " : "", name);
	}
	fputs("\nFROM process p WHERE NOT EXISTS (SELECT 1 FROM thread_row t\n"
	      "\tWHERE t.job_id = p.job_id AND t.process_id = p.id);\n",
	      out);
}

/* Write what is derived from the tables. */
static void write_derived(enum pm_dialect dialect, FILE *out)
{
	write_metrics(out);
	if (dialect == PM_DIALECT_POSTGRESQL)
		fprintf(out, "%s%s", pm_schema_postgres_ranges, pm_schema_postgres_functions);
	pm_schema_write_views(dialect, out);
	write_thread_view(out);
	pm_schema_write_sample_view(dialect, out);
	if (dialect == PM_DIALECT_POSTGRESQL)
		fputs(pm_schema_postgres_secure, out);
}

static void write_version(enum pm_dialect dialect, int version, FILE *out)
{
	fprintf(out,
		"\nINSERT INTO schema_version (version, applied_us) VALUES (%d, CAST(%s * 1000000 "
		"AS %s));\n",
		version,
		dialect == PM_DIALECT_SQLITE ? "strftime('%s', 'now')"
					     : "extract(epoch FROM now())",
		type_name(PM_SCHEMA_INTEGER, dialect));
}

int pm_schema_write(enum pm_dialect dialect, FILE *out)
{
	size_t n;
	const struct pm_schema_table *t = pm_schema_tables(&n);

	fprintf(out,
		"-- perfmon database schema, version %d, for %s; see perfmon-schema(5).\n"
		"-- Generated from common/safe/columns.def and common/job/job.def by `perfmon "
		"schema`.\n"
		"-- Times are microseconds UTC. NULL is unknown, never 0. Text is escaped as in\n"
		"-- perfmon-tsv(5).\n",
		PM_SCHEMA_VERSION, dialect == PM_DIALECT_SQLITE ? "SQLite" : "PostgreSQL");
	for (size_t i = 0; i < n; i++)
		write_table(dialect, &t[i], out);
	pm_schema_write_indexes(dialect, out);
	if (dialect == PM_DIALECT_SQLITE)
		pm_schema_write_jobzones(out);
	else
		fputs(pm_schema_postgres, out);
	write_derived(dialect, out);
	if (dialect == PM_DIALECT_POSTGRESQL)
		fputs(pm_schema_postgres_triggers, out);
	write_version(dialect, PM_SCHEMA_VERSION, out);
	return ferror(out) ? -1 : 0;
}

/* Write text for a man page: keep minus signs, and escape a first character that would begin a
 * request. */
static void put_roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
}

int pm_schema_write_man(FILE *out)
{
	size_t n;
	const struct pm_schema_table *t = pm_schema_tables(&n);

	for (size_t i = 0; i < n; i++) {
		fprintf(out, ".SS %s\n", t[i].name);
		put_roff(out, t[i].help);
		fputs(".\n", out);
		for (size_t k = 0; k < t[i].columns; k++) {
			const struct pm_schema_column *c = &t[i].column[k];
			enum pm_schema_type type =
				c->type == PM_SCHEMA_ID ? PM_SCHEMA_INTEGER : c->type;

			fprintf(out, ".TP\n.BR %s \" (%s%s%s%s)\"\n", c->name,
				type_name(type, PM_DIALECT_SQLITE), c->unit[0] ? ", " : "", c->unit,
				c->required ? ", never NULL" : "");
			put_roff(out, c->about);
			put_roff(out, c->help);
			fputs(".\n", out);
		}
	}
	return ferror(out) ? -1 : 0;
}

char *pm_schema_text(enum pm_dialect dialect)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	pm_schema_write(dialect, out);
	return pm_memtext_end(out, &text);
}

char *pm_schema_derived(enum pm_dialect dialect)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	write_derived(dialect, out);
	return pm_memtext_end(out, &text);
}

char *pm_schema_version_row(enum pm_dialect dialect, int version)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	write_version(dialect, version, out);
	return pm_memtext_end(out, &text);
}

static void put_columns(FILE *out, const struct pm_schema_table *t)
{
	for (size_t i = 0; i < t->columns; i++) {
		const char *name = t->column[i].name;

		fprintf(out, "%s%s%s%s", i ? ", " : "", quote(name), name, quote(name));
	}
}

char *pm_schema_columns(const struct pm_schema_table *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_columns(out, t);
	return pm_memtext_end(out, &text);
}

char *pm_schema_insert(const struct pm_schema_table *t, bool first)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "INSERT INTO %s (", t->name);
	put_columns(out, t);
	fputs(") VALUES (", out);
	for (size_t i = 0; i < t->columns; i++)
		fputs(i ? ", ?" : "?", out);
	fputs(first ? ") ON CONFLICT DO NOTHING" : ")", out);
	return pm_memtext_end(out, &text);
}
