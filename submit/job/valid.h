/* Validation of records: their kinds, and the fields each kind needs. */
#ifndef PM_SUBMIT_JOB_VALID_H
#define PM_SUBMIT_JOB_VALID_H

#include "common/safe/record.h"

/* Kinds of records. */
enum pm_record_kind {
	PM_RECORD_START,
	PM_RECORD_END,
	PM_RECORD_THREAD,
	PM_RECORD_REAPED,
	PM_RECORD_RESUMED,
	PM_RECORD_EXCLUDED,
	PM_RECORD_LAST,
};

/* The kind of a record, or -1. */
int pm_valid_kind(const struct pm_record *r);

/* Why a record of that kind is unusable, a constant text; NULL if it is valid. */
const char *pm_valid_fault(const struct pm_record *r, int kind);

#endif
