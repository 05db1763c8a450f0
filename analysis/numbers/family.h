/* The figures that are judged together for differences, while runs are assigned to sides. */
#ifndef PM_ANALYSIS_NUMBERS_FAMILY_H
#define PM_ANALYSIS_NUMBERS_FAMILY_H

#include "analysis/numbers/sides.h"
#include "analysis/numbers/drawing.h"
#include "common/err.h"

#include <stddef.h>

/* The figures of the family, and sums of the present assignment. */
struct pm_family {
	const struct pm_differences *d;
	size_t *figure; /* numbers, by rising statistic */
	size_t figures;
	double *value; /* less the mean of the figure: of run i and k-th figure at i * figures + k
			*/
	unsigned char *known; /* whether it is; likewise */
	double *square;       /* sum of squares of each figure */
	double *least2;       /* square of its `least` */
	double *own;          /* its statistic */
	double *sum[PM_DIFFERENCE_SIDES], *count[PM_DIFFERENCE_SIDES];
	size_t *reached; /* assignments whose maximum reaches own */
	size_t tried;
	enum pm_difference_side *side; /* the present assignment */
	struct pm_drawing random;
};

/* Make room for all figures of f->d. Returns 0, or -1 with e filled; to be freed in either case. */
int pm_family_alloc(struct pm_family *f, struct pm_err *e);

/* Take the values of the figures that f->figure has, in its order, and their statistics as the runs
 * are assigned in f->d. */
void pm_family_take(struct pm_family *f);

/* Add the values of the present assignment. */
void pm_family_add_up(struct pm_family *f);

/* Statistic of the k-th figure in the present assignment; 0 where it has none. */
double pm_family_statistic(const struct pm_family *f, size_t k);

/* The variance of the k-th figure within the sides that there are, and by how many runs more than
 * sides it is known. */
double pm_family_variance(const struct pm_family *f, size_t k, double *freedom);

void pm_family_free(struct pm_family *f);

#endif
