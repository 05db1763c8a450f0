/* Ranges of job numbers and their partitions: table job_range. */
#ifndef PM_DB_POSTGRES_RANGE_H
#define PM_DB_POSTGRES_RANGE_H

#include "db/engine.h"

extern const struct pm_db_ranges pm_pgrange;

#endif
