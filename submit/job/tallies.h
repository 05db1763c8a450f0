/* Tallies: counts kept beside the records, such as lost lines. */
#ifndef PM_SUBMIT_JOB_TALLIES_H
#define PM_SUBMIT_JOB_TALLIES_H

#include "common/err.h"
#include "submit/job/images.h"
#include "submit/memory/hashindex.h"

#include <stddef.h>
#include <stdint.h>

/* A used slot of a tally. */
struct pm_tallies_item {
	uint32_t host;
	size_t file; /* index of its tally */
	char kind[16];
	char key[200]; /* escaped */
	int values;
	int64_t v[6];
};

/* Used slots of a job's tallies; starts all zero. */
struct pm_tallies {
	bool versions; /* tallies of one name are versions of one tally: the largest count of each
			* slot wins */
	struct pm_tallies_item *item;
	size_t count, cap;
	struct pm_hashindex by_slot; /* hash of host, kind and key -> item; only with versions */
	char **file;                 /* names of the tallies */
	size_t files;
};

/*
 * Read the text of a whole tally from file `name`. *host gets the host in its header, added to
 * `images` if new, or PM_NONE. *wrong gets a constant text if the tally is damaged, else NULL.
 * Returns 0 if the tally counts nothing and is undamaged, else 1; -1 with e filled (no memory).
 */
int pm_tallies_take(struct pm_tallies *all, struct pm_images *images, const char *name,
		    const char *text, size_t n, uint32_t *host, const char **wrong,
		    struct pm_err *e);

void pm_tallies_free(struct pm_tallies *all); /* may be called again */

#endif
