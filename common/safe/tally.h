/*
 * The tally of a host: a small file of fixed size in the job directory, whose slots count processes
 * and lines that are not in the record files. Its blocks are allocated at creation, so that
 * counting needs no space when the disk is full. Format: perfmon-tsv(5). Allocates nothing; safe in
 * the preload.
 */
#ifndef PM_COMMON_SAFE_TALLY_H
#define PM_COMMON_SAFE_TALLY_H

#include "common/safe/tsv.h"

#define PM_TALLY_HEADER "perfmon-tally-1"
#define PM_TALLY_SUFFIX ".tally"

/* Bytes of a slot, its newline included: a divisor of a page. */
#define PM_TALLY_SLOT 256

/* Number of slots for the same count: a process that finds one busy uses the next. */
#define PM_TALLY_SPARE 8

enum pm_lost {
#define PM_LOST(id, text) PM_LOST_##id,
#include "common/safe/tally.def"
#undef PM_LOST
	PM_LOST_REASONS
};

/* Windows of slots for the totals of programs, and in how many windows a program is looked up. */
#define PM_TALLY_WINDOWS 32
#define PM_TALLY_TRIES   4

/* Longest name of a program that has a total of its own. */
#define PM_TALLY_KEY_MAX 100

/* The first slot of each kind; slot 0 is the header. */
enum {
	PM_TALLY_LOST = 1,
	PM_TALLY_SIZE = PM_TALLY_LOST + PM_LOST_REASONS * PM_TALLY_SPARE,
	PM_TALLY_CHILDREN = PM_TALLY_SIZE + PM_TALLY_SPARE,
	PM_TALLY_OTHERS = PM_TALLY_CHILDREN + PM_TALLY_SPARE,
	PM_TALLY_FOLDED = PM_TALLY_OTHERS + PM_TALLY_SPARE,
	PM_TALLY_COUNT = PM_TALLY_FOLDED + PM_TALLY_WINDOWS * PM_TALLY_SPARE,
};

/* Index of the one value that is a maximum instead of a sum: the sixth value of kind "folded". */
#define PM_TALLY_MAXIMUM 5

/* Maximum number of values in a slot. */
#define PM_TALLY_VALUES 6

/* A slot: kind and key of its count, and the values. */
struct pm_tally {
	struct pm_str kind; /* "" where the slot is free */
	struct pm_str key;  /* escaped */
	int values;
	int64_t v[PM_TALLY_VALUES];
};

/*
 * Parse a slot of PM_TALLY_SLOT bytes; the texts of *t point into it. Returns 0, or -1 where the
 * slot is damaged or the header.
 */
int pm_tally_parse(const char *slot, struct pm_tally *t);

/* Format a slot of PM_TALLY_SLOT bytes. Returns 0, or -1 where *t does not fit. */
int pm_tally_format(char *slot, const struct pm_tally *t);

/* Name of a reason, such as "ENOSPC". */
const char *pm_lost_name(enum pm_lost reason);

#endif
