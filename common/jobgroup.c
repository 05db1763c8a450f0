/* Names of jobs' control groups. */
#include "config.h"

#include "common/jobgroup.h"

#include <string.h>

/* Where the id stands in a name. */
enum tail {
	ALL,    /* up to the end, digits alone */
	TO_DOT, /* up to the first dot, or the end */
	ANY,    /* up to the end */
	BEHIND, /* behind the last underscore, digits alone */
};

static const struct {
	const char *above;  /* name of the directory above; NULL: any */
	const char *prefix; /* of the name */
	enum tail tail;
} rule[] = {
	{ NULL, "job_", ALL },      /* Slurm: .../job_ID/step_N */
	{ "oar", "", BEHIND },      /* OAR: oar/USER_ID */
	{ "jobid", "", ANY },       /* OpenPBS: pbs_jobs.service/jobid/ID.SERVER */
	{ "torque", "", ANY },      /* Torque: torque/ID.SERVER */
	{ NULL, "job.", TO_DOT },   /* LSF: lsf/CLUSTER/job.ID.PID.TIME */
	{ NULL, "shell-", TO_DOT }, /* Flux: user@UID.service/shell-ID.service */
	{ "GE", "", TO_DOT },       /* Grid Engine: GE/ID.TASK */
	{ "sge", "", TO_DOT },
};

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* The text up to the first dot, or all of it. */
static struct pm_str to_dot(struct pm_str s)
{
	const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;

	if (dot)
		s.n = (size_t)(dot - s.p);
	return s;
}

/* The text behind the last underscore, or all of it. */
static struct pm_str behind_underscore(struct pm_str s)
{
	const char *at;

	while (s.n && (at = memchr(s.p, '_', s.n)) != NULL) {
		s.n -= (size_t)(at + 1 - s.p);
		s.p = at + 1;
	}
	return s;
}

static bool all_digits(struct pm_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

bool pm_jobgroup_id(struct pm_str above, struct pm_str name, struct pm_str *id)
{
	for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
		size_t prefix = strlen(rule[i].prefix);

		if ((rule[i].above && !is_text(above, rule[i].above)) || name.n <= prefix ||
		    memcmp(name.p, rule[i].prefix, prefix) != 0)
			continue;
		*id = (struct pm_str){ name.p + prefix, name.n - prefix };
		if (rule[i].tail == TO_DOT)
			*id = to_dot(*id);
		if (rule[i].tail == BEHIND) {
			*id = behind_underscore(name);
			if (id->n == name.n)
				continue;
		}
		if (rule[i].tail == ALL || rule[i].tail == BEHIND ? all_digits(*id) : id->n > 0)
			return true;
	}
	return false;
}

/* Whether an id is this job's, which may be its beginning. */
static bool is_job(struct pm_str id, const char *job)
{
	size_t n = strlen(job);

	return n > 0 && id.n >= n && memcmp(id.p, job, n) == 0 &&
	       (id.n == n || id.p[n] == '.' || id.p[n] == '[');
}

bool pm_jobgroup_has(const char *path, size_t n, const char *job)
{
	const char *end = path + n;
	struct pm_str above = { "", 0 }, id;

	for (const char *p = path; p < end;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		struct pm_str name = { p, slash ? (size_t)(slash - p) : (size_t)(end - p) };

		if (pm_jobgroup_id(above, name, &id) && is_job(id, job))
			return true;
		if (name.n)
			above = name;
		p += name.n + 1;
	}
	return false;
}
