/*
 * Figures of single processes or threads, as features that those of one program, and of the same
 * tags, are compared by.
 */
#ifndef PM_ANALYSIS_OUTLIERS_PROCESSFEATURES_H
#define PM_ANALYSIS_OUTLIERS_PROCESSFEATURES_H

#include "analysis/ops/opsets.h"
#include "analysis/outliers/rowfeatures.h"

/* Bytes of memory at most: of the two usual figures, those of 8.9 million processes. */
#define PM_PROCESSFEATURES_BYTES ((size_t)1 << 30)

struct pm_processfeatures_row {
	int64_t process, thread; /* ids in the tables; thread 0: of processes */
	uint32_t job;            /* number in `jobs` */
	uint32_t group;          /* number in `groups` */
};

struct pm_processfeatures {
	enum pm_rowkind kind;
	struct pm_jobfeatures jobs; /* those that were asked for, whose values do not count */
	struct pm_jobfeatures none; /* the features, and no jobs */
	struct pm_opsets groups;    /* their keys: see pm_processfeatures_key() */
	struct pm_processfeatures_row *row; /* by group */
	double *value;                      /* of row i and feature k at i * features + k */
	size_t rows, row_room, value_room;
	size_t unnamed; /* rows that are not compared, as their program is not known */
};

/* Rows that are compared: x has them as its jobs, by reference. */
struct pm_processfeatures_view {
	const char *program, *key; /* key: of the tags, see pm_opselect_apply(); "" for none */
	const struct pm_processfeatures_row *row; /* of each job of x */
	struct pm_jobfeatures x;
};

/*
 * Read the processes or threads of the jobs of a filter; select says which tags tell them apart,
 * and without tags of its own takes those that have none, too. words: the features, as
 * pm_rowfeatures_choose() takes them. Fails where more than PM_PROCESSFEATURES_BYTES would be
 * needed. Returns 0, or -1 with e filled, and errno EINVAL where the words cannot be meant. To be
 * freed in either case.
 */
int pm_processfeatures_read(struct pm_processfeatures *x, enum pm_rowkind kind, struct pm_db *db,
			    const struct pm_jobfilter *f, const struct pm_opselect *select,
			    const char *words, struct pm_err *e);

/* Take the next group from row *at on, which is 0 at first. Returns 1, 0 behind the last, or -1
 * with e filled; the view is to be freed where it is 1. */
int pm_processfeatures_next(const struct pm_processfeatures *x, size_t *at,
			    struct pm_processfeatures_view *v, struct pm_err *e);

void pm_processfeatures_view_free(struct pm_processfeatures_view *v);

void pm_processfeatures_free(struct pm_processfeatures *x);

#endif
