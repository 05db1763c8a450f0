/* Parse header and record lines by column name, so that files of every version load. */
#include "config.h"

#include "common/safe/record.h"

#include <string.h>

#define HEADER_MAGIC "perfmon-tsv-"

/* Most fields a line may have: room for columns that later versions add. */
#define FIELDS_MAX (2 * PM_COLUMNS)

void pm_map_builtin(struct pm_map *map)
{
	map->version = PM_FORMAT_VERSION;
	map->fields = PM_COLUMNS + 2;
	map->column[0] = -1;
	for (int c = 0; c < PM_COLUMNS; c++)
		map->column[c + 1] = (short)c;
	map->column[PM_COLUMNS + 1] = -1;
}

int pm_map_is_header(const char *line, size_t n)
{
	return n >= sizeof HEADER_MAGIC - 1 &&
	       memcmp(line, HEADER_MAGIC, sizeof HEADER_MAGIC - 1) == 0;
}

static int ends_well(const struct pm_str *last)
{
	return last->n == 1 && last->p[0] == PM_TSV_END;
}

int pm_map_parse(struct pm_map *map, const char *line, size_t n, const char **why)
{
	const size_t magic = sizeof HEADER_MAGIC - 1;
	struct pm_str field[FIELDS_MAX];
	bool seen[PM_COLUMNS] = { false };
	struct pm_map m = { 0 };
	int64_t version;
	size_t count;

	if (!pm_map_is_header(line, n)) {
		*why = "not a header line";
		return -1;
	}
	count = pm_tsv_split(line, n, field, FIELDS_MAX);
	if (count > FIELDS_MAX) {
		*why = "header has too many columns";
		return -1;
	}
	if (count < 3 || !ends_well(&field[count - 1])) {
		*why = "header is cut: its terminator is missing";
		return -1;
	}
	if (pm_tsv_number(field[0].p + magic, field[0].n - magic, &version) < 0 || version < 1 ||
	    version > 9999) {
		*why = "header has no valid format version";
		return -1;
	}
	m.version = (int)version;
	m.fields = (int)count;
	m.column[0] = m.column[count - 1] = -1;
	for (size_t i = 1; i + 1 < count; i++) {
		int c = pm_column_find(field[i].p, field[i].n);

		/* Only later versions have columns unknown to this one. In a header of a known
		 * version the name is damaged, and the values of its column must not be dropped
		 * silently. */
		if (c < 0 && version <= PM_FORMAT_VERSION) {
			*why = "header names a column that its format version does not have";
			return -1;
		}
		if (c >= 0 && seen[c]) {
			*why = "header names a column twice";
			return -1;
		}
		if (c >= 0)
			seen[c] = true;
		m.column[i] = (short)c;
	}
	*map = m;
	return 0;
}

/* Mark the bytes of w that end a run of plain text: control characters, a backslash, DEL, non-ASCII
 * bytes. The lowest set bit is right; bits above it may be false positives. */
static uint64_t special_bytes(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
	uint64_t backslash = w ^ '\\' * ones, del = w ^ 0x7f * ones;

	return (w | (~w & (w - ' ' * ones)) | (~backslash & (backslash - ones)) |
		(~del & (del - ones))) &
	       high;
}

/* The first byte at or after p that is not plain text, or end. */
static const char *plain_end(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t w;

		memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		w = special_bytes(w);
		if (w)
			return p + __builtin_ctzll(w) / 8;
	}
	while (p < end && *p >= ' ' && *p < 0x7f && *p != '\\')
		p++;
	return p;
}

/*
 * Parse a number of at most 18 digits followed by a tab. The line ends in a full stop, so the scan
 * stops before its end. Returns the position after the tab, or NULL for any other text.
 */
static const char *short_number(const char *p, int64_t *v)
{
	bool minus = *p == '-';
	const char *digits = p += minus;
	uint64_t sum = 0;

	for (; (unsigned char)(*p - '0') <= 9; p++)
		sum = sum * 10 + (unsigned char)(*p - '0');
	/* With too many digits the value is garbage; the count of digits below refuses it. */
	*v = (int64_t)(minus ? 0 - sum : sum);
	return *p == '\t' && p > digits && p - digits <= 18 ? p + 1 : NULL;
}

/* Fast path of pm_record_parse: parse a usual line in one pass, and leave errors and rare forms to
 * the caller. Returns whether the line was parsed. */
static bool parse_usual(struct pm_record *r, const struct pm_map *map, const char *line, size_t n)
{
	const char *p = line, *end = line + n;
	int64_t v;

	pm_record_clear(r);
	if (n == 0 || end[-1] != PM_TSV_END || !(p = short_number(p, &v)) || v != map->version)
		return false;
	for (int i = 1; i + 1 < map->fields; i++) {
		int c = map->column[i];
		const char *stop;

		if (end - p < 2)
			return false;
		if (p[0] == '\\' && p[1] == 'N' && p[2] == '\t') {
			p += 3;
			continue;
		}
		if (c >= 0 && !pm_column_is_text[c]) {
			if (!(p = short_number(p, &v)))
				return false;
			pm_record_int(r, (enum pm_column)c, v);
			continue;
		}
		stop = plain_end(p, end);
		if (stop == end)
			return false;
		if (*stop != '\t') {
			bool list = c >= 0 && pm_column_info[c].kind == PM_KIND_LIST;

			stop = memchr(stop, '\t', (size_t)(end - stop));
			if (!stop || (c >= 0 && !(list ? pm_tsv_valid_list
						       : pm_tsv_valid)(p, (size_t)(stop - p))))
				return false;
		}
		if (c >= 0)
			pm_record_text(r, (enum pm_column)c, p, (size_t)(stop - p));
		p = stop + 1;
	}
	return end - p == 1;
}

int pm_record_parse(struct pm_record *r, const struct pm_map *map, const char *line, size_t n,
		    const char **why, const char **column)
{
	struct pm_str field[FIELDS_MAX];
	int64_t version;
	size_t count;

	*column = NULL;
	if (parse_usual(r, map, line, n))
		return 0;
	pm_record_clear(r);
	count = pm_tsv_split(line, n, field, FIELDS_MAX);
	if (count != (size_t)map->fields) {
		*why = count < (size_t)map->fields ? "too few fields: the line is cut"
						   : "too many fields";
		return -1;
	}
	if (!ends_well(&field[count - 1])) {
		*why = "terminator is missing: the line is cut";
		return -1;
	}
	if (pm_tsv_number(field[0].p, field[0].n, &version) < 0 || version != map->version) {
		*why = "format version is not that of the header";
		return -1;
	}
	for (size_t i = 1; i + 1 < count; i++) {
		int c = map->column[i];
		int64_t v;

		if (c < 0 || pm_tsv_is_null(field[i].p, field[i].n))
			continue;
		*column = pm_column_info[c].name;
		if (pm_column_info[c].text) {
			int (*valid)(const char *, size_t) = pm_column_info[c].kind == PM_KIND_LIST
								     ? pm_tsv_valid_list
								     : pm_tsv_valid;

			if (!valid(field[i].p, field[i].n)) {
				*why = "bad escape or byte";
				return -1;
			}
			pm_record_text(r, (enum pm_column)c, field[i].p, field[i].n);
		} else {
			if (pm_tsv_number(field[i].p, field[i].n, &v) < 0) {
				*why = "not a number";
				return -1;
			}
			pm_record_int(r, (enum pm_column)c, v);
		}
	}
	*column = NULL;
	return 0;
}
