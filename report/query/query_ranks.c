/* Facts of a job: its ranks, hosts and steps. */
#include "config.h"

#include "report/query/query.h"

#include <stdlib.h>
#include <string.h>

int pm_query_ranks(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	/* Other jobs have nothing to compare, or no longer. */
	if (f->retired ||
	    (f->ranks < 2 && f->hosts_count < 2 && strcmp(f->scheduler, "slurm") != 0))
		return 0;
	f->parallel = calloc(1, sizeof *f->parallel);
	if (!f->parallel)
		return pm_err(e, "ranks: out of memory");
	return pm_ranks_read(f->parallel, db, job, f->end_us, utf8, e);
}
