/*
 * A mark in HOST.phases, perfmon-series(5): a phase of an application begins or ends. Each line is
 * complete in itself, so that any number of processes can append to the file. Programs only.
 */
#ifndef PM_COMMON_RECORD_PHASE_H
#define PM_COMMON_RECORD_PHASE_H

#include "common/safe/tsv.h"

#include <stdbool.h>

/* First field of every line, with the version of the format. */
#define PM_PHASE_FORMAT "perfmon-phase-1"

#define PM_PHASE_SUFFIX ".phases"

/* Longest name of a phase, in bytes before they are escaped. */
#define PM_PHASE_NAME_MAX 255

/* Room for a line: three names, each byte of which may need four, and four numbers. */
#define PM_PHASE_LINE_MAX (4 * (PM_PHASE_NAME_MAX + 255 + 64) + 160)

struct pm_phase_mark {
	struct pm_str hostname, boot_id, name;
	bool begin;
	int64_t realtime_us, monotonic_us;
	int64_t pid; /* the process that called perfmon */
};

/* Append the line of a mark, whose texts are unescaped, with its newline. */
void pm_phase_format(struct pm_buf *b, const struct pm_phase_mark *m);

/*
 * Parse a line without its newline; the texts of *m stay escaped and point into it. Returns 0, or
 * -1 with *why set to a constant text.
 */
int pm_phase_parse(const char *line, size_t n, struct pm_phase_mark *m, const char **why);

#endif
