/* Figures and facts of jobs while they are read, before it is known which of them count. */
#ifndef PM_ANALYSIS_COMPARE_STORE_H
#define PM_ANALYSIS_COMPARE_STORE_H

#include "analysis/compare/comparison.h"
#include "analysis/ops/opsets.h"
#include "common/err.h"
#include "db/db.h"

/* Kinds of figures of a scope, at most. */
#define PM_COMPARE_KINDS 24

/* The kinds of a scope; *n of them. */
const struct pm_compare_kind *pm_compare_kinds(enum pm_compare_scope scope, size_t *n);

struct pm_compare_store {
	size_t jobs;
	struct pm_opsets of[PM_COMPARE_SCOPES]; /* names, which are keys there */
	double *value[PM_COMPARE_SCOPES];       /* of name i, kind k, job j: see
						 * pm_compare_place(); NaN: not known */
	size_t room[PM_COMPARE_SCOPES], filled[PM_COMPARE_SCOPES];
	bool *known[PM_COMPARE_SCOPES]; /* of each job: what has no value there is not there */
	struct pm_opsets fact[PM_COMPARE_ABOUT];
	char **text[PM_COMPARE_ABOUT]; /* of fact i and job j at i * jobs + j; NULL: none; owned */
	size_t text_room[PM_COMPARE_ABOUT], texts[PM_COMPARE_ABOUT];
};

/* Begin with so many jobs. Returns NULL if out of memory. */
struct pm_compare_store *pm_compare_store_new(size_t jobs);

/* The values of a job's figures of a name, one for each kind of the scope, jobs apart from each
 * other: value k is at [k * jobs]. NULL if out of memory; valid until the next call. */
double *pm_compare_store_row(struct pm_compare_store *s, enum pm_compare_scope scope,
			     const char *of, size_t job);

/* Add n bytes to what is known of a fact of a job, behind a comma if something else is. Returns 0,
 * or -1 with e filled. */
int pm_compare_store_fact(struct pm_compare_store *s, enum pm_compare_about about, const char *name,
			  size_t job, const char *text, size_t n, struct pm_err *e);

void pm_compare_store_free(struct pm_compare_store *s);

/* Read the figures, or the facts, of all jobs of c into its store. Return 0 or -1 with e filled. */
int pm_compare_read_figures(struct pm_compare *c, struct pm_db *db, struct pm_err *e);
int pm_compare_read_facts(struct pm_compare *c, struct pm_db *db, struct pm_err *e);

/* Choose the figures that count, and judge them. Returns 0 or -1 with e filled. */
int pm_compare_judge(struct pm_compare *c, struct pm_err *e);

/* Choose the facts that differ. Returns 0 or -1 with e filled. */
int pm_compare_choose_facts(struct pm_compare *c, struct pm_err *e);

#endif
