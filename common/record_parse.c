/* Reading header and record lines: by column name, so that files of every version load. */
#include "config.h"

#include "common/record.h"

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

int pm_record_parse(struct pm_record *r, const struct pm_map *map, const char *line, size_t n,
		    const char **why, const char **column)
{
	struct pm_str field[FIELDS_MAX];
	int64_t version;
	size_t count;

	*column = NULL;
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
