/* The facts of a report as JSON. */
#ifndef PM_REPORT_JOB_REPORT_JSON_H
#define PM_REPORT_JOB_REPORT_JSON_H

#include "report/facts/facts.h"

#include <stdio.h>

/* Print the facts as one object. Names end in the base unit (us, bytes); unknown values are null.
 * Returns 0, or -1 when memory ran out or writing failed. */
int pm_report_json(FILE *f, const struct pm_facts *facts);

#endif
