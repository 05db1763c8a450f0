/* The views for people: one text that SQLite and PostgreSQL both read. */
#include "config.h"

#include "sql/schema.h"

const char pm_schema_views[] =
	"\n-- one readable line per job: seconds, MB (1e6 bytes), percent\n"
	"CREATE VIEW job_summary AS\n"
	"SELECT id, jobid AS job, \"user\", name, scheduler,\n"
	"\tround(CAST(duration_us / 1e6 AS numeric), 3) AS wall_s,\n"
	"\tround(CAST(cpu_time / 1e6 AS numeric), 3) AS cpu_s,\n"
	"\tcpus, round(CAST(100 * efficiency AS numeric), 1) AS efficiency_pct,\n"
	"\tround(CAST(rssmax / 976.5625 AS numeric), 1) AS peak_mb,\n"
	"\tround(CAST(read_bytes / 1e6 AS numeric), 1) AS read_mb,\n"
	"\tround(CAST(write_bytes / 1e6 AS numeric), 1) AS written_mb,\n"
	"\thosts, processes, threads, failed, killed, rejected,\n"
	"\tround(CAST(100 * coverage AS numeric), 1) AS coverage_pct,\n"
	"\texit_status, exit_signal, start_us, end_us\n"
	"FROM job;\n"
	"\n-- the processes of a job in depth-first order, names indented; ORDER BY job_id, id\n"
	"CREATE VIEW process_tree AS\n"
	"SELECT p.job_id, p.id, p.parent_id, p.depth,\n"
	"\tsubstr('                                        ', 1, CAST(2 * p.depth AS integer)) ||\n"
	"\tcoalesce(p.exename, '?') AS process, p.pid, h.hostname,\n"
	"\tround(CAST(p.duration_us / 1e6 AS numeric), 3) AS wall_s,\n"
	"\tround(CAST(p.cpu_time / 1e6 AS numeric), 3) AS cpu_s,\n"
	"\tround(CAST(p.inclusive_cpu_time / 1e6 AS numeric), 3) AS tree_cpu_s,\n"
	"\tp.rssmax, p.end_reason, p.exitcode, p.exitsignal, p.args\n"
	"FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id;\n";
