/*
 * GPUs whose driver tells their values by files of /sys, found by their DRM cards. A GPU is named
 * by the unique id that its driver tells, else by its PCI address. A source has a table of files, a
 * row for each metric of a GPU.
 */
#ifndef PM_SAMPLER_DEVICES_GPU_DRMGPUS_H
#define PM_SAMPLER_DEVICES_GPU_DRMGPUS_H

#include "sampler/kernel/counter.h"
#include "sampler/source.h"

/* Metrics of a GPU in a source, and files that may have the value of one, at most. */
#define PM_DRMGPUS_ROWS  24
#define PM_DRMGPUS_FILES 3

/* The first metrics of every such source, which have no object. */
enum { PM_DRMGPUS_GPUS, PM_DRMGPUS_LOST, PM_DRMGPUS_FIRST };

/* Find a value in the n bytes of a file, behind which there is a NUL. Returns 0, or -1 with errno
 * set: ENODATA where the file says that there is none, EBADMSG where it is not as documented. */
typedef int pm_drmgpus_parse(const char *text, size_t n, int64_t *value);

/* A file that has a value. */
struct pm_drmgpus_file {
	const char *path;        /* below the card; "hwmon/" stands for its folder of sensors */
	pm_drmgpus_parse *parse; /* NULL: the file is one number */
	int64_t scale;           /* from the file's unit to the metric's */
};

/* Where the value of a metric is: in the first of these files that is there. */
struct pm_drmgpus_row {
	struct pm_drmgpus_file file[PM_DRMGPUS_FILES];
	bool never_zero;             /* 0 stands for an unknown value */
	struct pm_counter_rule rule; /* of a counter, before scaling */
};

struct pm_drmgpus_kind {
	const char *vendor;                /* as people call it */
	const char *const *drivers;        /* names of its kernel drivers, to a NULL */
	const char *unique;                /* file with the unique id, below the card; NULL: none */
	const struct pm_drmgpus_row *rows; /* of the metrics from PM_DRMGPUS_FIRST on */
	size_t count;
};

/*
 * Find all GPUs of the kind, and add the series of those that are not suspended: those that are
 * would wake. Returns 0 with *state set, or -1 with *why filled and nothing held.
 */
int pm_drmgpus_open(void **state, const struct pm_drmgpus_kind *kind,
		    const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why);

/*
 * The functions of a source that has such a state. A GPU that is suspended is not read. One whose
 * files are all gone is lost: the next look finds it again, whatever its card's number is then.
 */
void pm_drmgpus_sample(void *state, struct pm_sink *sink);
void pm_drmgpus_describe(void *state, const struct pm_sink *sink, FILE *out);
void pm_drmgpus_close(void *state);

#endif
