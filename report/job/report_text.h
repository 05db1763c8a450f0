/* The report as text. */
#ifndef PM_REPORT_JOB_REPORT_TEXT_H
#define PM_REPORT_JOB_REPORT_TEXT_H

#include "report/print/page.h"
#include "report/facts/facts.h"

#include "common/err.h"

/* Write the whole report of a job; `all` adds details that few readers need. Returns 0, or -1 when
 * memory ran out on the way. */
int pm_report_text(const struct pm_page *p, const struct pm_facts *f, bool all);

/* Find sections by their names, separated by commas: a bit for each. Returns 0, or -1 with e filled
 * for a name that is none. */
int pm_report_find_sections(const char *list, uint32_t *sections, struct pm_err *e);

/* Write the title and these sections. Returns as pm_report_text. */
int pm_report_sections(const struct pm_page *p, const struct pm_facts *f, bool all,
		       uint32_t sections);

/* Write what fits a screen of 24 lines: title, outcome, six numbers, the first advice. */
void pm_report_screen(const struct pm_page *p, const struct pm_facts *f);

/* Write six lines of ASCII text, for an Epilog or a mail. Needs the facts of pm_query_brief() only.
 */
void pm_report_brief(const struct pm_page *p, const struct pm_facts *f);

/* Maximum number of hosts that are described one by one. */
#define PM_REPORT_HOSTS 4

/* Room for the name of a job. */
#define PM_REPORT_NAME 2048

/* Write how a report calls a job: its id, name, user and cluster. Returns it. */
const char *pm_report_name(char name[PM_REPORT_NAME], const struct pm_facts *f);

/* The parts of a report, as text or in another form of page; one without anything to say writes
 * nothing. Those that return int return -1 when memory ran out. */
void pm_report_title(const struct pm_page *p, const struct pm_facts *f);
void pm_report_header(const struct pm_page *p, const struct pm_facts *f);
void pm_report_summary(const struct pm_page *p, const struct pm_facts *f);

/* Lines of the summary. */
void pm_report_moved(const struct pm_page *p, const struct pm_facts *f);
void pm_report_processes(const struct pm_page *p, const struct pm_facts *f);

/* The screen without its title. */
void pm_report_overview(const struct pm_page *p, const struct pm_facts *f);

int pm_report_request(const struct pm_page *p, const struct pm_facts *f);
int pm_report_io(const struct pm_page *p, const struct pm_facts *f);
void pm_report_quality(const struct pm_page *p, const struct pm_facts *f);

/* The lines of the header about GPUs of the hosts; none where no host has any. */
void pm_report_hostgpus(const struct pm_page *p, const struct pm_facts *f);

/* The lines of the summary about energy; none where no host has a meter. */
void pm_report_energy(const struct pm_page *p, const struct pm_facts *f);
int pm_report_gpu_programs(const struct pm_page *p, const struct pm_facts *f);
int pm_report_programs(const struct pm_page *p, const struct pm_facts *f);
int pm_report_failures(const struct pm_page *p, const struct pm_facts *f);
int pm_report_counters(const struct pm_page *p, const struct pm_facts *f);
int pm_report_events(const struct pm_page *p, const struct pm_facts *f);
int pm_report_path(const struct pm_page *p, const struct pm_facts *f);
int pm_report_marks(const struct pm_page *p, const struct pm_facts *f);
int pm_report_nodes(const struct pm_page *p, const struct pm_facts *f, bool all);
void pm_report_line(const struct pm_page *p, const struct pm_facts *f);

#endif
