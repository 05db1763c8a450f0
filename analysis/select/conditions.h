/* SQL conditions with parameters, in the making, of what users wrote: what the filters of jobs and
 * of processes share. */
#ifndef PM_ANALYSIS_SELECT_CONDITIONS_H
#define PM_ANALYSIS_SELECT_CONDITIONS_H

#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Values of parameters, in order. */
struct pm_parameters {
	struct pm_parameter {
		char *text; /* NULL: number counts; owned */
		int64_t number;
	} * item;
	size_t n, room;
};

/* Add a value: a copy of the text, or the number where it is NULL. Returns 0, or -1 with e filled.
 */
int pm_parameters_add(struct pm_parameters *p, const char *text, int64_t number, struct pm_err *e);

/* Bind the values to the parameters of a statement from number `from` on. Returns the number of the
 * next parameter. They must outlive the statement's run. */
int pm_parameters_bind(const struct pm_parameters *p, struct pm_stmt *q, int from);

void pm_parameters_free(struct pm_parameters *p);

/* Conditions that must all be met. */
struct pm_conditions {
	FILE *sql; /* the caller's */
	struct pm_parameters *values;
	const char *lead; /* in front of the first, such as " WHERE " */
	bool any;         /* one is there */
};

/* Alternatives of a list, and parts of one: each is a level of an expression, of which SQLite takes
 * a thousand. */
#define PM_CONDITIONS_MOST 400

/* Begin a condition. */
void pm_conditions_begin(struct pm_conditions *c);

/* One alternative of a list: write its condition. `about` is that of pm_conditions_list(). */
typedef int pm_conditions_alternative(struct pm_conditions *c, char *word, const char *about,
				      struct pm_err *e);

/* Write a condition of the alternatives of a list, NULL for none. Returns 0, or -1 with e filled.
 */
int pm_conditions_list(struct pm_conditions *c, const char *list, pm_conditions_alternative *each,
		       const char *about, struct pm_err *e);

/* The same for alternatives that select the numbers of jobs: together they are one set, which has
 * an index where alternatives that are conditions have none. */
int pm_conditions_ids(struct pm_conditions *c, const char *list, pm_conditions_alternative *each,
		      const char *about, struct pm_err *e);

/* A selection of jobs by pairs NAME:VALUE with semicolons between, all of which must be there.
 * `about`: SQL that selects column job_id of what has the pair, of PM_CONDITIONS_PAIR. */
pm_conditions_alternative pm_conditions_pairs;

#define PM_CONDITIONS_PAIR "name = ? AND (substr(value, 1, 100)) = substr(?, 1, 100) AND value = ?"

#endif
