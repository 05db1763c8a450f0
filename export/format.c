/* The table of formats. */
#include "config.h"

#include "export/format.h"

#include "common/words.h"

#include <string.h>
#include <strings.h>

static const struct pm_export_format *const formats[] = {
	&pm_export_csv,     &pm_export_tsv,  &pm_export_json, &pm_export_jsonl,
	&pm_export_parquet, &pm_export_hdf5, &pm_export_bulk,
};

#define FORMATS (sizeof formats / sizeof formats[0])

const struct pm_export_format *pm_export_format_named(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

bool pm_export_format_ends(const char *path, const char *words)
{
	const size_t length = strlen(path);
	const char *word;
	size_t n;

	while ((word = pm_words_next(&words, ' ', &n)))
		if (length > n && strncasecmp(path + length - n, word, n) == 0)
			return true;
	return false;
}

const struct pm_export_format *pm_export_format_of(const char *path)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (pm_export_format_ends(path, formats[i]->suffixes))
			return formats[i];
	return NULL;
}
