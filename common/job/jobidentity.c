/* Identities of jobs as texts. */
#include "config.h"

#include "common/job/jobidentity.h"

#include "common/memtext.h"

bool pm_jobidentity_has(enum pm_job_key key)
{
	return key == PM_JOB_job_cluster || key == PM_JOB_job_user || key == PM_JOB_job_jobid ||
	       key == PM_JOB_job_array_task || key == PM_JOB_job_restart_count ||
	       key == PM_JOB_job_epoch_us;
}

char *pm_jobidentity_text(const struct pm_jobidentity *id)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s\n%s\n%s\n%s\n%lld\n%lld", id->cluster, id->user ? id->user : "", id->jobid,
		id->array_task, (long long)id->restart_count, (long long)id->epoch_us);
	return pm_memtext_end(out, &text);
}
