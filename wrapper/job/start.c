/* Start a job: make its directory and the start half of its metadata. */
#include "config.h"

#include "common/log.h"
#include "common/now.h"
#include "common/path.h"
#include "common/secrets/redact.h"
#include "common/secrets/redact_json.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "wrapper/events/events.h"
#include "wrapper/job/charge.h"
#include "wrapper/job/job.h"
#include "wrapper/job/room.h"
#include "wrapper/job/sampler.h"
#include "wrapper/job/tallyfile.h"
#include "wrapper/metadata/describe.h"
#include "wrapper/metadata/environment.h"
#include "wrapper/metadata/keptsecrets.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/metadata/nametags.h"
#include "wrapper/node/host.h"
#include "wrapper/process/ownmount.h"
#include "wrapper/process/script.h"
#include "wrapper/sched/sched_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_known(json_t *doc, enum pm_job_key key, int64_t v, int64_t unknown)
{
	if (v != unknown)
		pm_metadata_int(doc, key, v);
}

static json_t *group_name(gid_t gid)
{
	struct group *g = getgrgid(gid);
	char number[32];

	snprintf(number, sizeof number, "%lu", (unsigned long)gid);
	return pm_metadata_string(g ? g->gr_name : number);
}

static void describe_user(json_t *doc)
{
	struct passwd *pw = getpwuid(geteuid());
	json_t *list = json_array();
	char number[32];
	gid_t *group;
	int n;

	snprintf(number, sizeof number, "%lu", (unsigned long)geteuid());
	pm_metadata_text(doc, PM_JOB_job_user, pw ? pw->pw_name : number);
	pm_metadata_int(doc, PM_JOB_job_uid, geteuid());
	pm_metadata_int(doc, PM_JOB_job_gid, getegid());
	json_array_append_new(list, group_name(getegid()));
	n = getgroups(0, NULL);
	group = n > 0 ? malloc((size_t)n * sizeof *group) : NULL;
	n = group ? getgroups(n, group) : 0;
	for (int i = 0; i < n; i++)
		if (group[i] != getegid())
			json_array_append_new(list, group_name(group[i]));
	free(group);
	pm_metadata_json(doc, PM_JOB_job_groups, list);
}

static void set_number(json_t *map, const char *name, int64_t number)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)number);
	json_object_set_new(map, name, json_string(text));
}

static void describe_facts(json_t *doc, const struct pm_ident *id, const struct pm_sched *sched,
			   bool automatic)
{
	json_t *map = json_object();

	for (const struct pm_sched_fact *f = sched->facts; f->name; f++) {
		const char *value = pm_sched_text(f->variable);
		char *clean = value ? pm_redact_variable(f->name, value) : NULL;

		if (clean)
			json_object_set_new(map, f->name, pm_metadata_string(clean));
		free(clean);
	}
	if (pm_job_is_partial(id))
		json_object_set_new(map, PM_JOB_PARTIAL, json_string("yes"));
	if (sched == &pm_sched_none) {
		int64_t start = pm_host_starttime(getsid(0));

		/* Later verbs of this session find the job by these facts. */
		set_number(map, "session_id", getsid(0));
		if (start >= 0)
			set_number(map, "session_start", start);
	}
	/* Only this process closes a command's job, so note the process, to tell whether it still
	 * lives. */
	if (automatic) {
		set_number(map, "runner_pid", getpid());
		set_number(map, "runner_start", pm_host_starttime(getpid()));
	}
	pm_metadata_json(doc, PM_JOB_job_facts, map);
}

static void set_redacted(json_t *doc, enum pm_job_key key, const char *text)
{
	char *kept = text ? pm_keptsecrets_text(text) : NULL;

	pm_metadata_text(doc, key, kept);
	free(kept);
}

/* Add the tags that the setting name_tags finds in the job's name. Tags that the user gives replace
 * them: they are added later. */
static void add_name_tags(json_t *doc, const char *name)
{
	const char *patterns = pm_config_get(PM_SET_name_tags);
	json_t *tags;
	char bad[256];

	if (!*patterns || !name)
		return;
	tags = json_object();
	if (pm_nametags_set(tags, patterns, name, bad) < 0)
		pm_warn("name_tags: %s", bad);
	if (!pm_keptsecrets_whole() && pm_redact_pairs(tags, ':') < 0)
		json_object_clear(tags);
	pm_metadata_json(doc, PM_JOB_job_tags, tags);
}

