/* Select the job that a verb works on. */
#include "config.h"

#include "report/select.h"

#include "common/text.h"
#include "report/candidates.h"
#include "report/mine.h"
#include "report/query/unloaded.h"

#include "common/grow.h"
#include "common/job/jobdir.h"
#include "common/job/jobidentity.h"
#include "common/log.h"
#include "common/safe/tsv.h"
#include "common/settings/readconfig.h"
#include "submit/load.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum number of jobs that the error message lists where several match. */
#define SEVERAL 8

#define LATEST PM_JOBIDENTITY_LATEST

static int open_database(struct pm_selection *s, struct pm_err *e)
{
	struct pm_err why = { "" };

	errno = 0;
	if (pm_db_open(&s->db, pm_config_get(PM_SET_db), PM_DB_READ, &why) == 0)
		return 0;
	s->unknown = errno == ENOENT;
	if (s->unknown)
		return pm_err(e,
			      "%s; load recorded jobs with `perfmon submit`, or name the directory "
			      "of a job",
			      why.text);
	*e = why;
	return -1;
}

/* List jobs behind the message in e. Returns -1. */
static int list_several(struct pm_stmt *q, struct pm_err *e)
{
	struct pm_err ignored;

	for (int found = 0; found < SEVERAL && pm_db_step(q, &ignored) > 0; found++)
		pm_candidates_append(q, found == 0, e);
	pm_db_finish(q);
	return -1;
}

/* Report that a source holds several jobs. Returns -1. */
static int report_several(struct pm_selection *s, const char *path, struct pm_err *e)
{
	struct pm_stmt *q;

	if (pm_db_prepare(s->db, "SELECT " PM_CANDIDATES_COLUMNS " FROM job ORDER BY " LATEST, &q,
			  e) < 0)
		return -1;
	pm_err(e, "%s holds several jobs: load it with `perfmon submit`, then name one of them:",
	       path);
	return list_several(q, e);
}

