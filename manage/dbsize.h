/* The results of dbsize, and its two ways to print them. */
#ifndef PM_MANAGE_DBSIZE_H
#define PM_MANAGE_DBSIZE_H

#include "db/db.h"
#include "report/print/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The requested parts of the report, as bits. */
enum {
	PM_DBSIZE_DATABASE = 1,
	PM_DBSIZE_TABLES = 2,
	PM_DBSIZE_INDEXES = 4,
	PM_DBSIZE_SPACES = 8,
	PM_DBSIZE_JOBS = 16,
	PM_DBSIZE_ALL = 31,
};

/* Negative numbers are unknown. */
struct pm_dbsize_part {
	char *name, *table; /* as in struct pm_usage_part */
	bool index;
	int64_t bytes, rows;
};

struct pm_dbsize_space {
	char *name;
	int64_t bytes;
};

struct pm_dbsize_job {
	int64_t id;
	int64_t rows; /* of all tables */
	int64_t here; /* rows of the table that is being counted */
	double bytes; /* estimate: of each table's bytes the job's share by rows */
};

struct pm_dbsize {
	unsigned what;
	int64_t bytes, unused; /* of the database */
	struct pm_dbsize_part *part;
	size_t parts;
	struct pm_dbsize_space *space;
	size_t spaces;
	bool spaceless;            /* the engine has no tablespaces */
	struct pm_dbsize_job *job; /* the largest first */
	size_t jobs, limit;        /* number of jobs, and how many are asked for */
};

/* dbsize_text.c, dbsize_json.c: print the results to p->f; the other fields of the page are for the
 * text. Return 0 or -1 with e filled. */
int pm_dbsize_text(const struct pm_dbsize *d, struct pm_db *db, const struct pm_page *p,
		   struct pm_err *e);
int pm_dbsize_json(const struct pm_dbsize *d, struct pm_db *db, const struct pm_page *p,
		   struct pm_err *e);

#endif
