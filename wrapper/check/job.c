/* Report the results of the temporary job. */
#include "config.h"

#include "wrapper/check/trialjob.h"

#include <string.h>

/* Report a step of the job: why it failed, or with `why` "" the participle `done`. */
static void report_step(struct pm_check *c, const char *why, const char *remedy, const char *done)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	if (!*why)
		pm_check_report(c, PM_CHECK_PASS, "", "the trial job was %s", done);
	else
		pm_check_report(c, t->off ? PM_CHECK_WARN : PM_CHECK_FAIL,
				t->off ? "see config.recording" : remedy,
				"the trial job was not %s: %s", done, why);
}

void pm_check_job_record(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	report_step(c, t->fault,
		    t->place[0] ? "see the checks of library and output; in a container, check "
				  "that the collector is installed inside it"
				: "see the checks of output",
		    "recorded");
}

void pm_check_job_stage(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	report_step(c, t->stage,
		    t->fault[0] ? "see job.record" : "see output.space and output.inodes",
		    "packed");
}

void pm_check_job_load(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);
	const char *missing = pm_check_database_missing();

	if (missing) {
		pm_check_report(c, PM_CHECK_WARN, "load jobs with a perfmon that supports it",
				"the trial job was not loaded: %s", missing);
		return;
	}
	report_step(c, t->load,
		    t->fault[0] ? "see job.record" : "see output.space and environment.tmpdir",
		    "loaded");
}
