/* Jobs that an operand may have meant, for error messages. */
#include "config.h"

#include "report/candidates.h"

#include "common/job/jobidentity.h"
#include "common/text.h"
#include "report/print/format.h"

#include "common/safe/tsv.h"

#include <stdio.h>
#include <string.h>

/* Maximum number of similar jobs. */
#define SIMILAR 5

#define LATEST PM_JOBIDENTITY_LATEST

static const char *safe_text(char *dst, size_t cap, const char *text)
{
	pm_text_safe(dst, cap, text ? text : "", text ? strlen(text) : 0, true);
	return dst;
}

void pm_candidates_append(struct pm_stmt *q, bool first, struct pm_err *e)
{
	char cluster[40], user[40], jobid[40], task[20], name[60], t[PM_FORMAT_MAX];
	size_t len = strlen(e->text);

	safe_text(cluster, sizeof cluster, pm_db_text(q, 1, NULL));
	safe_text(user, sizeof user, pm_db_text(q, 2, NULL));
	safe_text(jobid, sizeof jobid, pm_db_text(q, 3, NULL));
	safe_text(task, sizeof task, pm_db_text(q, 4, NULL));
	safe_text(name, sizeof name, pm_db_text(q, 6, NULL));
	snprintf(e->text + len, sizeof e->text - len, "%s #%lld %s%s%s/%s%s%s (%s%s%s)",
		 first ? "" : ",", (long long)pm_db_int(q, 0), cluster, *cluster ? "/" : "", user,
		 jobid, *task ? "_" : "", task,
		 pm_format_minute(t, pm_db_is_null(q, 5) ? PM_UNKNOWN : pm_db_int(q, 5)),
		 *name ? ", " : "", name);
}

/* Bind what a query for similar jobs needs to find those like this job id. */
typedef void bind_fn(struct pm_stmt *q, const char *jobid);

static void bind_number(struct pm_stmt *q, const char *jobid)
{
	int64_t number;

	if (pm_tsv_number(jobid, strlen(jobid), &number) == 0)
		pm_db_bind_int(q, 1, number);
}

static void bind_twice(struct pm_stmt *q, const char *jobid)
{
	pm_db_bind_str(q, 1, jobid);
	pm_db_bind_str(q, 2, jobid);
}

/* The id without its last one to four bytes. */
static void bind_beginnings(struct pm_stmt *q, const char *jobid)
{
	size_t n = strlen(jobid);

	for (size_t cut = 1; cut <= 4 && cut < n; cut++)
		pm_db_bind_text(q, (int)cut, jobid, n - cut);
}

static void bind_nothing(struct pm_stmt *q, const char *jobid)
{
	(void)q;
	(void)jobid;
}

/* Queries for jobs that may have been meant, the likeliest first. Each is answered from an index.
 */
static const struct {
	const char *where, *order;
	bind_fn *bind;
} similar[] = {
	{ "WHERE id = ?", "id", bind_number },
	/* Ids that begin with it; the last character of Unicode follows every other. */
	{ "WHERE jobid >= ? AND jobid < ? || '\xF4\x8F\xBF\xBF'", "jobid DESC", bind_twice },
	{ "WHERE jobid IN (?, ?, ?, ?)", LATEST, bind_beginnings },
	{ "WHERE substr(name, 1, 100) = substr(?, 1, 100) AND name || '' = ?", LATEST, bind_twice },
	{ "", LATEST, bind_nothing },
};

int pm_candidates_similar(struct pm_db *db, const char *jobid, struct pm_err *e)
{
	int64_t listed[SIMILAR];
	struct pm_err ignored;
	size_t len = strlen(e->text), n = 0;

	snprintf(e->text + len, sizeof e->text - len,
		 "; similar or recent jobs (quote a number in the shell):");
	for (size_t i = 0; i < sizeof similar / sizeof similar[0]; i++) {
		char sql[256];
		struct pm_stmt *q;

		snprintf(sql, sizeof sql,
			 "SELECT " PM_CANDIDATES_COLUMNS " FROM job %s ORDER BY %s LIMIT %d",
			 similar[i].where, similar[i].order, SIMILAR);
		if (pm_db_prepare(db, sql, &q, &ignored) < 0)
			return -1;
		similar[i].bind(q, jobid);
		while (n < SIMILAR && pm_db_step(q, &ignored) > 0) {
			int64_t id = pm_db_int(q, 0);
			size_t k = 0;

			while (k < n && listed[k] != id)
				k++;
			if (k < n)
				continue;
			pm_candidates_append(q, n == 0, e);
			listed[n++] = id;
		}
		pm_db_finish(q);
	}
	if (n == 0)
		snprintf(e->text + len, sizeof e->text - len, ": it holds no jobs");
	return -1;
}
