/*
 * Slurm's TaskProlog and TaskEpilog.
 *
 * Which tasks of a job there are on this host stands in a file of its directory, a line for each:
 * pid and start time of the task's first process, which TaskProlog knows. Nobody counts: a task is
 * over when its process is gone, so that a TaskEpilog that never runs (a node that failed, a killed
 * slurmstepd) keeps no job open that another task of it could close. The file is read and written
 * under the job's lock, which opening and closing take, too: a task that begins while the last one
 * ends finds the job open, or opens it again.
 */
#include "config.h"

#include "wrapper/slurmtask.h"
#include "common/config.h"
#include "common/log.h"
#include "common/tsv.h"
#include "wrapper/beside.h"
#include "wrapper/environment.h"
#include "wrapper/host.h"
#include "wrapper/job.h"
#include "wrapper/jsonfile.h"
#include "wrapper/launch.h"
#include "wrapper/metadata.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

/* Slurm waits for us before it starts the task, and we may wait for a file system: after this many
 * seconds the task goes first. */
#define PATIENCE_S 30

/* How far above us the task's process may be: TaskProlog is a script, and may be run by another. */
#define GENERATIONS_MAX 8

/* Jobs that were opened again after their directory was staged away under us. */
#define TRIES 3

/* One registered task. */
struct task {
	int64_t pid, starttime;
};

static void file_name(char name[NAME_MAX + 1], const char *host)
{
	snprintf(name, NAME_MAX + 1, ".tasks-%.*s", NAME_MAX - 16, host);
}

/*
 * The process that becomes the task: Slurm names it, and it is above us. A SLURM_TASK_PID that is
 * not is that of another task, inherited; then the process that started us is taken.
 */
static struct task this_task(void)
{
	const char *text = pm_sched_text("SLURM_TASK_PID");
	int64_t named, pid = getppid();
	struct task t = { pid, -1 };

	if (!text || pm_tsv_number(text, strlen(text), &named) < 0)
		named = -1;

	for (int i = 0; i < GENERATIONS_MAX && pid > 1; i++) {
		if (pid == named) {
			t.pid = pid;
			break;
		}
		pid = pm_host_parent(pid);
	}
	t.starttime = pm_host_starttime(t.pid);
	return t;
}

/* Read the tasks that still live. Returns how many, with the array for the caller to free. */
static size_t living(int dir, const char *name, struct task **tasks)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	size_t count = 0;
	long long pid, starttime;

	*tasks = NULL;
	if (!f) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (fscanf(f, "%lld %lld", &pid, &starttime) == 2) {
		struct task *more;

		if (pm_host_starttime(pid) != starttime)
			continue;
		more = realloc(*tasks, (count + 1) * sizeof **tasks);
		if (!more)
			break;
		*tasks = more;
		more[count++] = (struct task){ pid, starttime };
	}
	fclose(f);
	return count;
}

/* Write the tasks in place of what was there. Returns 0 or -1 with e filled. */
static int keep(int dir, const char *name, const struct task *tasks, size_t count, struct pm_err *e)
{
	char temp[NAME_MAX + 8];
	int fd, rc = 0;

	if (count == 0) {
		unlinkat(dir, name, 0);
		return 0;
	}
	snprintf(temp, sizeof temp, "%s.new", name);
	unlinkat(dir, temp, 0);
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pm_err(e, "create %s: %m", temp);
	for (size_t i = 0; i < count && rc == 0; i++)
		if (dprintf(fd, "%lld %lld\n", (long long)tasks[i].pid,
			    (long long)tasks[i].starttime) < 0)
			rc = pm_err(e, "write %s: %m", temp);
	if (close(fd) < 0 && rc == 0)
		rc = pm_err(e, "write %s: %m", temp);
	if (rc == 0 && renameat(dir, temp, dir, name) < 0)
		rc = pm_err(e, "rename to %s: %m", name);
	if (rc < 0)
		unlinkat(dir, temp, 0);
	return rc;
}

/* Add this task to those of the job, which is locked. Returns 0 or -1 with e filled. */
static int enter(const struct pm_jobdir *d, const char *host, struct pm_err *e)
{
	struct task self = this_task(), *tasks, *more;
	char name[NAME_MAX + 1];
	size_t count;
	int rc = 0;

	file_name(name, host);
	count = living(d->fd, name, &tasks);
	for (size_t i = 0; i < count; i++)
		if (tasks[i].pid == self.pid)
			goto out;
	more = realloc(tasks, (count + 1) * sizeof *tasks);
	if (!more) {
		rc = pm_err(e, "out of memory");
		goto out;
	}
	tasks = more;
	tasks[count++] = self;
	rc = keep(d->fd, name, tasks, count, e);
out:
	free(tasks);
	return rc;
}

