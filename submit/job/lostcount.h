/* Tallies: what was counted beside the records. Programs only. */
#ifndef PM_SUBMIT_TALLY_H
#define PM_SUBMIT_TALLY_H

#include "common/err.h"
#include "submit/images.h"
#include "submit/index.h"

#include <stddef.h>
#include <stdint.h>

/* One slot in use. */
struct pm_tally_item {
	uint32_t host;
	size_t file; /* the tally it is in */
	char kind[16];
	char key[200]; /* escaped */
	int values;
	int64_t v[6];
};

/* Slots in use of the tallies of a job; begins all zero. */
struct pm_tallies {
	bool versions; /* tallies of one name are versions of one: of each slot the largest counts
			*/
	struct pm_tally_item *item;
	size_t count, cap;
	struct pm_index by_slot; /* hash of host, kind and key -> items, where there are versions */
	char **file;             /* names of the tallies */
	size_t files;
};

/*
 * Take the text of a whole tally, of this file name. *host gets the host, added to `images` where
 * it is new, that its header names, or PM_NONE; *wrong what is wrong with it, a constant, or NULL.
 * Returns 0 when nothing is counted in it and nothing is wrong with it, else 1; -1 with e filled
 * (no memory).
 */
int pm_tallies_take(struct pm_tallies *all, struct pm_images *images, const char *name,
		    const char *text, size_t n, uint32_t *host, const char **wrong,
		    struct pm_err *e);

void pm_tallies_free(struct pm_tallies *all); /* may be called again */

#endif
