/*
 * Thrift's compact protocol, written: the metadata of Parquet files. A struct is its fields in
 * ascending order of their ids, then its end. Memory that runs out is told by the bytes.
 */
#ifndef PM_EXPORT_PARQUET_THRIFT_H
#define PM_EXPORT_PARQUET_THRIFT_H

#include "common/bytes.h"

/* Structs within each other; Parquet has six: file, row group, chunk, its metadata, statistics. */
#define PM_THRIFT_DEPTH 8

/* Types of the elements of a list. */
enum pm_thrift_element {
	PM_THRIFT_I32 = 5,
	PM_THRIFT_BINARY = 8,
	PM_THRIFT_STRUCT = 12,
};

struct pm_thrift {
	struct pm_bytes *out;
	unsigned depth;
	int last[PM_THRIFT_DEPTH]; /* id of the last field of each open struct */
};

/* Begin a struct that is in no other; `out` outlives it. */
void pm_thrift_begin(struct pm_thrift *t, struct pm_bytes *out);

/* End the innermost open struct. */
void pm_thrift_end(struct pm_thrift *t);

/* Fields of the innermost open struct. A struct is open until pm_thrift_end. */
void pm_thrift_bool(struct pm_thrift *t, int id, bool v);
void pm_thrift_i32(struct pm_thrift *t, int id, int32_t v);
void pm_thrift_i64(struct pm_thrift *t, int id, int64_t v);
void pm_thrift_binary(struct pm_thrift *t, int id, const void *p, size_t n);
void pm_thrift_text(struct pm_thrift *t, int id, const char *text);
void pm_thrift_struct(struct pm_thrift *t, int id);

/* A field that is a list; its n elements follow. */
void pm_thrift_list(struct pm_thrift *t, int id, enum pm_thrift_element element, size_t n);

/* Elements of the list: a number, bytes, a struct, which is open until pm_thrift_end. */
void pm_thrift_add_i32(struct pm_thrift *t, int32_t v);
void pm_thrift_add_binary(struct pm_thrift *t, const void *p, size_t n);
void pm_thrift_add_struct(struct pm_thrift *t);

#endif
