/* Time segments of an experiment: the model's dates, such as 18540101, at equal steps. */
#ifndef PM_ANALYSIS_NUMBERS_SEGMENTS_H
#define PM_ANALYSIS_NUMBERS_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* A date of the proleptic Gregorian calendar. */
struct pm_segment {
	int year, month, day;
};

/* A step between segments: one of them is not 0. */
struct pm_segment_step {
	int years, months, days;
};

/* Read YYYYMMDD, YYYYMM or YYYY. Returns whether it is a date. */
bool pm_segment_parse(const char *text, struct pm_segment *s);

/* Read a number and y, m or d behind it: 5y, 1m, 10d. Returns whether it is a step. */
bool pm_segment_step_parse(const char *text, struct pm_segment_step *step);

/* <0, 0 or >0 as a is before, at or after b. */
int pm_segment_compare(const struct pm_segment *a, const struct pm_segment *b);

/* The segment so many steps after another. A month that has no such day ends with its last one;
 * beyond the year 9999 is 1 January 10000. */
struct pm_segment pm_segment_after(struct pm_segment from, struct pm_segment_step step, int steps);

/*
 * The longest step that leads from the first of n sorted segments to each of the others: whole
 * years if they agree in month and day, else whole months if they agree in the day, else days.
 * Returns false if there are no two different ones.
 */
bool pm_segment_step_of(const struct pm_segment *s, size_t n, struct pm_segment_step *step);

#endif
