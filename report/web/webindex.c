/* The index of a page. */
#include "config.h"

#include "report/web/webindex.h"

#include "common/text.h"
#include "common/version.h"
#include "report/print/jsonvalue.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Version of the data in a page, which its code reads. */
#define FORMAT 1

static json_t *since_start(const struct pm_facts *f, struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i)
		       ? json_null()
		       : json_integer(pm_format_since(pm_db_int(q, i), f->line_start_us));
}

static json_t *list_hosts(const struct pm_facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->hosts; i++) {
		const struct pm_fact_host *h = &f->host[i];
		const int64_t cpus = pm_facts_cpus(h);

		json_array_append_new(list, json_pack("{ss so so}", "name", pm_facts_hostname(h),
						      "cpus", pm_json_int(cpus), "memory",
						      pm_json_int(h->memory)));
	}
	return list;
}

/* The phases that the job marked, one by one. */
static json_t *list_phases(struct pm_db *db, const struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] = "SELECT host_id, name, pid, begin_us, end_us, ended FROM phase"
				  " WHERE job_id = ? ORDER BY host_id, id LIMIT ?";
	json_t *list = json_array();
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, f->job, &q, e) < 0) {
		json_decref(list);
		return NULL;
	}
	pm_db_bind_int(q, 2, PM_WEBINDEX_PHASES);
	while ((rc = pm_db_step(q, e)) > 0) {
		char name[PM_PROCESSNAME_MAX];

		pm_query_field(name, sizeof name, q, 1, true);
		json_array_append_new(
			list, json_pack("{sI ss sI so so sb}", "host",
					(json_int_t)pm_facts_host_index(f, pm_db_int(q, 0)), "name",
					name, "pid", (json_int_t)pm_db_int(q, 2), "begin_us",
					since_start(f, q, 3), "end_us", since_start(f, q, 4),
					"ended", pm_db_int(q, 5) != 0));
	}
	pm_db_finish(q);
	if (rc < 0) {
		json_decref(list);
		return NULL;
	}
	return list;
}

/* Steps of the critical path that a page draws, the longest: others are narrower than pixels. */
#define PATH_STEPS 3000

/* What a process mostly did in its time on the path, and the share of CPU time in that. */
static json_t *describe_step(const struct pm_facts *f, const struct pm_criticalpath_step *s,
			     int64_t row)
{
	const struct {
		double us;
		const char *what;
	} part[] = {
		{ s->doing.cpu_us, "cpu" },
		{ s->doing.queue_us, "waiting for a CPU" },
		{ s->doing.io_us, "storage" },
		{ s->doing.other_us, "waiting" },
	};
	const double wall = (double)(s->to_us - s->from_us);
	const char *what = "unknown";
	double most = 0;

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		if (part[i].us > most) {
			most = part[i].us;
			what = part[i].what;
		}
	return json_pack("{sI sI sI so ss}", "row", (json_int_t)row, "begin_us",
			 (json_int_t)pm_format_since(s->from_us, f->line_start_us), "end_us",
			 (json_int_t)pm_format_since(s->to_us, f->line_start_us), "cpu",
			 isnan(s->doing.cpu_us) || !(wall > 0) ? json_null()
							       : json_real(s->doing.cpu_us / wall),
			 "what", what);
}

static int by_length(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The length in us that the PATH_STEPS longest steps have at least; 0 where there are no more, -1
 * if out of memory. */
static int64_t least_length(const struct pm_criticalpath *path)
{
	int64_t *length, least;

	if (path->steps <= PATH_STEPS)
		return 0;
	length = malloc(path->steps * sizeof *length);
	if (!length)
		return -1;
	for (size_t i = 0; i < path->steps; i++)
		length[i] = path->step[i].to_us - path->step[i].from_us;
	qsort(length, path->steps, sizeof *length, by_length);
	least = length[PATH_STEPS - 1];
	free(length);
	return least;
}

/* The longest steps of the critical path whose processes have rows of their own. */
static json_t *list_path(const struct pm_facts *f, const struct pm_webprocesses *w)
{
	const int64_t least = f->path ? least_length(f->path) : 0;
	json_t *list = least < 0 ? NULL : json_array();
	size_t ties = PATH_STEPS; /* of the steps of that length, the first ones */

	for (size_t i = 0; list && f->path && i < f->path->steps; i++)
		ties -= f->path->step[i].to_us - f->path->step[i].from_us > least && ties > 0;
	for (size_t i = 0; list && f->path && i < f->path->steps; i++) {
		const struct pm_criticalpath_step *s = &f->path->step[i];
		const int64_t row = s->process > 0 ? pm_webprocesses_row(w, s->process) : -1;
		const int64_t length = s->to_us - s->from_us;

		if (length < least || (length == least && ties == 0))
			continue;
		ties -= length == least;
		if (row >= 0)
			json_array_append_new(list, describe_step(f, s, row));
	}
	return list;
}

/* A line of the job's time line: null where it is unknown. */
static json_t *list_steps(const struct pm_fact_line *l)
{
	json_t *list = json_array();

	if (!l->known) {
		json_decref(list);
		return json_null();
	}
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		json_array_append_new(list, pm_json_real(l->step[i]));
	return list;
}

/* Text of a JSON object inside an element of a page: an element would end at a <. */
static char *dump_safe(json_t *index)
{
	char *plain = json_dumps(index, JSON_COMPACT | JSON_REAL_PRECISION(6)), *safe, *to;

	safe = plain ? malloc(6 * strlen(plain) + 1) : NULL;
	to = safe;
	for (const char *s = plain; safe && *s; s++) {
		if (*s == '<') {
			memcpy(to, "\\u003c", 6);
			to += 6;
		} else {
			*to++ = *s;
		}
	}
	if (safe)
		*to = '\0';
	free(plain);
	return safe;
}

char *pm_webindex(struct pm_db *db, const struct pm_facts *f, const char *title,
		  const struct pm_webprocesses *processes, const struct pm_webseries *series,
		  struct pm_err *e)
{
	json_t *phases = list_phases(db, f, e), *index;
	char *text = NULL;

	if (!phases)
		return NULL;
	index = json_pack(
		"{si ss ss s{ss sb so so so} so so so sO sO so so so sO so so s{sf so so so}}",
		"format", FORMAT, "perfmon", PACKAGE_VERSION, "coding", pm_column_coding(), "job",
		"title", title, "open", f->open, "cpus", pm_json_int(f->cpus), "wall_us",
		pm_json_int(f->wall_us), "memory", pm_json_int(f->memory), "origin_us",
		pm_json_int(f->line_start_us), "span_us", pm_json_int(f->line_us), "hosts",
		list_hosts(f), "programs", processes->programs.list, "ends", processes->ends.list,
		"phases", phases, "critical", list_path(f, processes), "processes",
		pm_webprocesses_index(processes), "tagsets", processes->tagsets.list, "series",
		pm_webseries_index(series), "nodes", pm_webseries_nodes(series), "steps", "step_us",
		(double)f->line_us / PM_FACTS_STEPS, "cpu", list_steps(&f->cpu), "active",
		list_steps(&f->active), "rss", list_steps(&f->rss_line));
	text = index ? dump_safe(index) : NULL;
	if (!text)
		pm_err(e, "the page's index: out of memory");
	json_decref(index);
	return text;
}

void pm_version_page(struct pm_version *v)
{
	pm_version_set(v, "%d", FORMAT);
}
