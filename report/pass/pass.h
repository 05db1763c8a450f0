/* Facts of a job that need each of its processes: one pass over them, and what it leads to. */
#ifndef PM_REPORT_PASS_PASS_H
#define PM_REPORT_PASS_PASS_H

#include "report/facts/facts.h"

#include "db/db.h"

/* Read them into f: the timeline and what is counted, failures, programs that are not recorded,
 * phases, the critical path. The job itself and its hosts are there already. `utf8` as of
 * pm_query_facts(). Returns 0, or -1 with e filled. */
int pm_query_pass(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e);

/* After the pass, with the same arguments: how the threads of the process with the most CPU time
 * shared its work. */
int pm_query_threads(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		     struct pm_err *e);

/* Count the threads of a process that went to sleep a tenth as often as the one that did most; 0:
 * unknown. Returns 0, or -1 with e filled. */
int pm_query_sleeping(struct pm_db *db, int64_t job, int64_t process, int64_t *n, struct pm_err *e);

/* Read label and pid of a process by its id in the database; pid may be NULL. Returns 0, or -1 with
 * e filled. */
int pm_query_name(struct pm_db *db, int64_t job, int64_t process, bool utf8,
		  char label[PM_PROCESSNAME_MAX], int64_t *pid, struct pm_err *e);

#endif