/* Load a directory or archive into a database in memory, and select its job. */
static int load_path(struct pm_selection *s, const char *path, struct pm_err *e)
{
	static const struct pm_load_options quiet = { 0 };
	struct pm_stmt *q;
	int rc, jobs = 0;

	pm_db_close(s->db);
	s->db = NULL;
	if (pm_db_open(&s->db, "", PM_DB_MEMORY, e) < 0)
		return -1;
	if (pm_load_source(s->db, path, &quiet, e) < 0)
		return -1;
	if (pm_db_prepare(s->db, "SELECT id FROM job LIMIT 2", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		s->job = pm_db_int(q, 0);
		jobs++;
	}
	pm_db_finish(q);
	if (rc < 0)
		return -1;
	if (jobs == 0)
		return pm_err(e, "%s holds no job", path);
	return jobs > 1 ? report_several(s, path, e) : 0;
}

/* The parts of CLUSTER/USER/JOBID; cluster and user may be missing, and JOBID may end in _TASK. */
struct name {
	char text[256];
	const char *cluster, *user, *jobid; /* NULL: any */
};

static int split_name(struct name *n, const char *operand)
{
	char *slash;

	memset(n, 0, sizeof *n);
	if (strlen(operand) >= sizeof n->text)
		return -1;
	memcpy(n->text, operand, strlen(operand) + 1);
	n->jobid = n->text;
	slash = strrchr(n->text, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	n->jobid = slash + 1;
	n->user = n->text;
	slash = strrchr(n->text, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	n->user = slash + 1;
	n->cluster = n->text;
	return 0;
}

#define IS_NAMED                                                                                   \
	"(jobid = ? OR " PM_JOBIDENTITY_SHOWN(                                                     \
		"") " = ?)"                                                                        \
		    " AND \"user\" = COALESCE(?, \"user\") AND cluster = COALESCE(?, cluster)"

static void bind_name(struct pm_stmt *q, const struct name *n)
{
	pm_db_bind_str(q, 1, n->jobid);
	pm_db_bind_str(q, 2, n->jobid);
	pm_db_bind_str(q, 3, n->user);
	pm_db_bind_str(q, 4, n->cluster);
}

/* Report that no job has the name, and list similar ones. Returns -1. */
static int report_not_found(struct pm_selection *s, const char *operand, struct pm_err *e)
{
	char shown[80];
	const char *jobid = strrchr(operand, '/') ? strrchr(operand, '/') + 1 : operand;

	s->unknown = true;
	pm_text_safe(shown, sizeof shown, operand, strlen(operand), true);
	pm_err(e, "%s: no such job in %s", shown, pm_db_name(s->db));
	return pm_candidates_similar(s->db, jobid, e);
}

/* Find a job by its name. Returns 1 with s->job set; 0 where there is none; -1 with e filled. */
static int find_named(struct pm_selection *s, const char *operand, struct pm_err *e)
{
	struct name n;
	struct pm_stmt *q;
	int64_t number;
	int rc, found = 0;

	if (operand[0] == '#' && pm_tsv_number(operand + 1, strlen(operand + 1), &number) == 0) {
		if (pm_db_prepare(s->db, "SELECT id FROM job WHERE id = ?", &q, e) < 0)
			return -1;
		pm_db_bind_int(q, 1, number);
	} else {
		if (split_name(&n, operand) < 0)
			return 0;
		if (pm_db_prepare(s->db, "SELECT id FROM job WHERE " IS_NAMED " LIMIT 2", &q, e) <
		    0)
			return -1;
		bind_name(q, &n);
	}
	while ((rc = pm_db_step(q, e)) > 0) {
		s->job = pm_db_int(q, 0);
		found++;
	}
	pm_db_finish(q);
	if (rc < 0 || found <= 1)
		return rc < 0 ? -1 : found;
	s->job = 0;
	if (pm_db_prepare(s->db,
			  "SELECT " PM_CANDIDATES_COLUMNS " FROM job WHERE " IS_NAMED
			  " ORDER BY " LATEST,
			  &q, e) < 0)
		return -1;
	bind_name(q, &n);
	pm_err(e, "several jobs match; name one by its number, quoted for the shell:");
	return list_several(q, e);
}

/* Find the newest job of this user in the database, with this name unless it is NULL. *start_us
 * gets the job's start. Returns the same as find_named(). */
static int find_newest(struct pm_selection *s, const char *name, int64_t *start_us,
		       struct pm_err *e)
{
	struct pm_mine mine;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(s->db,
			  name ? "SELECT id, start_us FROM job WHERE uid = ? AND (jobid = ? "
				 "OR " PM_JOBIDENTITY_SHOWN("") " = ?) ORDER BY " LATEST " LIMIT 1"
			       : PM_MINE_NEWEST("id, start_us"),
			  &q, e) < 0)
		return -1;
	if (name) {
		pm_db_bind_int(q, 1, getuid());
		pm_db_bind_str(q, 2, name);
		pm_db_bind_str(q, 3, name);
	} else {
		pm_mine_init(&mine, getuid());
		pm_mine_bind_newest(q, &mine, 1);
	}
	rc = pm_db_step(q, e);
	if (rc > 0) {
		s->job = pm_db_int(q, 0);
		*start_us = pm_db_int(q, 1);
	}
	pm_db_finish(q);
	return rc;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether the operand can only be a path. */
static bool looks_like_path(const char *operand)
{
	static const char *const suffix[] = { ".tar", ".tgz", ".tar.gz" };
	size_t len = strlen(operand);

	if (operand[0] == '/' || operand[0] == '.')
		return true;
	for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
		size_t n = strlen(suffix[i]);

		if (len > n && strcmp(operand + len - n, suffix[i]) == 0)
			return true;
	}
	return false;
}

/* Select a job that is not in the database: a path, or a job of this user that is recorded but not
 * loaded. Returns 1 if there was one; 0 if not; -1 with e filled. */
static int select_unloaded(struct pm_selection *s, const char *operand, struct pm_err *e)
{
	char path[PATH_MAX];
	struct pm_err ignored;

	if (access(operand, F_OK) == 0)
		return load_path(s, operand, e) < 0 ? -1 : 1;
	if (!pm_jobdir_name_valid(operand) ||
	    pm_unloaded_find(operand, INT64_MIN, path, &ignored) <= 0)
		return 0;
	return load_path(s, path, e) < 0 ? -1 : 1;
}

static int select_named(struct pm_selection *s, const char *operand, struct pm_err *e)
{
	int rc, unloaded;

	if (looks_like_path(operand))
		return load_path(s, operand, e);
	if (open_database(s, e) < 0) {
		unloaded = select_unloaded(s, operand, e);
		s->unknown = s->unknown && unloaded == 0;
		return unloaded > 0 ? 0 : -1;
	}
	rc = find_named(s, operand, e);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	unloaded = select_unloaded(s, operand, e);
	if (unloaded != 0)
		return unloaded < 0 ? -1 : 0;
	return report_not_found(s, operand, e);
}

/* Select the job of this shell, whose directory is in the settings: the records there so far or, if
 * the directory is gone, the loaded job. Returns the same as find_named(). */
static int select_own(struct pm_selection *s, const char *dir, struct pm_err *e)
{
	size_t len = strlen(dir), start;
	struct passwd *pw = getpwuid(getuid());
	char name[256];

	if (is_directory(dir))
		return load_path(s, dir, e) < 0 ? -1 : 1;
	while (len > 1 && dir[len - 1] == '/')
		len--;
	for (start = len; start > 0 && dir[start - 1] != '/';)
		start--;
	snprintf(name, sizeof name, "%s%s%.*s", pw ? pw->pw_name : "", pw ? "/" : "",
		 (int)(len - start), dir + start);
	return open_database(s, e) < 0 ? -1 : find_named(s, name, e);
}

/* Select the user's newest job, loaded or not, with this name unless it is NULL. *why gets the
 * reason if the database cannot be read. Returns the same as find_named(). */
static int select_newest(struct pm_selection *s, const char *name, struct pm_err *why,
			 struct pm_err *e)
{
	int64_t start_us = 0;
	struct pm_err ignored;
	char path[PATH_MAX];
	int rc = 0;

	if (s->db || open_database(s, why) == 0) {
		rc = find_newest(s, name, &start_us, e);
		if (rc < 0)
			return -1;
	}
	if (pm_unloaded_find(name, start_us, path, &ignored) <= 0)
		return rc;
	if (!name)
		pm_info("the newest job is not in the database: read from %s", path);
	return load_path(s, path, e) < 0 ? -1 : 1;
}

static int select_job(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		      struct pm_err *e)
{
	const char *own = pm_config_get(PM_SET_output);
	struct pm_err why = { "" };
	int rc = 0;

	memset(s, 0, sizeof *s);
	if (!operand)
		operand = cli->value[PM_OPT_job];
	if (operand)
		return select_named(s, operand, e);
	if (own && *own)
		rc = select_own(s, own, e);
	if (rc == 0 && cli->batch_job)
		rc = select_newest(s, cli->batch_job, &why, e);
	if (rc == 0)
		rc = select_newest(s, NULL, &why, e);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (!s->db) {
		*e = why;
		return -1;
	}
	return pm_err(e,
		      "%s holds no job of yours; load recorded jobs with `perfmon submit`, or list "
		      "the jobs of others with `perfmon list jobs`",
		      pm_db_name(s->db));
}

int pm_select_job(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		  struct pm_err *e)
{
	if (select_job(cli, operand, s, e) < 0)
		return -1;
	e->text[0] = '\0'; /* drop the message of an attempt that failed before another succeeded */
	return 0;
}

int pm_select_database(const struct pm_cli *cli, const char *operand, struct pm_selection *s,
		       struct pm_err *e)
{
	memset(s, 0, sizeof *s);
	if (operand || cli->value[PM_OPT_job])
		return pm_select_job(cli, operand, s, e);
	return open_database(s, e);
}

int pm_select_named(struct pm_db *db, const char *operand, int64_t *job, struct pm_err *e)
{
	struct pm_selection s = { .db = db };
	int rc = find_named(&s, operand, e);

	*job = s.job;
	if (rc == 0)
		report_not_found(&s, operand, e);
	return rc;
}

int pm_select_list(struct pm_db *db, const char *list, int64_t **id, size_t *n, struct pm_err *e)
{
	char *copy = list ? strdup(list) : NULL, *rest = copy, *word;
	size_t room = 0;
	int rc = list && !copy ? pm_err(e, "out of memory") : 0;

	*id = NULL;
	*n = 0;
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
		if (!PM_GROW(*id, *n, room, 8))
			rc = pm_err(e, "out of memory");
		else if (pm_select_named(db, word, &(*id)[*n], e) <= 0)
			rc = -1;
		else
			++*n;
	}
	free(copy);
	return rc;
}

void pm_select_close(struct pm_selection *s)
{
	pm_db_close(s->db);
	s->db = NULL;
}
