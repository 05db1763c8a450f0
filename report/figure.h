/* Figures of jobs, and what is said of them, for people and as JSON. */
#ifndef PM_REPORT_FIGURE_H
#define PM_REPORT_FIGURE_H

#include "analysis/numbers/outlier.h"
#include "analysis/outliers/jobpca.h"

#include <jansson.h>

/* Write a value with its unit of the database in units for people; NaN is "unknown". text has
 * PM_FORMAT_MAX bytes. Returns text. */
const char *pm_figure_format(char *text, double value, const char *unit);

/* The title of a figure in tables, by its name; others have their names. Static text, or name. */
const char *pm_figure_title(const char *name);

/* A value as JSON, whole ones exactly; null unless it is finite. A new reference, NULL if out of
 * memory. */
json_t *pm_figure_json(double v);

/* The figure that such JSON has; NaN for none. */
double pm_figure_value(const json_t *v);

#define PM_FIGURE_METHODS 16

/* The methods that mark a value (analysis/numbers/outlier.h), as "IQR MADZ z", in text of
 * PM_FIGURE_METHODS bytes, which is returned; and as an array of their names, a new reference. */
const char *pm_figure_methods(char *text, unsigned marks);
json_t *pm_figure_methods_json(unsigned marks);

/* What a reference knows, as an object: a new reference. */
json_t *pm_figure_reference_json(const struct pm_reference *r);

/* The loadings of a component, from 0, as an object: a new reference. */
json_t *pm_figure_loadings_json(const struct pm_jobpca *p, size_t component);

#endif
