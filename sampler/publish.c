/* perfmon sample --openmetrics: which values are shown, of whom, and in which file. */
#include "config.h"

#include "sampler/publish.h"

#include "common/log.h"
#include "common/path.h"
#include "common/settings/readconfig.h"
#include "sampler/openmetrics.h"
#include "sampler/publisher.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Shortest time between two texts of ticks; a tick may be a little early. */
#define PUBLISH_US 900000

/* End of the names that the textfile collector reads. */
#define COLLECTED ".prom"

struct pm_publish {
	struct pm_openmetrics text;
	struct pm_publisher *publisher;
	int64_t last_us; /* monotonic time of the latest text */
	bool short_of_memory;
};

/* Begun by pm_verb_sample_publish() before the change of user, taken by pm_publish_open(). */
static struct pm_publisher *begun;

/* --- the file --------------------------------------------------------------------------------- */

static bool is_collected(const char *path)
{
	const size_t n = strlen(path), m = strlen(COLLECTED);

	return n > m && strcmp(path + n - m, COLLECTED) == 0;
}

/* The beginning of the names of jobs' files: that of FILE up to its last dot, and ".job-". Returns
 * its length, or -1 with e filled. *end gets what FILE has from that dot on, which is what tells
 * jobs' files from others. */
static int job_names(const char *file, char *begin, size_t size, const char **end, struct pm_err *e)
{
	const char *name = pm_path_base(file), *dot = strrchr(name, '.');
	int n;

	if (!dot || dot == name || !dot[1])
		return pm_err(e, "--openmetrics: the name needs a suffix, such as .prom, for the "
				 "files of jobs to end in");
	*end = dot;
	n = snprintf(begin, size, "%.*s.job-", (int)(*end - file), file);
	return n < 0 || (size_t)n >= size ? pm_err(e, "--openmetrics: the name is too long") : n;
}

/* The file of a job, beside FILE. Bytes that a job's id seldom has become %HH. Returns 0, or -1
 * with e filled. */
static int job_file(const char *file, const char *job, char *path, size_t size, struct pm_err *e)
{
	const char *end;
	int n = job_names(file, path, size, &end, e);

	if (n < 0)
		return -1;
	for (; *job && (size_t)n + 4 < size; job++)
		n += snprintf(path + n, size - (size_t)n,
			      (*job >= '0' && *job <= '9') || (*job >= 'a' && *job <= 'z') ||
					      (*job >= 'A' && *job <= 'Z') || strchr("._-", *job)
				      ? "%c"
				      : "%%%02X",
			      (unsigned char)*job);
	if (*job || (size_t)n + strlen(end) >= size)
		return pm_err(e, "--openmetrics: the name is too long");
	memcpy(path + n, end, strlen(end) + 1);
	return 0;
}

int pm_verb_sample_publish(const struct pm_cli *cli, const char *job, struct pm_err *e)
{
	const char *file = cli->value[PM_OPT_openmetrics];
	char path[PATH_MAX];

	if (!file || (job && job_file(file, job, path, sizeof path, e) < 0))
		return file ? -1 : 0;
	begun = pm_publisher_start(job ? path : file, e);
	return begun ? 0 : pm_err_prefix(e, "--openmetrics");
}

int pm_verb_sample_sweep(const struct pm_cli *cli, struct pm_err *e)
{
	const char *file = cli->value[PM_OPT_openmetrics], *end, *name;
	char begin[PATH_MAX], directory[PATH_MAX] = ".";

	if (!file)
		return 0;
	if (job_names(file, begin, sizeof begin, &end, e) < 0)
		return -1;
	name = pm_path_base(begin);
	if (name > begin)
		snprintf(directory, sizeof directory, "%.*s", (int)(name - begin), begin);
	if (pm_publisher_sweep(directory, name, end, PM_OPENMETRICS_BEGIN, e) < 0)
		return pm_err_prefix(e, "--openmetrics");
	return 0;
}

/* --- whose values they are -------------------------------------------------------------------- */

/* The owner of what is sampled; -1: unknown. Root may sample anybody's job. */
static uid_t find_owner(const struct pm_cli *cli, pid_t pid)
{
	char path[PATH_MAX];
	struct stat st;

	if (cli->marks && cli->marks->strict)
		return (uid_t)cli->marks->uid;
	if (pid) {
		snprintf(path, sizeof path, "%s/proc/%ld", pm_config_get(PM_SET_root), (long)pid);
		return stat(path, &st) == 0 ? st.st_uid : (uid_t)-1;
	}
	if (geteuid() == 0 && (cli->value[PM_OPT_job] || cli->value[PM_OPT_cgroup]))
		return (uid_t)-1;
	return geteuid();
}

/* Prepare the text. Returns 0, or -1 with e filled. */
static int begin_text(struct pm_publish *p, const struct pm_cli *cli, pid_t pid, struct pm_err *e)
{
	const struct pm_job_marks *marks = cli->marks;
	const bool job = pid || marks;
	const uid_t owner = job ? find_owner(cli, pid) : (uid_t)-1;
	const struct passwd *pw = owner == (uid_t)-1 ? NULL : getpwuid(owner);
	struct pm_openmetrics_labels labels = { .host = "localhost" };
	struct utsname host;
	char uid[32];

	if (uname(&host) == 0 && host.nodename[0])
		labels.host = host.nodename;
	/* The id that control groups are named after, which exporters of Slurm's jobs have. */
	labels.jobid = marks && *marks->cgroup ? marks->cgroup : cli->value[PM_OPT_job];
	if (owner != (uid_t)-1) {
		snprintf(uid, sizeof uid, "%ld", (long)owner);
		labels.user = pw ? pw->pw_name : uid;
	}
	/* The process of a user tells them, and root shows no more of a user than root knows. */
	if (marks && !marks->strict) {
		labels.account = marks->account;
		labels.partition = marks->queue;
	}
	return pm_openmetrics_init(&p->text, &labels, job,
				   !is_collected(cli->value[PM_OPT_openmetrics]), e);
}

int pm_publish_open(struct pm_publish **publish, const struct pm_cli *cli, pid_t pid,
		    struct pm_err *e)
{
	struct pm_publish *p;

	*publish = NULL;
	if (!cli->value[PM_OPT_openmetrics])
		return 0;
	p = calloc(1, sizeof *p);
	if (!p)
		return pm_err(e, "out of memory");
	if (begin_text(p, cli, pid, e) < 0 ||
	    (!begun && pm_verb_sample_publish(cli, NULL, e) < 0)) {
		pm_publish_close(p);
		return -1;
	}
	p->publisher = begun;
	begun = NULL;
	p->last_us = -PUBLISH_US;
	*publish = p;
	return 0;
}

/* --- ticks ------------------------------------------------------------------------------------ */

void pm_publish_tick(struct pm_publish *p, struct pm_moment at, bool later,
		     const struct pm_sink *const sinks[PM_SOURCES])
{
	char *text;
	size_t n;

	if (!later && at.monotonic_us - p->last_us < PUBLISH_US)
		return;
	text = pm_publisher_text(p->publisher);
	if (!text)
		return;
	n = pm_openmetrics_write(&p->text, at, sinks, text, PM_PUBLISHER_MAX);
	if (n) {
		pm_publisher_write(p->publisher, n);
		p->last_us = at.monotonic_us;
	} else if (!p->short_of_memory) {
		p->short_of_memory = true;
		pm_warn("--openmetrics: out of memory: samples are not shown");
	}
}

void pm_publish_close(struct pm_publish *p)
{
	if (!p)
		return;
	pm_publisher_end(p->publisher);
	pm_openmetrics_free(&p->text);
	free(p);
}
