/* Attributes of the job metadata. */
#include "config.h"

#include "common/job/job.h"

#define PM_JOB_COLUMN_job(id) #id
#define PM_JOB_COLUMN_host(id) #id
#define PM_JOB_COLUMN_start(id) "start_" #id
#define PM_JOB_COLUMN_stop(id) "stop_" #id

const struct pm_job_info pm_job_info[PM_JOB_KEYS] = {
#define PM_JOB(section_, id_, type_, help_)                                                        \
	[PM_JOB_##section_##_##id_] = {                                                            \
		.section = PM_JOB_IN_##section_,                                                   \
		.section_name = #section_,                                                         \
		.name = #id_,                                                                      \
		.column = PM_JOB_COLUMN_##section_(id_),                                           \
		.type = PM_JOB_TYPE_##type_,                                                       \
		.help = help_,                                                                     \
	},
#include "common/job/job.def"
#undef PM_JOB
};
