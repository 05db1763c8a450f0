/* Find the job that a verb works on. */
#include "config.h"

#include "common/bootid.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* How long we wait for a job that another perfmon holds, and the longest time between two attempts.
 * Tasks that begin together hold the job for a moment each. */
#define LOCK_MS      10000
#define LOCK_STEP_MS 50

int pm_job_lock(const struct pm_jobdir *d, struct pm_err *e)
{
	struct timespec step = { 0, 0 };
	int ms = 0;

	for (int waited = 0; flock(d->fd, LOCK_EX | LOCK_NB) < 0; waited += ms) {
		/* On a file system without locks go on: writes stay atomic, only updates may be
		 * lost. */
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0;
		if (waited >= LOCK_MS)
			return pm_err(e, "%s: another perfmon process has locked the job", d->path);
		ms = waited < LOCK_STEP_MS ? waited + 1 : LOCK_STEP_MS;
		step.tv_nsec = ms * 1000000L;
		nanosleep(&step, NULL);
	}
	return 0;
}

void pm_job_unlock(const struct pm_jobdir *d)
{
	flock(d->fd, LOCK_UN);
}

/* Make <jobid>_<task> or <jobid>. Replaces '/', control characters and a leading '.' by '_'.
 * Returns 0 or -1. */
static int make_name(char name[PM_JOB_NAME_MAX], const char *jobid, const char *task)
{
	int n;

	n = task && *task ? snprintf(name, PM_JOB_NAME_MAX, "%s_%s", jobid, task)
			  : snprintf(name, PM_JOB_NAME_MAX, "%s", jobid);
	if (n <= 0 || n >= PM_JOB_NAME_MAX)
		return -1;
	for (char *p = name; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 0x7f || (p == name && *p == '.'))
			*p = '_';
	return 0;
}

int pm_job_identify(const struct pm_cli *cli, struct pm_ident *id, const struct pm_sched **sched,
		    char name[PM_JOB_NAME_MAX], struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_job];

	name[0] = '\0';
	*sched = pm_sched_identify(id);
	if (id->jobid && make_name(name, id->jobid, id->array_task) < 0)
		return pm_err(e, "the job id of %s is too long", id->scheduler);
	if (!given || (*given && strcmp(given, name) == 0))
		return 0;
	if (!pm_jobdir_name_valid(given) || make_name(name, given, NULL) < 0)
		return pm_err(e, "'%s' cannot be a job id", given);
	/* The user chose a name of a different job than the batch system's, so ignore the batch
	 * system. */
	*sched = &pm_sched_none;
	pm_sched_fill(*sched, id);
	id->jobid = given;
	return 0;
}

static int same_text(const json_t *doc, enum pm_job_key key, const char *text)
{
	const char *have = pm_metadata_get_text(doc, key);

	return strcmp(have ? have : "", text ? text : "") == 0;
}

bool pm_job_is_partial(const struct pm_ident *id)
{
	return id->element && !pm_sched_text("SLURM_CLUSTER_NAME");
}

/* Whether only steps without the job's environment wrote the metadata. */
static bool is_partial(const json_t *doc)
{
	return json_object_get(pm_metadata_get(doc, PM_JOB_job_facts), PM_JOB_PARTIAL) != NULL;
}

/* Whether the metadata has the job's id: array and task, or the element's id. */
static bool is_of_id(const json_t *doc, const struct pm_ident *id)
{
	const json_t *facts = pm_metadata_get(doc, PM_JOB_job_facts);
	const char *element = json_string_value(json_object_get(facts, "element_id"));

	if (id->element && element && strcmp(id->element, element) == 0)
		return true;
	return same_text(doc, PM_JOB_job_jobid, id->jobid) &&
	       same_text(doc, PM_JOB_job_array_task, id->array_task);
}

bool pm_job_may_be_in(const char *directory, const char *name, const struct pm_ident *id)
{
	return pm_jobdir_is_named(directory, name) ||
	       (id->element && pm_jobdir_is_named(directory, id->element)) || pm_job_is_partial(id);
}

