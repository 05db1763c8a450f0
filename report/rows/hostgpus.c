/* The GPUs of a job's hosts. */
#include "config.h"

#include "report/rows/hostgpus.h"

#include "common/record/processname.h"
#include "common/text.h"
#include "report/rows/query_row.h"

#include <string.h>

/* Limits that the sampler saw, in the order of the hosts. */
static const char seen_sql[] =
	"SELECT s.host_id, s.object, s.metric, max(x.maximum) FROM series s JOIN series_summary x "
	"ON "
	"x.job_id = s.job_id AND x.series_id = s.id WHERE s.job_id = ? AND s.source IN ('nvidia', "
	"'nvidia_counters', 'amdgpu', 'intelgpu') AND s.metric IN ('memory_total', 'power_limit') "
	"AND s.kind IN ('gauge', 'max') AND x.maximum >= 0 GROUP BY s.host_id, s.object, s.metric "
	"ORDER BY s.host_id";

struct reading {
	struct pm_stmt *seen;
	int at; /* 1 while `seen` has a row */
};

/* Note a limit of the GPU that the sampler names by its id, or by its address. */
static void note_seen(struct pm_gpu *gpu, size_t n, struct pm_stmt *q)
{
	const char *object = pm_db_text(q, 1, NULL);
	const bool memory = strcmp(pm_db_text(q, 2, NULL), "memory_total") == 0;

	for (size_t i = 0; i < n; i++) {
		int64_t *to = memory ? &gpu[i].memory_bytes : &gpu[i].power_limit_uw;

		if (*object && *to < 0 &&
		    (strcmp(gpu[i].uuid, object) == 0 || strcmp(gpu[i].address, object) == 0))
			*to = pm_db_int(q, 3);
	}
}

/* Add to the GPUs of a host what the sampler saw. Returns 0 or -1 with e filled. */
static int add_seen(struct reading *r, int64_t host, struct pm_gpu *gpu, size_t n, struct pm_err *e)
{
	for (; r->at > 0 && pm_db_int(r->seen, 0) <= host; r->at = pm_db_step(r->seen, e))
		if (pm_db_int(r->seen, 0) == host)
			note_seen(gpu, n, r->seen);
	return r->at < 0 ? -1 : 0;
}

static void make_safe(char text[PM_GPU_TEXT], bool utf8)
{
	char safe[PM_GPU_TEXT];

	pm_text_safe(safe, sizeof safe, text, strlen(text), utf8);
	memcpy(text, safe, sizeof safe);
}

#define SAFE_TEXT(name) make_safe(g->name, utf8);
#define SAFE_INT(name)

static void make_all_safe(struct pm_gpu *g, bool utf8)
{
#define PM_GPU(name, type, help) SAFE_##type(name)
#include "common/job/gpu.def"
#undef PM_GPU
}

/* Take the GPUs that a host's metadata has. Returns how many. */
static size_t take_gpus(struct pm_gpu *gpu, const char *text)
{
	json_t *list = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL, *item;
	size_t i, n = 0;

	json_array_foreach (list, i, item)
		if (json_is_object(item) && n < PM_GPU_MAX)
			pm_gpu_take(&gpu[n++], item);
	json_decref(list);
	return n;
}

int pm_query_hostgpus(struct pm_db *db, int64_t job, bool utf8, pm_hostgpus_fn *each, void *ctx,
		      struct pm_err *e)
{
	struct pm_gpu gpu[PM_GPU_MAX];
	struct reading r = { .at = 0 };
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db,
			     "SELECT id, hostname, gpus FROM host WHERE job_id = ? AND gpus IS NOT "
			     "NULL ORDER BY id",
			     job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		const int64_t host = pm_db_int(q, 0);
		const size_t n = take_gpus(gpu, pm_db_text(q, 2, NULL));
		char name[PM_PROCESSNAME_MAX];

		/* Asked for the first host: most jobs have none with GPUs. */
		if (!r.seen) {
			rc = pm_query_prepare(db, seen_sql, job, &r.seen, e);
			r.at = rc < 0 ? rc : pm_db_step(r.seen, e);
		}
		if (r.at < 0 || add_seen(&r, host, gpu, n, e) < 0) {
			rc = -1;
			break;
		}
		for (size_t i = 0; i < n; i++)
			make_all_safe(&gpu[i], utf8);
		pm_query_field(name, sizeof name, q, 1, utf8);
		rc = n ? each(ctx, host, name, gpu, n, e) : 0;
		if (rc < 0)
			break;
	}
	pm_db_finish(r.seen);
	pm_db_finish(q);
	return rc;
}
