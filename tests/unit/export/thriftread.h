/* The metadata of Parquet files, read for tests. */
#ifndef PM_TESTS_UNIT_EXPORT_THRIFTREAD_H
#define PM_TESTS_UNIT_EXPORT_THRIFTREAD_H

#include "tests/unit/export/reader.h"

/* Memory, all zero, until reader_forget. */
void *reader_memory(struct reader *r, size_t n);
void reader_forget(struct reader *r);

/* Read what is at *p, which is advanced. */
uint64_t reader_varint(const unsigned char **p, const unsigned char *end);
int64_t reader_zigzag(const unsigned char **p, const unsigned char *end);
void reader_struct(struct reader *r, struct reader_node *node, const unsigned char **p,
		   const unsigned char *end);

/* The number of a field, which has to be there. */
int64_t reader_number(const struct reader_node *node, int id);

#endif
