/* Tallies: what was counted beside the records. Programs only. */
#ifndef PM_SUBMIT_TALLY_H
#define PM_SUBMIT_TALLY_H

#include "common/err.h"
#include "submit/db.h"

#include <stddef.h>
#include <stdint.h>

struct pm_gather;
struct pm_write_base;

/* One slot in use. */
struct pm_tally_item {
	uint32_t host;
	uint32_t file;
	char kind[16];
	char key[200]; /* escaped */
	int values;
	int64_t v[6];
};

/*
 * Take the text of a whole tally into the gathered job. Returns 0 when nothing is counted in it and
 * nothing is wrong with it, else 1; -1 with e filled (no memory). What is wrong is noted.
 */
int pm_tally_gather(struct pm_gather *g, const char *text, size_t n, struct pm_err *e);

/* Write what the tallies say into their tables. Returns 0 or -1 with e filled. */
int pm_write_tallies(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     struct pm_err *e);

#endif
