/*
 * Samples of a job, coded in blocks as databases store them (perfmon-schema(5)), until the job is
 * written.
 */
#ifndef PM_SUBMIT_JOB_SERIESSTORE_H
#define PM_SUBMIT_JOB_SERIESSTORE_H

#include "common/record/energymeter.h"
#include "common/record/samplecode.h"
#include "submit/job/nodesummary.h"
#include "submit/memory/blobs.h"
#include "submit/memory/hashindex.h"
#include "submit/memory/hashmap.h"

#include <stdbool.h>

struct pm_series_info {
	uint32_t host;   /* index into pm_images.host */
	uint32_t column; /* its column in the window being filled, if that says so */
	char **text;     /* source, metric, object, unit, kind; those of all hosts' like series */
	int64_t last_us; /* time of its latest sample in the file `file` */
	uint32_t file;
	struct pm_nodesummary_role role;
	const struct pm_energy_kind *energy; /* NULL: tells none */
	uint32_t meter;                      /* number among those of its host that do */
};

/* Successive ticks of a host; the store has their times, then their monotonic times. */
struct pm_series_window {
	uint64_t at;
	int64_t begin_us; /* the earliest monotonic time */
	uint32_t host, ticks;
};

/* Ticks of a window at which series were read; the store has the numbers of these ticks. */
struct pm_series_ticks {
	uint64_t at;
	uint32_t window, ticks;
};

/* Successive samples of a series; the store has pm_series_coded, the deviations and the text of
 * column unknown. */
struct pm_series_block {
	uint64_t at;
	int64_t begin_us, end_us; /* times of its earliest and latest sample */
	uint32_t series;
	uint32_t ticks;  /* index into pm_series.ticks */
	uint32_t tick;   /* tick there of its first sample */
	uint32_t file;   /* number of its file, from 1; 0: coded again, or read from a database */
	bool falls;      /* its times do not rise: the clock was set back */
	bool superseded; /* other blocks have its samples */
};

/* What the store has of a block besides its bytes: columns of table sample_block. */
struct pm_series_coded {
	struct pm_sampleblock block;
	int64_t least, greatest;
	double mean;
	uint32_t samples, known;
	uint32_t bytes; /* of deviations */
};

struct pm_series {
	struct pm_blobs store;
	struct pm_series_info *info;
	size_t count, cap;
	struct pm_hashindex by_text; /* hash of host and texts -> index into info */
	char ***texts;               /* each different pm_series_info.text */
	size_t texts_count, texts_cap;
	struct pm_hashindex by_texts; /* hash of texts -> index into texts */
	size_t samples;
	uint32_t files;
	int64_t first_us; /* time of the earliest sample, 0: none */
	struct pm_series_window *window;
	size_t windows, windows_cap;
	struct pm_series_ticks *ticks;
	size_t ticks_count, ticks_cap;
	struct pm_hashmap again;       /* hash of the times of a window coded again -> its ticks */
	struct pm_series_block *block; /* pm_filemem */
	size_t blocks, blocks_cap;
};

/* A block, decoded. */
struct pm_series_values {
	struct pm_series_coded coded;
	struct pm_str unknown; /* valid until the next call of a function of the store */
	int64_t value[PM_SAMPLEBLOCK_MAX];
	uint16_t tick[PM_SAMPLEBLOCK_MAX]; /* within the window */
	bool known[PM_SAMPLEBLOCK_MAX];
};

void pm_series_init(struct pm_series *s);
void pm_series_free(struct pm_series *s);

/* Free the samples, but not the list of series. */
void pm_series_spend(struct pm_series *s);

/* The series of a host with these texts, added if it is new: files declare the same series. Returns
 * its number, or PM_NONE (images.h) if out of memory. */
uint32_t pm_series_find(struct pm_series *s, uint32_t host, const struct pm_str text[5]);

/* Add a window of w->ticks ticks; n ticks of the latest window; a block with everything but its
 * `at`. Return 0 or -1 with e filled. */
int pm_series_add_window(struct pm_series *s, const struct pm_series_window *w,
			 const int64_t *time_us, const int64_t *monotonic_us, struct pm_err *e);
int pm_series_add_ticks(struct pm_series *s, const uint16_t *tick, size_t n, struct pm_err *e);
int pm_series_add_block(struct pm_series *s, const struct pm_series_block *b,
			const struct pm_samplecode *c, struct pm_err *e);

/* Read a window's times into arrays of PM_SAMPLEBLOCK_MAX; the numbers of ticks; a block without
 * decoding it, the bytes of which stay valid until the next call; or decoded. Return 0 or -1 with e
 * filled. */
int pm_series_get_times(struct pm_series *s, const struct pm_series_window *w, int64_t *time_us,
			int64_t *monotonic_us, struct pm_err *e);
int pm_series_get_ticks(struct pm_series *s, const struct pm_series_ticks *t, uint16_t *tick,
			struct pm_err *e);
int pm_series_get_coded(struct pm_series *s, const struct pm_series_block *b,
			struct pm_series_coded *coded, struct pm_str *deviations,
			struct pm_str *unknown, struct pm_err *e);
int pm_series_get_values(struct pm_series *s, const struct pm_series_block *b,
			 struct pm_series_values *v, struct pm_err *e);

#endif
