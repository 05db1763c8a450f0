/* Sampler series: the lines of a .series file, kept until their job is written. Programs only. */
#ifndef PM_SERIES_H
#define PM_SERIES_H

#include "submit/images.h"
#include "submit/index.h"
#include "submit/node.h"
#include "submit/store.h"

struct pm_series_info {
	uint32_t host;   /* index of pm_images.host */
	char *text[5];   /* source, metric, object, unit, kind */
	int64_t last_us; /* time of its latest sample, PM_NO_TIME at first */
	struct pm_node_role role;
};

/* A sample as it lies in the store, followed by the reason of an unknown value. */
struct pm_sample {
	uint32_t series;
	uint32_t known;
	int64_t time_us;
	int64_t value;
};

/* The samples of a tick: so many from this one in the store on. */
struct pm_series_tick {
	int64_t monotonic_us;
	uint64_t at;
	uint32_t host;
	uint32_t samples;
};

struct pm_series {
	struct pm_store store;
	struct pm_series_info *info;
	size_t count, cap;
	struct pm_index by_text; /* hash of host and texts -> its place in info */
	size_t samples;
	int64_t first_us; /* time of the earliest, 0: there is none */
	struct pm_series_tick *tick;
	size_t ticks, ticks_cap;
};

/* State of one file: the header's host and the series that its ids stand for. */
struct pm_series_file {
	struct pm_series *all;
	struct pm_images *images;
	uint32_t host;     /* PM_NONE before a header */
	struct pm_set ids; /* id -> series */
};

void pm_series_init(struct pm_series *s);
void pm_series_free(struct pm_series *s);

/* Begin a file of the job that `images` belongs to. */
void pm_series_file_init(struct pm_series_file *f, struct pm_series *all, struct pm_images *images);
void pm_series_file_free(struct pm_series_file *f);

/*
 * Take one line, without its newline. Returns 0; 1 with *why set to a constant text where it is
 * rejected (nothing of it is kept); -1 with e filled.
 */
int pm_series_line(struct pm_series_file *f, const char *line, size_t n, const char **why,
		   struct pm_err *e);

/* Sort the ticks by host and monotonic time: files of a host come in any order. */
void pm_series_sort(struct pm_series *s);

#endif
