/*
 * The window in which the samples of a file gather until they are coded: successive ticks of one
 * host. It is closed after PM_SAMPLEBLOCK_MAX ticks, or where it has many values.
 */
#ifndef PM_SUBMIT_JOB_SERIESWINDOW_H
#define PM_SUBMIT_JOB_SERIESWINDOW_H

#include "submit/job/seriesstore.h"

/* Values in a window at most, and those of one more tick. */
#define PM_SERIESWINDOW_VALUES ((size_t)1 << 19)

struct pm_series_column {
	uint32_t series;
	int64_t *value; /* an unknown one repeats the value before it */
	uint16_t *tick;
	size_t n, value_cap, tick_cap;
	struct pm_samplegaps gaps;
	uint32_t ticks, before; /* its ticks, in pm_series.ticks; those there before its first */
};

struct pm_serieswindow {
	struct pm_series *all;
	uint32_t host;
	bool again; /* its samples, all of one series, are those of other windows */
	int64_t time_us[PM_SAMPLEBLOCK_MAX], monotonic_us[PM_SAMPLEBLOCK_MAX];
	size_t ticks, values;
	struct pm_series_column *column;
	size_t columns; /* in use; the others keep their memory for the next window */
	size_t columns_made, columns_cap;
	struct pm_samplereasons reasons;
};

/* Begin without ticks. */
void pm_serieswindow_init(struct pm_serieswindow *w, struct pm_series *all, uint32_t host);
void pm_serieswindow_free(struct pm_serieswindow *w);

/* Begin a tick, after closing a window that is full. Returns 0 or -1 with e filled. */
int pm_serieswindow_tick(struct pm_serieswindow *w, int64_t time_us, int64_t monotonic_us,
			 struct pm_err *e);

/* Add a sample of the latest tick, at most one per series; of the reason of an unknown value, the
 * first 256 bytes are kept. Returns 0 or -1 with e filled. */
int pm_serieswindow_add(struct pm_serieswindow *w, uint32_t series, bool known, int64_t value,
			struct pm_str reason, struct pm_err *e);

/* Code what the window has, and empty it. Returns 0 or -1 with e filled. */
int pm_serieswindow_close(struct pm_serieswindow *w, struct pm_err *e);

#endif
