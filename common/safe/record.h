/*
 * A record: the values of one line, and which of them are set. An unset value is unknown, never 0.
 * Allocates nothing; safe in the preload.
 */
#ifndef PM_COMMON_SAFE_RECORD_H
#define PM_COMMON_SAFE_RECORD_H

#include "common/safe/buf.h"
#include "common/safe/columns.h"
#include "common/safe/tsv.h"

#include <stdbool.h>
#include <stdint.h>

union pm_value {
	int64_t i;       /* integer kinds */
	struct pm_str s; /* text kinds: escaped text, not owned by the record */
};

struct pm_record {
	uint64_t set[(PM_COLUMNS + 63) / 64];
	union pm_value v[PM_COLUMNS];
};

/* Unset every value; clears only the bitmap. */
static inline void pm_record_clear(struct pm_record *r)
{
	for (size_t i = 0; i < sizeof r->set / sizeof r->set[0]; i++)
		r->set[i] = 0;
}

static inline bool pm_record_has(const struct pm_record *r, enum pm_column c)
{
	return r->set[c / 64] >> (c % 64) & 1;
}

static inline void pm_record_unset(struct pm_record *r, enum pm_column c)
{
	r->set[c / 64] &= ~((uint64_t)1 << (c % 64));
}

/* Set an integer column. */
static inline void pm_record_int(struct pm_record *r, enum pm_column c, int64_t v)
{
	r->v[c].i = v;
	r->set[c / 64] |= (uint64_t)1 << (c % 64);
}

/* Set a text column to text that is escaped already; the text is not copied. */
static inline void pm_record_text(struct pm_record *r, enum pm_column c, const char *p, size_t n)
{
	r->v[c].s.p = p;
	r->v[c].s.n = n;
	r->set[c / 64] |= (uint64_t)1 << (c % 64);
}

/* Value of an integer column, or `otherwise` where it is unknown. */
static inline int64_t pm_record_get(const struct pm_record *r, enum pm_column c, int64_t otherwise)
{
	return pm_record_has(r, c) ? r->v[c].i : otherwise;
}

/* Copy a column from another record; leave it unchanged where it is unknown there. */
static inline void pm_record_copy(struct pm_record *to, const struct pm_record *from,
				  enum pm_column c)
{
	if (!pm_record_has(from, c))
		return;
	to->v[c] = from->v[c];
	to->set[c / 64] |= (uint64_t)1 << (c % 64);
}

/* Append the record as one line: version, every column, terminator, newline. On a full buffer,
 * append nothing and set `truncated`. */
void pm_record_format(const struct pm_record *r, struct pm_buf *b);

/* The column of each field of a line, from a header line. */
struct pm_map {
	int version;                  /* format version of the header; 0: no header yet */
	int fields;                   /* fields a line has, version and terminator included */
	short column[2 * PM_COLUMNS]; /* per field: enum pm_column, or -1 for an unknown column */
};

/* The map of this build's own format version. */
void pm_map_builtin(struct pm_map *map);

/*
 * Parse a header line ("perfmon-tsv-N", names, terminator), without its newline. Returns 0, or -1
 * with *why set to a constant text: not a header, cut, too many columns, a column named twice, or a
 * column that no version up to this build's has.
 */
int pm_map_parse(struct pm_map *map, const char *line, size_t n, const char **why);

/* 1 when the line begins like a header of any format version. */
int pm_map_is_header(const char *line, size_t n);

/*
 * Parse a record line, without its newline; `map` tells the column of each field. Text values point
 * into the line. Checks the form of every integer, the escapes of every text, and the terminator.
 * Returns 0, or -1 with *why set to a constant text and *column to the offending field's name (or
 * NULL).
 */
int pm_record_parse(struct pm_record *r, const struct pm_map *map, const char *line, size_t n,
		    const char **why, const char **column);

#endif
