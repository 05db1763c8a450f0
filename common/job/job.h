/* The job metadata table of job.def: an enum, and attributes of each key. Programs only. */
#ifndef PM_COMMON_JOB_JOB_H
#define PM_COMMON_JOB_JOB_H

/* Value of "format" in job-<host>.json. */
#define PM_JOB_FORMAT "perfmon-job-1"

enum pm_job_key {
#define PM_JOB(section, id, type, help) PM_JOB_##section##_##id,
#include "common/job/job.def"
#undef PM_JOB
	PM_JOB_KEYS
};

enum pm_job_section { PM_JOB_IN_job, PM_JOB_IN_host, PM_JOB_IN_start, PM_JOB_IN_stop };

enum pm_job_type {
	PM_JOB_TYPE_TEXT,
	PM_JOB_TYPE_INT,
	PM_JOB_TYPE_TIME,
	PM_JOB_TYPE_LIST,
	PM_JOB_TYPE_MAP,
	PM_JOB_TYPE_OBJECTS,
};

struct pm_job_info {
	enum pm_job_section section;
	const char *section_name;
	const char *name;   /* name inside the section */
	const char *column; /* SQL column: start_time_us, hostname, jobid */
	enum pm_job_type type;
	const char *help;
};

extern const struct pm_job_info pm_job_info[PM_JOB_KEYS];

#endif
