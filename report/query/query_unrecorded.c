/* Facts of a job: programs that could not be recorded at all, or not to their end. */
#include "config.h"

#include "report/query/query.h"

#include "common/text.h"
#include "report/query/query_row.h"

#include <stdio.h>
#include <string.h>

/* Maximum number of names that are read. */
#define NAMES 1000

#define EXECVE "execve "

/* Append a program's name and count to the list of names, or "..." where it is full. */
static void add_name(struct pm_fact_unrecorded *x, const char *name, const char *why, int64_t count,
		     bool utf8)
{
	char label[PM_PROCESSNAME_MAX], reason[48] = "", one[PM_PROCESSNAME_MAX + 128];
	size_t len = strlen(x->names);
	int n;

	x->count += count;
	pm_processname(label, name, NULL, NULL, utf8);
	if (why)
		pm_text_safe(reason, sizeof reason, why, strlen(why), utf8);
	n = snprintf(one, sizeof one, "%s%s%s", label, why || count > 1 ? " (" : "", reason);
	if (count > 1)
		n += snprintf(one + n, sizeof one - (size_t)n, "%s%lld times", why ? ", " : "",
			      (long long)count);
	if (why || count > 1)
		n += snprintf(one + n, sizeof one - (size_t)n, ")");
	if (len + (size_t)n + sizeof ", ..." < sizeof x->names)
		snprintf(x->names + len, sizeof x->names - len, "%s%s", len ? ", " : "", one);
	else if (len < 3 || strcmp(x->names + len - 3, "...") != 0)
		snprintf(x->names + len, sizeof x->names - len, ", ...");
}

static void add_row(struct pm_facts *f, struct pm_stmt *q, bool utf8)
{
	const char *name = pm_db_text(q, 0, NULL), *call = pm_db_text(q, 1, NULL);
	bool killed = pm_db_int(q, 2) != 0, exec = call && strncmp(call, "execve", 6) == 0;
	int64_t count = pm_db_int(q, 3);

	if (exec && (strncmp(call, EXECVE "E", 8) == 0 || strcmp(call, EXECVE "failed") == 0))
		add_name(&f->refused, name, call + sizeof EXECVE - 1, count, utf8);
	else if (exec && call[6])
		add_name(&f->unsuited, name, call + sizeof EXECVE - 1, count, utf8);
	else if (killed && (exec || !name))
		f->killed_early += count;
	else if (exec)
		add_name(&f->silent, name, NULL, count, utf8);
	else if (call && !exec)
		add_name(&f->departed, name, call, count, utf8);
}

int pm_query_unrecorded(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			struct pm_err *e)
{
	struct pm_stmt *q = NULL;
	char sql[512];
	int rc;

	if (f->retired) {
		f->refused.count = f->unsuited.count = f->silent.count = f->departed.count =
			f->killed_early = PM_UNKNOWN;
		return 0;
	}
	/* Each such process is counted in one of the two. */
	if (f->without_end == 0 && f->reaped_only == 0)
		return 0;
	snprintf(sql, sizeof sql,
		 "SELECT exename, last_call, CASE WHEN exitsignal IS NULL THEN 0 ELSE 1 END, "
		 "count(*)"
		 " FROM process WHERE job_id = ? AND (last_call IS NOT NULL OR image_us IS NULL)"
		 " GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2 LIMIT %d",
		 NAMES);
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		add_row(f, q, utf8);
	pm_db_finish(q);
	return rc;
}
