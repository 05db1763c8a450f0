/* The view `sample`: a row for each value that blocks of samples hold (perfmon-schema(5)). */
#include "config.h"

#include "sql/schema.h"

/* A tick's offset in a column. */
#define OFFSET(column, digits)                                                                     \
	"CAST(substr(t." column ", 1 + t." digits " * (b.tick + v.key), t." digits ") AS INTEGER)"

/*
 * The reason of the unknown value that v is; NULL if it is known. In the views of a database that
 * SQLite is told not to trust, json_each() is the only function for JSON that it calls.
 */
#define PART(i) "(SELECT r.value FROM json_each(u.value) r WHERE r.key = " i ")"
#define REASON                                                                                     \
	"(SELECT " PART("2") " FROM json_each(b.unknown) u WHERE v.key >= " PART(                  \
		"0") " AND v.key < " PART("0") " + " PART("1") ")"

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

/*
 * One step of the recursion takes a byte, or adds a value of a run. The byte is fetched a step
 * ahead, since a column can be used several times.
 */
static void write_sqlite(FILE *out)
{
	fputs("CREATE VIEW sample AS\n"
	      "SELECT b.job_id, b.series_id, t.time_us + " OFFSET(
		      "times",
		      "digits") " AS time_us,\n"
				"\tCASE WHEN b.unknown IS NULL THEN v.value WHEN " REASON
				" IS NULL THEN v.value END\n"
				"\tAS value, " REASON " AS reason,\n"
				"\tt.monotonic_us + " OFFSET(
					"monotonics",
					"monotonic_digits") " AS monotonic_us,\n"
							    "\tb.id AS block_id, b.begin_us AS "
							    "block_begin_us, b.end_us AS "
							    "block_end_us\n"
							    "FROM sample_block b JOIN tick_block t "
							    "ON t.job_id = b.job_id AND t.id = "
							    "b.tick_block_id, json_each((\n"
							    "\tWITH RECURSIVE c(i, value, byte, "
							    "position, number, shift, counts, run, "
							    "whole) AS (\n"
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
	      "\tFROM c WHERE i < b.samples - 1)\n"
	      "\tSELECT '[' || group_concat(value) || ']' FROM (SELECT value FROM c WHERE whole "
	      "ORDER BY "
	      "i)\n"
	      ")) v;\n",
	      out);
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
