/* Fill the facts of a job from a database. This takes about 200 bytes per process, most of them for
 * the critical path, and 300 per label; all else is added up in SQL or in one pass. Texts are made
 * safe for a terminal. */
#ifndef PM_REPORT_QUERY_QUERY_H
#define PM_REPORT_QUERY_QUERY_H

#include "report/facts/facts.h"

#include "db/db.h"

/*
 * Read all facts of job number `job` into f, which pm_facts_init() has prepared. `utf8`: texts may
 * contain UTF-8. Returns 0, or -1 with e filled; call pm_facts_free(f) in either case.
 */
int pm_query_facts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);

/*
 * As pm_query_facts, but only what costs no pass over the processes or samples of the job: its row,
 * its hosts, sums of programs, summaries of series. The rest stays unknown.
 */
int pm_query_brief(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);

/* The parts of pm_query_facts, with the same arguments. */
int pm_query_hosts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
int pm_query_programs(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e);
/* After the pass of report/pass/. */
int pm_query_counters(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e);
int pm_query_events(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
int pm_query_samples(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);

int pm_query_nodes(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);
int pm_query_energy(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);
int pm_query_request(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);
int pm_query_causes(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e);
int pm_query_gpus(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
/* After programs and energy. */
int pm_query_gpu_programs(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			  struct pm_err *e);
int pm_query_ranks(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
int pm_query_marks(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);

#endif