static void describe_job(json_t *doc, const struct pm_ident *id, const struct pm_sched *sched,
			 char **command)
{
	const char *name = id->name ? id->name : command ? pm_path_base(command[0]) : NULL;
	char path[PATH_MAX], *kept = name ? pm_keptsecrets_text(name) : NULL;

	pm_metadata_text(doc, PM_JOB_job_cluster, id->cluster ? id->cluster : "");
	describe_user(doc);
	pm_metadata_text(doc, PM_JOB_job_jobid, id->jobid);
	pm_metadata_text(doc, PM_JOB_job_array_task, id->array_task ? id->array_task : "");
	/* Without a batch system nobody restarts jobs. */
	set_known(doc, PM_JOB_job_restart_count, sched == &pm_sched_none ? 0 : id->restart_count,
		  -1);
	pm_metadata_text(doc, PM_JOB_job_scheduler, id->scheduler);
	pm_metadata_text(doc, PM_JOB_job_name, kept);
	set_known(doc, PM_JOB_job_submit_us, id->submit_us, 0);
	pm_metadata_text(doc, PM_JOB_job_queue, id->queue);
	pm_metadata_text(doc, PM_JOB_job_account, id->account);
	/* A batch system starts a copy of the script, whose name says nothing. */
	if (sched == &pm_sched_none && !command && pm_script_find(path) == 0)
		set_redacted(doc, PM_JOB_job_script, path);
	set_known(doc, PM_JOB_job_nodes, id->nodes, -1);
	set_known(doc, PM_JOB_job_tasks, id->tasks, -1);
	set_known(doc, PM_JOB_host_cpus_allocated, id->cpus, -1);
	describe_facts(doc, id, sched, command != NULL);
	add_name_tags(doc, kept);
	pm_keptsecrets_job_tags(doc);
	free(kept);
}

/* Store the command as the setting args allows; an empty list still marks the job as a command's.
 */
static void describe_command(json_t *doc, char **command)
{
	const char *how = pm_config_get(PM_SET_args);
	struct pm_secrets secrets = { 0 };
	json_t *list = json_array();

	for (char **p = command; *p && strcmp(how, "none") != 0; p++) {
		char *clean = NULL;

		if (strcmp(how, "full") == 0)
			json_array_append_new(list, pm_metadata_string(*p));
		else if ((clean = pm_redact_argument(&secrets, *p)) != NULL)
			json_array_append_new(list, pm_metadata_string(clean));
		free(clean);
		/* Store only the program and its first argument, which may be a script. */
		if (strcmp(how, "name") == 0 && p > command)
			break;
	}
	pm_metadata_json(doc, PM_JOB_start_command, list);
}

static void describe_start(json_t *doc, char **command)
{
	char path[PATH_MAX];

	pm_metadata_int(doc, PM_JOB_start_time_us, pm_now_us());
	pm_metadata_int(doc, PM_JOB_start_monotonic_us, pm_now_monotonic_us());
	if (getcwd(path, sizeof path))
		set_redacted(doc, PM_JOB_start_cwd, path);
	if (command)
		describe_command(doc, command);
	pm_metadata_json(doc, PM_JOB_start_environment, pm_environment_collect());
	pm_metadata_json(doc, PM_JOB_start_modules, pm_environment_modules());
}

/* Note the kernel's accounts at the start of the job. */
static void describe_charge(json_t *doc, const struct pm_sched *sched, bool command)
{
	struct pm_job_marks marks;
	struct pm_err e;
	/* A job that the user named does not own the batch system's group. */
	bool named = sched != &pm_sched_none && pm_sched_marks(NULL, &marks, &e) == 0;

	pm_charge_start(doc, named ? marks.cgroup : NULL, command);
	if (named)
		pm_sched_marks_free(&marks);
}

/* A job that starts: the arguments of pm_job_start, the job's identity and its directory. */
struct starting {
	struct pm_ident id;
	const struct pm_sched *sched;
	char **command;
	char host[256];
	struct pm_jobdir *d;
	int found;
};

/* Write this host's start half into the open directory, or join the job if this host has opened it.
 * Returns 0 with the job locked and *created set, or -1 with e filled. */
