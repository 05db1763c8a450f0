/* A whole job as JSON. */
#include "config.h"

#include "report/show/show_json.h"

#include "report/print/values.h"

#include <stdio.h>
#include <stdlib.h>

/* A list of the object: its query up to the condition, the column with the number of a process, and
 * the order. */
struct part {
	const char *name;
	enum pm_values_text text;
	const char *sql, *process, *order;
};

/* The whole query, to be freed; NULL if out of memory. */
static char *make_sql(const struct part *part, int64_t job, const struct pm_show_filter *f)
{
	char *sql;
	int rc;

	if (!f->any || !part->process)
		rc = asprintf(&sql, "%s%s LIMIT ?", part->sql, part->order);
	else
		rc = asprintf(&sql,
			      "%s AND %s IN (SELECT p.id FROM process p WHERE p.job_id = %lld%s)%s "
			      "LIMIT ?",
			      part->sql, part->process, (long long)job, f->where, part->order);
	return rc < 0 ? NULL : sql;
}

int pm_show_json(FILE *f, struct pm_db *db, int64_t job, int64_t limit,
		 const struct pm_show_filter *filter, struct pm_err *e)
{
	const struct part part[] = {
		{ "job", PM_VALUES_PLAIN, "SELECT * FROM job WHERE id = ?", NULL, "" },
		{ "hosts", PM_VALUES_PLAIN, "SELECT * FROM host WHERE job_id = ?", NULL,
		  " ORDER BY id" },
		{ "processes", PM_VALUES_ESCAPED,
		  "SELECT p.*, h.hostname, h.boot_id FROM process p"
		  " JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id WHERE p.job_id = ?",
		  "p.id",
		  filter->by_start ? " ORDER BY p.start_us IS NULL, p.start_us, p.id"
				   : " ORDER BY p.id" },
		{ "threads", PM_VALUES_ESCAPED, "SELECT * FROM thread WHERE job_id = ?",
		  "process_id", " ORDER BY process_id, id" },
		{ "counters", PM_VALUES_ESCAPED, "SELECT * FROM counter WHERE job_id = ?",
		  "process_id", " ORDER BY process_id, thread_id, name" },
		{ "tags", PM_VALUES_ESCAPED, "SELECT * FROM tag WHERE job_id = ?", "process_id",
		  " ORDER BY process_id, name" },
		{ "annotations", PM_VALUES_PLAIN, "SELECT * FROM annotation WHERE job_id = ?", NULL,
		  " ORDER BY name" },
		{ "energy", PM_VALUES_ESCAPED, "SELECT * FROM energy WHERE job_id = ?", NULL,
		  " ORDER BY host_id, id" },
		{ "series", PM_VALUES_ESCAPED, "SELECT * FROM series WHERE job_id = ?", NULL,
		  " ORDER BY id" },
	};

	fputc('{', f);
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		char *sql = make_sql(&part[i], job, filter);
		struct pm_stmt *q;
		int rc;

		if (!sql)
			return pm_err(e, "out of memory");
		rc = pm_db_prepare(db, sql, &q, e);
		free(sql);
		if (rc < 0)
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
