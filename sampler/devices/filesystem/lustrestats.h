/*
 * Statistics of a Lustre client as its files have them, the same from version 2.9 on:
 *
 *   snapshot_time  1510950459.772792457 secs.nsecs
 *   read_bytes     1 samples [bytes] 4194304 4194304 4194304 17592186044416
 *   open           136 samples [regs]
 *
 * A name, how often, the unit, and where it has one the least, the most, the sum, and the sum of
 * squares. What has not happened yet has no line. From 2.14 on start_time says since when it
 * counts.
 */
#ifndef PM_SAMPLER_DEVICES_FILESYSTEM_LUSTRESTATS_H
#define PM_SAMPLER_DEVICES_FILESYSTEM_LUSTRESTATS_H

#include "sampler/kernel/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of a table, at most. */
#define PM_LUSTRESTATS_ROWS 32

/* What is taken of a line. */
enum pm_lustrestats_part {
	PM_LUSTRESTATS_SAMPLES, /* how often, whatever the unit */
	PM_LUSTRESTATS_BYTES,   /* the sum, where the unit is [bytes]: B */
	PM_LUSTRESTATS_TIME,    /* the sum, where the unit is [usec] or [usecs]: us */
};

struct pm_lustrestats_row {
	const char *line, *other; /* name; NULL, or the name in other versions */
	enum pm_lustrestats_part part;
	/* Of a time, which older versions do not have: number of the row that says how often. */
	size_t count;
};

struct pm_lustrestats {
	struct {
		bool known;
		int64_t value;
		enum pm_reason reason; /* while !known */
	} row[PM_LUSTRESTATS_ROWS];
	int64_t start_ns; /* since when it counts; 0: does not say */
};

/*
 * Parse a file by a table. A row without a line is 0, for the file was read; but a time is unknown
 * (unsupported) where the row of its count is above 0. A line with another unit than the row's is
 * unknown (unsupported), one that is garbled too (parse).
 * Returns 0, or -1 where the text is no such file, or was cut.
 */
int pm_lustrestats_parse(const char *text, size_t n, const struct pm_lustrestats_row *row,
			 size_t count, struct pm_lustrestats *out);

#endif
