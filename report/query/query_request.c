/* Facts of a job: what it asked the batch system for. */
#include "config.h"

#include "report/query/query.h"

#include "common/safe/tsv.h"
#include "common/text.h"
#include "report/rows/query_row.h"

#include <jansson.h>
#include <string.h>

/* A number in the map of other facts; PM_UNKNOWN where it is no number or not there. */
static int64_t number(const json_t *map, const char *name)
{
	const char *text = json_string_value(json_object_get(map, name));
	int64_t n;

	return text && pm_tsv_number(text, strlen(text), &n) == 0 && n > 0 ? n : PM_UNKNOWN;
}

/* Slurm's MB are 1024 kB. */
static int64_t megabytes(const json_t *map, const char *name)
{
	return pm_format_scale(number(map, name), 1048576);
}

static void take_facts(struct pm_fact_request *r, const json_t *map, int64_t epoch_us)
{
	int64_t end_s = number(map, "end_time");

	r->cpus_per_task = number(map, "cpus_per_task");
	r->memory_node = megabytes(map, "memory_per_node_mb");
	r->memory_cpu = megabytes(map, "memory_per_cpu_mb");
	r->wall_us = pm_format_scale(number(map, "walltime_s"), 1000000);
	if (r->wall_us == PM_UNKNOWN && epoch_us > 0 && pm_format_scale(end_s, 1000000) > epoch_us)
		r->wall_us = end_s * 1000000 - epoch_us;
}

/* What Slurm's accounting said (submit --sacct) goes before what the job's environment told. */
static void take_notes(struct pm_facts *f, const json_t *map)
{
	struct pm_fact_request *r = &f->request;
	const char *state = json_string_value(json_object_get(map, "sacct.state"));
	int64_t limit = pm_format_scale(number(map, "sacct.timelimit_s"), 1000000);
	int64_t node = megabytes(map, "sacct.memory_node_mb"),
		cpu = megabytes(map, "sacct.memory_cpu_mb");

	if (state)
		pm_text_safe(r->state, sizeof r->state, state, strlen(state), false);
	if (limit != PM_UNKNOWN)
		r->wall_us = limit;
	if (node != PM_UNKNOWN || cpu != PM_UNKNOWN) {
		r->memory_node = node;
		r->memory_cpu = cpu;
	}
	if (f->submit_us == PM_UNKNOWN)
		f->submit_us = number(map, "sacct.submit_us");
}

/* After pm_query_gpus. */
int pm_query_request(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	struct pm_fact_request *r = &f->request;
	struct pm_stmt *q;
	int rc;

	r->gpus = f->gpu.asked;
	if (pm_query_prepare(db, "SELECT nodes, tasks, facts, annotations FROM job WHERE id = ?",
			     job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0) {
		const char *text = pm_db_text(q, 2, NULL);
		json_t *map = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;

		r->nodes = pm_query_int(q, 0);
		r->tasks = pm_query_int(q, 1);
		take_facts(r, map, f->epoch_us);
		json_decref(map);
		text = pm_db_text(q, 3, NULL);
		map = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;
		take_notes(f, map);
		json_decref(map);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}
