/* A small reader of Parquet files, written from the specification alone: it knows nothing of
 * export/, and fails the test where a file breaks a rule. */
#ifndef PM_TESTS_UNIT_EXPORT_READER_H
#define PM_TESTS_UNIT_EXPORT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { READER_INT64 = 2, READER_DOUBLE = 5, READER_BYTE_ARRAY = 6 };

struct reader_cell {
	bool known;             /* not NULL */
	uint64_t bits;          /* of a number */
	const unsigned char *p; /* of a text */
	size_t n;
};

/* A part of the metadata: a number, bytes, or a struct or list with what is in it. */
struct reader_node {
	int id; /* of a field */
	int64_t number;
	const unsigned char *p;
	size_t n;
	struct reader_node *child, *last, *next;
	size_t children;
};

struct reader_column {
	const unsigned char *name;
	size_t name_length;
	int type;
	bool utf8;
	struct reader_cell *cell;
	size_t pages[9], dictionaries;  /* by encoding */
	struct reader_node *statistics; /* of the last row group */
};

struct reader {
	const unsigned char *file;
	size_t size;
	struct reader_node *footer;
	size_t columns, rows, groups;
	int codec;
	struct reader_column *column;
	struct kept *kept; /* all memory */
};

/* Read a whole file, checking sizes, counts, offsets, statistics and UTF-8 on the way. */
struct reader *reader_open(const unsigned char *file, size_t size);
void reader_close(struct reader *r);

/* The field of a struct. NULL if it is not there. */
struct reader_node *reader_field(const struct reader_node *node, int id);

#endif
