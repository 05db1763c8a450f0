/* Filters that no user writes: jobs by their ids, comparable ones, those not analyzed. */
#include "config.h"

#include "analysis/select/jobfilter.h"

#include "analysis/select/jobgroup.h"
#include "common/job/jobidentity.h"
#include "common/memtext.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_OF_JOB "SELECT job_id FROM tag_set WHERE id = 0 AND name = "
/* By the index of tags, whose texts are cut. */
#define HAS_TAG(name)                                                                              \
	"id IN (" TAG_OF_JOB "'" name "' AND (substr(value, 1, 100)) = substr(?, 1, 100) AND "     \
	"value = ?)"
#define HAS_NO_TAG(name)                                                                           \
	"NOT EXISTS (SELECT 1 FROM tag_set t WHERE t.job_id = job.id AND t.id = 0 AND t.name = "   \
	"'" name "')"

static int add_text(struct pm_jobfilter *f, const char *text, size_t n, struct pm_err *e)
{
	char *copy = strndup(text, n);
	int rc = copy ? pm_parameters_add(&f->values, copy, 0, e) : pm_err(e, "out of memory");

	free(copy);
	return rc;
}

int pm_jobfilter_ids(struct pm_jobfilter *f, const int64_t *id, size_t n, struct pm_err *e)
{
	size_t size;
	FILE *sql;

	*f = (struct pm_jobfilter){ .order = PM_JOBIDENTITY_LATEST };
	sql = open_memstream(&f->where, &size);
	if (!sql)
		return pm_err(e, "out of memory");
	fputs(" WHERE id IN (", sql);
	for (size_t i = 0; i < n; i++)
		fprintf(sql, "%s%" PRId64, i ? "," : "", id[i]);
	fputc(')', sql);
	return pm_memtext_end(sql, &f->where) ? 0 : pm_err(e, "out of memory");
}

/* A condition with a text as two parameters, unless it is empty. */
static int add_condition(struct pm_jobfilter *f, FILE *sql, const char *condition,
			 const char *without, const char *text, size_t n, struct pm_err *e)
{
	fputs(n ? condition : without, sql);
	if (n == 0)
		return 0;
	return add_text(f, text, n, e) < 0 ? -1 : add_text(f, text, n, e);
}

int pm_jobfilter_group(struct pm_jobfilter *f, const char *group, int64_t limit, struct pm_err *e)
{
	const struct pm_jobgroup g = pm_jobgroup_split(group);
	size_t size;
	FILE *sql;
	int rc;

	*f = (struct pm_jobfilter){ .order = PM_JOBIDENTITY_LATEST, .limit = limit };
	sql = open_memstream(&f->where, &size);
	if (!sql)
		return pm_err(e, "out of memory");
	fputs(" WHERE ", sql);
	if (g.tags) {
		rc = add_condition(f, sql, HAS_TAG("exp_name"), HAS_NO_TAG("exp_name"), g.first,
				   g.n, e);
		fputs(" AND ", sql);
		if (rc == 0)
			rc = add_condition(f, sql, HAS_TAG("exp_component"),
					   HAS_NO_TAG("exp_component"), g.second, g.m, e);
	} else {
		rc = add_condition(f, sql,
				   "(substr(name, 1, 100)) = substr(?, 1, 100) AND name || '' = ?",
				   "name IS NULL", g.first, g.n, e);
		fputs(" AND " HAS_NO_TAG("exp_name") " AND " HAS_NO_TAG("exp_component"), sql);
	}
	return pm_memtext_end(sql, &f->where) ? rc : pm_err(e, "out of memory");
}

int pm_jobfilter_tagged(struct pm_jobfilter *f, const char *tag, struct pm_err *e)
{
	return pm_jobfilter_add(f, "id IN (" TAG_OF_JOB "?)", NULL, e) < 0
		       ? -1
		       : pm_parameters_add(&f->values, tag, 0, e);
}

int pm_jobfilter_over(struct pm_jobfilter *f, bool all, int64_t after, int64_t limit,
		      struct pm_err *e)
{
	char *where;

	if (asprintf(&where, "%s%sid > %" PRId64 " AND %s", f->where,
		     *f->where ? " AND " : " WHERE ", after,
		     all ? "coalesce(running, 0) = 0" : PM_SCHEMA_JOB_UNANALYZED) < 0)
		return pm_err(e, "out of memory");
	free(f->where);
	f->where = where;
	f->order = "id";
	f->limit = limit;
	return 0;
}
