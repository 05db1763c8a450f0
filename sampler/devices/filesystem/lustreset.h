/*
 * The mounts of Lustre on this client and the files of statistics of each: found as a source is
 * opened, looked for again each minute, and 10 s after the last look where one was lost. A mount is
 * named by file system and instance as Lustre does ("scratch-ffff88105db50000"): another mount of
 * the same file system is another, and counts its own. The files of its servers are added up.
 */
#ifndef PM_SAMPLER_DEVICES_FILESYSTEM_LUSTRESET_H
#define PM_SAMPLER_DEVICES_FILESYSTEM_LUSTRESET_H

#include "sampler/devices/filesystem/lustrestats.h"
#include "sampler/source.h"

/* Metrics of a source, at most. */
#define PM_LUSTRESET_METRICS 40

/* A kind of file: of each mount, or of each server of it. */
struct pm_lustreset_kind {
	const char *class; /* folder: "llite" has the mounts themselves, "osc" and "mdc" servers */
	const char *file;
	const struct pm_lustrestats_row *row; /* one for each metric from `metric` on */
	size_t rows, metric;
};

struct pm_lustreset {
	const char *root;
	struct pm_sink *sink;
	const struct pm_lustreset_kind *kind;
	size_t kinds;
	bool keep; /* keep files open between readings */
	struct pm_lustreset_mount *mount;
	size_t count, capacity;
	int64_t gone[PM_LUSTRESET_METRICS]; /* counted by mounts that are gone */
	int64_t looked_us;
	bool lost; /* a file was lost since then */
};

/*
 * Find the mounts. Each metric of the source is a row of a kind, has a series for each mount and
 * one for the whole. keep: hold the descriptors open: for kinds with few files.
 * Returns 0, or -1 with *why filled and nothing held.
 */
int pm_lustreset_open(struct pm_lustreset *s, const char *root, struct pm_sink *sink,
		      const struct pm_lustreset_kind *kind, size_t kinds, bool keep,
		      struct pm_unavailable *why);

/* For root, who is about to become another user: hold the files of a kind that has the mounts. */
void pm_lustreset_hold(const char *root, const struct pm_lustreset_kind *kind);

/* Read all files and put the values. */
void pm_lustreset_sample(struct pm_lustreset *s);

/* Write a line for each mount, what it does not have and why, and what to do. */
void pm_lustreset_describe(const struct pm_lustreset *s, const struct pm_sink *sink, FILE *out);

void pm_lustreset_close(struct pm_lustreset *s);

#endif
