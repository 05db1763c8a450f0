/* Parts of the verb ops beside sums: processes one by one, tags, and what moves data. */
#include "config.h"

#include "report/ops/ops.h"

#include "analysis/ops/datamovement.h"
#include "analysis/ops/opprocesses.h"
#include "common/record/processname.h"
#include "common/text.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/values.h"
#include "report/rows/query_row.h"
#include "report/opname.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- processes ---------------------------------------------------------------------------------
 */

/* Rows on their way to a table or a list. */
struct listing {
	const struct pm_ops_look *l;
	struct pm_table table;
	size_t rows;
};

static int print_process(void *ctx, struct pm_stmt *q, const char *key, struct pm_err *e)
{
	struct listing *to = ctx;
	struct pm_table *t = &to->table;
	const int64_t start_us = pm_query_int(q, PM_OPPROCESS_START);
	const int64_t job_us = pm_query_int(q, PM_OPPROCESS_JOB_START);
	char text[PM_COMMAND_MAX];

	to->rows++;
	if (pm_opname_cell(t, key) < 0)
		return pm_err(e, "print a table: out of memory");
	if (to->l->jobs > 1)
		pm_cell_plain(t, q, PM_OPPROCESS_JOBID);
	else
		pm_table_cell(t, "");
	pm_cell_id(t, pm_query_int(q, PM_OPPROCESS_PID));
	pm_cell_host(t, q, PM_OPPROCESS_HOST);
	if (to->l->jobs > 1)
		pm_table_cell(t, pm_format_minute(text, start_us));
	else
		pm_cell_duration(t, start_us == PM_UNKNOWN || job_us == PM_UNKNOWN
					    ? PM_UNKNOWN
					    : pm_format_since(start_us, job_us));
	pm_cell_duration(t, pm_query_int(q, PM_OPPROCESS_DURATION));
	pm_cell_duration(t, pm_query_int(q, PM_OPPROCESS_CPU));
	pm_cell_duration(t, pm_query_int(q, PM_OPPROCESS_INCLUSIVE));
	pm_table_cell(t, pm_processname_command(
				 text, sizeof text, pm_db_text(q, PM_OPPROCESS_EXENAME, NULL),
				 pm_db_text(q, PM_OPPROCESS_ARGS, NULL), t->page->utf8));
	return 0;
}

/* A text of a row that is stored escaped or not; null where there is none. */
static json_t *text_of(struct pm_stmt *q, int i, json_t *(*pack)(const char *p, size_t n))
{
	size_t n;
	const char *p = pm_db_text(q, i, &n);

	return p ? pack(p, n) : json_null();
}

static json_t *plain(const char *p, size_t n)
{
	(void)n;
	return pm_values_safe(p);
}

static int dump_process(void *ctx, struct pm_stmt *q, const char *key, struct pm_err *e)
{
	static const struct {
		const char *name;
		enum pm_opprocess_at at;
	} number[] = {
		{ "job_id", PM_OPPROCESS_JOB },   { "id", PM_OPPROCESS_ID },
		{ "pid", PM_OPPROCESS_PID },      { "start_us", PM_OPPROCESS_START },
		{ "end_us", PM_OPPROCESS_END },   { "duration_us", PM_OPPROCESS_DURATION },
		{ "cpu_time", PM_OPPROCESS_CPU }, { "inclusive_cpu_time", PM_OPPROCESS_INCLUSIVE },
	};
	struct listing *to = ctx;
	json_t *o = json_object();
	int rc = o ? pm_opname_pack(o, key) : -1;

	for (size_t i = 0; rc == 0 && i < sizeof number / sizeof number[0]; i++)
		rc = json_object_set_new(o, number[i].name,
					 pm_ops_number(pm_query_int(q, (int)number[i].at)));
	if (rc == 0)
		rc = json_object_set_new(o, "jobid", text_of(q, PM_OPPROCESS_JOBID, plain));
	if (rc == 0)
		rc = json_object_set_new(o, "hostname", text_of(q, PM_OPPROCESS_HOST, plain));
	if (rc == 0)
		rc = json_object_set_new(o, "exename",
					 text_of(q, PM_OPPROCESS_EXENAME, pm_values_escaped));
	if (rc == 0)
		rc = json_object_set_new(o, "args", text_of(q, PM_OPPROCESS_ARGS, pm_values_args));
	if (rc == 0) {
		fputs(to->rows++ ? ",\n" : "", stdout);
		rc = json_dumpf(o, stdout, PM_VALUES_DUMP);
	}
	json_decref(o);
	return rc < 0 ? pm_err(e, "print JSON: out of memory or not writable") : 0;
}

