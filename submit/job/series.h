/* Sampler series: lines of .series files, kept in blocks until their job is written. */
#ifndef PM_SUBMIT_JOB_SERIES_H
#define PM_SUBMIT_JOB_SERIES_H

#include "submit/job/images.h"
#include "submit/job/serieswindow.h"
#include "submit/memory/hashmap.h"

/* A value of the line being read. */
struct pm_series_item {
	uint32_t series;
	bool known;
	int64_t value;
	struct pm_str reason;
};

/* Parser state of one file: the header's host and the series of its ids. */
struct pm_series_file {
	struct pm_series *all;
	struct pm_images *images;
	size_t before;         /* samples of the files before it */
	uint32_t host;         /* PM_NONE before a header */
	struct pm_hashmap ids; /* id -> series */
	struct pm_serieswindow window;
	struct pm_series_item *item;
	size_t items_cap;
};

/* Begin a file of the job that `images` belongs to. */
void pm_series_file_init(struct pm_series_file *f, struct pm_series *all, struct pm_images *images);
void pm_series_file_free(struct pm_series_file *f);

/*
 * Parse one line, without its newline. Returns 0; 1 with *why set to a constant text if the whole
 * line is rejected; -1 with e filled.
 */
int pm_series_line(struct pm_series_file *f, const char *line, size_t n, const char **why,
		   struct pm_err *e);

/* End the file: its last samples are kept. Returns 0 or -1 with e filled. */
int pm_series_file_end(struct pm_series_file *f, struct pm_err *e);

#endif
