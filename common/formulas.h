/*
 * Metrics derived from events (formulas.def): which of them the events of a job make, and their
 * values. Programs only.
 */
#ifndef PM_FORMULAS_H
#define PM_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>

/* Most terms of a formula, and numbers that evaluating one keeps at a time. */
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
#include "common/formulas.def"
};

extern const struct pm_metric_info pm_metric_info[PM_METRICS];

/* An event that metrics are made of. */
struct pm_term_info {
	const char *id;
	const char *names; /* blank-separated, as in formulas.def */
};

enum {
	PM_TERMS = 0
#define PM_TERM(id, names) +1
#include "common/formulas.def"
};

extern const struct pm_term_info pm_term_info[PM_TERMS];

/* A metric, and which of the events at hand it is made of. */
struct pm_formula {
	const struct pm_metric_info *info;
	char domain[PM_FORMULA_DOMAIN]; /* of all its events, as ":u"; "" where names say none */
	size_t terms;
	size_t term[PM_FORMULA_TERMS]; /* their indices, in the order of the formula */
};

/*
 * The microarchitecture of a processor as the metadata of a job names it ("GenuineIntel-6-55-4":
 * vendor, family, and in hexadecimal model and stepping). Returns an id of formulas.def or NULL.
 */
const char *pm_formula_march(const char *cpu_id);

/*
 * Find the metrics that events of these n names make on a microarchitecture, NULL for one that is
 * not known, in the order of formulas.def; names as in the table counter. Events that say in their
 * names which domain they count are combined with others of that domain only. *list is to be freed
 * by the caller. Returns how many, or -1 without memory.
 */
int pm_formula_find(const char *const *name, size_t n, const char *march, struct pm_formula **list);

/*
 * The events that make the metric with this id, of n bytes, on a microarchitecture, NULL for one
 * that is not known: names that pm_event_find() knows, name[i] of len[i] bytes. Returns how many, 0
 * where this processor's cannot be named so, or -1 where no metric is called so.
 */
int pm_formula_events(const char *id, size_t n, const char *march,
		      const char *name[PM_FORMULA_TERMS], size_t len[PM_FORMULA_TERMS]);

/*
 * The value of a metric: value[i] is that of event i, NaN where it is unknown; seconds the elapsed
 * time. NaN where a term is unknown, the time is not positive but matters, or a divisor is 0.
 */
double pm_formula_value(const struct pm_formula *f, const double *value, double seconds);

/*
 * Evaluate reverse polish notation: numbers, + - * /, and whatever token `term` gives a value for
 * (token of n bytes; NaN: unknown). Returns NaN where a value is unknown, a divisor is 0 or the
 * text is no formula.
 */
long double pm_formula_rpn(const char *text,
			   long double (*term)(void *ctx, const char *token, size_t n), void *ctx);

#endif