bool pm_job_complete(json_t *doc, const struct pm_ident *id)
{
	const char *cluster = pm_metadata_get_text(doc, PM_JOB_job_cluster);
	bool changed = false;

	if (id->cluster && (!cluster || !*cluster)) {
		pm_metadata_text(doc, PM_JOB_job_cluster, id->cluster);
		changed = true;
	}
	if (pm_job_is_partial(id) || !is_partial(doc))
		return changed;
	json_object_del((json_t *)(uintptr_t)pm_metadata_get(doc, PM_JOB_job_facts),
			PM_JOB_PARTIAL);
	pm_metadata_text(doc, PM_JOB_job_jobid, id->jobid);
	pm_metadata_text(doc, PM_JOB_job_array_task, id->array_task ? id->array_task : "");
	if (id->restart_count >= 0)
		pm_metadata_int(doc, PM_JOB_job_restart_count, id->restart_count);
	return true;
}

int pm_job_is_same(const json_t *doc, const struct pm_ident *id)
{
	const char *cluster = pm_metadata_get_text(doc, PM_JOB_job_cluster);
	int64_t epoch = pm_metadata_get_int(doc, PM_JOB_job_epoch_us, 0);

	/* If only one side knows the cluster, the cluster does not count. */
	if (!same_text(doc, PM_JOB_job_scheduler, id->scheduler) ||
	    (cluster && *cluster && id->cluster && strcmp(cluster, id->cluster) != 0) ||
	    !is_of_id(doc, id))
		return 0;
	if (id->restart_count >= 0 && !pm_job_is_partial(id) && !is_partial(doc) &&
	    pm_metadata_get_int(doc, PM_JOB_job_restart_count, 0) != id->restart_count)
		return 0;
	return !id->epoch_us || epoch == id->epoch_us;
}

void pm_job_display_id(const json_t *doc, char id[PM_JOB_NAME_MAX])
{
	const char *jobid = pm_metadata_get_text(doc, PM_JOB_job_jobid);

	if (!jobid || make_name(id, jobid, pm_metadata_get_text(doc, PM_JOB_job_array_task)) < 0)
		snprintf(id, PM_JOB_NAME_MAX, "unknown");
}

int pm_job_is_automatic(const json_t *doc)
{
	return pm_metadata_get(doc, PM_JOB_start_command) != NULL;
}

/* A search for jobs: criteria and results. */
struct search {
	const struct pm_ident *id; /* NULL: search by session */
	const char *name;
	int any_key;     /* -j: search by name alone */
	int any_session; /* also find closed jobs, of any session */
	char host[256];
	char boot[64];
	int64_t sid, session_start;
	struct pm_jobdir best; /* the newest open job, else the newest closed job */
	int best_open;
	int64_t best_us;
	int open;                /* number of open jobs */
	char list[1024];         /* names of the open jobs, as far as they fit */
	char left[NAME_MAX + 1]; /* a job that stays open because its run -a was killed */
};

/* Read the metadata of this host, else of any host. */
static json_t *read_any_host(int dir, const char *host)
{
	json_t *doc = pm_metadata_read(dir, host, NULL);

	return doc ? doc : pm_metadata_read(dir, "", NULL);
}

static int is_of_session(const json_t *doc, const struct search *s)
{
	const json_t *facts = pm_metadata_get(doc, PM_JOB_job_facts);
	const char *sid = json_string_value(json_object_get(facts, "session_id"));
	const char *start = json_string_value(json_object_get(facts, "session_start"));
	char text[32];

	if (pm_job_is_automatic(doc) || !same_text(doc, PM_JOB_host_boot_id, s->boot) || !sid)
		return 0;
	snprintf(text, sizeof text, "%lld", (long long)s->sid);
	if (strcmp(sid, text) != 0)
		return 0;
	/* Session ids are reused, so compare the leader's start time as well, while the leader
	 * lives. */
	snprintf(text, sizeof text, "%lld", (long long)s->session_start);
	return s->session_start < 0 || !start || strcmp(start, text) == 0;
}

/* Whether the perfmon run -a that should close the job has ended. */
static bool is_left(const json_t *doc, const char *boot)
{
	const json_t *facts = pm_metadata_get(doc, PM_JOB_job_facts);
	const char *pid = json_string_value(json_object_get(facts, "runner_pid"));
	const char *start = json_string_value(json_object_get(facts, "runner_start"));

	return pm_job_is_automatic(doc) && same_text(doc, PM_JOB_host_boot_id, boot) && pid &&
	       start && pm_host_starttime(strtoll(pid, NULL, 10)) != strtoll(start, NULL, 10);
}

