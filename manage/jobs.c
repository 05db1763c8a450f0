/* Find jobs by the names that verbs take. */
#include "config.h"

#include "manage/jobs.h"

#include "common/grow.h"
#include "common/text.h"
#include "report/jobwords.h"
#include "report/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *safe_text(char *dst, size_t cap, const char *text)
{
	pm_text_safe(dst, cap, text ? text : "", text ? strlen(text) : 0, true);
	return dst;
}

int pm_jobs_read(struct pm_jobs_one *one, struct pm_db *db, int64_t id, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT \"user\", jobid, array_task, processes FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		char user[48], jobid[48], task[24];

		one->id = id;
		one->processes = pm_db_int(q, 3);
		safe_text(user, sizeof user, pm_db_text(q, 0, NULL));
		safe_text(jobid, sizeof jobid, pm_db_text(q, 1, NULL));
		safe_text(task, sizeof task, pm_db_text(q, 2, NULL));
		snprintf(one->name, sizeof one->name, "#%lld %s/%s%s%s", (long long)id, user, jobid,
			 *task ? "_" : "", task);
	}
	pm_db_finish(q);
	return rc;
}

static int add_id(struct pm_jobs *j, int64_t id, struct pm_err *e)
{
	if (!PM_GROW(j->id, j->n, j->room, 16))
		return pm_err(e, "out of memory");
	j->id[j->n++] = id;
	return 0;
}

static bool has_id(const struct pm_jobs *j, int64_t id)
{
	size_t i = 0;

	while (i < j->n && j->id[i] != id)
		i++;
	return i < j->n;
}

static int add_all(struct pm_jobs *j, struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job ORDER BY id", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (add_id(j, pm_db_int(q, 0), e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

/* Add the jobs that are named. Returns 0, or -1 with e filled. */
static int add_named(struct pm_jobs *j, struct pm_db *db, const struct pm_cli *cli, int from,
		     struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_job];

	for (int i = from; i < cli->argc + (given != NULL); i++) {
		const char *name = i < cli->argc ? cli->argv[i] : given;
		int64_t id;

		if (pm_select_named(db, name, &id, e) <= 0 ||
		    (!has_id(j, id) && add_id(j, id, e) < 0))
			return -1;
	}
	return 0;
}

int pm_jobs_find(struct pm_jobs *j, struct pm_db *db, const struct pm_cli *cli, int from,
		 struct pm_err *e)
{
	const bool named = cli->argc > from || cli->value[PM_OPT_job],
		   selected = pm_jobwords_given(cli);
	int rc;

	memset(j, 0, sizeof *j);
	if (named && selected) {
		pm_err(e, "%s: name jobs, or say by options which, not both",
		       pm_verb_info[cli->verb].name);
		return PM_EXIT_USAGE;
	}
	if (selected)
		return pm_jobwords_find(cli, db, INT64_MAX, &j->id, &j->n, e);
	rc = named ? add_named(j, db, cli, from, e) : add_all(j, db, e);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

void pm_jobs_free(struct pm_jobs *j)
{
	free(j->id);
	memset(j, 0, sizeof *j);
}
