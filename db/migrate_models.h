/* The step from version 8 of the schema to 9, as SQL; migrate.c says what holds for all steps. */
#ifndef PM_DB_MIGRATE_MODELS_H
#define PM_DB_MIGRATE_MODELS_H

/* Reference models, analyses of jobs, and which jobs were not analyzed. */
#define PM_MIGRATE_MODELS(integer, text, real, narrow)                                             \
	"ALTER TABLE job ADD COLUMN analyzed_us " integer ";"                                      \
	"CREATE INDEX job_unanalyzed ON job (id) WHERE analyzed_us IS NULL AND "                   \
	"coalesce(running, 0) = 0;"                                                                \
	"CREATE TABLE model (name " text " NOT NULL, enabled " integer                             \
	" NOT NULL, created_us " integer ", created_by " text ", jobs " integer                    \
	" NOT NULL, job_group " text ", tags " text ", methods " text                              \
	" NOT NULL, PRIMARY KEY (name));"                                                          \
	"CREATE TABLE model_job (job_id " integer " NOT NULL, model " text                         \
	" NOT NULL, PRIMARY KEY (model, job_id), FOREIGN KEY (job_id) REFERENCES job (id) ON "     \
	"DELETE CASCADE, FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE)" narrow    \
	"CREATE INDEX model_of_job ON model_job (job_id);"                                         \
	"CREATE TABLE model_feature (model " text " NOT NULL, operation " text                     \
	" NOT NULL, feature " text " NOT NULL, method " text " NOT NULL, known " integer           \
	" NOT NULL, share " real ", least " real ", greatest " real ", low " real ", high " real   \
	", score " real ", centre " real ", spread " real                                          \
	", PRIMARY KEY (model, operation, feature, method), FOREIGN KEY "                          \
	"(model) REFERENCES model (name) ON DELETE CASCADE);"                                      \
	"CREATE TABLE model_component (model " text " NOT NULL, component " integer                \
	" NOT NULL, feature " text " NOT NULL, centre " real ", deviation " real ", loading " real \
	", PRIMARY KEY (model, component, feature), FOREIGN KEY (model) "                          \
	"REFERENCES model (name) ON DELETE CASCADE);"                                              \
	"CREATE TABLE analysis (job_id " integer " NOT NULL, name " text " NOT NULL, model " text  \
	" NOT NULL, analyzed_us " integer ", found " integer ", result " text ", told_us " integer \
	", PRIMARY KEY (job_id, name, model), FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE " \
	"CASCADE);"                                                                                \
	"CREATE INDEX analysis_untold ON analysis (job_id) WHERE found > 0 AND told_us IS NULL;"

#endif
