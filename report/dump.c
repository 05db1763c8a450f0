/* Job metadata of loaded jobs, as documents of the format of job-HOST.json. */
#include "config.h"

#include "common/cli/dumploaded.h"

#include "report/select.h"

#include "common/job/job.h"
#include "common/memtext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a column, by the type of its key. Returns a new reference, NULL where unknown. */
static json_t *value_of(struct pm_stmt *q, int i, enum pm_job_type type)
{
	const char *text;
	json_t *value;

	if (pm_db_is_null(q, i))
		return NULL;
	if (type == PM_JOB_TYPE_INT || type == PM_JOB_TYPE_TIME)
		return json_integer(pm_db_int(q, i));
	text = pm_db_text(q, i, NULL);
	if (type == PM_JOB_TYPE_TEXT)
		return json_string(text);
	/* What was stored cut is no JSON: it stays a text. */
	value = json_loads(text, 0, NULL);
	return value ? value : json_string(text);
}

/* Make the document of the current row. Returns NULL if out of memory. */
static json_t *make_document(struct pm_stmt *q)
{
	json_t *doc = json_pack("{s:s}", "format", PM_JOB_FORMAT);

	for (int k = 0; doc && k < PM_JOB_KEYS; k++) {
		const struct pm_job_info *info = &pm_job_info[k];
		json_t *value = value_of(q, k, info->type), *section;

		if (!value)
			continue;
		section = json_object_get(doc, info->section_name);
		if (!section) {
			section = json_object();
			json_object_set_new(doc, info->section_name, section);
		}
		json_object_set_new(section, info->name, value);
	}
	return doc;
}

/* A query of all keys of job.def, a row for each host of job ?. Returns a new text or NULL. */
static char *make_query(void)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);

	if (!out)
		return NULL;
	for (int k = 0; k < PM_JOB_KEYS; k++)
		fprintf(out, "%s %c.\"%s\"", k ? "," : "SELECT",
			pm_job_info[k].section == PM_JOB_IN_job ? 'j' : 'h', pm_job_info[k].column);
	fputs(" FROM job j LEFT JOIN host h ON h.job_id = j.id WHERE j.id = ? ORDER BY h.id", out);
	return pm_memtext_end(out, &sql) ? sql : NULL;
}

json_t *pm_dump_loaded(const struct pm_cli *cli, const char *operand, struct pm_err *e)
{
	json_t *all = json_array(), *doc;
	char *sql = make_query();
	struct pm_selection s;
	struct pm_stmt *q;
	int rc = -1;

	memset(&s, 0, sizeof s);
	if (!all || !sql)
		pm_err(e, "out of memory");
	else if (pm_select_job(cli, operand, &s, e) == 0)
		rc = pm_db_prepare(s.db, sql, &q, e);
	if (rc == 0) {
		pm_db_bind_int(q, 1, s.job);
		while ((rc = pm_db_step(q, e)) > 0) {
			doc = make_document(q);
			if (!doc || json_array_append_new(all, doc) < 0) {
				rc = pm_err(e, "out of memory");
				break;
			}
		}
		pm_db_finish(q);
	}
	pm_select_close(&s);
	free(sql);
	if (rc == 0)
		return all;
	json_decref(all);
	return NULL;
}
