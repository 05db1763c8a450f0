/* Facts of a job: what it asked the batch system for. */
#include "config.h"

#include "report/query/query.h"

#include "common/safe/tsv.h"
#include "report/query/query_row.h"

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

/* After pm_query_gpus. */
int pm_query_request(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	struct pm_fact_request *r = &f->request;
	struct pm_stmt *q;
	int rc;

	r->gpus = f->gpu.asked;
	if (pm_query_prepare(db, "SELECT nodes, tasks, facts FROM job WHERE id = ?", job, &q, e) <
	    0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0) {
		const char *text = pm_db_text(q, 2, NULL);
		json_t *map = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;

		r->nodes = pm_query_int(q, 0);
		r->tasks = pm_query_int(q, 1);
		take_facts(r, map, f->epoch_us);
		json_decref(map);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}
