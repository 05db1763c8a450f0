/*
 * Metrics derived from events (formulas.def): which metrics the events of a job allow, and their
 * values. Programs only.
 */
#ifndef PM_COMMON_RECORD_FORMULAS_H
#define PM_COMMON_RECORD_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>

/* Most terms of a formula, and most numbers on the stack while it is evaluated. */
#define PM_FORMULA_TERMS 8
#define PM_FORMULA_DEPTH 16

/* Room for the domain of a metric, such as ":uk". */
#define PM_FORMULA_DOMAIN 8

struct pm_metric_info {
	const char *id;      /* stable name, for JSON */
	const char *marches; /* blank-separated, "" for every processor */
	const char *unit;    /* "" for none */
	const char *formula;
	const char *label;
};

enum {
	PM_METRICS = 0
#define PM_METRIC(id, marches, unit, formula, label) +1
#include "common/record/formulas.def"
};

extern const struct pm_metric_info pm_metric_info[PM_METRICS];

/* An event in a formula. */
struct pm_term_info {
	const char *id;
	const char *names; /* blank-separated, as in formulas.def */
};

enum {
	PM_TERMS = 0
#define PM_TERM(id, names) +1
#include "common/record/formulas.def"
};

extern const struct pm_term_info pm_term_info[PM_TERMS];

/* A metric and the events that it is computed from. */
struct pm_formula {
	const struct pm_metric_info *info;
	char domain[PM_FORMULA_DOMAIN]; /* domain of all its events, such as ":u"; "" where the
					 * names have none */
	size_t terms;
	size_t term[PM_FORMULA_TERMS]; /* indices of the events, in the order of the formula */
};

/*
 * The microarchitecture of the processor identity in a job's metadata ("GenuineIntel-6-55-4":
 * vendor, family, and in hexadecimal model and stepping). Returns an id of formulas.def or NULL.
 */
const char *pm_formula_march(const char *cpu_id);

/*
 * Find the metrics that can be computed from n events on a microarchitecture (NULL if unknown), in
 * the order of formulas.def. Event names are spelled as in the table counter. Events whose names
 * state a domain are combined only with events of that domain. The caller frees *list. Returns the
 * number of metrics, or -1 if out of memory.
 */
int pm_formula_find(const char *const *name, size_t n, const char *march, struct pm_formula **list);

/*
 * Find the events needed for the metric `id` (n bytes) on a microarchitecture, NULL if unknown.
 * name[i] of len[i] bytes are names that pm_event_find() knows. Returns how many events; 0 where
 * such names do not exist for this processor; -1 where no metric has this id.
 */
int pm_formula_events(const char *id, size_t n, const char *march,
		      const char *name[PM_FORMULA_TERMS], size_t len[PM_FORMULA_TERMS]);

/*
 * Compute a metric. value[i] is the value of event i, NaN where unknown; seconds is the elapsed
 * time. Returns NaN where a term is unknown, the formula uses the time and it is not positive, or a
 * divisor is 0.
 */
double pm_formula_value(const struct pm_formula *f, const double *value, double seconds);

/*
 * Evaluate reverse polish notation: numbers, + - * /, and tokens that the callback `term` evaluates
 * (token of n bytes; it returns NaN for an unknown value). Returns NaN where a value is unknown, a
 * divisor is 0 or the text is no formula.
 */
long double pm_formula_rpn(const char *text,
			   long double (*term)(void *ctx, const char *token, size_t n), void *ctx);

#endif
