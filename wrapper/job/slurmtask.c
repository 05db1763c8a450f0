/*
 * Slurm's TaskProlog and TaskEpilog.
 *
 * A list (tasklist.h) has the tasks of a job on this host. It is read and written under the job's
 * lock, which opening and closing the job take, too: a task that begins while the last one ends
 * finds the job open, or opens it again. Nothing else happens under that lock, since many tasks of
 * a node begin at once.
 */
#include "config.h"

#include "wrapper/job/slurmtask.h"

#include "common/handed.h"
#include "common/log.h"
#include "common/memtext.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "common/writeall.h"
#include "wrapper/job/job.h"
#include "wrapper/job/launch.h"
#include "wrapper/job/sampler.h"
#include "wrapper/job/tasklist.h"
#include "wrapper/metadata/environment.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/process/ownmount.h"
#include "wrapper/process/patience.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

/* Slurm starts the task only after TaskProlog: a task whose registration takes longer runs
 * unrecorded. */
#define BEGIN_LIMIT_US 1000000

/* Limit, in seconds, for work in the background and for closing a job with many files: a file
 * system that hangs longer is given up. */
#define PATIENCE_S 30

/* Attempts to open a job whose directory another process stages and removes. */
#define TRIES 3

void pm_slurmtask_forget(const struct pm_jobdir *d, const char *host)
{
	pm_tasklist_forget(d, host);
	/* TaskEpilog and Epilog do not see the environment of the task's end, so compare nothing.
	 */
	pm_environment_forget(d->fd, host);
}

/*
 * Clear the setting output unless the directory is this job's or the user's choice. Jobs submitted
 * inside of a recorded job inherit PERFMON_OUTPUT, and so do other hosts: then the directory is
 * that of another job, or is missing.
 */
static void judge_output(const struct pm_ident *id)
{
	const char *path = pm_config_get(PM_SET_output);
	struct pm_jobdir d = { .fd = -1 };
	struct pm_err why;
	int ours = 0;

	if (!*path)
		return;
	if (pm_jobdir_open(path, &d, &why) == 0 && pm_jobdir_is_job(d.fd)) {
		json_t *doc = pm_metadata_read(d.fd, "", &why);

		ours = doc && pm_job_is_same(doc, id);
		json_decref(doc);
	} else {
		ours = getenv(pm_handed_name[PM_HANDED_exe]) == NULL;
	}
	pm_jobdir_close(&d);
	if (!ours)
		pm_config_set(PM_SET_output, "", &why);
}

bool pm_slurmtask_is_one(const struct pm_cli *cli)
{
	struct pm_ident id;

	return !cli->value[PM_OPT_job] && strcmp(pm_sched_identify(&id)->name, "slurm") == 0;
}

/* Identify the Slurm job that we are in. Returns 0, or -1 with e filled. */
static int identify_job(const struct pm_cli *cli, struct pm_ident *id, struct pm_err *e)
{
	char name[PM_JOB_NAME_MAX];
	const struct pm_sched *sched;

	if (!pm_slurmtask_is_one(cli))
		return pm_err(e, "--slurm needs a Slurm job (SLURM_JOB_ID) and takes no -j");
	if (pm_job_identify(cli, id, &sched, name, e) < 0)
		return -1;
	judge_output(id);
	return 0;
}

/* Open or join the job and lock its directory. Returns 0 or -1 with e filled. */
static int open_job(const struct pm_cli *cli, struct pm_jobdir *d, struct pm_err *e)
{
	struct stat st;
	int created;

	for (int i = 0; i < TRIES; i++) {
		if (pm_job_start(cli, NULL, d, &created, e) == 0) {
			if (fstat(d->fd, &st) == 0 && st.st_nlink > 0)
				return 0;
			pm_jobdir_close(d);
			pm_err(e, "%s was removed", d->path);
		} else if (*pm_config_get(PM_SET_output)) {
			/* The user's directory cannot be used, so record into the default place. */
			pm_config_set(PM_SET_output, "", e);
		} else {
			break;
		}
	}
	return -1;
}

char *pm_slurmtask_exports(const struct pm_launch *l, struct pm_err *e)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f) {
		pm_err(e, "out of memory");
		return NULL;
	}
	for (int i = 0; i < l->count; i++) {
		/* Slurm reads the value up to the end of the line, without quoting. */
		if (strchr(l->variable[i].value, '\n')) {
			pm_err(e, "the value of %s has a line break", l->variable[i].name);
			fclose(f);
			free(text);
			return NULL;
		}
		fprintf(f, "export %s=%s\n", l->variable[i].name, l->variable[i].value);
	}
	if (!pm_memtext_end(f, &text))
		pm_err(e, "out of memory");
	return text;
}

/* A task to record. */
struct beginning {
	const struct pm_cli *cli;
	struct pm_task task;
	struct pm_err *e;
};

/* Open or join the job, and add the task to its list. Returns 0 with d open and unlocked, or -1
 * with e filled. */
static int enter_job(const struct beginning *b, struct pm_jobdir *d, const char *host)
{
	int rc = open_job(b->cli, d, b->e);

	if (rc == 0)
		rc = pm_tasklist_add(d, host, &b->task, b->e);
	if (rc == 0)
		pm_job_unlock(d);
	return rc;
}

