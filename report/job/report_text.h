/* The report as text. */
#ifndef PM_REPORT_JOB_REPORT_TEXT_H
#define PM_REPORT_JOB_REPORT_TEXT_H

#include "report/print/page.h"
#include "report/query/facts.h"

/* Write the report of a job; `all` adds details that few readers need. Returns 0, or -1 when memory
 * ran out on the way. */
int pm_report_text(const struct pm_page *p, const struct pm_facts *f, bool all);

/* Maximum number of hosts that are described one by one. */
#define PM_REPORT_HOSTS 4

/* Room for the title of a report. */
#define PM_REPORT_TITLE 2048

/* Write the title: job, name, user, cluster. Returns it. */
const char *pm_report_title(char title[PM_REPORT_TITLE], const struct pm_facts *f);

/* The parts of the report, as other forms of it have them, too; a part without anything to say
 * writes nothing. Those that return int return -1 when memory ran out. */
void pm_report_header(const struct pm_page *p, const struct pm_facts *f);
void pm_report_summary(const struct pm_page *p, const struct pm_facts *f);
void pm_report_quality(const struct pm_page *p, const struct pm_facts *f);

/* The lines of the header about GPUs of the hosts; none where no host has any. */
void pm_report_hostgpus(const struct pm_page *p, const struct pm_facts *f);

/* The lines of the summary about energy; none where no host has a meter. */
void pm_report_energy(const struct pm_page *p, const struct pm_facts *f);
int pm_report_gpu_programs(const struct pm_page *p, const struct pm_facts *f);
int pm_report_io(const struct pm_page *p, const struct pm_facts *f);
int pm_report_programs(const struct pm_page *p, const struct pm_facts *f);
int pm_report_failures(const struct pm_page *p, const struct pm_facts *f);
int pm_report_counters(const struct pm_page *p, const struct pm_facts *f);
int pm_report_events(const struct pm_page *p, const struct pm_facts *f);
int pm_report_marks(const struct pm_page *p, const struct pm_facts *f);
int pm_report_nodes(const struct pm_page *p, const struct pm_facts *f, bool all);
void pm_report_line(const struct pm_page *p, const struct pm_facts *f);

#endif
