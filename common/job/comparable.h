/* What makes jobs comparable, as column job_group of table model has it. */
#ifndef PM_COMMON_JOB_COMPARABLE_H
#define PM_COMMON_JOB_COMPARABLE_H

#include "common/safe/tsv.h"

/* As JSON: [name], or with `component` [exp_name, exp_component]. A new text; NULL where memory is
 * short, or it is no UTF-8. */
char *pm_comparable_json(struct pm_str name, const struct pm_str *component);

#endif
