/* Compute the summary of a job from its hosts and processes, whatever loads they came by. */
#include "config.h"

#include "submit/rows/jobsummary.h"

#include "common/memtext.h"
#include "common/safe/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Values computed from the hosts. The job's start and end are those of its hosts' starts and stops,
 * or of the processes if a host has none. Sums over hosts are unknown if one host's value is. The
 * CPUs that the batch system allocated to the job take precedence over those that start was allowed
 * to use: these may be one task's. The CPU time that wait4(2) charged to the command is a lower
 * bound: it leaves out processes that nobody waited for. Only a measured CPU time is complete and
 * gives the share that was recorded.
 */
#define CHARGED "coalesce(stop_measured_cpu_us, stop_charged_cpu_us)"

static const char host_sql[] =
	"SELECT min(start_time_us), CASE WHEN count(stop_time_us) = count(*) THEN "
	"max(stop_time_us) END,"
	" CASE WHEN count(*) = 1 THEN max(stop_monotonic_us - start_monotonic_us) END,"
	" count(*), CASE WHEN count(coalesce(cpus_allocated, cpus_allowed)) = count(*) THEN"
	" sum(CASE WHEN cpus_allocated > cpus_online THEN cpus_online"
	" ELSE coalesce(cpus_allocated, cpus_allowed) END) END,"
	" CASE WHEN count(*) = count(" CHARGED ") THEN CAST(sum(" CHARGED ") AS bigint) END,"
	" max(stop_time_us), CASE WHEN count(*) = count(stop_measured_cpu_us) THEN 1 END "
	"FROM host WHERE job_id = ?";

static const char exit_sql[] =
	"SELECT stop_exit_status, stop_exit_signal FROM host WHERE job_id = ? AND "
	"(stop_exit_status IS NOT NULL OR stop_exit_signal IS NOT NULL) ORDER BY id LIMIT 1";

/* A sum of any size as two columns: a sum that overflows is an error in SQLite. See take_sum(). */
#define SUM_SQL(column) "sum(" column " / 1048576), sum(" column " % 1048576)"

static const char process_sql[] =
	"SELECT min(p.start_us), max(p.end_us), count(*),"
	" sum(CASE WHEN p.numtids > 1 THEN p.numtids ELSE 1 END),"
	" sum(CASE WHEN p.exitcode <> 0 OR p.exitsignal IS NOT NULL OR p.end_reason = 'signal'"
	" THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.exitsignal IS NOT NULL OR p.end_reason = 'signal' THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.end_reason = 'running' THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.image_us IS NOT NULL AND (p.numtids IS NULL OR p.last_call IS NOT NULL)"
	" AND coalesce(p.last_call, '') NOT LIKE 'execve%' THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.image_us IS NULL OR p.path IS NULL AND p.numtids IS NULL"
	" OR p.last_call LIKE 'execve%' THEN 1 ELSE 0 END),"
	" count(DISTINCT p.mpirank), " SUM_SQL("p.cpu_time") ", " SUM_SQL(
		"p.own_cpu_us") ","
				" sum(CASE WHEN p.end_us > h.stop_time_us THEN 1 ELSE 0 END)";

static const char excluded_sql[] =
	"SELECT coalesce(sum(images), 0), sum(cpu_time) FROM excluded_program WHERE job_id = ?";

/* The count of lost lines is 0 rather than unknown only if every host had a tally. */
static const char counts_sql[] =
	"SELECT (SELECT count(*) FROM reject r WHERE r.job_id = j.id),"
	" coalesce((SELECT CAST(sum(lines) AS bigint) FROM lost l WHERE l.job_id = j.id),"
	" (SELECT CASE WHEN count(*) > 0 AND count(stop_lost) = count(*) THEN 0 END FROM host h"
	" WHERE h.job_id = j.id)),"
	" (SELECT CAST(coalesce(sum(images), 0) AS bigint) FROM folded_program f WHERE f.job_id = "
	"j.id),"
	" (SELECT CAST(sum(usertime + systemtime) AS bigint) FROM folded_program f WHERE f.job_id ="
	" j.id) FROM job j WHERE j.id = ?";

