/* What the files of rules share. Not for outputs: those include report/advice/advice.h. */
#ifndef PM_REPORT_ADVICE_RULE_H
#define PM_REPORT_ADVICE_RULE_H

#include "report/advice/advice.h"

/* Maximum number of items listed in a sentence. */
#define PM_ADVICE_NAMED 3

/* The rules. Each returns true with the text and what is at stake filled in, or false where it does
 * not apply or its facts are unknown. The caller has set all fields of a to unknown, and those that
 * come from rules.def. */
#define PM_ADVICE_RULE(id, find, severity, section, any_size, symptom, explains)                   \
	bool pm_advice_##find(const struct pm_facts *f, struct pm_advice *a);
#include "report/advice/rules.def"
#undef PM_ADVICE_RULE

/* Write the text. Returns true. */
bool pm_advice_say(struct pm_advice *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append to the text. */
void pm_advice_append(struct pm_advice *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append to the text, which is then complete. Returns true. */
bool pm_advice_say_more(struct pm_advice *a, const char *text);

/* Say which program it is about. */
void pm_advice_about(struct pm_advice *a, const struct pm_fact_program *p);

/* Set the cost to a share (0 to 1; more counts as 1, NaN as unknown) of the job's wall time. */
void pm_advice_cost_share(struct pm_advice *a, const struct pm_facts *f, double share);

/* Set the cost to that of CPU or waiting time which the job's busy CPUs share: the time divided by
 * their average number, at least one. */
void pm_advice_cost_spread(struct pm_advice *a, const struct pm_facts *f, int64_t time_us);

/* Where the critical path is known: waits for a CPU cost no more than those on it. */
void pm_advice_bound_waits(struct pm_advice *a, const struct pm_facts *f);

/* Format a number of processes: "1 process", "12 processes". */
const char *pm_advice_processes(char *t, int64_t n);

/* Average number of busy CPUs; NaN if unknown, also while processes run, whose CPU time is unknown.
 */
double pm_advice_busy(const struct pm_facts *f);

/* Whether threads waited for a free CPU so long that the rule waiting-for-cpu speaks: other rules
 * then do not blame the job for idleness. */
bool pm_advice_starved(const struct pm_facts *f);

/* Whether a CPU quota of the control group stopped the job so long that the rule cpu-quota speaks.
 */
bool pm_advice_throttled(const struct pm_facts *f);

/* What a CPU quota cost at most, as a share of the wall time; NaN if unknown. */
double pm_advice_stopped(const struct pm_facts *f);

/* Whether the rule lock-contention speaks: its threads are then not too few. */
bool pm_advice_contended(const struct pm_facts *f);

/* Whether the rule system-time speaks: a third of the CPU time was spent in the kernel. */
bool pm_advice_in_kernel(const struct pm_facts *f);

/* What waits for storage cost at most, as a share of the wall time, where all of them in all
 * processes took `share` of it: CPUs that were busy did not wait. NaN remains NaN. */
double pm_advice_storage_bound(const struct pm_facts *f, double share);

/* The longest wait for storage that is known, as a share of the wall time, of a job that used
 * storage much; else NaN. */
double pm_advice_storage_share(const struct pm_facts *f);

/* Bytes a second in MB that all hosts moved through external interfaces, from samples; NaN unless
 * all hosts have them. */
double pm_advice_network_rate(const struct pm_facts *f);

#endif
