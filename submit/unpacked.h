/*
 * Content of archives that were unpacked to learn whose jobs they have, kept to be loaded without
 * reading the archives again.
 */
#ifndef PM_SUBMIT_UNPACKED_H
#define PM_SUBMIT_UNPACKED_H

#include "common/archive.h"
#include "submit/memory/blobs.h"

#include <stdbool.h>
#include <stdint.h>

/* The store of all archives of a load. */
struct pm_unpacked {
	struct pm_blobs store;
	uint64_t left; /* bytes that can still be kept */
	bool asked;    /* `left` is known */
};

/* One archive in the store. */
struct pm_unpacked_part {
	uint64_t first, end; /* store offsets; first is 0 if the archive is not kept */
};

/* Whether an archive is kept. */
static inline bool pm_unpacked_has(const struct pm_unpacked_part *part)
{
	return part->first != 0;
}

/* Start empty. Nothing is allocated yet. */
void pm_unpacked_init(struct pm_unpacked *u);

/* Free the store; its parts become invalid. */
void pm_unpacked_free(struct pm_unpacked *u);

/*
 * Read an archive from its descriptor, and keep the files of jobs, of which `sink` may skip any.
 * *part gets the archive's place in the store, none if there is no room for all of it. Returns the
 * same as pm_archive_read_fd().
 */
int pm_unpacked_read(struct pm_unpacked *u, struct pm_unpacked_part *part, int fd, const char *path,
		     const struct pm_archive_sink *sink, struct pm_err *e);

/* Call this after the last pm_unpacked_read. Returns whether the store is complete; if not, no part
 * may be used. */
bool pm_unpacked_settle(struct pm_unpacked *u);

/* Pass a kept archive to a sink, as pm_archive_read_fd() would. Returns the same; -1 with e filled
 * also if the store cannot be read. */
int pm_unpacked_pass(struct pm_unpacked *u, const struct pm_unpacked_part *part,
		     const struct pm_archive_sink *sink, struct pm_err *e);

#endif
