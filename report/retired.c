/* Tell of jobs whose processes were retired. */
#include "config.h"

#include "report/retired.h"

#include "common/log.h"

void pm_retired_warn(int64_t jobs)
{
	if (jobs)
		pm_warn("the processes of %lld job%s were retired: they are not among these",
			(long long)jobs, jobs == 1 ? "" : "s");
}
