/* What the parts of the verb ops share. */
#ifndef PM_REPORT_OPS_OPS_H
#define PM_REPORT_OPS_OPS_H

#include "analysis/ops/ops.h"
#include "common/err.h"
#include "db/db.h"
#include "report/connections.h"
#include "report/print/page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pm_ops_form { PM_OPS_TEXT, PM_OPS_JSON, PM_OPS_CSV };

/* Figures that a table has room for. */
#define PM_OPS_FIGURES 5

/* What is asked for. */
struct pm_ops_look {
	struct pm_page page;
	enum pm_ops_form form;
	int64_t limit; /* rows */
	bool per_job;
	struct pm_ops ops; /* with the figures that are asked for */
	struct pm_opselect select;
	struct pm_db *db;
	struct pm_connections connection; /* to the same database, db among them */
	int64_t *job;                     /* ids, rising */
	size_t jobs, room;
	int64_t retired; /* of these, whose processes are gone */
};

/* The parts, each on standard output. They return 0 or -1 with e filled. */
int pm_ops_print(struct pm_ops_look *l, bool intervals, struct pm_err *e);
int pm_ops_print_processes(const struct pm_ops_look *l, bool roots, struct pm_err *e);
int pm_ops_print_keys(const struct pm_ops_look *l, struct pm_err *e);
int pm_ops_print_movement(const struct pm_ops_look *l, const char *movers, struct pm_err *e);

/* A job, as people see it. */
struct pm_ops_job {
	char jobid[256], user[256]; /* not safe for a terminal */
};

/* Read a job's texts, "" where it is gone. Returns 0 or -1 with e filled. */
int pm_ops_job(struct pm_db *db, int64_t id, struct pm_ops_job *job, struct pm_err *e);

/* A number as JSON, null where it is unknown. A new reference. */
json_t *pm_ops_number(int64_t v);

#endif
