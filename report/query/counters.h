/*
 * The counters of a job, process by process: their values by event, and the metrics that they make.
 */
#ifndef PM_REPORT_COUNTERS_H
#define PM_REPORT_COUNTERS_H

#include "common/formulas.h"
#include "db/db.h"

#include <stdint.h>

/* Events of a job that are looked at; a job has at most 32, and presets made of them. */
#define PM_COUNTERS_MAX 256

/* Room for a value with its unit, and for a reason. */
#define PM_COUNTERS_TEXT   96
#define PM_COUNTERS_REASON 32

struct pm_counters_event {
	char *name; /* as in the database */
	/* Of the process read last: */
	bool there;                      /* it has a row */
	int64_t value;                   /* PM_UNKNOWN where it is */
	double ratio;                    /* 1: counted all the time */
	char scope[8];                   /* as in the table counter; "": adds up */
	char reason[PM_COUNTERS_REASON]; /* why it is unknown, "" where nothing says */
};

struct pm_counters {
	struct pm_counters_event *event; /* in the order of their names */
	size_t events;
	struct pm_formula *formula; /* what they make, in the order of formulas.def */
	int formulas;
	double *value; /* of the process read last, as formulas take them */
	int64_t process;
	struct pm_stmt *q;
	bool cut;     /* the job has more events than PM_COUNTERS_MAX: the others are left out */
	bool pending; /* q stands on the first row of the next process */
};

/* The microarchitecture of all hosts of the job, NULL where they differ or one is not known.
 * Returns 0 or -1 with e filled. */
int pm_counters_march(const char **march, struct pm_db *db, int64_t job, struct pm_err *e);

/*
 * Begin with a job: find its events and metrics, for the microarchitecture that all its hosts have.
 * Returns 0 or -1 with e filled; pm_counters_end is due after either. c->events is 0 for a job
 * without counters.
 */
int pm_counters_begin(struct pm_counters *c, struct pm_db *db, int64_t job, struct pm_err *e);

/* Read the next process that has counters, in the order of their ids. Returns 1, 0 at the end, or
 * -1 with e filled. */
int pm_counters_next(struct pm_counters *c, struct pm_err *e);

/* Whether the process read last was asked for all that a metric is made of. */
bool pm_counters_has(const struct pm_counters *c, const struct pm_formula *f);

/* The least share of time for which the process read last counted a term of a metric. */
double pm_counters_ratio(const struct pm_counters *c, const struct pm_formula *f);

void pm_counters_end(struct pm_counters *c);

/* A value of a metric with its unit, as "1.52", "45 %", "2.60 GHz"; NaN gives "unknown". Writes
 * into PM_COUNTERS_TEXT bytes and returns it. */
const char *pm_counters_value(char *text, double v, const char *unit);

#endif
