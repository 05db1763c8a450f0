/* The summary of a job: from its hosts and processes, whatever loads they came by. */
#include "config.h"

#include "submit/write.h"

#include "common/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is computed from the hosts. A time of the job is that of its hosts' starts and stops, and of
 * the processes where a host has none. Sums over hosts are unknown when one of them is. What the
 * batch system gave the job counts before what start found itself allowed: that may be one task's.
 */
static const char host_sql[] =
	"SELECT min(start_time_us), CASE WHEN count(stop_time_us) = count(*) THEN "
	"max(stop_time_us) END,"
	" CASE WHEN count(*) = 1 THEN max(stop_monotonic_us - start_monotonic_us) END,"
	" count(*), CASE WHEN count(coalesce(cpus_allocated, cpus_allowed)) = count(*) THEN"
	" sum(CASE WHEN cpus_allocated > cpus_online THEN cpus_online"
	" ELSE coalesce(cpus_allocated, cpus_allowed) END) END,"
	" CASE WHEN count(*) = count(coalesce(stop_charged_cpu_us, stop_cgroup_cpu_us - "
	"start_cgroup_cpu_us))"
	" THEN sum(coalesce(stop_charged_cpu_us, stop_cgroup_cpu_us - start_cgroup_cpu_us)) END,"
	" max(stop_time_us) "
	"FROM host WHERE job_id = ?";

static const char exit_sql[] =
	"SELECT stop_exit_status, stop_exit_signal FROM host WHERE job_id = ? AND "
	"(stop_exit_status IS NOT NULL OR stop_exit_signal IS NOT NULL) ORDER BY id LIMIT 1";

static const char process_sql[] =
	"SELECT min(p.start_us), max(p.end_us), count(*),"
	" sum(CASE WHEN p.numtids > 1 THEN p.numtids ELSE 1 END),"
	" sum(CASE WHEN p.exitcode <> 0 OR p.exitsignal IS NOT NULL OR p.end_reason = 'signal'"
	" THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.exitsignal IS NOT NULL OR p.end_reason = 'signal' THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.end_reason = 'running' THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.image_us IS NOT NULL AND (p.numtids IS NULL OR p.last_call IS NOT NULL)"
	" THEN 1 ELSE 0 END),"
	" sum(CASE WHEN p.image_us IS NULL OR p.path IS NULL AND p.numtids IS NULL THEN 1 ELSE 0 "
	"END),"
	" count(DISTINCT p.mpirank), sum(p.cpu_time), sum(p.own_cpu_us),"
	" sum(CASE WHEN p.end_us > h.stop_time_us THEN 1 ELSE 0 END)";

static const char excluded_sql[] =
	"SELECT coalesce(sum(images), 0), sum(cpu_time) FROM excluded_program WHERE job_id = ?";

/* Nothing is known to be lost only where every host had a tally. */
static const char counts_sql[] =
	"SELECT (SELECT count(*) FROM reject r WHERE r.job_id = j.id),"
	" coalesce((SELECT CAST(sum(lines) AS bigint) FROM lost l WHERE l.job_id = j.id),"
	" (SELECT CASE WHEN count(*) > 0 AND count(stop_lost) = count(*) THEN 0 END FROM host h"
	" WHERE h.job_id = j.id)),"
	" (SELECT CAST(coalesce(sum(images), 0) AS bigint) FROM folded_program f WHERE f.job_id = "
	"j.id),"
	" (SELECT CAST(sum(usertime + systemtime) AS bigint) FROM folded_program f WHERE f.job_id ="
	" j.id) FROM job j WHERE j.id = ?";

/* As of the job, of each host; recorded: processes with the collector's part, excluded, folded. */
static const char hosts_sql[] =
	"SELECT h.id, coalesce(h.stop_charged_cpu_us, h.stop_cgroup_cpu_us - "
	"h.start_cgroup_cpu_us), p.cpu, p.own,"
	" (SELECT CAST(sum(cpu_time) AS bigint) FROM excluded_program x"
	" WHERE x.job_id = h.job_id AND x.host_id = h.id),"
	" (SELECT CAST(sum(usertime + systemtime) AS bigint) FROM folded_program f"
	" WHERE f.job_id = h.job_id AND f.host_id = h.id)"
	" FROM host h LEFT JOIN (SELECT host_id, CAST(sum(cpu_time) AS bigint) AS cpu,"
	" CAST(sum(own_cpu_us) AS bigint) AS own FROM process WHERE job_id = ? GROUP BY host_id) p"
	" ON p.host_id = h.id WHERE h.job_id = ?";

