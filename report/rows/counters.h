/*
 * The counters of a job, process by process: values per event, and the metrics computed from them.
 */
#ifndef PM_REPORT_ROWS_COUNTERS_H
#define PM_REPORT_ROWS_COUNTERS_H

#include "common/record/formulas.h"
#include "db/db.h"

#include <stdint.h>

/* Maximum number of events of a job that are read. A job has at most 32 events, plus the presets
 * derived from them. */
#define PM_COUNTERS_MAX 256

/* Room for a value with its unit, and for a reason. */
#define PM_COUNTERS_TEXT   96
#define PM_COUNTERS_REASON 32

struct pm_counters_event {
	char *name; /* as in the database */
	/* Of the current process: */
	bool there;                      /* the process has a row for the event */
	int64_t value;                   /* PM_UNKNOWN if unknown */
	double ratio;                    /* 1: counted all the time */
	char scope[8];                   /* as in the table counter; "": adds up */
	char reason[PM_COUNTERS_REASON]; /* why it is unknown; "" if not recorded */
};

struct pm_counters {
	struct pm_counters_event *event; /* in the order of their names */
	size_t events;
	struct pm_formula *formula; /* metrics of the events, in the order of formulas.def */
	int formulas;
	double *value; /* values of the current process, as pm_formula_value() expects them */
	int64_t process;
	struct pm_stmt *q;
	bool cut;     /* the job has more than PM_COUNTERS_MAX events; the rest is left out */
	bool pending; /* the current row of q is the first one of the next process */
};

/* Find the microarchitecture common to all hosts of the job; NULL where they differ or one is
 * unknown. Returns 0 or -1 with e filled. */
int pm_counters_march(const char **march, struct pm_db *db, int64_t job, struct pm_err *e);

/* Find the names of the events that the sampler counted, sorted; each is to be freed, after an
 * error, too. Returns 0 or -1 with e filled. */
int pm_counters_sampled(char *name[PM_COUNTERS_MAX], size_t *n, struct pm_db *db, int64_t job,
			struct pm_err *e);

/*
 * Begin with a job: find its events, and their metrics for the microarchitecture common to all its
 * hosts. Returns 0 or -1 with e filled; call pm_counters_end() in either case. c->events is 0 for a
 * job without counters.
 */
int pm_counters_begin(struct pm_counters *c, struct pm_db *db, int64_t job, struct pm_err *e);

/* Read the next process that has counters, in the order of their ids. Returns 1, 0 at the end, or
 * -1 with e filled. */
int pm_counters_next(struct pm_counters *c, struct pm_err *e);

/* Whether the current process has rows for all events of a metric. */
bool pm_counters_has(const struct pm_counters *c, const struct pm_formula *f);

/* The least share of the time in which the current process counted an event of a metric. */
double pm_counters_ratio(const struct pm_counters *c, const struct pm_formula *f);

void pm_counters_end(struct pm_counters *c);

/* Format a value of a metric with its unit: "1.52", "45 %", "2.60 GHz"; NaN gives "unknown". Writes
 * into PM_COUNTERS_TEXT bytes and returns `text`. */
const char *pm_counters_value(char *text, double v, const char *unit);

#endif