int pm_ops_print_processes(const struct pm_ops_look *l, bool roots, struct pm_err *e)
{
	const struct pm_table_column columns[] = {
		{ "Operation", false, 16, 0 },
		{ "Job", false, 0, -1 },
		{ "Pid", true, 0, 2 },
		{ "Host", false, 0, 4 },
		{ l->jobs > 1 ? "Start" : "After", l->jobs == 1, 0, 1 },
		{ "Wall time", true, 0, 0 },
		{ "CPU time", true, 0, 0 },
		{ "Tree CPU", true, 0, 3 },
		{ "Command", false, 24, 0 },
	};
	struct listing to = { .l = l };
	const bool json = l->form == PM_OPS_JSON;
	int rc;

	if (json)
		printf("{\"%s\":[", roots ? "roots" : "processes");
	pm_table_init(&to.table, &l->page, columns, sizeof columns / sizeof columns[0], 0);
	rc = pm_opprocesses_find(l->db, l->job, l->jobs, &l->select, roots, l->limit,
				 json ? dump_process : print_process, &to, e);
	if (rc < 0 || json || !to.rows) {
		pm_table_discard(&to.table);
		if (rc == 0)
			fputs(json ? "]}\n" : "no processes with such tags\n", stdout);
		return rc;
	}
	return pm_table_finish(&to.table) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

/* --- tags --------------------------------------------------------------------------------------
 */

static int dump_keys(const struct pm_opkey *key, size_t keys, struct pm_err *e)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < keys; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:I, s:I}", "name",
						pm_values_escaped(key[i].name, strlen(key[i].name)),
						"processes", (json_int_t)key[i].processes, "values",
						(json_int_t)key[i].values));
	return pm_values_dump(json_pack("{s:o}", "keys", list), e);
}

int pm_ops_print_keys(const struct pm_ops_look *l, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Tag", false, 16, 0 },
		{ "Processes", true, 0, 0 },
		{ "Values", true, 0, 0 },
	};
	struct pm_opkey *key;
	struct pm_table t;
	size_t keys;
	int rc = pm_opkeys_read(&key, &keys, l->db, l->job, l->jobs, e);

	if (rc == 0 && (uint64_t)l->limit < keys) {
		for (size_t i = (size_t)l->limit; i < keys; i++)
			free(key[i].name);
		keys = (size_t)l->limit;
	}
	if (rc == 0 && l->form == PM_OPS_JSON) {
		rc = dump_keys(key, keys, e);
	} else if (rc == 0 && !keys) {
		fputs("no processes with tags\n", stdout);
	} else if (rc == 0) {
		pm_table_init(&t, &l->page, columns, sizeof columns / sizeof columns[0], 0);
		for (size_t i = 0; i < keys; i++) {
			char safe[256];

			pm_text_field(safe, sizeof safe, key[i].name, l->page.utf8);
			pm_table_cell(&t, safe);
			pm_cell_count(&t, key[i].processes);
			pm_cell_count(&t, key[i].values);
		}
		if (pm_table_finish(&t) < 0)
			rc = pm_err(e, "print a table: out of memory");
	}
	pm_opkeys_free(key, keys);
	return rc;
}

/* --- moving data -------------------------------------------------------------------------------
 */

static int64_t union_of(const struct pm_datamovement *d)
{
	return d->timed ? pm_intervals_length(&d->runs) : d->processes || !d->jobs ? PM_UNKNOWN : 0;
}

static int64_t count_of(const struct pm_datamovement *d, int64_t n)
{
	return d->jobs ? n : PM_UNKNOWN;
}

static int print_movement(const struct pm_ops_look *l, const struct pm_datamovement *d,
			  struct pm_table *t, struct pm_err *e)
{
	struct pm_ops_job job = { .jobid = "all" };
	char safe[256];

	if (d->job && pm_ops_job(l->db, d->job, &job, e) < 0)
		return -1;
	pm_text_safe(safe, sizeof safe, job.jobid, strlen(job.jobid), l->page.utf8);
	pm_table_cell(t, safe);
	pm_text_safe(safe, sizeof safe, job.user, strlen(job.user), l->page.utf8);
	pm_table_cell(t, safe);
	pm_cell_count(t, count_of(d, d->processes));
	pm_cell_duration(t, pm_datamovement_sum(d, &d->cpu));
	pm_cell_duration(t, d->job_cpu.sum);
	pm_cell_share(t, pm_datamovement_share(d));
	pm_cell_duration(t, union_of(d));
	return 0;
}