static int write_start(struct starting *s, int *created, struct pm_err *e)
{
	json_t *doc, *other;
	bool changed;
	int rc;

	if (pm_job_lock(s->d, e) < 0)
		return -1;
	doc = pm_metadata_read(s->d->fd, s->host, e);
	if (!doc && errno != ENOENT)
		return -1;
	*created = !doc || pm_metadata_is_closed(doc);
	changed = doc && s->sched != &pm_sched_none && pm_job_complete(doc, &s->id);
	if (doc && *created) {
		pm_metadata_reopen(doc);
		pm_info("job %s is open again", s->d->name);
	} else if (!doc) {
		doc = pm_metadata_new();
		describe_job(doc, &s->id, s->sched, s->command);
		pm_describe_host(doc);
		describe_start(doc, s->command);
		describe_charge(doc, s->sched, s->command != NULL);
		pm_events_start(doc);
		/* The first host's epoch is the job's. */
		other = pm_metadata_read(s->d->fd, "", NULL);
		pm_metadata_int(doc, PM_JOB_job_epoch_us,
				s->id.epoch_us ? s->id.epoch_us
					       : pm_metadata_get_int(
							 other, PM_JOB_job_epoch_us,
							 pm_metadata_get_int(
								 doc, PM_JOB_start_time_us, 0)));
		json_decref(other);
	}
	rc = *created || changed ? pm_metadata_write(s->d->fd, s->host, doc, e) : 0;
	/* Without a tally only lost and folded records are not counted. */
	if (rc == 0 && pm_tallyfile_create(s->d->fd, s->host, e) < 0) {
		pm_info("%s", e->text);
		e->text[0] = '\0';
	}
	/* Without the digests only environment_changes is missing. */
	if (rc == 0 && *created && pm_environment_remember(s->d->fd, s->host, e) < 0) {
		pm_info("%s", e->text);
		e->text[0] = '\0';
	}
	if (rc == 0 && *created)
		pm_room_keep(s->d->fd, s->host);
	json_decref(doc);
	return rc;
}

static bool is_wanted(const char *directory, void *arg)
{
	const struct starting *s = arg;

	return pm_job_may_be_in(directory, s->d->name, &s->id);
}

/* Take the directory of an earlier start of the same job. */
static int find_same(const struct pm_jobdir *d, void *arg)
{
	struct starting *s = arg;
	json_t *doc;
	int same;

	doc = pm_metadata_read(d->fd, s->host, NULL);
	if (!doc)
		doc = pm_metadata_read(d->fd, "", NULL);
	/* Without a batch system a name identifies a job only while the job is open. */
	same = doc && pm_job_is_same(doc, &s->id) &&
	       (s->sched != &pm_sched_none || !pm_metadata_is_closed(doc));
	json_decref(doc);
	if (!same)
		return 0;
	*s->d = *d;
	s->d->fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s->found = s->d->fd >= 0;
	return 1;
}

/* Open a directory without metadata: another start has just made it, or was killed. Returns 0 or
 * -1. */
static int open_unused(const char *name, struct pm_jobdir *d)
{
	char path[PATH_MAX];
	int fd = pm_jobdir_user(path, NULL);
	size_t n;

	if (fd < 0)
		return -1;
	close(fd);
	n = strlen(path);
	snprintf(path + n, sizeof path - n, "/%s", name);
	if (pm_jobdir_open(path, d, NULL) < 0)
		return -1;
	if (!pm_jobdir_is_job(d->fd))
		return 0;
	pm_jobdir_close(d);
	return -1;
}

/* Open or create the directory of a job that has a name. Returns 0 or -1 with e filled. */
static int open_named_directory(struct starting *s, const char *name, struct pm_err *e)
{
	char other[NAME_MAX + 1];
	int rc = 1;

	/* Try twice: another start of this job may make the directory between search and creation.
	 */
	for (int i = 0; i < 2 && rc == 1; i++) {
		snprintf(s->d->name, sizeof s->d->name, "%s", name);
		if (pm_jobdir_each_wanted(is_wanted, find_same, s, e) < 0)
			return -1;
		if (s->found)
			return 0;
		rc = pm_jobdir_create(name, s->d, e);
		if (rc == 1 && open_unused(name, s->d) == 0)
			return 0;
	}
	if (rc == 1) {
		/* The directory is another job's: the batch system reused the id, or the user the
		 * name. */
		int64_t epoch = s->id.epoch_us ? s->id.epoch_us : pm_now_us();

		snprintf(other, sizeof other, "%s.%lld", name, (long long)epoch);
		rc = pm_jobdir_create(other, s->d, e);
		if (rc == 1)
			rc = pm_err(e, "job directory %s is in use", other);
	}
	return rc;
}

/* Open the directory that the setting output names; create it if it is missing. Returns 0; 1 if it
 * is not to be used: the setting is empty, or the directory is another job's, which run or source
 * put into the environment; -1 with e filled. */
