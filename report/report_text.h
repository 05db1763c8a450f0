/* The report as text. */
#ifndef PM_REPORT_TEXT_H
#define PM_REPORT_TEXT_H

#include "report/facts.h"
#include "report/page.h"

/* Write the report of a job. Returns 0, or -1 when memory ran out on the way. */
int pm_report_text(const struct pm_page *p, const struct pm_facts *f);

/* The parts of it that have files of their own. */
int pm_report_programs(const struct pm_page *p, const struct pm_facts *f);
int pm_report_failures(const struct pm_page *p, const struct pm_facts *f);
int pm_report_counters(const struct pm_page *p, const struct pm_facts *f);
void pm_report_line(const struct pm_page *p, const struct pm_facts *f);

#endif
