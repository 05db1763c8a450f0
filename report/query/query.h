/* Fill the facts of a job from a database. Aggregates in SQL: memory stays flat however many
 * processes a job has. Texts come out safe for a terminal. */
#ifndef PM_QUERY_H
#define PM_QUERY_H

#include "report/facts.h"

#include "db/db.h"

/*
 * Read everything about job number `job` into f, set up by pm_facts_init. `utf8`: what texts may
 * hold. Returns 0, or -1 with e filled; pm_facts_free(f) is due either way.
 */
int pm_query_facts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);

/* The parts of it, for the same arguments. */
int pm_query_hosts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
int pm_query_programs(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e);
int pm_query_unrecorded(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			struct pm_err *e);
int pm_query_failures(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e);
int pm_query_line(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
int pm_query_counters(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e);
int pm_query_events(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
int pm_query_samples(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);

int pm_query_nodes(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);
int pm_query_marks(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);

#endif
