/* The least and the greatest value of a column chunk, for its statistics. */
#ifndef PM_EXPORT_PARQUET_BOUNDS_H
#define PM_EXPORT_PARQUET_BOUNDS_H

#include "export/parquet/format.h"
#include "export/parquet/thrift.h"

/* Bytes that are kept of texts. */
#define PM_PARQUET_BOUND 64

struct pm_parquet_bound {
	size_t n;
	bool cut; /* the value is longer */
	unsigned char p[PM_PARQUET_BOUND];
};

/* All zero: of no values. */
struct pm_parquet_bounds {
	bool known;
	int64_t nans; /* values that are NaN */
	int64_t least_int, most_int;
	double least_real, most_real;
	struct pm_parquet_bound least, most; /* of texts and bytes */
};

/* Add n numbers of eight bytes each, the low ones first, or one text. */
void pm_parquet_bounds_ints(struct pm_parquet_bounds *b, const unsigned char *p, size_t n);
void pm_parquet_bounds_reals(struct pm_parquet_bounds *b, const unsigned char *p, size_t n);
void pm_parquet_bounds_text(struct pm_parquet_bounds *b, const unsigned char *p, size_t n);

/*
 * Write the fields of Parquet's Statistics, into a struct that is open. Bounds of texts have
 * PM_PARQUET_BOUND bytes at most: a longer one is cut, the upper one to a text that is greater, or
 * left out where there is none. Columns with a NaN have no bounds. A bound of zero is -0 below and
 * +0 above.
 */
void pm_parquet_bounds_write(const struct pm_parquet_bounds *b, enum pm_parquet_type type,
			     int64_t nulls, struct pm_thrift *t);

#endif
