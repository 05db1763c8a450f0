/* Part of the step from version 8 of the schema to 9, as SQL; migrate.c says what holds for all
 * steps. */
#ifndef PM_DB_MIGRATE_ZONES_H
#define PM_DB_MIGRATE_ZONES_H

/* Bounds of the figures of jobs by zones, of SQLite. */
#define PM_MIGRATE_ZONES_WIDEN                                                                     \
	"INSERT INTO job_zone VALUES (NEW.id / 256, NEW.duration_us, "                             \
	"NEW.duration_us, NEW.cpu_time, NEW.cpu_time, NEW.rssmax, NEW.rssmax, "                    \
	"NEW.processes, NEW.processes, NEW.efficiency, NEW.efficiency) ON "                        \
	"CONFLICT (zone) DO UPDATE SET least_duration_us = "                                       \
	"min(least_duration_us, excluded.least_duration_us), most_duration_us "                    \
	"= max(coalesce(most_duration_us, excluded.most_duration_us), "                            \
	"coalesce(excluded.most_duration_us, most_duration_us)), "                                 \
	"least_cpu_time = min(least_cpu_time, excluded.least_cpu_time), "                          \
	"most_cpu_time = max(coalesce(most_cpu_time, excluded.most_cpu_time), "                    \
	"coalesce(excluded.most_cpu_time, most_cpu_time)), least_rssmax = "                        \
	"min(least_rssmax, excluded.least_rssmax), most_rssmax = "                                 \
	"max(coalesce(most_rssmax, excluded.most_rssmax), "                                        \
	"coalesce(excluded.most_rssmax, most_rssmax)), least_processes = "                         \
	"min(least_processes, excluded.least_processes), most_processes = "                        \
	"max(coalesce(most_processes, excluded.most_processes), "                                  \
	"coalesce(excluded.most_processes, most_processes)), least_efficiency "                    \
	"= min(least_efficiency, excluded.least_efficiency), most_efficiency = "                   \
	"max(coalesce(most_efficiency, excluded.most_efficiency), "                                \
	"coalesce(excluded.most_efficiency, most_efficiency)); END;"

#define PM_MIGRATE_ZONES                                                                           \
	"CREATE TABLE job_zone (zone INTEGER PRIMARY KEY, least_duration_us, "                     \
	"most_duration_us, least_cpu_time, most_cpu_time, least_rssmax, "                          \
	"most_rssmax, least_processes, most_processes, least_efficiency, "                         \
	"most_efficiency);"                                                                        \
	"INSERT INTO job_zone SELECT id / 256, CASE WHEN count(*) = "                              \
	"count(duration_us) THEN min(duration_us) END, max(duration_us), CASE "                    \
	"WHEN count(*) = count(cpu_time) THEN min(cpu_time) END, "                                 \
	"max(cpu_time), CASE WHEN count(*) = count(rssmax) THEN min(rssmax) "                      \
	"END, max(rssmax), CASE WHEN count(*) = count(processes) THEN "                            \
	"min(processes) END, max(processes), CASE WHEN count(*) = "                                \
	"count(efficiency) THEN min(efficiency) END, max(efficiency) FROM job "                    \
	"GROUP BY 1;"                                                                              \
	"CREATE TRIGGER job_zone_insert AFTER INSERT ON job WHEN NEW.processes "                   \
	"IS NOT NULL BEGIN " PM_MIGRATE_ZONES_WIDEN                                                \
	"CREATE TRIGGER job_zone_update AFTER UPDATE OF duration_us, cpu_time, "                   \
	"rssmax, processes, efficiency ON job BEGIN " PM_MIGRATE_ZONES_WIDEN

/* Indexes of them, of PostgreSQL. */
#define PM_MIGRATE_FIGURES(last)                                                                   \
	"CREATE INDEX job_by_duration_us ON job (duration_us DESC" last ", id DESC);"              \
	"CREATE INDEX job_by_cpu_time ON job (cpu_time DESC" last ", id DESC);"                    \
	"CREATE INDEX job_by_rssmax ON job (rssmax DESC" last ", id DESC);"                        \
	"CREATE INDEX job_by_processes ON job (processes DESC" last ", id DESC);"                  \
	"CREATE INDEX job_by_efficiency ON job (efficiency DESC" last ", id DESC);"

#endif
