/* The least and the greatest value of a column chunk. */
#include "config.h"

#include "export/parquet/bounds.h"

#include "common/utf8.h"

#include <endian.h>
#include <math.h>

/* Fields of Statistics. */
enum { NULL_COUNT = 3, MAX_VALUE = 5, MIN_VALUE, MAX_IS_EXACT, MIN_IS_EXACT, NAN_COUNT };

void pm_parquet_bounds_ints(struct pm_parquet_bounds *b, const unsigned char *p, size_t n)
{
	int64_t least = b->known ? b->least_int : INT64_MAX;
	int64_t most = b->known ? b->most_int : INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		uint64_t little;
		int64_t v;

		memcpy(&little, p + 8 * i, sizeof little);
		v = (int64_t)le64toh(little);
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	b->least_int = least;
	b->most_int = most;
	b->known = b->known || n > 0;
}

void pm_parquet_bounds_reals(struct pm_parquet_bounds *b, const unsigned char *p, size_t n)
{
	double least = b->known ? b->least_real : INFINITY;
	double most = b->known ? b->most_real : -INFINITY;

	for (size_t i = 0; i < n; i++) {
		uint64_t little;
		double v;

		memcpy(&little, p + 8 * i, sizeof little);
		little = le64toh(little);
		memcpy(&v, &little, sizeof v);
		b->nans += isnan(v);
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	b->least_real = least;
	b->most_real = most;
	b->known = b->known || n > 0;
}

/* Compare the beginning of a value with a bound's. */
static int compare(const unsigned char *p, size_t n, const struct pm_parquet_bound *b)
{
	int order = memcmp(p, b->p, n < b->n ? n : b->n);

	return order ? order : (n > b->n) - (n < b->n);
}

static void set(struct pm_parquet_bound *b, const unsigned char *p, size_t n, bool cut)
{
	if (n > 0)
		memcpy(b->p, p, n);
	b->n = n;
	b->cut = cut;
}

void pm_parquet_bounds_text(struct pm_parquet_bounds *b, const unsigned char *p, size_t n)
{
	bool cut = n > PM_PARQUET_BOUND;
	int order;

	n = cut ? PM_PARQUET_BOUND : n;
	if (!b->known) {
		set(&b->least, p, n, cut);
		set(&b->most, p, n, cut);
		b->known = true;
		return;
	}
	order = compare(p, n, &b->least);
	if (order < 0)
		set(&b->least, p, n, cut);
	else if (order == 0)
		b->least.cut = b->least.cut && cut;
	order = compare(p, n, &b->most);
	if (order > 0)
		set(&b->most, p, n, cut);
	else if (order == 0)
		b->most.cut = b->most.cut || cut;
}

static void write_number(uint64_t v, struct pm_thrift *t, int id)
{
	uint64_t little = htole64(v);

	pm_thrift_binary(t, id, &little, sizeof little);
}

static void write_real(double v, struct pm_thrift *t, int id)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	write_number(bits, t, id);
}

static void write_texts(const struct pm_parquet_bounds *b, struct pm_thrift *t)
{
	struct pm_parquet_bound most = b->most;
	size_t least = b->least.n;

	if (most.cut)
		most.n = pm_utf8_next(most.p, pm_utf8_valid((const char *)most.p, most.n));
	if (b->least.cut)
		least = pm_utf8_valid((const char *)b->least.p, least);
	if (most.n > 0 || !most.cut)
		pm_thrift_binary(t, MAX_VALUE, most.p, most.n);
	pm_thrift_binary(t, MIN_VALUE, b->least.p, least);
	if (most.n > 0 || !most.cut)
		pm_thrift_bool(t, MAX_IS_EXACT, !most.cut);
	pm_thrift_bool(t, MIN_IS_EXACT, !b->least.cut);
}

static void write_numbers(const struct pm_parquet_bounds *b, bool real, struct pm_thrift *t)
{
	if (real) {
		write_real(b->most_real == 0 ? 0.0 : b->most_real, t, MAX_VALUE);
		write_real(b->least_real == 0 ? -0.0 : b->least_real, t, MIN_VALUE);
	} else {
		write_number((uint64_t)b->most_int, t, MAX_VALUE);
		write_number((uint64_t)b->least_int, t, MIN_VALUE);
	}
	pm_thrift_bool(t, MAX_IS_EXACT, true);
	pm_thrift_bool(t, MIN_IS_EXACT, true);
}

void pm_parquet_bounds_write(const struct pm_parquet_bounds *b, enum pm_parquet_type type,
			     int64_t nulls, struct pm_thrift *t)
{
	pm_thrift_i64(t, NULL_COUNT, nulls);
	if (b->known && b->nans == 0) {
		if (type == PM_PARQUET_INT || type == PM_PARQUET_REAL)
			write_numbers(b, type == PM_PARQUET_REAL, t);
		else
			write_texts(b, t);
	}
	if (type == PM_PARQUET_REAL)
		pm_thrift_i64(t, NAN_COUNT, b->nans);
}
