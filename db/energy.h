/*
 * Energy of a job's hosts: table energy has a row for each meter, and the rows of hosts and job
 * have what those that may be added up come to (common/record/energymeter.h). The loader makes them
 * from the samples that it writes, migrate and verify from those that are stored.
 */
#ifndef PM_DB_ENERGY_H
#define PM_DB_ENERGY_H

#include "common/record/energymeter.h"
#include "db/db.h"

/* Columns of table energy behind the key and the names of a meter. */
enum pm_energy_column {
	PM_ENERGY_UJ,
	PM_ENERGY_MEAN_UW,
	PM_ENERGY_PEAK_UW,
	PM_ENERGY_COVERED_US,
	PM_ENERGY_LOST,
	PM_ENERGY_IN_PART,
	PM_ENERGY_IN_TOTAL,
	PM_ENERGY_COLUMNS
};

extern const char *const pm_energy_column_name[PM_ENERGY_COLUMNS];

/* A number of a meter, -1 for NULL. */
int64_t pm_energy_number(const struct pm_energy_meter *m, enum pm_energy_column c);

/* Write the meters of a host by a statement of pm_db_insert. Returns 0 or -1 with e filled. */
int pm_energy_write(struct pm_stmt *q, int64_t job, int64_t host, const struct pm_energy_meters *m,
		    struct pm_err *e);

/* Receives the meters of a host, as the stored samples make them; with `damaged`, some could not be
 * read. Returns 0 or -1 with e filled. */
typedef int pm_energy_fn(void *ctx, int64_t job, int64_t host, const struct pm_energy_meters *m,
			 bool damaged, struct pm_err *e);

/* Make the meters of a job's hosts that have any, or of all jobs where `job` is 0, in the order of
 * job and host. Returns 0, or -1 with e filled or if `each` does. */
int pm_energy_each(struct pm_db *db, int64_t job, pm_energy_fn *each, void *ctx, struct pm_err *e);

/* What the meters of a host come to, or those of a job. Unknown numbers are -1. */
struct pm_energy_total {
	int64_t host; /* its number; of a job 0 */
	int64_t energy_uj, mean_uw, peak_uw;
	int64_t covered_us, time_us; /* of a host: in the energy; of the job there */
	int64_t hosts;               /* of a job: those with an energy */
	double coverage;             /* of a job: share of its hosts' time in the energy; NAN */
	const char *method;          /* counter; power; counter, power; NULL: no energy */
	char parts[40];              /* of a host: the parts that are added up */
	char reason[32];             /* of a host: why its energy is unknown, else "" */
};

/* The totals of a job. */
struct pm_energy_totals {
	struct pm_energy_total job;
	struct pm_energy_total *host; /* by number */
	size_t hosts, cap;
	bool any; /* table energy has rows of the job; else nothing else is filled */
};

/* Add up the rows of a job. Returns 0, with t to be freed by pm_energy_totals_free(), or -1 with e
 * filled. */
int pm_energy_totals_compute(struct pm_energy_totals *t, struct pm_db *db, int64_t job,
			     struct pm_err *e);
void pm_energy_totals_free(struct pm_energy_totals *t);

/* A column that a total has in table host or job: an integer that is -1, a real that is NAN or a
 * text that is NULL stands for NULL. */
struct pm_energy_value {
	const char *column;
	enum { PM_ENERGY_INTEGER, PM_ENERGY_REAL, PM_ENERGY_TEXT } type;
	int64_t i;
	double r;
	const char *text;
};

/* Columns at most. */
#define PM_ENERGY_VALUES 8

/* The columns of a total. Returns their number. */
size_t pm_energy_total_values(const struct pm_energy_total *t,
			      struct pm_energy_value v[PM_ENERGY_VALUES]);

/* Store the totals of a job in its row and those of its hosts, inside the caller's transaction.
 * Returns 0 or -1 with e filled. */
int pm_energy_total_write(struct pm_db *db, int64_t job, struct pm_err *e);

/* Fill the empty table and the totals from the samples of all jobs, inside the caller's
 * transaction. Returns 0 or -1 with e filled. */
int pm_energy_fill(struct pm_db *db, struct pm_err *e);

#endif