/* The same CPU times for each host: recorded processes, the collector's own part, excluded and
 * folded programs. The join with processes is a parameter. */
#define HOSTS_SQL(cpu, own, processes)                                                             \
	"SELECT h.id, " CHARGED ", " cpu ", " own ","                                              \
	" (SELECT CAST(sum(cpu_time) AS bigint) FROM excluded_program x"                           \
	" WHERE x.job_id = h.job_id AND x.host_id = h.id),"                                        \
	" (SELECT CAST(sum(usertime + systemtime) AS bigint) FROM folded_program f"                \
	" WHERE f.job_id = h.job_id AND f.host_id = h.id), h.stop_measured_cpu_us FROM host "      \
	"h " processes "WHERE h.job_id = ?"

static const char hosts_sql[] = HOSTS_SQL(
	"p.cpu_high, p.cpu_low", "p.own_high, p.own_low",
	"LEFT JOIN (SELECT host_id, sum(cpu_time / 1048576) AS cpu_high, sum(cpu_time % 1048576)"
	" AS cpu_low, sum(own_cpu_us / 1048576) AS own_high, sum(own_cpu_us % 1048576) AS own_low"
	" FROM process WHERE job_id = ? GROUP BY host_id) p ON p.host_id = h.id ");

/* Without the totals over processes, for callers that have them. */
static const char bare_hosts_sql[] = HOSTS_SQL("NULL, NULL", "NULL, NULL", "");

/* Columns of job that do not aggregate a single column of processes, in the order of fill_job(). */
static const char *const job_column[] = {
	"start_us",        "end_us",         "duration_us",
	"exit_status",     "exit_signal",    "processes",
	"threads",         "failed",         "killed",
	"running",         "without_end",    "reaped_only",
	"hosts",           "ranks",          "cpus",
	"cpu_time",        "charged_cpu_us", "excluded",
	"excluded_cpu_us", "coverage",       "efficiency",
	"folded",          "folded_cpu_us",  "lost",
	"rejected",        "late",
};

/* Add a column with an unknown value. Returns it. */
static struct pm_jobsummary_value *add_column(struct pm_jobsummary *s, const char *column)
{
	struct pm_jobsummary_value *v = &s->value[s->n++];

	*v = (struct pm_jobsummary_value){ .column = column };
	return v;
}

static void add_int(struct pm_jobsummary *s, const char *column, bool known, int64_t i)
{
	struct pm_jobsummary_value *v = add_column(s, column);

	v->known = known;
	v->i = i;
}

/* Add a value from the current row of a query. */
static void add_from_row(struct pm_jobsummary *s, const char *column, struct pm_stmt *q, int i)
{
	add_int(s, column, !pm_db_is_null(q, i), pm_db_int(q, i));
}

static void add_ratio(struct pm_jobsummary *s, const char *column, bool known, double part,
		      double whole)
{
	struct pm_jobsummary_value *v = add_column(s, column);

	v->real = true;
	v->known = known && whole > 0;
	if (v->known)
		v->r = part / whole;
}

