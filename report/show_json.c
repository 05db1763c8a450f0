/* A whole job as JSON. */
#include "config.h"

#include "report/show_json.h"

#include "report/print/values.h"

int pm_show_json(FILE *f, struct pm_db *db, int64_t job, int64_t limit, struct pm_err *e)
{
	static const struct {
		const char *name;
		enum pm_values_text text;
		const char *sql;
	} part[] = {
		{ "job", PM_VALUES_PLAIN, "SELECT * FROM job WHERE id = ? LIMIT ?" },
		{ "hosts", PM_VALUES_PLAIN,
		  "SELECT * FROM host WHERE job_id = ? ORDER BY id LIMIT ?" },
		{ "processes", PM_VALUES_ESCAPED,
		  "SELECT p.*, h.hostname, h.boot_id FROM process p"
		  " JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id WHERE p.job_id = ?"
		  " ORDER BY p.id LIMIT ?" },
		{ "threads", PM_VALUES_ESCAPED,
		  "SELECT * FROM thread WHERE job_id = ? ORDER BY process_id, id LIMIT ?" },
		{ "counters", PM_VALUES_ESCAPED,
		  "SELECT * FROM counter WHERE job_id = ? ORDER BY process_id, thread_id, name "
		  "LIMIT ?" },
		{ "tags", PM_VALUES_ESCAPED,
		  "SELECT * FROM tag WHERE job_id = ? ORDER BY process_id, name LIMIT ?" },
		{ "annotations", PM_VALUES_PLAIN,
		  "SELECT * FROM annotation WHERE job_id = ? ORDER BY name LIMIT ?" },
		{ "energy", PM_VALUES_ESCAPED,
		  "SELECT * FROM energy WHERE job_id = ? ORDER BY host_id, id LIMIT ?" },
		{ "series", PM_VALUES_ESCAPED,
		  "SELECT * FROM series WHERE job_id = ? ORDER BY id LIMIT ?" },
	};

	fputc('{', f);
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		struct pm_stmt *q;
		int rc;

		if (pm_db_prepare(db, part[i].sql, &q, e) < 0)
			return -1;
		pm_db_bind_int(q, 1, job);
		pm_db_bind_int(q, 2, limit);
		fprintf(f, "%s\n  \"%s\": ", i ? "," : "", part[i].name);
		if (i == 0) {
			rc = pm_db_step(q, e);
			if (rc > 0)
				rc = pm_values_print(f, q, part[i].text, e);
		} else {
			rc = pm_values_json(f, q, part[i].text, 4, e);
		}
		pm_db_finish(q);
		if (rc < 0)
			return -1;
	}
	fputs("\n}\n", f);
	return 0;
}
