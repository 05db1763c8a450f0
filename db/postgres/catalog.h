/* What PostgreSQL's own catalog is asked: the texts of struct pm_db_engine (db/engine.h). */
#ifndef PM_PGCATALOG_H
#define PM_PGCATALOG_H

extern const char pm_pgcatalog_parts[]; /* catalog */
extern const char pm_pgcatalog_sizes[], pm_pgcatalog_size[], pm_pgcatalog_spaces[];

#endif