static int open_output_directory(struct starting *s, struct pm_err *e)
{
	const char *path = pm_config_get(PM_SET_output);

	if (!*path)
		return 1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return pm_err(e, "create %s: %m", path);
	if (pm_jobdir_open(path, s->d, e) < 0)
		return -1;
	if (pm_jobdir_is_job(s->d->fd)) {
		/* If hosts share the directory, another host of this batch job may have been first.
		 */
		json_t *doc =
			s->sched != &pm_sched_none ? pm_metadata_read(s->d->fd, "", NULL) : NULL;
		int same = doc && pm_job_is_same(doc, &s->id);

		json_decref(doc);
		if (same)
			return 0;
		pm_jobdir_close(s->d);
		return 1;
	}
	if (!s->id.jobid)
		s->id.jobid = s->d->name;
	return 0;
}

/* Find or make the job's directory. Returns 0 or -1 with e filled. */
static int open_directory(struct starting *s, const struct pm_cli *cli, const char *name,
			  struct pm_err *e)
{
	char stem[32];
	int rc = 1;

	if (!*name && !s->command) {
		/* If a job is open in this session, join it. */
		rc = pm_job_find(cli, PM_JOB_OPEN, s->d, e);
		if (rc <= 0)
			return rc;
	}
	e->text[0] = '\0';
	/* -j also names the directory, unless --directory is given. */
	if (!cli->value[PM_OPT_job] || cli->value[PM_OPT_directory]) {
		rc = open_output_directory(s, e);
		if (rc <= 0)
			return rc;
	}
	if (*name)
		return open_named_directory(s, name, e);
	snprintf(stem, sizeof stem, "%lld", (long long)getsid(0));
	rc = pm_jobdir_create_next(stem, s->d, e);
	s->id.jobid = s->d->name;
	return rc;
}

int pm_job_start(const struct pm_cli *cli, char **command, struct pm_jobdir *d, int *created,
		 struct pm_err *e)
{
	struct starting s = { .command = command, .d = d };
	char name[PM_JOB_NAME_MAX];

	d->fd = -1;
	*created = 0;
	pm_jobdir_host(s.host, sizeof s.host);
	if (pm_job_identify(cli, &s.id, &s.sched, name, e) < 0 ||
	    open_directory(&s, cli, name, e) < 0)
		return -1;
	if (write_start(&s, created, e) < 0) {
		/* Remove the directory if it is empty. */
		rmdir(d->path);
		pm_jobdir_close(d);
		return -1;
	}
	e->text[0] = '\0'; /* errors of searches that found nothing */
	return 0;
}

static int print_dry_run(const struct pm_cli *cli, struct pm_err *e)
{
	const struct pm_sched *sched;
	char name[PM_JOB_NAME_MAX];
	struct pm_ident id;

	if (pm_job_identify(cli, &id, &sched, name, e) < 0)
		return PM_EXIT_FAILED;
	if (cli->off) {
		pm_terminal_print(stdout, "would start no job: %s\n", cli->off);
		return PM_EXIT_OK;
	}
	if (*name)
		pm_terminal_print(stdout, "would start job %s", name);
	else
		pm_terminal_print(stdout, "would start a job of session %lld",
				  (long long)getsid(0));
	pm_terminal_print(stdout, " below %s\n", pm_config_get(PM_SET_output_prefix));
	return PM_EXIT_OK;
}

int pm_verb_start(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d;
	char point[PATH_MAX];
	int created;

	if (cli->argc > 0) {
		pm_err(e, "start takes no operand; perfmon -a run starts a command as a job");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_dry_run])
		return print_dry_run(cli, e);
	if (cli->off) {
		pm_info("no job is started: %s", cli->off);
		return PM_EXIT_OK;
	}
	if (pm_job_start(cli, NULL, &d, &created, e) < 0)
		return PM_EXIT_FAILED;
	if (created)
		pm_info("job %s started in %s", d.name, d.path);
	else
		pm_warn("job %s is open already", d.name);
	if (pm_ownmount_has(d.path, point))
		pm_warn("%s is a private mount of this job or session: stage the job to another "
			"place before it ends, or set output_prefix",
			point);
	if (pm_sampler_detach(cli, &d, e) < 0) {
		pm_warn("not sampled: %s", e->text);
		e->text[0] = '\0';
	}
	pm_jobdir_close(&d);
	return PM_EXIT_OK;
}
