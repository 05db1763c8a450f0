/* Fill the facts of a job from a database. Aggregation happens in SQL: memory stays constant
 * however many processes a job has. Texts are made safe for a terminal. */
#ifndef PM_REPORT_QUERY_QUERY_H
#define PM_REPORT_QUERY_QUERY_H

#include "report/query/facts.h"

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
/* What needs each process: the timeline and what is counted, failures, programs that are not
 * recorded, phases, the critical path. After hosts. */
int pm_query_pass(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);
/* Read label and pid of a process by its id in the database; pid may be NULL. */
int pm_query_name(struct pm_db *db, int64_t job, int64_t process, bool utf8,
		  char label[PM_PROCESSNAME_MAX], int64_t *pid, struct pm_err *e);

/* Count the threads of a process that went to sleep a tenth as often as the one that did most; 0:
 * unknown. */
int pm_query_sleeping(struct pm_db *db, int64_t job, int64_t process, int64_t *n, struct pm_err *e);

/* After the pass. */
int pm_query_threads(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		     struct pm_err *e);
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