static bool is_wanted(const char *directory, void *arg)
{
	const struct search *s = arg;

	if (!s->name)
		return true;
	return s->any_key ? pm_jobdir_is_named(directory, s->name)
			  : pm_job_may_be_in(directory, s->name, s->id);
}

static int consider_job(const struct pm_jobdir *d, void *arg)
{
	struct search *s = arg;
	int open, matches;
	int64_t us;
	json_t *doc;

	doc = read_any_host(d->fd, s->host);
	if (!doc)
		return 0;
	open = !pm_metadata_is_closed(doc);
	us = pm_metadata_get_int(doc, PM_JOB_start_time_us, 0);
	if (!s->id)
		matches = open ? is_of_session(doc, s) : s->any_session;
	else
		matches = s->any_key || pm_job_is_same(doc, s->id);
	if (!s->id && open && is_left(doc, s->boot))
		snprintf(s->left, sizeof s->left, "%s", d->name);
	json_decref(doc);
	if (!matches)
		return 0;
	if (open) {
		size_t n = strlen(s->list);

		s->open++;
		snprintf(s->list + n, sizeof s->list - n, "%s%s", n ? ", " : "", d->name);
	}
	if (s->best.fd < 0 || open > s->best_open || (open == s->best_open && us > s->best_us)) {
		pm_jobdir_close(&s->best);
		s->best = *d;
		s->best.fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		s->best_open = open;
		s->best_us = us;
	}
	return 0;
}

static int search_jobs(struct search *s, enum pm_job_want want, struct pm_jobdir *d,
		       struct pm_err *e)
{
	s->best.fd = -1;
	pm_jobdir_host(s->host, sizeof s->host);
	if (pm_jobdir_each_wanted(is_wanted, consider_job, s, e) < 0)
		return -1;
	if (s->open > 1) {
		pm_jobdir_close(&s->best);
		return pm_err(e, "several jobs are open: %s; choose one with -j", s->list);
	}
	if (s->best.fd < 0 || (want == PM_JOB_OPEN && !s->best_open)) {
		pm_jobdir_close(&s->best);
		return 1;
	}
	*d = s->best;
	e->text[0] = '\0';
	return 0;
}

/* Open the directory that the setting output names, if it holds the metadata of a job, open if
 * `want` says so. Returns 0, or 1 if it does not. */
static int find_by_output(enum pm_job_want want, struct pm_jobdir *d)
{
	const char *path = pm_config_get(PM_SET_output);
	char host[256];
	json_t *doc;

	if (!*path || pm_jobdir_open(path, d, NULL) < 0)
		return 1;
	pm_jobdir_host(host, sizeof host);
	doc = read_any_host(d->fd, host);
	if (!doc || (want == PM_JOB_OPEN && pm_metadata_is_closed(doc))) {
		pm_jobdir_close(d);
		json_decref(doc);
		return 1;
	}
	json_decref(doc);
	return 0;
}

int pm_job_find(const struct pm_cli *cli, enum pm_job_want want, struct pm_jobdir *d,
		struct pm_err *e)
{
	struct search s = {
		.any_key = cli->value[PM_OPT_job] != NULL,
		.any_session = want == PM_JOB_LAST,
	};
	const struct pm_sched *sched;
	char name[PM_JOB_NAME_MAX];
	struct pm_ident id;
	int rc;

	d->fd = -1;
	if (!s.any_key && find_by_output(want, d) == 0)
		return 0;
	if (pm_job_identify(cli, &id, &sched, name, e) < 0)
		return -1;
	if (*name) {
		s.id = &id;
		s.name = name;
	} else {
		s.sid = getsid(0);
		s.session_start = pm_host_starttime(s.sid);
		pm_bootid_read(s.boot);
	}
	rc = search_jobs(&s, want, d, e);
	if (rc == 1 && *name)
		pm_err(e, "job %s is not %s", name, want == PM_JOB_OPEN ? "open" : "known");
	else if (rc == 1 && s.left[0])
		pm_err(e,
		       "no job is open in this session; job %s was left open by a perfmon run that "
		       "has died; stop it with perfmon -j %s stop",
		       s.left, s.left);
	else if (rc == 1 && want == PM_JOB_OPEN)
		pm_err(e, "no job is open; see perfmon start");
	else if (rc == 1)
		pm_err(e, "no job is open%s; name one, see perfmon status",
		       want == PM_JOB_LAST ? " and none is closed" : "");
	return rc;
}