struct summary {
	struct pm_db *db;
	int64_t job_id;
	struct pm_stmt *update;
	int at; /* next parameter of update */
};

/* Take a value of the current row over into the update, or NULL. */
static void take(struct summary *s, struct pm_stmt *q, int i)
{
	if (!pm_db_is_null(q, i))
		pm_db_bind_int(s->update, s->at, pm_db_int(q, i));
	s->at++;
}

static int query(struct summary *s, const char *sql, struct pm_stmt **q, struct pm_err *e)
{
	if (pm_db_prepare(s->db, sql, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 1, s->job_id);
	return pm_db_step(*q, e) < 0 ? -1 : 0;
}

/* The aggregate of a column over processes, or NULL where the job has none of it. */
static const char *aggregate(const struct pm_column_info *c)
{
	switch (c->kind) {
	case PM_KIND_COUNTER:
	case PM_KIND_OWN:
		return "sum";
	case PM_KIND_PEAK:
		return "max";
	default:
		return NULL;
	}
}

/* The query over processes and the update of the job, as texts to be freed. */
static int build(char **select, char **update, struct pm_err *e)
{
	size_t n;
	FILE *out = open_memstream(select, &n), *up = open_memstream(update, &n);

	if (!out || !up) {
		if (out)
			fclose(out);
		if (up)
			fclose(up);
		return pm_err(e, "out of memory");
	}
	fputs(process_sql, out);
	fputs("UPDATE job SET start_us = ?, end_us = ?, duration_us = ?, exit_status = ?,"
	      " exit_signal = ?, processes = ?, threads = ?, failed = ?, killed = ?, running = ?,"
	      " without_end = ?, reaped_only = ?, hosts = ?, ranks = ?, cpus = ?, cpu_time = ?,"
	      " charged_cpu_us = ?, excluded = ?, excluded_cpu_us = ?, coverage = ?, efficiency = "
	      "?, folded = ?, folded_cpu_us = ?, lost = ?, rejected = ?, late = ?",
	      up);
	for (int i = 0; i < PM_COLUMNS; i++) {
		const struct pm_column_info *c = &pm_column_info[i];

		if (!aggregate(c))
			continue;
		fprintf(out, ", %s(p.%s)", aggregate(c), c->name);
		fprintf(up, ", %s = ?", c->name);
	}
	fputs(" FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
	      " WHERE p.job_id = ?",
	      out);
	fputs(" WHERE id = ?", up);
	return fclose(out) != 0 || fclose(up) != 0 ? pm_err(e, "out of memory") : 0;
}

static void bind_ratio(struct summary *s, bool known, double part, double whole)
{
	if (known && whole > 0)
		pm_db_bind_real(s->update, s->at, part / whole);
	s->at++;
}

/* Bind everything to the update, in its order. */
static void fill(struct summary *s, struct pm_stmt *host, struct pm_stmt *exits, bool has_exit,
		 struct pm_stmt *process, struct pm_stmt *excluded, struct pm_stmt *counts)
{
	bool start = !pm_db_is_null(host, 0) || !pm_db_is_null(process, 0), end = true;
	int64_t start_us = pm_db_is_null(host, 0) ? pm_db_int(process, 0) : pm_db_int(host, 0);
	int64_t end_us = 0, duration;
	/* Nothing known is 0 here; the columns themselves say so. */
	int64_t cpu = pm_db_int(process, 10) + pm_db_int(excluded, 1) + pm_db_int(counts, 3);
	bool cpu_known = !pm_db_is_null(process, 10) || !pm_db_is_null(excluded, 1);

	if (!pm_db_is_null(host, 1)) {
		end_us = pm_db_int(host, 1);
	} else {
		end = !pm_db_is_null(process, 1) || !pm_db_is_null(host, 6);
		end_us = pm_db_int(process, 1);
		if (!pm_db_is_null(host, 6) && pm_db_int(host, 6) > end_us)
			end_us = pm_db_int(host, 6);
	}
	if (start)
		pm_db_bind_int(s->update, 1, start_us);
	if (end)
		pm_db_bind_int(s->update, 2, end_us);
	duration = end_us - start_us;
	if (!pm_db_is_null(host, 2) && pm_db_int(host, 2) >= 0)
		duration = pm_db_int(host, 2);
	else
		end = end && start && duration >= 0;
	if (end)
		pm_db_bind_int(s->update, 3, duration);
	s->at = 4;
	for (int i = 0; i < 2; i++) {
		if (has_exit)
			take(s, exits, i);
		else
			s->at++;
	}
	for (int i = 2; i <= 8; i++)
		take(s, process, i);
	take(s, host, 3);
	if (pm_db_int(process, 9) > 0)
		take(s, process, 9);
	else
		s->at++;
	take(s, host, 4);
	take(s, process, 10);
	take(s, host, 5);
	take(s, excluded, 0);
	take(s, excluded, 1);
	bind_ratio(s, cpu_known && !pm_db_is_null(host, 5),
		   (double)cpu + (double)pm_db_int(process, 11), (double)pm_db_int(host, 5));
	bind_ratio(s, cpu_known && end && !pm_db_is_null(host, 4), (double)cpu,
		   (double)duration * (double)pm_db_int(host, 4));
	take(s, counts, 2);
	take(s, counts, 3);
	take(s, counts, 1);
	take(s, counts, 0);
	take(s, process, 12);
	for (int i = 13; i < pm_db_columns(process); i++)
		take(s, process, i);
	pm_db_bind_int(s->update, s->at, s->job_id);
}

static int write_hosts(struct pm_db *db, int64_t job_id, struct pm_err *e)
{
	struct pm_stmt *q = NULL, *update = NULL;
	int rc = -1;

	if (pm_db_prepare(db, hosts_sql, &q, e) < 0 ||
	    pm_db_prepare(db,
			  "UPDATE host SET cpu_time = ?, charged_cpu_us = ?, coverage = ?"
			  " WHERE job_id = ? AND id = ?",
			  &update, e) < 0)
		goto out;
	pm_db_bind_int(q, 1, job_id);
	pm_db_bind_int(q, 2, job_id);
	while ((rc = pm_db_step(q, e)) > 0) {
		int64_t charged = pm_db_int(q, 1);
		double recorded = 0;
		bool known = false;

		for (int i = 2; i < 6; i++) {
			/* The collector's own alone says nothing. */
			known |= i != 3 && !pm_db_is_null(q, i);
			recorded += (double)pm_db_int(q, i);
		}
		if (!pm_db_is_null(q, 2))
			pm_db_bind_int(update, 1, pm_db_int(q, 2));
		if (!pm_db_is_null(q, 1))
			pm_db_bind_int(update, 2, charged);
		if (known && charged > 0)
			pm_db_bind_real(update, 3, recorded / (double)charged);
		pm_db_bind_int(update, 4, job_id);
		pm_db_bind_int(update, 5, pm_db_int(q, 0));
		if (pm_db_run(update, e) < 0) {
			rc = -1;
			break;
		}
	}
out:
	pm_db_finish(q);
	pm_db_finish(update);
	return rc;
}

int pm_summary_write(struct pm_db *db, int64_t job_id, struct pm_err *e)
{
	struct summary s = { .db = db, .job_id = job_id };
	struct pm_stmt *host = NULL, *exits = NULL, *process = NULL, *counts = NULL,
		       *excluded = NULL;
	char *select = NULL, *update = NULL;
	int rc = -1, has_exit;

	if (build(&select, &update, e) < 0 || query(&s, host_sql, &host, e) < 0 ||
	    query(&s, select, &process, e) < 0 || query(&s, counts_sql, &counts, e) < 0 ||
	    query(&s, excluded_sql, &excluded, e) < 0 ||
	    pm_db_prepare(db, exit_sql, &exits, e) < 0 ||
	    pm_db_prepare(db, update, &s.update, e) < 0)
		goto out;
	pm_db_bind_int(exits, 1, job_id);
	has_exit = pm_db_step(exits, e);
	if (has_exit < 0)
		goto out;
	fill(&s, host, exits, has_exit, process, excluded, counts);
	rc = pm_db_run(s.update, e);
	if (rc == 0)
		rc = write_hosts(db, job_id, e);
out:
	pm_db_finish(host);
	pm_db_finish(exits);
	pm_db_finish(process);
	pm_db_finish(counts);
	pm_db_finish(excluded);
	pm_db_finish(s.update);
	free(select);
	free(update);
	return rc < 0 ? pm_err_prefix(e, "job summary") : 0;
}
