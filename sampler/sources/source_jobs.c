/*
 * Source "jobs": the batch jobs on the node, by the control groups that batch systems make for
 * them. A reader of the node's series thus sees which other jobs may have caused the values.
 */
#include "config.h"

#include "sampler/source.h"

#include "common/job/jobgroup.h"
#include "common/job/slurmstep.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS, PRESENT, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[JOBS] = { "jobs", "n", "number of jobs with a control group", NULL, false,
		   PM_METRIC_GAUGE },
	[PRESENT] = { "present", "n", "1 while the job has a control group", "job", false,
		      PM_METRIC_GAUGE },
};

/* Mount points of hierarchies; OAR uses /dev/cpuset. */
static const char *const place[] = { "/sys/fs/cgroup", "/dev/cpuset" };
#define PLACES (sizeof place / sizeof place[0])

/* Maximum number of levels and directories looked at, and of jobs with series; all jobs are
 * counted. */
#define DEPTH_MAX   7
#define VISITED_MAX 8192
#define NAMED_MAX   256

/* After so many samples the SLUID itself names a job. */
#define ASKED_MAX 2

struct job {
	char *id;   /* owned */
	int series; /* -1: none, too many jobs have one */
	bool there; /* in this sample */
	int asked;  /* how often its SLUID could not be told so far; more than ASKED_MAX: settled */
};

struct state {
	const char *root;
	struct job *job;
	size_t count, capacity;
	int visited;
};

static void jobs_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++)
		free(s->job[i].id);
	free(s->job);
	free(s);
}

static int jobs_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	bool any = false;

	(void)sink;
	for (size_t i = PLACES; s && i-- > 0;) {
		char path[PATH_MAX];
		DIR *dir;

		snprintf(path, sizeof path, "%s%s", target->root, place[i]);
		dir = opendir(path);
		any = any || dir;
		if (dir)
			closedir(dir);
		else
			pm_source_unavailable(why, place[i]);
	}
	if (!any) {
		if (!s)
			pm_source_unavailable(why, place[0]);
		free(s);
		return -1;
	}
	s->root = target->root;
	*state = s;
	return 0;
}

/* Give a job its series. Of an SLUID root's slurmstepd tells the job: that may come a moment after
 * its group. */
static void name_job(struct state *s, struct pm_sink *sink, struct job *j, const char *path)
{
	const struct pm_str id = { j->id, strlen(j->id) };
	const char *name = j->id;
	char told[32];

	if (pm_slurmstep_is_sluid(id)) {
		if (pm_slurmstep_job(s->root, path + strlen(s->root), told, sizeof told) == 0)
			name = told;
		else if (j->asked++ < ASKED_MAX)
			return;
	}
	j->asked = ASKED_MAX + 1;
	j->series = pm_sink_series(sink, PRESENT, name);
}

/* Note that a job is on the node. */
static void note_job(struct state *s, struct pm_sink *sink, struct pm_str id, const char *path)
{
	struct job *j = s->job;
	size_t named = 0;

	for (; j < s->job + s->count; j++) {
		if (strlen(j->id) == id.n && memcmp(j->id, id.p, id.n) == 0) {
			j->there = true;
			if (j->asked && j->asked <= ASKED_MAX)
				name_job(s, sink, j, path);
			return;
		}
		named += j->series >= 0;
	}
	if (s->count == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 16;
		struct job *more = realloc(s->job, capacity * sizeof *more);

		if (!more)
			return;
		s->job = more;
		s->capacity = capacity;
	}
	j = &s->job[s->count];
	*j = (struct job){ .id = strndup(id.p, id.n), .series = -1, .there = true };
	if (!j->id)
		return;
	s->count++;
	if (named < NAMED_MAX)
		name_job(s, sink, j, path);
}

/* Search a directory, whose last part is `name`, for groups of jobs; does not descend into these.
 */
static void find_jobs(struct state *s, struct pm_sink *sink, const char *path, const char *name,
		      int depth)
{
	const struct pm_str above = { name, strlen(name) };
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && s->visited < VISITED_MAX && (entry = readdir(dir)) != NULL) {
		struct pm_str child = { entry->d_name, strlen(entry->d_name) }, id;
		char below[PATH_MAX];

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		s->visited++;
		if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >=
		    (int)sizeof below)
			continue;
		if (pm_jobgroup_id(above, child, &id))
			note_job(s, sink, id, below);
		else if (depth < DEPTH_MAX)
			find_jobs(s, sink, below, entry->d_name, depth + 1);
	}
	if (dir)
		closedir(dir);
}

static void jobs_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	size_t kept = 0;

	s->visited = 0;
	for (size_t i = 0; i < s->count; i++)
		s->job[i].there = false;
	for (size_t i = 0; i < PLACES; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof path, "%s%s", s->root, place[i]);
		find_jobs(s, sink, path, "", 0);
	}
	for (size_t i = 0; i < s->count; i++) {
		struct job *j = &s->job[i];

		if (j->there) {
			if (j->series >= 0)
				pm_sink_value(sink, j->series, 1);
			s->job[kept++] = *j;
			continue;
		}
		if (j->series >= 0)
			pm_sink_forget(sink, j->series);
		free(j->id);
	}
	s->count = kept;
	/* After VISITED_MAX directories there may be more jobs. */
	if (s->visited < VISITED_MAX)
		pm_sink_value(sink, JOBS, (int64_t)kept);
	else
		pm_sink_unknown(sink, JOBS, PM_REASON_unsupported);
}

const struct pm_source pm_source_jobs = {
	.name = "jobs",
	.help = "batch jobs on the node",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = jobs_open,
	.sample = jobs_sample,
	.close = jobs_close,
};
