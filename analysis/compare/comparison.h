/*
 * What changed between jobs of two sides, A and B: their figures, judged by the noise that the jobs
 * of a side and earlier comparable ones have, and facts such as their environments.
 */
#ifndef PM_ANALYSIS_COMPARE_COMPARISON_H
#define PM_ANALYSIS_COMPARE_COMPARISON_H

#include "analysis/numbers/sides.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Jobs of a side, and earlier ones, at most. */
#define PM_COMPARE_JOBS    200
#define PM_COMPARE_EARLIER 40

struct pm_compare_job {
	int64_t id, start_us; /* start_us INT64_MIN: unknown */
	enum pm_difference_side side;
	char *jobid, *user, *name; /* as people see them, not escaped; name NULL: none; owned */
	char *group;               /* see analysis/select/jobgroup.h; owned */
	int64_t hosts, cpus;       /* INT64_MIN: unknown */
	bool running, failed;
	bool programs; /* totals of its programs are in the database */
};

/* Of what a figure is. */
enum pm_compare_scope {
	PM_COMPARE_JOB,
	PM_COMPARE_PROGRAM,   /* a label of processes */
	PM_COMPARE_PHASE,     /* a name, escaped as in the database */
	PM_COMPARE_OPERATION, /* a key, see pm_opselect_apply() */
	PM_COMPARE_SCOPES
};

/* A kind of figure. */
struct pm_compare_kind {
	const char *name;  /* in JSON: a column of the database */
	const char *title; /* for people */
	const char *unit;  /* as in columns.def */
	bool adds;         /* what is not there adds 0 */
	/* Smaller differences weigh little: as a part of the mean of all runs, and in its unit. */
	double relative, absolute;
};

struct pm_compare_figure {
	enum pm_compare_scope scope;
	const char *of; /* of the scope; "" for the job */
	const struct pm_compare_kind *kind;
};

enum pm_compare_about {
	PM_COMPARE_ENVIRONMENT,
	PM_COMPARE_MODULES,
	PM_COMPARE_SETTING, /* of the job: command, directory, queue, ... */
	PM_COMPARE_HOST,
	PM_COMPARE_BINARY,       /* paths of an executable; escaped, as its name is */
	PM_COMPARE_ONLY_PROGRAM, /* a program that one side alone has */
	PM_COMPARE_ABOUT
};

/* A fact that is the same in all jobs of a side, and another in those of the other side. */
struct pm_compare_fact {
	enum pm_compare_about about;
	const char *name;
	const char *a, *b; /* NULL: there is none; values of several hosts with commas between */
	bool varies;       /* it varies among the earlier jobs, too */
};

struct pm_compare {
	struct pm_compare_job *job; /* of A, of B, earlier ones; by start; owned */
	size_t jobs, of[PM_DIFFERENCE_SIDES];
	bool comparable; /* all jobs are, so that earlier ones were looked for */
	struct pm_compare_figure *figure;
	struct pm_difference *difference; /* of each figure */
	size_t figures;
	enum pm_difference_method method;
	size_t judged;
	double partitions;
	struct pm_compare_fact *fact;
	size_t facts, fact_room;
	struct pm_compare_store *store; /* owns the texts */
};

/* How B differs from A, as a part of A: 0.1 is a tenth more. NaN where that is unknown, infinite
 * where A is 0 and B is not. */
double pm_compare_change(const struct pm_difference *d);

#endif
