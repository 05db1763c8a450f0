/* The view `sample`: a row for each value that blocks of samples hold (perfmon-schema(5)). */
#include "config.h"

#include "sql/schema.h"

/* The number that ends with the current byte, and the deviation that it means. */
#define NUMBER "(number + (byte << shift))"
#define DEVIATION                                                                                  \
	"CASE WHEN (" NUMBER " - 1) & 1 THEN -((" NUMBER " - 1) >> 1) - 1 ELSE (" NUMBER           \
	" - 1) >> 1 END"

/* Whether the current byte ends a value's number; whether it stays the current one. */
#define ENDS  "(byte < 128 AND NOT counts AND " NUMBER " > 0)"
#define STAYS "(run > 1 OR (run = 0 AND counts AND byte < 128))"

/* Write the bytes of a blob, each of which stands at its own value: its position in it. */
static void write_bytes(FILE *out)
{
	fputs("x'", out);
	for (int i = 0; i < 256; i++)
		fprintf(out, "%02X", (unsigned)i);
	fputc('\'', out);
}

/* Write an expression: the byte at a position of b.deviations, NULL behind the last. */
static void write_byte_at(FILE *out, const char *position)
{
	fputs("CASE WHEN ", out);
	fprintf(out, "%s <= length(b.deviations) THEN instr(", position);
	write_bytes(out);
	fprintf(out, ", substr(b.deviations, %s, 1)) - 1 END", position);
}

/* Write an expression: a tick's offset in a column. */
static void write_offset(FILE *out, const char *column, const char *digits)
{
	fprintf(out, "CAST(substr(t.%s, 1 + t.%s * (b.tick + v.key), t.%s) AS INTEGER)", column,
		digits, digits);
}

/* Write an expression: a part of a run of unknown values, 0 the first, 1 the number, 2 the reason.
 */
static void write_part(FILE *out, const char *run, int part)
{
	fprintf(out, "(SELECT value FROM json_each(%s.value) WHERE key = %d)", run, part);
}

/*
 * The values of a block, an array for json_each(): of a known value the number, of an unknown one
 * its run. In the views of a database that SQLite is told not to trust, json_each() is the only
 * function for JSON that it calls.
 *
 * One step of the recursion c takes a byte, or adds a value of a run of equal deviations. The byte
 * is fetched a step ahead, since a column can be used several times. The recursion g has a row for
 * each unknown value.
 */
static void write_array(FILE *out)
{
	fputs("\tWITH RECURSIVE c(i, value, byte, position, number, shift, counts, run, whole) AS "
	      "(\n"
	      "\tSELECT 0, b.first, ",
	      out);
	write_byte_at(out, "1");
	fputs(",\n\t\t1, 0, 0, 0, 0, 1\n"
	      "\tUNION ALL SELECT i + (run > 0 OR " ENDS "),\n"
	      "\t\tvalue + CASE WHEN run > 0 THEN b.base * b.step WHEN " ENDS " THEN\n"
	      "\t\tb.step * (b.base + " DEVIATION ") ELSE 0 END,\n"
	      "\t\tCASE WHEN " STAYS " THEN byte ELSE ",
	      out);
	write_byte_at(out, "position + 1");
	fputs(" END,\n"
	      "\t\tposition + NOT " STAYS ",\n"
	      "\t\tCASE WHEN run = 0 AND byte >= 128 THEN number + ((byte & 127) << shift) ELSE 0 "
	      "END,\n"
	      "\t\tCASE WHEN run = 0 AND byte >= 128 THEN shift + 7 ELSE 0 END,\n"
	      "\t\tCASE WHEN run > 0 THEN 0 WHEN byte >= 128 THEN counts ELSE NOT counts "
	      "AND " NUMBER " = 0 END,\n"
	      "\t\tCASE WHEN run > 0 THEN run - 1 WHEN counts AND byte < 128 THEN " NUMBER
	      " ELSE 0 END,\n"
	      "\t\trun > 0 OR " ENDS "\n"
	      "\tFROM c WHERE i < b.samples - 1),\n"
	      "\tg(i, more, run) AS (SELECT ",
	      out);
	write_part(out, "u", 0);
	fputs(",\n\t\t", out);
	write_part(out, "u", 1);
	fputs(" - 1, u.value FROM json_each(b.unknown) u\n"
	      "\tUNION ALL SELECT i + 1, more - 1, run FROM g WHERE more > 0)\n"
	      "\tSELECT '[' || group_concat(coalesce(run, value)) || ']' FROM (\n"
	      "\tSELECT max(value) AS value, max(run) AS run FROM (\n"
	      "\tSELECT i, value, NULL AS run FROM c WHERE whole\n"
	      "\tUNION ALL SELECT i, NULL, run FROM g)\n"
	      "\tGROUP BY i ORDER BY i)\n",
	      out);
}

static void write_sqlite(FILE *out)
{
	fputs("CREATE VIEW sample AS\nSELECT b.job_id, b.series_id, t.time_us + ", out);
	write_offset(out, "times", "digits");
	fputs(" AS time_us,\n\tv.atom AS value, CASE v.type WHEN 'array' THEN ", out);
	write_part(out, "v", 2);
	fputs(" END AS reason,\n\tt.monotonic_us + ", out);
	write_offset(out, "monotonics", "monotonic_digits");
	fputs(" AS monotonic_us,\n"
	      "\tb.id AS block_id, b.begin_us AS block_begin_us, b.end_us AS block_end_us\n"
	      "FROM sample_block b JOIN tick_block t ON t.job_id = b.job_id AND t.id = "
	      "b.tick_block_id,\n"
	      "\tjson_each((\n",
	      out);
	write_array(out);
	fputs(")) v;\n", out);
}

void pm_schema_write_sample_view(enum pm_dialect dialect, FILE *out)
{
	fputs("\n-- the samples of every series; ORDER BY job_id, series_id, time_us. A condition "
	      "on "
	      "block_begin_us\n"
	      "-- and block_end_us beside one on time_us spares decoding the other blocks\n",
	      out);
	if (dialect == PM_DIALECT_SQLITE) {
		write_sqlite(out);
		return;
	}
	fputs(pm_schema_postgres_samples, out);
}
