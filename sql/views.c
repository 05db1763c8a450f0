/* The views that people query. Both engines get the same SQL, except where numbers are
 * truncated. */
#include "config.h"

#include "sql/schema.h"

/*
 * Integer arithmetic makes microseconds seconds to the nearest thousandth, the same to the last bit
 * in both engines. An expression between %1$s and %2$s is truncated to an integer: the engines
 * round halves differently.
 */
static const char views[] =
	"\n-- one readable line per job: seconds, MB (1e6 bytes), percent\n"
	"CREATE VIEW job_summary AS\n"
	"SELECT id, jobid AS job, \"user\", name, scheduler,\n"
	"\tCAST(duration_us / 1000 + duration_us %% 1000 / 500 AS double precision) / 1000 AS "
	"wall_s,\n"
	"\tCAST(cpu_time / 1000 + cpu_time %% 1000 / 500 AS double precision) / 1000 AS cpu_s,\n"
	"\tcpus, %1$s1000 * efficiency + 0.5%2$s / 10.0 AS efficiency_pct,\n"
	"\t%1$sCAST(rssmax AS double precision) / 97.65625 + 0.5%2$s / 10.0 AS peak_mb,\n"
	"\t%1$sCAST(read_bytes AS double precision) / 100000 + 0.5%2$s / 10.0 AS read_mb,\n"
	"\t%1$sCAST(write_bytes AS double precision) / 100000 + 0.5%2$s / 10.0 AS written_mb,\n"
	"\thosts, processes, threads, failed, killed, rejected,\n"
	"\t%1$s1000 * coverage + 0.5%2$s / 10.0 AS coverage_pct,\n"
	"\texit_status, exit_signal, start_us, end_us,\n"
	"\tenergy_uj, CAST(energy_uj AS double precision) / 1000000 AS energy_j,\n"
	"\tCAST(energy_mean_uw AS double precision) / 1000000 AS mean_w,\n"
	"\tCAST(energy_peak_uw AS double precision) / 1000000 AS peak_w, energy_method, "
	"energy_hosts,\n"
	"\t%1$s1000 * energy_coverage + 0.5%2$s / 10.0 AS energy_pct\n"
	"FROM job;\n"
	"\n-- the processes of a job in depth-first order, names indented; ORDER BY job_id, id\n"
	"CREATE VIEW process_tree AS\n"
	"SELECT p.job_id, p.id, p.parent_id, p.depth,\n"
	"\tsubstr('                                        ', 1, CAST(2 * p.depth AS integer)) ||\n"
	"\tcoalesce(p.exename, '?') AS process, p.pid, h.hostname,\n"
	"\tCAST(p.duration_us / 1000 + p.duration_us %% 1000 / 500 AS double precision) / 1000 AS "
	"wall_s,\n"
	"\tCAST(p.cpu_time / 1000 + p.cpu_time %% 1000 / 500 AS double precision) / 1000 AS "
	"cpu_s,\n"
	"\tCAST(p.inclusive_cpu_time / 1000 + p.inclusive_cpu_time %% 1000 / 500 AS double "
	"precision) / 1000 AS tree_cpu_s,\n"
	"\tp.rssmax, p.end_reason, p.exitcode, p.exitsignal, p.args,\n"
	"\tCASE WHEN h.cpu_time > 0 THEN CAST(h.energy_uj AS double precision) * p.cpu_time / "
	"h.cpu_time /\n\t1000000 END AS energy_estimate_j\n"
	"FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id;\n"
	"\n-- every tag of the job itself, process_id 0, and of every process\n"
	"CREATE VIEW tag AS\n"
	"SELECT job_id, 0 AS process_id, name, value FROM tag_set WHERE id = 0\n"
	"UNION ALL SELECT p.job_id, p.id, s.name, s.value FROM process p\n"
	"\tJOIN tag_set s ON s.job_id = p.job_id AND s.id = p.tag_set;\n"
	"\n-- sum of each event over all processes of a job: NULL for rates, the largest value "
	"where "
	"scope\n"
	"-- is node; unknown: processes in which it could not be counted; unrecorded: those "
	"without "
	"a row\n"
	"CREATE VIEW counter_summary AS\n"
	"SELECT c.job_id, c.name,\n"
	"\tCASE max(c.scope) WHEN 'node' THEN max(c.value) WHEN 'rate' THEN NULL ELSE sum(c.value) "
	"END\n"
	"\tAS value, count(c.value) AS processes, count(*) - count(c.value) AS unknown,\n"
	"\t(SELECT count(*) FROM process p WHERE p.job_id = c.job_id) - count(*) AS unrecorded,\n"
	"\tmin(c.ratio) AS least_ratio, min(c.reason) AS reason, max(c.scope) AS scope\n"
	"FROM counter c WHERE c.thread_id = 0 GROUP BY c.job_id, c.name;\n"
	"\n-- the processes of a job that have a tag: sums of what is known, with the number of "
	"processes\n-- that know it; perfmon ops has the union of their times\n"
	"CREATE VIEW operation AS\n"
	"SELECT t.job_id, s.name, s.value, CAST(sum(t.processes) AS bigint) AS processes,\n"
	"\tCASE WHEN max(CASE WHEN t.numtids IS NULL AND t.numtids_known > 0 THEN 1 ELSE 0 END) = 0 THEN\n"
	"\t\tsum(t.numtids) END AS threads, CAST(sum(t.numtids_known) AS bigint) AS threads_known,\n"
	"\tmin(t.start_us) AS start_us, max(t.finish_us) AS finish_us,\n"
	"\tCASE WHEN max(CASE WHEN t.duration_us IS NULL AND t.duration_us_known > 0 THEN 1 ELSE 0 END) = 0 THEN\n"
	"\t\tsum(t.duration_us) END AS duration_sum_us,\n"
	"\tCAST(sum(t.duration_us_known) AS bigint) AS duration_known,\n"
	"\tCASE WHEN max(CASE WHEN t.cpu_time IS NULL AND t.cpu_time_known > 0 THEN 1 ELSE 0 END) = 0 THEN\n"
	"\t\tsum(t.cpu_time) END AS cpu_time, CAST(sum(t.cpu_time_known) AS bigint) AS cpu_time_known\n"
	"FROM tag_summary t JOIN tag_set s ON s.job_id = t.job_id AND s.id = t.tag_set\n"
	"GROUP BY t.job_id, s.name, s.value\n"
	"UNION ALL SELECT j.id, s.name, s.value, count(*), sum(p.numtids), count(p.numtids),\n"
	"\tmin(p.start_us), max(p.end_us), sum(p.duration_us), count(p.duration_us),\n"
	"\tsum(p.cpu_time), count(p.cpu_time)\n"
	"FROM job j CROSS JOIN process p JOIN tag_set s ON s.job_id = p.job_id AND s.id = p.tag_set\n"
	"WHERE p.job_id = j.id AND NOT EXISTS (SELECT 1 FROM tag_summary t WHERE t.job_id = j.id)\n"
	"GROUP BY j.id, s.name, s.value;\n";

void pm_schema_write_views(enum pm_dialect dialect, FILE *out)
{
	bool sqlite = dialect == PM_DIALECT_SQLITE;

	fprintf(out, views, sqlite ? "CAST(" : "floor(", sqlite ? " AS bigint)" : ")");
}
