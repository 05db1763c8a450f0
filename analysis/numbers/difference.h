/*
 * Whether the runs of two sides differ, by many figures at once: permutation tests of all figures
 * as one family (Westfall and Young, Resampling-Based Multiple Testing, 1993, chapter 2). Numbers
 * in, numbers out; what is not known is NaN.
 */
#ifndef PM_ANALYSIS_NUMBERS_DIFFERENCE_H
#define PM_ANALYSIS_NUMBERS_DIFFERENCE_H

#include "analysis/numbers/sides.h"
#include "common/err.h"

/*
 * Judge the figures. With T = |mean of A - mean of B| / sqrt(s^2 (1/a + 1/b) + least^2), where s^2
 * is the variance within the sides and the earlier runs, the p of a figure is the share of the
 * assignments of runs to sides whose largest T, of the figures whose T is not larger, reaches its
 * own (step-down maxT). So, where all runs are of one distribution, whatever it is, any figure
 * differs with a probability of PM_DIFFERENCE_ALPHA at most.
 *
 * Where a side is so small that runs of other sides take its place too often for that, T is judged
 * by the largest T of any figure between two runs of one side or two earlier ones: with n runs more
 * than sides it is exceeded by chance with a probability of some 2 / (2 + n), and x times with one
 * of x^-3 of that, if extreme runs are as frequent as by Student's distribution of 3 degrees of
 * freedom. Returns 0, or -1 with e filled where memory is short.
 */
int pm_differences_judge(struct pm_differences *d, struct pm_err *e);

#endif