void pm_slurmtask_forget(const struct pm_jobdir *d, const char *host)
{
	char name[NAME_MAX + 1];

	file_name(name, host);
	unlinkat(d->fd, name, 0);
	/* The environment here is that of the task at its start, not that of its end. */
	pm_environment_forget(d->fd, host);
}

/* How many tasks of the job, which is locked, still live; those that do not are forgotten. */
static size_t leave(const struct pm_jobdir *d, const char *host)
{
	char name[NAME_MAX + 1];
	struct task *tasks;
	struct pm_err why;
	size_t count;

	file_name(name, host);
	count = living(d->fd, name, &tasks);
	/* What could not be forgotten is over the next time as well. */
	if (keep(d->fd, name, tasks, count, &why) < 0)
		pm_info("%s", why.text);
	free(tasks);
	return count;
}

/*
 * A directory that the environment names counts when it is this job's, or the user's choice. Inside
 * a job that perfmon records it is handed on to what is submitted there, and to other hosts: then
 * it is another job's, or missing.
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
		ours = getenv("PERFMON_EXE") == NULL;
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

/* Slurm's job that we are in. Returns 0, or -1 with e filled. */
static int identify(const struct pm_cli *cli, struct pm_ident *id, struct pm_err *e)
{
	char name[PM_JOB_NAME_MAX];
	const struct pm_sched *sched;

	if (!pm_slurmtask_is_one(cli))
		return pm_err(e, "--slurm needs a job of Slurm (SLURM_JOB_ID), and no -j");
	if (pm_job_identify(cli, id, &sched, name, e) < 0)
		return -1;
	judge_output(id);
	return 0;
}

/* Open or join the job: its directory is locked then. Returns 0 or -1 with e filled. */
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
			/* The user's directory cannot be had: better there than nowhere. */
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
		/* Slurm takes everything up to the end of the line as it is. */
		if (strchr(l->variable[i].value, '\n')) {
			pm_err(e, "the value of %s has a line break", l->variable[i].name);
			fclose(f);
			free(text);
			return NULL;
		}
		fprintf(f, "export %s=%s\n", l->variable[i].name, l->variable[i].value);
	}
	if (fclose(f) != 0) {
		pm_err(e, "out of memory");
		free(text);
		return NULL;
	}
	return text;
}

static int begin(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_launch launch = { .count = 0 };
	struct pm_jobdir d = { .fd = -1 };
	json_t *doc = NULL;
	struct pm_ident id;
	char host[256], *text = NULL;
	int rc = -1;

	if (identify(cli, &id, e) < 0 || open_job(cli, &d, e) < 0)
		return -1;
	pm_jobdir_host(host, sizeof host);
	doc = pm_metadata_read(d.fd, host, e);
	if (!doc || pm_launch_prepare(&launch, cli, &d, doc, e) < 0)
		goto out;
	text = pm_slurmtask_exports(&launch, e);
	if (!text || enter(&d, host, e) < 0)
		goto out;
	/* In one piece: half of it would record into nowhere. */
	if (pm_jsonfile_write_all(STDOUT_FILENO, text, strlen(text)) < 0)
		pm_err(e, "standard output: %m");
	else
		rc = 0;
	/* A task without samples is a recorded task. */
	if (rc == 0 && pm_beside_detach(cli, &d, e) < 0) {
		pm_info("not sampled: %s", e->text);
		e->text[0] = '\0';
	}
out:
	free(text);
	json_decref(doc);
	pm_launch_free(&launch);
	pm_jobdir_close(&d);
	return rc;
}

static int end(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d = { .fd = -1 };
	struct pm_ident id;
	char host[256];
	int rc;

	if (identify(cli, &id, e) < 0)
		return -1;
	rc = pm_job_find(cli, PM_JOB_OPEN, &d, e);
	if (rc != 0) {
		/* Closed by another task, or never opened: both are as wished. */
		if (rc > 0)
			e->text[0] = '\0';
		return rc < 0 ? -1 : 0;
	}
	pm_jobdir_host(host, sizeof host);
	rc = pm_job_lock(&d, e);
	if (rc == 0 && cli->given[PM_OPT_dry_run]) {
		printf("would stop job %s in %s, were this its last task here\n", d.name, d.path);
	} else if (rc == 0 && leave(&d, host) == 0) {
		pm_slurmtask_forget(&d, host);
		rc = pm_job_stop(&d, NULL, e);
	}
	pm_jobdir_close(&d);
	return rc < 0 ? -1 : 0;
}

/* Nobody sees what a TaskProlog says: administrators look into the system's log. */
static int finish(int rc, const char *what, const struct pm_err *e)
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

int pm_slurmtask_begin(const struct pm_cli *cli, struct pm_err *e)
{
	alarm(PATIENCE_S);
	return finish(begin(cli, e), "a task is not recorded", e);
}

int pm_slurmtask_end(const struct pm_cli *cli, struct pm_err *e)
{
	alarm(PATIENCE_S);
	return finish(end(cli, e), "the job is not closed", e);
}
