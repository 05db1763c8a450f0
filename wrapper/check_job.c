/* What became of the temporary job. */
#include "config.h"

#include "wrapper/check_trial.h"

#include <string.h>

void pm_check_job_record(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	if (t->fault[0])
		pm_check_report(
			c, PM_CHECK_FAIL,
			t->place[0]
				? "see the checks of library and output; in a container, whether "
				  "the collector is in it"
				: "see the checks of output",
			"true was not recorded: %s", t->fault);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "true was recorded, in %d lines", t->records);
}

void pm_check_job_stage(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	if (t->stage[0])
		pm_check_report(c, PM_CHECK_FAIL,
				t->fault[0] ? "see job.record"
					    : "see output.space and output.inodes",
				"it was not packed: %s", t->stage);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "it was packed");
}

void pm_check_job_load(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	if (t->load[0])
		pm_check_report(c, PM_CHECK_FAIL,
				t->fault[0] ? "see job.record"
					    : "see output.space and environment.tmpdir",
				"it was not loaded: %s", t->load);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "it was loaded");
}
