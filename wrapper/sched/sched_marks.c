/* The marks by which the processes of a batch job are recognized. */
#include "config.h"

#include "wrapper/sched/sched_marks.h"

#include "common/handed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a job's id. */
#define ID_MAX 256

/* Add a mark: one entry NAME=VALUE, or two that have to be there together. Returns 0 or -1. */
static int add_mark(struct pm_job_marks *m, const char *name, const char *value, const char *name2,
		    const char *value2)
{
	char **more = realloc(m->mark, (m->marks + 1) * sizeof *more), *text;

	if (!more)
		return -1;
	m->mark = more;
	if ((name2 ? asprintf(&text, "%s=%s\n%s=%s", name, value, name2, value2)
		   : asprintf(&text, "%s=%s", name, value)) < 0)
		return -1;
	m->mark[m->marks++] = text;
	return 0;
}

/* Take the next name from a list that is not a condition (! or ?). Returns whether there was one.
 */
static bool next_name(const char **list, char name[PM_SCHED_NAME])
{
	char mark;

	while (pm_sched_next(list, name, &mark))
		if (!mark)
			return true;
	return false;
}

/* Find the variable that decides the job's id or, with `array`, its array task, by the rules of
 * sched.def; its name goes to `name`. Returns its value or NULL. */
static const char *find_deciding(const struct pm_sched *s, bool array, char name[PM_SCHED_NAME])
{
	const char *list, *value = NULL;

	for (size_t i = 0; !value && (list = pm_sched_row(s, array, i)) != NULL; i++) {
		const char *wanted = pm_sched_text(list);

		while (wanted && !value && next_name(&list, name))
			if (getenv(name) == wanted)
				value = wanted;
	}
	return value;
}

/* Fill in the marks of the job that we are in. Control groups are named after the most specific id:
 * the value of the last variable that is set among the batch system's rows for the job id. Returns
 * 0 or -1. */
static int mark_own_job(const struct pm_sched *s, struct pm_job_marks *m)
{
	char name[PM_SCHED_NAME], array_name[PM_SCHED_NAME], last[PM_SCHED_NAME];
	const char *list, *job = find_deciding(s, false, name),
			  *task = find_deciding(s, true, array_name);
	const char *id = job;

	for (size_t i = 0; (list = pm_sched_row(s, false, i)) != NULL; i++)
		while (next_name(&list, last))
			if (getenv(last) && *getenv(last))
				id = getenv(last);
	m->cgroup = strdup(id);
	return !m->cgroup || add_mark(m, name, job, task ? array_name : NULL, task) < 0 ? -1 : 0;
}

/* Fill in the marks of any batch system's job of this id: every variable that may hold the id.
 * Returns 0 or -1. */
static int mark_named_job(const char *job, struct pm_job_marks *m)
{
	const char *underscore = strrchr(job, '_'), *jobs, *arrays;
	char name[PM_SCHED_NAME], array_name[PM_SCHED_NAME], base[ID_MAX];
	const struct pm_sched *s;
	int rc = add_mark(m, pm_handed_name[PM_HANDED_jobid], job, NULL, NULL);

	snprintf(base, sizeof base, "%.*s", underscore ? (int)(underscore - job) : 0, job);
	for (size_t at = 0; (s = pm_sched_at(at)) != NULL; at++)
		for (size_t i = 0; (jobs = pm_sched_row(s, false, i)) != NULL; i++)
			while (rc == 0 && next_name(&jobs, name)) {
				rc = add_mark(m, name, job, NULL, NULL);
				for (size_t k = 0; *base && (arrays = pm_sched_row(s, true, k));
				     k++)
					while (rc == 0 && next_name(&arrays, array_name))
						rc = add_mark(m, name, base, array_name,
							      underscore + 1);
			}
	m->cgroup = strdup(job);
	return m->cgroup ? rc : -1;
}

int pm_sched_marks(const char *job, struct pm_job_marks *m, struct pm_err *e)
{
	const struct pm_sched *s;
	struct pm_ident id;
	char *own = NULL;
	int rc;

	memset(m, 0, sizeof *m);
	if (job) {
		m->job = strdup(job);
		rc = m->job ? mark_named_job(job, m) : -1;
	} else {
		s = pm_sched_identify(&id);
		if (!id.jobid)
			return 1;
		rc = asprintf(&own, id.array_task ? "%s_%s" : "%s", id.jobid, id.array_task);
		m->job = rc < 0 ? NULL : own;
		rc = m->job ? mark_own_job(s, m) : -1;
		if (rc == 0 && ((id.account && !(m->account = strdup(id.account))) ||
				(id.queue && !(m->queue = strdup(id.queue)))))
			rc = -1;
	}
	if (rc < 0) {
		pm_sched_marks_free(m);
		return pm_err(e, "out of memory");
	}
	return 0;
}

void pm_sched_marks_free(struct pm_job_marks *m)
{
	for (size_t i = 0; i < m->marks; i++)
		free(m->mark[i]);
	free(m->mark);
	free((char *)m->job);
	free((char *)m->cgroup);
	free((char *)m->directory);
	free((char *)m->account);
	free((char *)m->queue);
	memset(m, 0, sizeof *m);
}