/* Run a query about a job and step to its first row. Returns 0 or -1 with e filled. */
static int query_job(struct pm_db *db, int64_t job_id, const char *sql, struct pm_stmt **q,
		     struct pm_err *e)
{
	if (pm_db_prepare(db, sql, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 1, job_id);
	return pm_db_step(*q, e) < 0 ? -1 : 0;
}

/* Build the query over processes, with totals of columns or without, to be freed by the caller;
 * NULL with e filled. */
static char *process_query(bool columns, struct pm_err *e)
{
	char *select = NULL;
	size_t n;
	FILE *out = open_memstream(&select, &n);

	if (!out) {
		pm_err(e, "out of memory");
		return NULL;
	}
	fputs(process_sql, out);
	for (int i = 0; i < PM_COLUMNS && columns; i++) {
		const char *aggregate = pm_jobtotals_sql((enum pm_column)i);

		if (!aggregate)
			continue;
		if (strcmp(aggregate, "sum") == 0)
			fprintf(out, ", sum(p.%1$s / 1048576), sum(p.%1$s %% 1048576)",
				pm_column_info[i].name);
		else
			fprintf(out, ", %s(p.%s)", aggregate, pm_column_info[i].name);
	}
	fputs(" FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
	      " WHERE p.job_id = ?",
	      out);
	if (!pm_memtext_end(out, &select))
		pm_err(e, "out of memory");
	return select;
}

/* Read a value, or a sum made by SUM_SQL, from the current row of a query. Returns the next column.
 */
static int take_value(struct pm_stmt *q, int at, struct pm_total *to)
{
	*to = (struct pm_total){ .known = !pm_db_is_null(q, at), .v = pm_db_int(q, at) };
	return at + 1;
}

static int take_sum(struct pm_stmt *q, int at, struct pm_total *to)
{
	int next = take_value(q, at, to);

	to->beyond = __builtin_mul_overflow(to->v, 1048576, &to->v) ||
		     __builtin_add_overflow(to->v, pm_db_int(q, next), &to->v);
	to->known = to->known && !to->beyond;
	return next + 1;
}

/* Query the totals over processes, those of columns unless they are in `column`. Returns 0 or -1
 * with e filled. */
static int query_processes(struct pm_db *db, int64_t job_id, const struct pm_total *column,
			   struct pm_jobtotals *totals, struct pm_err *e)
{
	struct pm_stmt *q = NULL;
	char *select = process_query(!column, e);
	int rc = -1, at = 0;

	if (select && query_job(db, job_id, select, &q, e) == 0) {
		for (int i = 0; i < PM_JOBTOTALS_ITEMS; i++)
			at = (i == PM_JOBTOTALS_CPU || i == PM_JOBTOTALS_OWN_CPU
				      ? take_sum
				      : take_value)(q, at, &totals->item[i]);
		for (int c = 0; c < PM_COLUMNS; c++) {
			const char *aggregate = pm_jobtotals_sql((enum pm_column)c);

			if (column)
				totals->column[c] = column[c];
			else if (aggregate)
				at = (*aggregate == 's' ? take_sum
							: take_value)(q, at, &totals->column[c]);
		}
		rc = 0;
	}
	pm_db_finish(q);
	free(select);
	return rc;
}

static void add_total(struct pm_jobsummary *s, const char *column, const struct pm_total *total)
{
	add_int(s, column, total->known, total->v);
}

/* Fill the job's columns from the results of the queries. */
static void fill_job(struct pm_jobsummary *s, struct pm_stmt *host, struct pm_stmt *exits,
		     bool has_exit, const struct pm_jobtotals *totals, struct pm_stmt *excluded,
		     struct pm_stmt *counts)
{
	const struct pm_total *item = totals->item;
	bool start = !pm_db_is_null(host, 0) || item[PM_JOBTOTALS_START].known, end = true;
	int64_t start_us = pm_db_is_null(host, 0) ? item[PM_JOBTOTALS_START].v : pm_db_int(host, 0);
	int64_t end_us = 0, duration;
	/* An unknown value counts as 0 here; its column tells that it is unknown. */
	double cpu = (double)item[PM_JOBTOTALS_CPU].v + (double)pm_db_int(excluded, 1) +
		     (double)pm_db_int(counts, 3);
	bool cpu_known = item[PM_JOBTOTALS_CPU].known ||
			 (!item[PM_JOBTOTALS_CPU].beyond && !pm_db_is_null(excluded, 1));
	const char *const *column = job_column;

