/* Values of operations, processes and threads that stand out: gathered, ranked, and printed. */
#ifndef PM_REPORT_OUTLIERS_OUTLIERS_FOUND_H
#define PM_REPORT_OUTLIERS_OUTLIERS_FOUND_H

#include "report/outliers/outliers_look.h"

#include <jansson.h>

struct pm_outliers_found {
	const char *program;           /* as the database has it; NULL: of an operation */
	const char *key;               /* of the tags, see pm_opselect_apply() */
	struct pm_jobfeatures_job job; /* its texts are not owned */
	int64_t process, thread;       /* ids in the tables */
	const struct pm_feature *feature;
	double value;
	double from, to; /* usual range, see pm_judge_usual() */
	unsigned marks;
	double distance; /* modified z score, which ranks */
};

struct pm_outliers_list {
	enum pm_rowkind kind;
	struct pm_outliers_found *found;
	size_t count, room;
};

/* Add what was found of a group. `like` has program and key; process and thread are set by the
 * caller, of what was added. Returns 0 or -1 with e filled. */
int pm_outliers_add(struct pm_outliers_list *list, const struct pm_judge *g,
		    const struct pm_outliers_found *like, struct pm_err *e);

/* The highest scores first, of these what is farthest from the median. */
void pm_outliers_rank(struct pm_outliers_list *list);

/* Print a table of the first rows, as many as the limit allows, and say how many are left out.
 * Returns 0 or -1 with e filled. */
int pm_outliers_print(const struct pm_outliers_look *l, const struct pm_outliers_list *list,
		      struct pm_err *e);

/* The first rows as an array, as many as the limit allows: a new reference. NULL with e filled. */
json_t *pm_outliers_pack_found(const struct pm_outliers_look *l,
			       const struct pm_outliers_list *list, struct pm_err *e);

#endif
