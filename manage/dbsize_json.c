/* The results of dbsize as JSON. */
#include "config.h"

#include "manage/dbsize.h"

#include "manage/jobs.h"

#include <jansson.h>
#include <string.h>

static json_t *pack_known(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

/* Names of databases are paths, and need not be UTF-8. */
static json_t *pack_text(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : json_null();
}

static json_t *pack_parts(const struct pm_dbsize *d, bool index)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->parts; i++) {
		const struct pm_dbsize_part *p = &d->part[i];
		json_t *j;

		if (p->index != index)
			continue;
		j = json_pack("{s:o, s:o}", "name", pack_text(p->name), "bytes",
			      pack_known(p->bytes));
		if (index)
			json_object_set_new(j, "table", pack_text(p->table));
		else
			json_object_set_new(j, "rows", pack_known(p->rows));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *pack_spaces(const struct pm_dbsize *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->spaces; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o}", "name", pack_text(d->space[i].name),
						"bytes", pack_known(d->space[i].bytes)));
	return list;
}

static json_t *pack_jobs(const struct pm_dbsize *d, struct pm_db *db, struct pm_err *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->limit; i++) {
		const struct pm_dbsize_job *job = &d->job[i];
		struct pm_jobs_one one;
		int rc = pm_jobs_read(&one, db, job->id, e);

		if (rc < 0) {
			json_decref(list);
			return NULL;
		}
		if (rc > 0)
			json_array_append_new(
				list,
				json_pack("{s:I, s:o, s:I, s:I, s:o}", "id", (json_int_t)one.id,
					  "job", pack_text(strchr(one.name, ' ') + 1), "processes",
					  (json_int_t)one.processes, "rows", (json_int_t)job->rows,
					  "about_bytes",
					  pack_known(job->bytes > 0 ? (int64_t)job->bytes : -1)));
	}
	return list;
}

int pm_dbsize_json(const struct pm_dbsize *d, struct pm_db *db, const struct pm_page *p,
		   struct pm_err *e)
{
	json_t *all = json_pack("{s:o, s:o, s:o}", "database", pack_text(pm_db_name(db)), "bytes",
				pack_known(d->bytes), "free_bytes", pack_known(d->unused));
	json_t *of_jobs = NULL;
	int rc = 0;

	if (d->what & PM_DBSIZE_TABLES)
		json_object_set_new(all, "tables", pack_parts(d, false));
	if (d->what & PM_DBSIZE_INDEXES)
		json_object_set_new(all, "indexes", pack_parts(d, true));
	if (d->what & PM_DBSIZE_SPACES)
		json_object_set_new(all, "tablespaces", pack_spaces(d));
	if (d->what & PM_DBSIZE_JOBS) {
		of_jobs = pack_jobs(d, db, e);
		rc = of_jobs ? json_object_set_new(all, "jobs", of_jobs) : -1;
	}
	if (rc == 0 && (json_dumpf(all, p->f, JSON_ENSURE_ASCII | JSON_INDENT(2)) < 0 ||
			fputc('\n', p->f) == EOF))
		rc = pm_err(e, "write: %m");
	json_decref(all);
	return rc;
}