static int begin_task(const struct beginning *b, int fd)
{
	struct pm_launch launch = { .count = 0 };
	struct pm_jobdir d = { .fd = -1 };
	json_t *doc = NULL;
	struct pm_ident id;
	char host[256], *text = NULL;
	int rc = -1;

	pm_jobdir_host(host, sizeof host);
	if (identify_job(b->cli, &id, b->e) < 0 || enter_job(b, &d, host) < 0)
		goto out;
	doc = pm_metadata_read(d.fd, host, b->e);
	if (!doc || pm_launch_prepare(&launch, b->cli, &d, doc, b->e) < 0)
		goto out;
	text = pm_slurmtask_exports(&launch, b->e);
	if (!text)
		goto out;
	if (pm_write_all(fd, text, strlen(text)) < 0) {
		pm_err(b->e, "write to the parent process: %m");
		goto out;
	}
	rc = 0;
	/* A failing sampler does not make the task unrecorded. */
	if (pm_sampler_detach(b->cli, &d, b->e) < 0)
		pm_info("not sampled: %s", b->e->text);
out:
	free(text);
	json_decref(doc);
	pm_launch_free(&launch);
	pm_jobdir_close(&d);
	return rc;
}

/* Count one more unrecorded task in the job's metadata. Opens the job if no task could, so that a
 * job reports the unrecorded task. Returns 0 or -1 with e filled. */
static int count_unrecorded(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d = { .fd = -1 };
	struct pm_ident id;
	char host[256];
	json_t *doc;
	int rc = -1;

	if (identify_job(cli, &id, e) < 0 || open_job(cli, &d, e) < 0)
		return -1;
	pm_jobdir_host(host, sizeof host);
	doc = pm_metadata_read(d.fd, host, e);
	if (doc) {
		pm_metadata_int(doc, PM_JOB_host_tasks_unrecorded,
				pm_metadata_get_int(doc, PM_JOB_host_tasks_unrecorded, 0) + 1);
		rc = pm_metadata_write(d.fd, host, doc, e);
	}
	json_decref(doc);
	pm_jobdir_close(&d);
	return rc;
}

static int end_task(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d = { .fd = -1 };
	struct pm_ident id;
	char host[256], point[PATH_MAX];
	int rc;

	if (identify_job(cli, &id, e) < 0)
		return -1;
	rc = pm_job_find(cli, PM_JOB_OPEN, &d, e);
	if (rc != 0) {
		/* Another task closed the job, or no task opened it: there is nothing to do. */
		if (rc > 0)
			e->text[0] = '\0';
		return rc < 0 ? -1 : 0;
	}
	pm_jobdir_host(host, sizeof host);
	rc = pm_job_lock(&d, e);
	if (rc == 0 && cli->given[PM_OPT_dry_run]) {
		pm_terminal_print(
			stdout, "would stop job %s in %s if this were its last task on this host\n",
			d.name, d.path);
	} else if (rc == 0 && !pm_tasklist_lives(&d, host)) {
		pm_slurmtask_forget(&d, host);
		rc = pm_job_stop(&d, NULL, e);
		/* Epilog will not see the directory: TaskEpilog packs it while it exists. */
		if (rc == 0 && pm_ownmount_has(d.path, point))
			printf("%s\n", d.path);
	}
	pm_jobdir_close(&d);
	return rc < 0 ? -1 : 0;
}

#define UNRECORDED "a task is not recorded"

/* Log a failure to the system's log, since nobody sees the messages of a TaskProlog. Returns an
 * exit status. */
static int log_result(int rc, const char *what, const struct pm_err *e)
{
	const char *job = pm_sched_text("SLURM_JOB_ID"), *step = pm_sched_text("SLURM_STEP_ID");

	if (rc == 0)
		return PM_EXIT_OK;
	openlog("perfmon", LOG_PID, LOG_USER);
	syslog(LOG_NOTICE, "job %s step %s: %s: %s", job ? job : "none", step ? step : "batch",
	       what, e->text);
	closelog();
	return PM_EXIT_FAILED;
}

/* Do the work of a TaskProlog in our child. Returns 0, or -1 after an error message. */
static int begin_in_child(void *ctx, int fd)
{
	const struct beginning *b = ctx;

	if (begin_task(b, fd) == 0)
		return 0;
	pm_error("%s", b->e->text);
	log_result(-1, UNRECORDED, b->e);
	return -1;
}

/* Count the unrecorded task in the background: whatever delayed the task may delay us, too. */
static void count_in_background(const struct pm_cli *cli)
{
	struct pm_err why;

	if (fork() != 0)
		return;
	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	alarm(PATIENCE_S);
	_exit(count_unrecorded(cli, &why) < 0);
}

int pm_slurmtask_begin(const struct pm_cli *cli, struct pm_err *e)
{
	struct beginning b = { cli, pm_tasklist_self(), e };
	size_t size;
	char *text;
	int rc = pm_patience_run(begin_in_child, &b, BEGIN_LIMIT_US, &text, &size, e);

	if (rc < 0)
		log_result(-1, UNRECORDED, e);
	/* Write the whole text: with half of the variables the task could not record. */
	if (rc == 0 && pm_write_all(STDOUT_FILENO, text, size) < 0) {
		pm_err(e, "standard output: %m");
		rc = log_result(-1, UNRECORDED, e);
	}
	free(text);
	if (rc != 0)
		count_in_background(cli);
	return rc == 0 ? PM_EXIT_OK : PM_EXIT_FAILED;
}

int pm_slurmtask_end(const struct pm_cli *cli, struct pm_err *e)
{
	alarm(PATIENCE_S);
	return log_result(end_task(cli, e), "the job is not closed", e);
}
