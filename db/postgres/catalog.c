/* Queries of PostgreSQL's catalog. */
#include "config.h"

#include "db/postgres/catalog.h"

#define KIND                                                                                       \
	"CASE c.relkind WHEN 'v' THEN 'view' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' "         \
	"ELSE 'table' END AS kind"
#define NAMES                                                                                      \
	"SELECT CAST(c.relname AS text) AS name, " KIND                                            \
	", CAST(coalesce(t.relname, c.relname) AS text) AS tbl"
/* Without partitions, and without objects of extensions. With EXISTS, the server may read what it
 * has of all partitions into a hash. */
#define OURS                                                                                       \
	" FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid "                           \
	"LEFT JOIN pg_class t ON t.oid = i.indrelid "                                              \
	"WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = "                    \
	"current_schema()) AND NOT c.relispartition AND (SELECT 1 FROM pg_depend d "               \
	"WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e' "          \
	"LIMIT 1) IS NULL"

/* What OURS has, without the indexes of constraints. */
const char pm_pgcatalog_parts[] =
	NAMES OURS " AND c.relkind IN ('r', 'p', 'v', 'i', 'I') AND NOT EXISTS "
		   "(SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid)";

/* With the indexes of constraints, which take space. Partitions count for their table. */
const char pm_pgcatalog_sizes[] =
	NAMES ", CASE WHEN c.relkind IN ('p', 'I') THEN (SELECT CAST(coalesce(sum("
	      "pg_table_size(x.relid)), 0) AS bigint) FROM pg_partition_tree(c.oid) x) "
	      "ELSE pg_table_size(c.oid) END AS bytes" OURS
	      " AND c.relkind IN ('r', 'p', 'i', 'I') ORDER BY 1";

const char pm_pgcatalog_size[] =
	"SELECT pg_database_size(current_database()), CAST(NULL AS bigint)";

/* The server tells the size of a tablespace only to roles that may use it. */
const char pm_pgcatalog_spaces[] =
	"SELECT CAST(spcname AS text), CASE WHEN has_tablespace_privilege(oid, 'CREATE') OR "
	"spcname = 'pg_default' OR pg_has_role('pg_read_all_stats', 'MEMBER') "
	"THEN pg_tablespace_size(oid) END FROM pg_tablespace ORDER BY 1";

const char pm_pgcatalog_unanalyzed[] =
	"SELECT count(*) FROM pg_stat_user_tables WHERE schemaname = current_schema() AND "
	"last_analyze IS NULL AND last_autoanalyze IS NULL AND n_live_tup > 1000";

const char pm_pgcatalog_sees_all[] =
	"SELECT CASE WHEN row_security_active('job') THEN 0 ELSE 1 END";
