/* A quantity over the steps of a page's time: what is added for spans of time becomes the mean, the
 * least and the largest value of each step. */
#ifndef PM_REPORT_WEB_STEPLINE_H
#define PM_REPORT_WEB_STEPLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A step of it: what is known of the time in it. */
struct pm_step {
	double sum;         /* of value times us */
	double us;          /* time in which the value is known */
	double least, most; /* where us > 0 */
	int reason;         /* why it is unknown in a part; 0: not told */
};

struct pm_stepline {
	struct pm_step *step;
	size_t n;
	double step_us;
};

/* Prepare n steps of step_us each. Returns 0, or -1 if out of memory; free with free(l->step). */
int pm_stepline_init(struct pm_stepline *l, size_t n, double step_us);

/* Forget all values. */
void pm_stepline_clear(struct pm_stepline *l);

/* Add values from one time to another, in us since the first step begins: their mean, the least and
 * the largest. Times outside of the steps are left out. */
void pm_stepline_add(struct pm_stepline *l, double from, double to, double mean, double least,
		     double most);

/* The value is unknown from one time to another, with a reason above 0. */
void pm_stepline_unknown(struct pm_stepline *l, double from, double to, int reason);

/* Add the steps of another line, step by step: of two quantities the sum, unknown where one is. The
 * bounds of the sum are the sums of the bounds, which need not have come at one time. `first`:
 * there is nothing to add it to. */
void pm_stepline_sum(struct pm_stepline *to, const struct pm_stepline *from, bool first);

/* The mean of a step, NAN where nothing of it is known. */
double pm_stepline_mean(const struct pm_step *s);

#endif
