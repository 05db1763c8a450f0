/*
 * Verdicts: the six numbers that sum up a job, each with a word that judges it, and how the job
 * ended. Every output that begins with them takes them from here.
 */
#ifndef PM_REPORT_ADVICE_VERDICT_H
#define PM_REPORT_ADVICE_VERDICT_H

#include "report/facts/facts.h"

/* Room for texts. */
#define PM_VERDICT_MAX 512

enum pm_verdict_id {
	PM_VERDICT_CPU,    /* CPU efficiency */
	PM_VERDICT_MEMORY, /* peak of what was allowed */
	PM_VERDICT_IO,     /* read and written */
	PM_VERDICT_WAIT, /* share of the time that threads wanted to run in which they had no CPU */
	PM_VERDICT_GPU,  /* mean use */
	PM_VERDICT_ENERGY,
	PM_VERDICTS
};

enum pm_verdict_level {
	PM_VERDICT_NONE, /* nothing to judge: unknown, or a number that is neither good nor bad */
	PM_VERDICT_GOOD,
	PM_VERDICT_FAIR,
	PM_VERDICT_BAD
};

struct pm_verdict {
	const char *name;            /* "CPU efficiency" */
	char number[PM_FORMAT_MAX];  /* "28 %", "12.3 kJ", "unknown" */
	const char *word;            /* "low"; "" where there is nothing to judge */
	char detail[PM_VERDICT_MAX]; /* "1.1 of 4 CPUs busy on average"; safe text */
	enum pm_verdict_level level;
	double share; /* the number as a share, NaN where it is none */
};

/* Fill in all six, in the order of enum pm_verdict_id. */
void pm_verdicts(const struct pm_facts *f, struct pm_verdict v[PM_VERDICTS]);

/* How the job ended, in a few words: "failed with exit status 3", "still running", "succeeded".
 * Needs PM_VERDICT_MAX bytes; returns dst. */
const char *pm_verdict_outcome(char *dst, const struct pm_facts *f);

/* Whether that is good (succeeded), bad (failed) or neither. */
enum pm_verdict_level pm_verdict_of_outcome(const struct pm_facts *f);

#endif
