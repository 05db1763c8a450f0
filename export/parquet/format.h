/* What a Parquet file is made of: columns, and the numbers that its metadata have for them. */
#ifndef PM_EXPORT_PARQUET_FORMAT_H
#define PM_EXPORT_PARQUET_FORMAT_H

/* Types of columns, all of which have NULL, too. */
enum pm_parquet_type {
	PM_PARQUET_INT,  /* int64_t */
	PM_PARQUET_REAL, /* double */
	PM_PARQUET_TEXT, /* UTF-8 */
};

struct pm_parquet_column {
	const char *name;
	enum pm_parquet_type type;
};

/* Encodings of pages; PM_PARQUET_RLE is that of levels. */
enum pm_parquet_encoding {
	PM_PARQUET_PLAIN = 0,
	PM_PARQUET_RLE = 3,
	PM_PARQUET_DELTA = 5,
	PM_PARQUET_DICTIONARY = 8,
};

#define PM_PARQUET_ENCODINGS 9

enum pm_parquet_page_type {
	PM_PARQUET_DATA_PAGE = 0,
	PM_PARQUET_DICTIONARY_PAGE = 2,
};

#endif
