/* Facts of a job: whether its GPUs were used, and what slowed GPUs and processors down. */
#include "config.h"

#include "report/query/query.h"

#include "report/rows/query_row.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* --- what the job asked for ------------------------------------------------------------------- */

/* Count the devices of a list such as 0,2-3 or GPU-a,GPU-b. Returns 0 where it does not tell how
 * many, PM_UNKNOWN where it names none. */
static int64_t count_devices(const char *list)
{
	static const char *const none[] = { "", "-1", "NoDevFiles", "none", "void" };
	int64_t n = 0;

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (strcmp(list, none[i]) == 0)
			return PM_UNKNOWN;
	if (strcmp(list, "all") == 0)
		return 0;
	for (const char *p = list; *p && n < 4096; p += strcspn(p, ","), p += *p == ',') {
		char *end;
		long first = strtol(p, &end, 10), last = first;

		if (end > p && *end == '-')
			last = strtol(end + 1, &end, 10);
		n += end > p && (*end == ',' || !*end) && last >= first && last < 4096
			     ? last - first + 1
			     : 1;
	}
	return n;
}

/* Note what a value of a map asks for. */
static void note_asked(struct pm_facts *f, json_t *map, const char *name)
{
	const char *list = json_string_value(json_object_get(map, name));
	int64_t n = list ? count_devices(list) : PM_UNKNOWN;

	if (n != PM_UNKNOWN && (f->gpu.asked == PM_UNKNOWN || n > f->gpu.asked))
		f->gpu.asked = n;
}

/* Note what the maps that a query returns ask for. Returns 0 or -1 with e filled. */
static int query_asked(struct pm_db *db, int64_t job, const char *sql, const char *const *name,
		       struct pm_facts *f, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		const char *text = pm_db_text(q, 0, NULL);
		json_t *map = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;

		for (int i = 0; name[i]; i++)
			note_asked(f, map, name[i]);
		json_decref(map);
	}
	pm_db_finish(q);
	return rc;
}

/* --- what the samples tell -------------------------------------------------------------------- */

/* How far each GPU was busy at most. One whose use is unknown in more than a tenth of the samples
 * tells nothing. */
static int query_use(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.host_id, max(x.maximum), sum(CASE s.kind WHEN 'gauge' THEN CAST(x.known "
		"AS double precision) END), sum(CASE s.kind WHEN 'gauge' THEN CAST(x.samples AS "
		"double precision) END), max(CASE s.kind WHEN 'gauge' THEN x.mean END) FROM series "
		"s JOIN "
		"series_summary x ON x.job_id = s.job_id AND "
		"x.series_id = s.id WHERE s.job_id = ? AND s.source IN ('nvidia', 'amdgpu') AND "
		"s.metric = 'utilization' AND s.kind IN ('gauge', 'max') GROUP BY s.host_id, "
		"s.source, "
		"s.object ORDER BY s.host_id";
	int64_t host = -1, here = 0;
	double busy = 0;
	struct pm_stmt *q;
	int rc;

	if (f->retired) {
		f->gpu.seen = f->gpu.sampled = f->gpu.idle = PM_UNKNOWN;
		return 0;
	}
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		const double known = pm_query_real(q, 2), samples = pm_query_real(q, 3);

		if (pm_db_int(q, 0) != host)
			here = 0;
		host = pm_db_int(q, 0);
		here++;
		f->gpu.seen++;
		f->gpu.most = here > f->gpu.most ? here : f->gpu.most;
		if (pm_db_is_null(q, 1) || !(known > 0) || known < 0.9 * samples)
			continue;
		f->gpu.sampled++;
		f->gpu.idle += pm_db_int(q, 1) == 0;
		busy += pm_query_real(q, 4);
	}
	pm_db_finish(q);
	/* In units of 0.01 %. */
	if (f->gpu.sampled > 0)
		f->gpu.busy = busy / 10000 / (double)f->gpu.sampled;
	return rc;
}

/* Series that count the time in which a device was slow. */
static const struct {
	const char *source, *metric;
	double per_us; /* its unit, in us */
} slows[PM_FACTS_SLOWS] = {
	[PM_FACTS_GPU_POWER] = { "nvidia_counters", "throttle_power", 1e-3 },
	[PM_FACTS_GPU_HEAT] = { "nvidia_counters", "throttle_thermal", 1e-3 },
	[PM_FACTS_CPU_HEAT] = { "thermal", "package_throttle_time", 1 },
};

/* The largest share of the time in which a device was slow, for each reason. */
static int query_slow(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		      struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.source, s.metric, x.minimum, x.maximum, x.begin_us, x.end_us, s.object, "
		"h.hostname FROM series s JOIN series_summary x ON x.job_id = s.job_id AND "
		"x.series_id "
		"= s.id JOIN host h ON h.job_id = s.job_id AND h.id = s.host_id WHERE s.job_id = ? "
		"AND "
		"s.kind = 'counter' AND s.metric IN ('throttle_power', 'throttle_thermal', "
		"'package_throttle_time') AND x.known > 1 ORDER BY s.id";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		for (int k = 0; k < PM_FACTS_SLOWS; k++) {
			struct pm_fact_slow *x = &f->slow[k];
			double counted = (double)pm_db_int(q, 3) - (double)pm_db_int(q, 2);
			double time_us = (double)pm_db_int(q, 5) - (double)pm_db_int(q, 4);
			double share = counted * slows[k].per_us / time_us;

			if (strcmp(pm_db_text(q, 0, NULL), slows[k].source) != 0 ||
			    strcmp(pm_db_text(q, 1, NULL), slows[k].metric) != 0 || time_us <= 0 ||
			    share <= x->share || share > 1.1)
				continue;
			x->share = share;
			pm_query_field(x->device, sizeof x->device, q, 6, utf8);
			pm_query_field(x->host, sizeof x->host, q, 7, utf8);
		}
	pm_db_finish(q);
	return rc;
}

int pm_query_gpus(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	static const char *const facts[] = { "gpus", NULL };
	static const char *const variables[] = { "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
						 "HIP_VISIBLE_DEVICES", NULL };

	if (query_asked(db, job, "SELECT facts FROM job WHERE id = ?", facts, f, e) < 0 ||
	    query_asked(db, job, "SELECT start_environment FROM host WHERE job_id = ?", variables,
			f, e) < 0 ||
	    query_use(db, job, f, e) < 0)
		return -1;
	return query_slow(db, job, utf8, f, e);
}
