/*
 * Samples of a series to blocks, as the table sample_block has them (perfmon-schema(5)): values
 * with their roll-up, and the reasons of those that are unknown. Programs only.
 */
#ifndef PM_COMMON_RECORD_SAMPLECODE_H
#define PM_COMMON_RECORD_SAMPLECODE_H

#include "common/record/sampleblock.h"
#include "common/safe/tsv.h"

/* Bytes of a reason that are kept. */
#define PM_SAMPLEGAP_REASON 256

/* Unknown values in succession, for one reason. */
struct pm_samplegap {
	uint32_t at, n;               /* first value, number */
	uint32_t reason, reason_size; /* in pm_samplereasons.text */
};

struct pm_samplegaps {
	struct pm_samplegap *gap;
	size_t n, cap;
};

/* Reasons of one or more series. */
struct pm_samplereasons {
	char *text;
	size_t n, cap;
};

/* Successive values of a series. */
struct pm_samplerun {
	int64_t *value; /* an unknown one repeats the value before it */
	size_t n;       /* at most PM_SAMPLEBLOCK_MAX */
	const struct pm_samplegaps *gaps;
	const struct pm_samplereasons *reasons;
};

/* A coded block. */
struct pm_samplecode {
	struct pm_sampleblock block;
	int64_t least, greatest; /* of the known values */
	double mean;
	uint32_t samples, known;
	uint8_t deviations[PM_SAMPLEBLOCK_BYTES(PM_SAMPLEBLOCK_MAX)];
	size_t bytes;  /* of deviations */
	char *unknown; /* JSON, without a NUL; see pm_samplecode_next_gap() */
	size_t unknown_size, unknown_cap;
};

/* Note that value number `at`, behind all noted before, is unknown. Of the reason, the whole
 * characters within PM_SAMPLEGAP_REASON bytes are kept. Returns 0, or -1 if out of memory. */
int pm_samplegaps_add(struct pm_samplegaps *g, struct pm_samplereasons *r, size_t at,
		      struct pm_str reason);

/* Give unknown values at the beginning the first known value: before pm_samplerun_end(). */
void pm_samplerun_prepare(const struct pm_samplerun *r);

/* End of the block that begins with a value: where the next one is too far. */
size_t pm_samplerun_end(const struct pm_samplerun *r, size_t from);

/* Code the values from..to, which are in one block. *c is all zero, or of an earlier call. Returns
 * 0, or -1 if out of memory. */
int pm_samplerun_code(const struct pm_samplerun *r, size_t from, size_t to,
		      struct pm_samplecode *c);

void pm_samplecode_free(struct pm_samplecode *c);

/* Read a run of unknown values from text, and step over it: first value, number, reason escaped as
 * in JSON. Returns 1; 0 at the end; -1 if pm_samplerun_code() did not write the text. */
int pm_samplecode_next_gap(struct pm_str *unknown, uint32_t *at, uint32_t *n,
			   struct pm_str *reason);

#endif
