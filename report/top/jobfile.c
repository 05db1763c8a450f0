/* Read the metadata of a running job. */
#include "config.h"

#include "report/top/jobfile.h"

#include "common/job/job.h"
#include "common/safe/tsv.h"
#include "common/text.h"
#include "report/print/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct pm_top_jobfile {
	char jobid[256], name[256], user[256]; /* safe */
	int64_t start_us, stop_us;             /* 0: unknown */
	int64_t limit_us;
	int64_t cpus, memory; /* 0: unknown */
};

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static int64_t number_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static void copy_safe(char *dst, size_t cap, const char *text)
{
	pm_text_safe(dst, cap, text, strlen(text), true);
}

/* When the batch system ends the job, of what its environment tells; 0 if it does not. */
static int64_t find_limit(const json_t *job, int64_t start_us)
{
	const json_t *facts = json_object_get(job, "facts");
	const char *wall = text_of(facts, "walltime_s"), *end = text_of(facts, "end_time_s");
	const int64_t most = INT64_MAX / 4000000, epoch_us = number_of(job, "epoch_us");
	int64_t s, limit_us;

	if (pm_tsv_number(end, strlen(end), &s) == 0 && s > 0 && s < most)
		return s * 1000000;
	if (pm_tsv_number(wall, strlen(wall), &s) < 0 || s <= 0 || s >= most ||
	    __builtin_add_overflow(epoch_us > 0 ? epoch_us : start_us, s * 1000000, &limit_us))
		return 0;
	return limit_us;
}

struct pm_top_jobfile *pm_top_jobfile_read(int fd)
{
	json_t *doc = json_loadfd(fd, 0, NULL);
	const json_t *job = json_object_get(doc, "job"), *host = json_object_get(doc, "host");
	struct pm_top_jobfile *j = NULL;
	char id[300];
	int64_t kb;

	if (doc && strcmp(text_of(doc, "format"), PM_JOB_FORMAT) == 0)
		j = calloc(1, sizeof *j);
	if (!j) {
		json_decref(doc);
		return NULL;
	}
	snprintf(id, sizeof id, "%.200s%s%.64s", text_of(job, "jobid"),
		 *text_of(job, "array_task") ? "_" : "", text_of(job, "array_task"));
	copy_safe(j->jobid, sizeof j->jobid, id);
	copy_safe(j->name, sizeof j->name, text_of(job, "name"));
	copy_safe(j->user, sizeof j->user, text_of(job, "user"));
	j->start_us = number_of(json_object_get(doc, "start"), "time_us");
	j->stop_us = number_of(json_object_get(doc, "stop"), "time_us");
	j->limit_us = find_limit(job, j->start_us);
	j->cpus = number_of(host, "cpus_allocated");
	if (j->cpus <= 0)
		j->cpus = number_of(host, "cpus_allowed");
	kb = number_of(host, "memory_limit_kb");
	if (kb <= 0)
		kb = number_of(host, "memory_kb");
	j->memory = kb > 0 && kb < INT64_MAX / 1024 ? kb * 1024 : 0;
	json_decref(doc);
	return j;
}

void pm_top_jobfile_free(struct pm_top_jobfile *j)
{
	free(j);
}

void pm_top_jobfile_add(const struct pm_top_jobfile *j, struct pm_top_picture *p, int64_t *end_us)
{
	if (*j->jobid)
		memcpy(p->jobid, j->jobid, sizeof p->jobid);
	memcpy(p->name, j->name, sizeof p->name);
	memcpy(p->user, j->user, sizeof p->user);
	if (j->start_us > 0 && (p->start_us == 0 || j->start_us < p->start_us))
		p->start_us = j->start_us;
	if (j->limit_us > p->limit_us)
		p->limit_us = j->limit_us;
	p->hosts++;
	p->closed += j->stop_us > 0;
	if (j->stop_us > *end_us)
		*end_us = j->stop_us;
	p->cpus = pm_format_add(p->cpus, j->cpus > 0 ? j->cpus : 0);
	p->memory = pm_format_add(p->memory, j->memory);
}
