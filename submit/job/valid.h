/* Which records can be used: their kinds, and what each needs. Programs only. */
#ifndef PM_VALID_H
#define PM_VALID_H

#include "common/record.h"

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

/* The kind that a record says it is of, or -1. */
int pm_valid_kind(const struct pm_record *r);

/* Why a record of that kind cannot be used, a constant text, or NULL where it can. */
const char *pm_valid_fault(const struct pm_record *r, int kind);

#endif
