/* The step from version 7 of the schema to 8, as SQL; migrate.c says what holds for all steps. */
#ifndef PM_DB_MIGRATE_ENERGY_H
#define PM_DB_MIGRATE_ENERGY_H

/* What GPUs did for processes. */
#define PM_MIGRATE_GPU_COLUMNS(integer)                                                            \
	"ALTER TABLE process ADD COLUMN gpu_time " integer ";"                                     \
	"ALTER TABLE process ADD COLUMN gpu_cycles " integer ";"                                   \
	"ALTER TABLE process ADD COLUMN gpu_memory " integer ";"                                   \
	"ALTER TABLE job ADD COLUMN gpu_time " integer ";"                                         \
	"ALTER TABLE job ADD COLUMN gpu_cycles " integer ";"                                       \
	"ALTER TABLE job ADD COLUMN gpu_memory " integer ";"

/* For lists of jobs in other orders, and of hosts, annotations, and states. */
#define PM_MIGRATE_ORDERS(last, first)                                                             \
	"DROP INDEX IF EXISTS job_by_start; DROP INDEX IF EXISTS job_by_end;"                      \
	"DROP INDEX IF EXISTS job_by_name; DROP INDEX IF EXISTS job_by_account;"                   \
	"DROP INDEX IF EXISTS job_by_queue; DROP INDEX IF EXISTS job_by_exit;"                     \
	"DROP INDEX IF EXISTS job_failed; DROP INDEX IF EXISTS job_running;"                       \
	"DROP INDEX IF EXISTS host_by_name; DROP INDEX IF EXISTS annotation_by_name;"              \
	"CREATE INDEX job_by_start ON job (start_us DESC" last ", id DESC, duration_us, cpu_time," \
	" rssmax, processes, efficiency);"                                                         \
	"CREATE INDEX job_by_end ON job ((coalesce(end_us, start_us, epoch_us)) DESC" last         \
	", id DESC);"                                                                              \
	"CREATE INDEX job_by_name ON job ((substr(name, 1, 100))" first ", start_us DESC" last     \
	", id DESC);"                                                                              \
	"CREATE INDEX job_by_account ON job ((substr(account, 1, 100))" first                      \
	", start_us DESC" last ", id DESC);"                                                       \
	"CREATE INDEX job_by_queue ON job ((substr(queue, 1, 100))" first ", start_us DESC" last   \
	", id DESC);"                                                                              \
	"CREATE INDEX job_by_exit ON job (exit_status DESC" last ", exit_signal DESC" last         \
	", id DESC);"                                                                              \
	"CREATE INDEX job_failed ON job (start_us DESC" last ", id DESC)"                          \
	" WHERE exit_status <> 0 OR exit_signal IS NOT NULL;"                                      \
	"CREATE INDEX job_running ON job (start_us DESC" last ", id DESC) WHERE running > 0;"      \
	"CREATE INDEX host_by_name ON host ((substr(hostname, 1, 100)), job_id);"                  \
	"CREATE INDEX annotation_by_name ON annotation (name, (substr(value, 1, 100)));"

/* The energy of meters, of hosts and of jobs; pm_energy_fill() fills them. */
#define PM_MIGRATE_ENERGY(integer, text, real)                                                     \
	"CREATE TABLE energy (job_id " integer " NOT NULL, host_id " integer                       \
	" NOT NULL, id " integer " NOT NULL, part " text " NOT NULL, source " text                 \
	" NOT NULL, meter " text " NOT NULL, method " text " NOT NULL, energy_uj " integer         \
	", mean_uw " integer ", peak_uw " integer ", covered_us " integer                          \
	" NOT NULL, lost " integer " NOT NULL, in_part " integer " NOT NULL, in_total " integer    \
	" NOT NULL, reason " text ", PRIMARY KEY (job_id, host_id, id), FOREIGN "                  \
	"KEY (job_id, host_id) REFERENCES host (job_id, id) ON DELETE CASCADE);"                   \
	"ALTER TABLE job ADD COLUMN energy_uj " integer ";"                                        \
	"ALTER TABLE job ADD COLUMN energy_mean_uw " integer ";"                                   \
	"ALTER TABLE job ADD COLUMN energy_peak_uw " integer ";"                                   \
	"ALTER TABLE job ADD COLUMN energy_method " text ";"                                       \
	"ALTER TABLE job ADD COLUMN energy_hosts " integer ";"                                     \
	"ALTER TABLE job ADD COLUMN energy_coverage " real ";"                                     \
	"ALTER TABLE host ADD COLUMN energy_uj " integer ";"                                       \
	"ALTER TABLE host ADD COLUMN energy_mean_uw " integer ";"                                  \
	"ALTER TABLE host ADD COLUMN energy_peak_uw " integer ";"                                  \
	"ALTER TABLE host ADD COLUMN energy_method " text ";"                                      \
	"ALTER TABLE host ADD COLUMN energy_parts " text ";"                                       \
	"ALTER TABLE host ADD COLUMN energy_covered_us " integer ";"                               \
	"ALTER TABLE host ADD COLUMN energy_time_us " integer ";"                                  \
	"ALTER TABLE host ADD COLUMN energy_reason " text ";"

#endif
