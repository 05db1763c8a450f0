/* perfmon redact: remove secrets from jobs in directories, archives and the database. */
#include "config.h"

#include "common/archive.h"
#include "common/cli/verb.h"
#include "common/log.h"
#include "common/secrets/redact_loaded.h"
#include "common/terminal.h"
#include "wrapper/job/job.h"
#include "wrapper/stage/redact.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void report_count(const char *where, int64_t count, bool dry)
{
	if (pm_log_level >= 0)
		pm_terminal_print(stdout, "%s: %lld secret%s %s\n", where, (long long)count,
				  count == 1 ? "" : "s", dry ? "would be redacted" : "redacted");
}

static int redact_locked(struct pm_jobdir *d, bool dry, struct pm_err *e)
{
	int64_t count;
	int rc = pm_job_lock(d, e);

	if (rc == 0)
		rc = pm_redact_directory(d, dry, &count, e);
	if (rc == 0)
		report_count(d->path, count, dry);
	pm_jobdir_close(d);
	return rc;
}

/* Redact a job directory or an archive, by path. */
static int redact_path(const char *path, const struct stat *st, bool dry, struct pm_err *e)
{
	struct pm_jobdir d;
	int64_t count;

	if (S_ISDIR(st->st_mode))
		return pm_jobdir_open(path, &d, e) < 0 ? -1 : redact_locked(&d, dry, e);
	if (!pm_archive_named(path))
		return pm_err(e, "%s is neither a directory nor an archive", path);
	if (pm_redact_archive(path, dry, &count, e) < 0)
		return -1;
	report_count(path, count, dry);
	return 0;
}

/* Redact a job by its id, in its directory, in the database, or in both. */
static int redact_job(const struct pm_cli *cli, const char *id, bool dry, struct pm_err *e)
{
	struct pm_cli by_id = *cli;
	struct pm_jobdir d = { .fd = -1 };
	struct pm_err here, there;
	int recorded, loaded;
	int64_t count;
	char name[300];

	by_id.value[PM_OPT_job] = id;
	recorded = strpbrk(id, "/#") ? 1 : pm_job_find(&by_id, PM_JOB_ANY, &d, &here);
	if (recorded < 0 || (recorded == 0 && redact_locked(&d, dry, &here) < 0)) {
		*e = here;
		return -1;
	}
	loaded = pm_redact_loaded(id, dry, &count, &there);
	if (loaded == 0) {
		snprintf(name, sizeof name, "job %.200s in the database", id);
		report_count(name, count, dry);
	}
	if (recorded == 0 && loaded < 0)
		return pm_err_prefix(
			e, "redacted in the directory of job %s, but not in the database: %s", id,
			there.text);
	if (recorded == 0 || loaded == 0)
		return 0;
	if (loaded == 1 && !strpbrk(id, "/#"))
		return pm_err(e, "job %s is neither recorded on this host nor loaded: %s", id,
			      there.text);
	*e = there;
	return -1;
}

int pm_verb_redact(const struct pm_cli *cli, struct pm_err *e)
{
	bool dry = cli->given[PM_OPT_dry_run];
	int rc = 0;

	if (cli->argc == 0 && !cli->value[PM_OPT_job]) {
		pm_err(e, "redact: name the jobs, directories or archives");
		return PM_EXIT_USAGE;
	}
	if (cli->value[PM_OPT_job])
		rc = redact_job(cli, cli->value[PM_OPT_job], dry, e);
	for (int i = 0; i < cli->argc && rc == 0; i++) {
		const char *name = cli->argv[i];
		struct stat st;

		/* A file in the current directory may have the name of a job. */
		rc = stat(name, &st) == 0 && (S_ISDIR(st.st_mode) || pm_archive_named(name) ||
					      strchr(name, '/'))
			     ? redact_path(name, &st, dry, e)
			     : redact_job(cli, name, dry, e);
	}
	if (rc == 0 && fflush(stdout) != 0)
		rc = pm_err(e, "write: %m");
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
