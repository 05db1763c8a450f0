/* Which processes of a large job a page folds: those that are shorter than a limit and have no
 * longer ones below them. */
#ifndef PM_REPORT_FACTS_PROCESSFOLD_H
#define PM_REPORT_FACTS_PROCESSFOLD_H

#include <stdbool.h>
#include <stdint.h>

struct pm_processfold;

/* Returns one without processes, to be freed, or NULL if out of memory. */
struct pm_processfold *pm_processfold_new(void);

/* Add a process: they come by id, a parent before its children; parent and wall time, in us, may be
 * PM_UNKNOWN. Takes 9 bytes of memory. Returns 0, or -1 if out of memory. */
int pm_processfold_add(struct pm_processfold *p, int64_t id, int64_t parent, int64_t duration_us);

/* All are there: limits can be chosen. */
void pm_processfold_complete(struct pm_processfold *p);

void pm_processfold_free(struct pm_processfold *p); /* NULL is fine */

/* The limit by which at most `most` processes are not folded. */
int pm_processfold_limit(const struct pm_processfold *p, int64_t most);

/* Whether the process that comes as the n-th by its id, from 0, is folded by a limit. */
bool pm_processfold_folds(const struct pm_processfold *p, int limit, int64_t n);

/* A limit in us: processes of this wall time and above are not folded. */
int64_t pm_processfold_limit_us(int limit);

#endif
