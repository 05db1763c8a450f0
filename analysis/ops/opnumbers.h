/* The numbers that every operation has, by their names. */
#ifndef PM_ANALYSIS_OPS_OPNUMBERS_H
#define PM_ANALYSIS_OPS_OPNUMBERS_H

#include "analysis/ops/ops.h"

#include <stddef.h>
#include <stdint.h>

#define PM_OPNUMBERS 12

struct pm_opnumber {
	const char *name;
	const char *unit; /* "": none */
	const char *help;
};

/* What pm_opnumbers_of() gives, in its order. */
extern const struct pm_opnumber pm_opnumbers[PM_OPNUMBERS];

/* The numbers of an operation; what is not known is PM_OPS_UNKNOWN. */
void pm_opnumbers_of(const struct pm_op *op, int64_t to[PM_OPNUMBERS]);

#endif
