/* Sampler series: lines of .series files, kept until their job is written. */
#ifndef PM_SUBMIT_JOB_SERIES_H
#define PM_SUBMIT_JOB_SERIES_H

#include "submit/job/images.h"
#include "submit/job/nodesummary.h"
#include "submit/memory/blobs.h"
#include "submit/memory/hashindex.h"

struct pm_series_info {
	uint32_t host;   /* index into pm_images.host */
	char *text[5];   /* source, metric, object, unit, kind */
	int64_t last_us; /* time of its latest sample, PM_NO_TIME at first */
	struct pm_nodesummary_role role;
};

/* A sample in the store, followed by the reason of an unknown value. */
struct pm_sample {
	uint32_t series;
	uint32_t known;
	int64_t time_us;
	int64_t value;
};

/* The samples of a tick: consecutive items of the store from offset `at`. */
struct pm_series_tick {
	int64_t monotonic_us;
	uint64_t at;
	uint32_t host;
	uint32_t samples;
};

struct pm_series {
	struct pm_blobs store;
	struct pm_series_info *info;
	size_t count, cap;
	struct pm_hashindex by_text; /* hash of host and texts -> index into info */
	size_t samples;
	int64_t first_us; /* time of the earliest sample, 0: none */
	struct pm_series_tick *tick;
	size_t ticks, ticks_cap;
};

/* Parser state of one file: the header's host and the series of its ids. */
struct pm_series_file {
	struct pm_series *all;
	struct pm_images *images;
	uint32_t host;         /* PM_NONE before a header */
	struct pm_hashmap ids; /* id -> series */
};

void pm_series_init(struct pm_series *s);
void pm_series_free(struct pm_series *s);

/* Begin a file of the job that `images` belongs to. */
void pm_series_file_init(struct pm_series_file *f, struct pm_series *all, struct pm_images *images);
void pm_series_file_free(struct pm_series_file *f);

/*
 * Parse one line, without its newline. Returns 0; 1 with *why set to a constant text if the whole
 * line is rejected; -1 with e filled.
 */
int pm_series_line(struct pm_series_file *f, const char *line, size_t n, const char **why,
		   struct pm_err *e);

/* Sort the ticks by host and monotonic time: a host's files come in any order. */
void pm_series_sort(struct pm_series *s);

#endif
