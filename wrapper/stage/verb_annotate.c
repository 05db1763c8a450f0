/* perfmon annotate: add annotations to a job in its directory, in an archive or in the database. */
#include "config.h"

#include "common/archive.h"
#include "common/cli/verb.h"
#include "common/log.h"
#include "common/secrets/redact.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/keptsecrets.h"
#include "wrapper/stage/annotate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Redacted name and value of an annotation; NULL: it has no secrets. */
struct redacted {
	char *text[2];
};

static int annotate_locked(struct pm_jobdir *d, const struct pm_annotate *a, struct pm_err *e)
{
	int rc = pm_job_lock(d, e);

	if (rc == 0)
		rc = pm_annotate_directory(d, a, e);
	if (rc == 0)
		pm_info("annotated in %s", d->path);
	pm_jobdir_close(d);
	return rc;
}

/* Annotate a job by the path of its directory or archive. */
static int annotate_path(const char *path, const struct stat *st, const struct pm_annotate *a,
			 struct pm_err *e)
{
	struct pm_jobdir d;

	if (S_ISDIR(st->st_mode))
		return pm_jobdir_open(path, &d, e) < 0 ? -1 : annotate_locked(&d, a, e);
	if (!pm_archive_named(path))
		return pm_err(e, "%s is neither a directory nor an archive", path);
	if (pm_annotate_archive(path, a, e) < 0)
		return -1;
	pm_info("annotated in %s", path);
	return 0;
}

/* Annotate a job by its id: in its directory, in the database, or both. */
static int annotate_job(const struct pm_cli *cli, const char *id, const struct pm_annotate *a,
			struct pm_err *e)
{
	struct pm_cli by_id = *cli;
	struct pm_jobdir d = { .fd = -1 };
	struct pm_err here, there;
	int recorded, loaded;

	by_id.value[PM_OPT_job] = id;
	recorded = strpbrk(id, "/#") ? 1 : pm_job_find(&by_id, PM_JOB_ANY, &d, &here);
	if (recorded < 0 || (recorded == 0 && annotate_locked(&d, a, &here) < 0)) {
		*e = here;
		return -1;
	}
	loaded = pm_annotate_loaded(id, a->list, a->n, a->replace, &there);
	if (loaded == 0)
		pm_info("annotated in the database");
	if (recorded == 0 && loaded < 0)
		return pm_err_prefix(
			e, "annotated in the directory of job %s, but not in the database: %s", id,
			there.text);
	if (recorded == 0 || loaded == 0)
		return 0;
	if (loaded == 1 && !strpbrk(id, "/#"))
		return pm_err(e, "job %s is neither recorded on this host nor loaded: %s", id,
			      there.text);
	*e = there;
	return -1;
}

/* Annotate the job in use: that of the shell or the batch system. */
static int annotate_own(const struct pm_cli *cli, const struct pm_annotate *a, struct pm_err *e)
{
	struct pm_jobdir d;

	return pm_job_find(cli, PM_JOB_ANY, &d, e) != 0 ? -1 : annotate_locked(&d, a, e);
}

/* Parse operands NAME=VALUE: everything after the first = is the value, which is not empty if
 * `strict`. */
static int parse_pairs(char **argv, int n, bool strict, struct pm_annotation *list,
		       struct pm_err *e)
{
	for (int i = 0; i < n; i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals || equals == argv[i])
			return pm_err(e, "'%s' is not NAME=VALUE", argv[i]);
		if (equals - argv[i] > PM_ANNOTATION_NAME)
			return pm_err(e, "'%.40s...': a name has at most %d bytes", argv[i],
				      PM_ANNOTATION_NAME);
		if (strict && !equals[1])
			return pm_err(e, "'%s' has no value", argv[i]);
		*equals = '\0';
		list[i].name = argv[i];
		list[i].value = equals + 1;
	}
	return 0;
}

/* Redact a name and its value, or tags. Returns 1 with new texts, 0 where there is no secret, or -1
 * if out of memory. */
static int redact_one(const struct pm_annotation *a, char *text[2])
{
	size_t secrets = 0;

	if (strcmp(a->name, PM_ANNOTATION_TAGS) != 0)
		return pm_redact_pair(a->name, '=', a->value, text);
	text[0] = strdup(a->name);
	text[1] = pm_redact_tags(a->value, &secrets);
	return !text[0] || !text[1] ? -1 : secrets > 0;
}

/* Redact the list unless the setting args is "full", and tell the user. */
static int redact_list(struct pm_annotation *list, struct redacted *redacted, size_t n,
		       struct pm_err *e)
{
	size_t count = 0;

	for (size_t i = 0; i < n && !pm_keptsecrets_whole(); i++) {
		int rc = redact_one(&list[i], redacted[i].text);

		if (rc < 0)
			return pm_err(e, "out of memory");
		if (rc == 0)
			continue;
		list[i] = (struct pm_annotation){ redacted[i].text[0], redacted[i].text[1] };
		count++;
	}
	if (count > 0)
		pm_warn("%zu of %zu annotations %s stored with [redacted] in place of what looks "
			"like a secret; --args=full stores %s as given",
			count, n, count == 1 ? "is" : "are", count == 1 ? "it" : "them");
	return 0;
}

/* Annotate the job that the operand, -j or the session names. */
static int annotate_target(const struct pm_cli *cli, const char *target, const struct stat *st,
			   const struct pm_annotate *a, struct pm_err *e)
{
	if (target && st->st_mode)
		return annotate_path(target, st, a, e);
	if (target || cli->value[PM_OPT_job])
		return annotate_job(cli, target ? target : cli->value[PM_OPT_job], a, e);
	return annotate_own(cli, a, e);
}

/* Whether an operand looks like NAME=VALUE: it has a = before any slash. */
static int is_pair(const char *operand)
{
	return operand[strcspn(operand, "=/")] == '=';
}

int pm_verb_annotate(const struct pm_cli *cli, struct pm_err *e)
{
	size_t room = (size_t)cli->argc + 1;
	struct pm_annotation *list = calloc(room, sizeof *list);
	struct redacted *redacted = calloc(room, sizeof *redacted);
	struct pm_annotate a = { .list = list, .replace = cli->given[PM_OPT_replace] };
	const char *target = cli->argc > 0 ? cli->argv[0] : NULL;
	struct stat st = { .st_mode = 0 };
	int status = PM_EXIT_USAGE;

	if (target && stat(target, &st) < 0 && is_pair(target))
		target = NULL;
	a.n = (size_t)(cli->argc - (target != NULL));
	if (!list || !redacted)
		pm_err(e, "out of memory");
	else if (target && cli->value[PM_OPT_job])
		pm_err(e, "annotate takes one job: '%s' or that of -j", target);
	else if (a.n == 0 && !a.replace)
		pm_err(e, "annotate needs NAME=VALUE");
	else if (parse_pairs(cli->argv + (target != NULL), (int)a.n, cli->epmt, list, e) == 0)
		status = redact_list(list, redacted, a.n, e) < 0 ||
					 annotate_target(cli, target, &st, &a, e) < 0
				 ? PM_EXIT_FAILED
				 : PM_EXIT_OK;
	for (size_t i = 0; redacted && i < a.n; i++) {
		free(redacted[i].text[0]);
		free(redacted[i].text[1]);
	}
	free(redacted);
	free(list);
	return status;
}