	if (!pm_db_is_null(host, 1)) {
		end_us = pm_db_int(host, 1);
	} else {
		end = item[PM_JOBTOTALS_END].known || !pm_db_is_null(host, 6);
		end_us = item[PM_JOBTOTALS_END].v;
		if (!pm_db_is_null(host, 6) && pm_db_int(host, 6) > end_us)
			end_us = pm_db_int(host, 6);
	}
	add_int(s, *column++, start, start_us);
	add_int(s, *column++, end, end_us);
	duration = end_us - start_us;
	if (!pm_db_is_null(host, 2) && pm_db_int(host, 2) >= 0)
		duration = pm_db_int(host, 2);
	else
		end = end && start && duration >= 0;
	add_int(s, *column++, end, duration);
	for (int i = 0; i < 2; i++) {
		if (has_exit)
			add_from_row(s, *column++, exits, i);
		else
			add_column(s, *column++);
	}
	for (int i = PM_JOBTOTALS_PROCESSES; i <= PM_JOBTOTALS_REAPED_ONLY; i++)
		add_total(s, *column++, &item[i]);
	add_from_row(s, *column++, host, 3);
	add_int(s, *column++, item[PM_JOBTOTALS_RANKS].v > 0, item[PM_JOBTOTALS_RANKS].v);
	add_from_row(s, *column++, host, 4);
	add_total(s, *column++, &item[PM_JOBTOTALS_CPU]);
	add_from_row(s, *column++, host, 5);
	add_from_row(s, *column++, excluded, 0);
	add_from_row(s, *column++, excluded, 1);
	add_ratio(s, *column++, cpu_known && !pm_db_is_null(host, 7),
		  cpu + (double)item[PM_JOBTOTALS_OWN_CPU].v, (double)pm_db_int(host, 5));
	/* What running processes have used is not recorded yet. */
	add_ratio(s, *column++,
		  cpu_known && end && !pm_db_is_null(host, 4) && item[PM_JOBTOTALS_RUNNING].v == 0,
		  cpu, (double)duration * (double)pm_db_int(host, 4));
	add_from_row(s, *column++, counts, 2);
	add_from_row(s, *column++, counts, 3);
	add_from_row(s, *column++, counts, 1);
	add_from_row(s, *column++, counts, 0);
	add_total(s, *column++, &item[PM_JOBTOTALS_LATE]);
	for (int i = 0; i < PM_COLUMNS; i++)
		if (pm_jobtotals_sql((enum pm_column)i))
			add_total(s, pm_column_info[i].name, &totals->column[i]);
}

/* `totals`, else `column` or neither, spares asking. */
static int compute_job(struct pm_db *db, int64_t job_id, const struct pm_jobtotals *totals,
		       const struct pm_total *column, struct pm_jobsummary *s, struct pm_err *e)
{
	struct pm_stmt *host = NULL, *exits = NULL, *counts = NULL, *excluded = NULL;
	struct pm_jobtotals found = { .host = NULL };
	int rc = -1, has_exit;

	s->n = 0;
	if (!totals && query_processes(db, job_id, column, &found, e) < 0)
		return -1;
	if (query_job(db, job_id, host_sql, &host, e) < 0 ||
	    query_job(db, job_id, counts_sql, &counts, e) < 0 ||
	    query_job(db, job_id, excluded_sql, &excluded, e) < 0 ||
	    pm_db_prepare(db, exit_sql, &exits, e) < 0)
		goto out;
	pm_db_bind_int(exits, 1, job_id);
	has_exit = pm_db_step(exits, e);
	if (has_exit < 0)
		goto out;
	fill_job(s, host, exits, has_exit, totals ? totals : &found, excluded, counts);
	rc = 0;
out:
	pm_db_finish(host);
	pm_db_finish(exits);
	pm_db_finish(counts);
	pm_db_finish(excluded);
	return rc;
}

int pm_jobsummary_compute(struct pm_db *db, int64_t job_id,
			  const struct pm_total column[PM_COLUMNS], struct pm_jobsummary *s,
			  struct pm_err *e)
{
	return compute_job(db, job_id, NULL, column, s, e);
}

/* Fill a host's columns from the current row of a query over hosts. */
static void fill_host(struct pm_jobsummary *s, struct pm_stmt *q, const struct pm_jobtotals *totals)
{
	int64_t host = pm_db_int(q, 0);
	bool known = !pm_db_is_null(q, 6) || !pm_db_is_null(q, 7);
	double recorded = (double)pm_db_int(q, 6) + (double)pm_db_int(q, 7);
	struct pm_total cpu, own;

	if (totals) {
		cpu = totals->host[host - 1].cpu;
		own = totals->host[host - 1].own_cpu;
	} else {
		take_sum(q, 2, &cpu);
		take_sum(q, 4, &own);
	}
	/* The collector's own CPU time alone does not make the sum known. */
	known = known || cpu.known;
	recorded += (double)cpu.v + (double)own.v;
	add_total(s, "cpu_time", &cpu);
	add_from_row(s, "charged_cpu_us", q, 1);
	add_ratio(s, "coverage", known && !pm_db_is_null(q, 8), recorded, (double)pm_db_int(q, 8));
}

static int each_host(struct pm_db *db, int64_t job_id, const struct pm_jobtotals *totals,
		     int (*each)(void *ctx, int64_t host, const struct pm_jobsummary *s,
				 struct pm_err *e),
		     void *ctx, struct pm_err *e)
{
	struct pm_stmt *q = NULL;
	int rc;

	if (pm_db_prepare(db, totals ? bare_hosts_sql : hosts_sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job_id);
	if (!totals)
		pm_db_bind_int(q, 2, job_id);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_jobsummary s = { .n = 0 };

		fill_host(&s, q, totals);
		if (each(ctx, pm_db_int(q, 0), &s, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

int pm_jobsummary_hosts(struct pm_db *db, int64_t job_id,
			int (*each)(void *ctx, int64_t host, const struct pm_jobsummary *s,
				    struct pm_err *e),
			void *ctx, struct pm_err *e)
{
	return each_host(db, job_id, NULL, each, ctx, e);
}

/* Longest text of an UPDATE: names of columns have some 20 bytes. */
#define UPDATE_MAX ((32 + PM_COLUMNS) * 64)

/* Prepare an UPDATE of a row, of which `begin` is the text up to the columns, with those of the
 * summary. Returns 0 or -1 with e filled. */
static int prepare_update(struct pm_db *db, const char *begin, const struct pm_jobsummary *s,
			  const char *key, struct pm_stmt **q, struct pm_err *e)
{
	char sql[UPDATE_MAX];
	struct pm_buf b;

	pm_buf_init(&b, sql, sizeof sql - 1);
	pm_buf_str(&b, begin);
	for (size_t i = 0; i < s->n; i++) {
		pm_buf_str(&b, i ? ", " : "");
		pm_buf_str(&b, s->value[i].column);
		pm_buf_str(&b, " = ?");
	}
	pm_buf_str(&b, " WHERE ");
	pm_buf_str(&b, key);
	sql[b.len] = '\0';
	return b.truncated ? pm_err(e, "the statement is too long") : pm_db_prepare(db, sql, q, e);
}

/* Bind the summary's values. Returns the next parameter. */
static int bind_values(struct pm_stmt *q, const struct pm_jobsummary *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct pm_jobsummary_value *v = &s->value[i];

		if (v->known && v->real)
			pm_db_bind_real(q, (int)i + 1, v->r);
		else if (v->known)
			pm_db_bind_int(q, (int)i + 1, v->i);
	}
	return (int)s->n + 1;
}

struct host_writer {
	struct pm_db *db;
	int64_t job_id;
	struct pm_stmt *q;
};

static int write_host(void *ctx, int64_t host, const struct pm_jobsummary *s, struct pm_err *e)
{
	struct host_writer *w = ctx;
	int at;

	if (!w->q &&
	    prepare_update(w->db, "UPDATE host SET ", s, "job_id = ? AND id = ?", &w->q, e) < 0)
		return -1;
	at = bind_values(w->q, s);
	pm_db_bind_int(w->q, at, w->job_id);
	pm_db_bind_int(w->q, at + 1, host);
	return pm_db_run(w->q, e);
}

int pm_jobsummary_write(struct pm_db *db, int64_t job_id, const struct pm_jobtotals *totals,
			struct pm_err *e)
{
	struct host_writer w = { .db = db, .job_id = job_id };
	struct pm_stmt *update = NULL;
	struct pm_jobsummary s;
	int rc;

	rc = compute_job(db, job_id, totals, NULL, &s, e);
	if (rc == 0)
		rc = prepare_update(db, "UPDATE job SET analyzed_us = NULL, ", &s, "id = ?",
				    &update, e);
	if (rc == 0) {
		pm_db_bind_int(update, bind_values(update, &s), job_id);
		rc = pm_db_run(update, e);
	}
	pm_db_finish(update);
	if (rc == 0)
		rc = each_host(db, job_id, totals, write_host, &w, e);
	pm_db_finish(w.q);
	return rc < 0 ? pm_err_prefix(e, "job summary") : 0;
}