static int pack_movement(const struct pm_ops_look *l, const struct pm_datamovement *d, json_t **o,
			 struct pm_err *e)
{
	const double share = pm_datamovement_share(d);
	struct pm_ops_job job;

	*o = json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I}", "processes",
		       pm_ops_number(count_of(d, d->processes)), "timed",
		       pm_ops_number(count_of(d, d->timed)), "cpu_time",
		       pm_ops_number(pm_datamovement_sum(d, &d->cpu)), "cpu_time_known",
		       (json_int_t)d->cpu.known, "job_cpu_time", pm_ops_number(d->job_cpu.sum),
		       "percent", isnan(share) ? json_null() : json_real(100 * share),
		       "duration_sum_us", pm_ops_number(pm_datamovement_sum(d, &d->duration)),
		       "duration_known", (json_int_t)d->duration.known, "duration_union_us",
		       pm_ops_number(union_of(d)), "runs",
		       pm_ops_number(count_of(d, (int64_t)d->runs.count)), "jobs_known",
		       (json_int_t)d->job_cpu.known, "jobs_retired", (json_int_t)d->retired);
	if (!*o)
		return pm_err(e, "print JSON: out of memory");
	if (!d->job)
		return 0;
	if (pm_ops_job(l->db, d->job, &job, e) < 0)
		return -1;
	json_object_set_new(*o, "job_id", json_integer(d->job));
	json_object_set_new(*o, "jobid", pm_values_safe(job.jobid));
	json_object_set_new(*o, "user", pm_values_safe(job.user));
	return 0;
}

/* Number of jobs that are printed: the sum is of all in any case. */
static size_t shown_jobs(const struct pm_ops_look *l)
{
	return (uint64_t)l->limit < l->jobs ? (size_t)l->limit : l->jobs;
}

static int dump_movement(const struct pm_ops_look *l, const struct pm_datamovement *d,
			 const char *movers, struct pm_err *e)
{
	json_t *list = json_array(), *o;

	for (size_t i = 0; i < shown_jobs(l); i++) {
		if (pack_movement(l, &d[i], &o, e) < 0 || json_array_append_new(list, o) < 0) {
			json_decref(list);
			return -1;
		}
	}
	if (pack_movement(l, &d[l->jobs], &o, e) < 0) {
		json_decref(list);
		return -1;
	}
	return pm_values_dump(json_pack("{s:o, s:o, s:I, s:o}", "data_movers",
					pm_values_safe(movers), "jobs", list, "jobs_left_out",
					(json_int_t)(l->jobs - shown_jobs(l)), "all", o),
			      e);
}

static int table_of_movement(const struct pm_ops_look *l, const struct pm_datamovement *d,
			     struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Job", false, 10, 0 },     { "User", false, 0, 1 },
		{ "Processes", true, 0, 2 }, { "CPU time", true, 0, 0 },
		{ "Of job's", true, 0, 0 },  { "Share", true, 0, 0 },
		{ "Wall time", true, 0, 0 },
	};
	struct pm_table t;
	int rc = 0;

	pm_table_init(&t, &l->page, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t i = 0; rc == 0 && i < shown_jobs(l); i++)
		rc = print_movement(l, &d[i], &t, e);
	if (rc == 0 && l->jobs > 1)
		rc = print_movement(l, &d[l->jobs], &t, e);
	if (rc < 0) {
		pm_table_discard(&t);
		return -1;
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	if (shown_jobs(l) < l->jobs)
		fprintf(l->page.f, "further jobs, which --limit 0 shows, too: %zu\n",
			l->jobs - shown_jobs(l));
	return 0;
}

int pm_ops_print_movement(const struct pm_ops_look *l, const char *movers, struct pm_err *e)
{
	struct pm_datamovement *d = calloc(l->jobs + 1, sizeof *d);
	int rc;

	if (!d)
		return pm_err(e, "out of memory");
	rc = pm_datamovement_read(d, l->connection.db, l->connection.count, l->job, l->jobs, movers,
				  e);
	if (rc == 0)
		rc = l->form == PM_OPS_JSON ? dump_movement(l, d, movers, e)
					    : table_of_movement(l, d, e);
	pm_datamovement_free(d, l->jobs + 1);
	free(d);
	return rc;
}
