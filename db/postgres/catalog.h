/* Queries of PostgreSQL's catalog: the texts of struct pm_db_engine (db/engine.h). */
#ifndef PM_DB_POSTGRES_CATALOG_H
#define PM_DB_POSTGRES_CATALOG_H

extern const char pm_pgcatalog_parts[]; /* catalog */
extern const char pm_pgcatalog_sizes[], pm_pgcatalog_size[], pm_pgcatalog_spaces[];
extern const char pm_pgcatalog_unanalyzed[], pm_pgcatalog_sees_all[];

#endif
