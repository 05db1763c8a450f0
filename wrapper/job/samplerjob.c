/* Open and close the job around a sampler that a job script starts by itself. */
#include "config.h"

#include "wrapper/job/samplerjob.h"

#include "common/job/jobgroup.h"
#include "common/log.h"
#include "common/path.h"
#include "common/settings/config_parse.h"
#include "common/settings/readconfig.h"
#include "common/words.h"
#include "wrapper/job/job.h"
#include "wrapper/job/launch.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/process/child.h"
#include "wrapper/sched/jobcgroups.h"
#include "wrapper/sched/sched_marks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long the first host waits for the others before it writes of all, in steps, and ms of a step:
 * samplers see within three seconds that a job is over, and then read once more. */
#define OTHERS_STEP_MS 100
#define OTHERS_STEPS   100

/* Options whose values become tags of a job that the sampler opens. */
static const enum pm_option label[] = { PM_OPT_system, PM_OPT_partition, PM_OPT_env, PM_OPT_name };

/* Add the labels to the setting job_tags. Returns 0 or -1 with e filled. */
static int add_labels(const struct pm_cli *cli, struct pm_err *e)
{
	char text[4096];
	int n = snprintf(text, sizeof text, "%s", pm_config_get(PM_SET_job_tags));

	for (size_t i = 0; i < sizeof label / sizeof label[0] && n < (int)sizeof text; i++)
		if (cli->value[label[i]])
			n += snprintf(text + n, sizeof text - (size_t)n, "%s%s:%s", n ? ";" : "",
				      pm_option_info[label[i]].name, cli->value[label[i]]);
	if (n >= (int)sizeof text)
		return pm_err(e, "--system, --partition, --env and --name are too long together");
	return pm_config_set(PM_SET_job_tags, text, e);
}

/* Choose the directory of the series and set the setting output. Returns 0 or -1 with e filled. */
static int choose_directory(const struct pm_cli *cli, enum pm_samplerjob_place place,
			    struct pm_err *e)
{
	const char *directory = cli->value[PM_OPT_directory], *prefix = cli->value[PM_OPT_prefix];
	const char *output = pm_config_get(PM_SET_output);
	struct pm_jobdir d = { .fd = -1 };
	struct pm_cli ask = { .value = { [PM_OPT_job] = cli->value[PM_OPT_job] } };
	struct pm_err ignored;
	char path[PATH_MAX];
	int n, rc;

	if (!directory && !prefix) {
		if (*output)
			return 0;
		rc = pm_job_find(&ask, PM_JOB_OPEN, &d, &ignored);
		pm_jobdir_close(&d);
		if (rc == 0)
			return pm_config_set(PM_SET_output, d.path, e);
		if (place == PM_SAMPLERJOB_WITH_JOBS)
			return 0;
	}
	if (directory)
		n = snprintf(path, sizeof path, "%s%s%s", directory, prefix ? "/" : "",
			     prefix ? prefix : "");
	else if (prefix)
		n = snprintf(path, sizeof path, "%s", prefix);
	else if (pm_jobdir_name_valid(cli->marks->job))
		n = snprintf(path, sizeof path, "perfmon-%s", cli->marks->job);
	else
		return pm_err(e, "job id '%s' cannot be the name of a directory: use --directory",
			      cli->marks->job);
	if (n >= (int)sizeof path)
		return pm_err(e, "--directory is too long");
	/* pm_config_set expands ~ and $NAME, so create the expanded path. */
	if (pm_config_set(PM_SET_output, path, e) < 0)
		return -1;
	return pm_path_make(pm_config_get(PM_SET_output), e);
}

/* Whether this host writes the report: the first of the job, or any if hosts have no numbers. */
static bool is_first_host(void)
{
	const char *number = pm_sched_text(
		"SLURM_NODEID PBS_NODENUM FLUX_TASK_RANK OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK");

	return !number || strcmp(number, "0") == 0;
}

/* Count the other hosts on which the job is still open; `name` gets that of one of them. */
static size_t count_open(const struct pm_jobdir *d, char name[NAME_MAX + 1])
{
	struct dirent **entry = NULL;
	const int n = scandirat(d->fd, ".", &entry, NULL, alphasort);
	char own[256];
	size_t open = 0;

	pm_jobdir_host(own, sizeof own);
	for (int i = 0; i < n; i++) {
		const size_t length = strlen(entry[i]->d_name);
		char host[NAME_MAX + 1];
		json_t *doc;

		if (length > 9 && fnmatch("job-*.json", entry[i]->d_name, 0) == 0) {
			snprintf(host, sizeof host, "%.*s", (int)length - 9, entry[i]->d_name + 4);
			doc = strcmp(host, own) == 0 ? NULL : pm_metadata_read(d->fd, host, NULL);
			if (doc && !pm_metadata_is_closed(doc)) {
				memcpy(name, host, sizeof host);
				open++;
			}
			json_decref(doc);
		}
		free(entry[i]);
	}
	free(entry);
	return open;
}

/* Wait until the samplers of other hosts have written all and closed the job there. */
static void wait_for_others(const struct pm_jobdir *d)
{
	const struct timespec step = { 0, OTHERS_STEP_MS * 1000000L };
	char name[NAME_MAX + 1];
	size_t open;

	for (int i = 0; (open = count_open(d, name)) > 0 && i < OTHERS_STEPS; i++)
		nanosleep(&step, NULL);
	if (open)
		pm_warn("%s: the job is still open on %zu other host%s, such as %s: what is "
			"sampled there from now on is in no report and no table; perfmon report "
			"and "
			"perfmon export --layout ska of the directory write them again",
			d->path, open, open == 1 ? "" : "s", name);
}

/* Run perfmon with its standard output in a new file of the job's directory, or with name NULL in
 * none: then it makes `shown` there. Returns 0, or -1 after a warning. */
static int run_into(const struct pm_jobdir *d, const char *name, const char *shown, char **argv)
{
	char **envp = pm_launch_helper_environ();
	struct pm_child child;
	struct pm_err e;
	int fd, saved, rc = -1;

	if (name) {
		unlinkat(d->fd, name, 0);
		fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	} else {
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	}
	saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (!envp || fd < 0 || saved < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		pm_warn("cannot write %s/%s: %s", d->path, shown, strerror(errno));
	} else if (pm_child_start(&child, argv, envp, NULL, &e) < 0 || child.exec_errno ||
		   pm_child_wait(&child, &e) < 0 || child.status != 0) {
		pm_warn("%s/%s is not written: perfmon %s failed", d->path, shown, argv[1]);
		/* What is there is not whole. */
		if (name)
			unlinkat(d->fd, name, 0);
	} else {
		pm_info("%s/%s is written", d->path, shown);
		rc = 0;
	}
	if (saved >= 0) {
		dup2(saved, STDOUT_FILENO);
		close(saved);
	}
	if (fd >= 0)
		close(fd);
	free(envp);
	return rc;
}

/* Write the report of the job into its directory, as text and as PDF, and the plots, where SKA's
 * sampler has them. */
static void write_report(const struct pm_cli *cli, const struct pm_jobdir *d)
{
	char plots[PATH_MAX], name[NAME_MAX + 1], *self = (char *)cli->self,
						  *path = (char *)d->path;
	char *text[] = { self, (char *)"report", path, NULL };
	char *pdf[] = { self, (char *)"report", (char *)"--pdf", (char *)"-", path, NULL };
	char *plot[] = { self, (char *)"plot", (char *)"--all", (char *)"-d", plots, path, NULL };

	snprintf(name, sizeof name, "report-%.*s.txt", NAME_MAX - 16, cli->marks->job);
	run_into(d, name, name, text);
	snprintf(name, sizeof name, "job-report-%.*s.pdf", NAME_MAX - 20, cli->marks->job);
	/* Without cairo there are no plots either, nor without samples. */
	if (run_into(d, name, name, pdf) < 0 ||
	    (size_t)snprintf(plots, sizeof plots, "%s/plots", d->path) >= sizeof plots)
		return;
	run_into(d, NULL, "plots", plot);
}

/* Formats of tables that perfmon does not write, and what pandas does for each. */
static const struct other {
	const char *name, *line;
} others[] = {
	{ "pickle", "to_pickle(\"cpu_metrics.pkl\")" },
	{ "feather", "to_feather(\"cpu_metrics.feather\")" },
	{ "orc", "to_orc(\"cpu_metrics.orc\")" },
};

/* Whether a format is among those of -e. */
static bool is_asked(const struct pm_cli *cli, const char *name)
{
	return pm_words_have_among(cli->formats, ',', name, strlen(name));
}

/* Tell how to make of csv what perfmon does not write. Returns whether csv is needed for that. */
static bool explain_others(const struct pm_cli *cli)
{
	bool any = false;

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (is_asked(cli, others[i].name)) {
			any = true;
			pm_warn("-e %s: perfmon writes csv, hdf5 and parquet; a line of pandas "
				"makes it: "
				"pandas.read_csv(\"cpu_metrics.csv\").%s",
				others[i].name, others[i].line);
		}
	return any;
}

/* Write the samples of the job into its directory as SKA's sampler does, with tables in the formats
 * of -e. */
static void write_ska(const struct pm_cli *cli, const struct pm_jobdir *d, bool csv)
{
	static const char *const known[] = { "csv", "parquet", "hdf5" };
	char *self = (char *)cli->self, *path = (char *)d->path;
	char formats[32] = "";
	char *argv[] = { self,
			 (char *)"export",
			 (char *)"--layout",
			 (char *)"ska",
			 (char *)"-o",
			 path,
			 path,
			 NULL,
			 NULL,
			 NULL,
			 NULL };
	size_t n = 7, at = 0;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (is_asked(cli, known[i]) || (csv && i == 0))
			at += (size_t)snprintf(formats + at, sizeof formats - at, "%s%s",
					       at > 0 ? "," : "", known[i]);
	if (*formats) {
		argv[n++] = (char *)"--format";
		argv[n++] = formats;
	}
	if (cli->given[PM_OPT_verbose])
		argv[n++] = (char *)"-v";
	run_into(d, NULL, "metrics", argv);
}

/* Where SKA's sampler is replaced, have messages in its file, too: in the directory that --prefix
 * is below. Returns 0, or -1 with e filled. */
static int begin_ska_log(const struct pm_cli *cli, const char *output, struct pm_err *e)
{
	const char *prefix = cli->value[PM_OPT_prefix];
	const size_t n = strlen(output), more = prefix ? strlen(prefix) : 0;
	char path[PATH_MAX], host[HOST_NAME_MAX + 2] = "";
	int length = (int)n;

	if (!cli->ska || cli->value[PM_OPT_log])
		return 0;
	if (more > 0 && n >= more && strcmp(output + n - more, prefix) == 0)
		length = (int)(n - more);
	if (cli->given[PM_OPT_verbose]) {
		host[0] = '_';
		if (gethostname(host + 1, sizeof host - 2) < 0)
			host[0] = '\0';
	}
	if (snprintf(path, sizeof path, "%.*s%sska_sdp_monitoring_metrics%s.log", length, output,
		     length > 0 && output[length - 1] != '/' ? "/" : "", host) >= (int)sizeof path)
		return pm_err(e, "--directory is too long");
	return pm_log_also(path, e);
}

static int sample_job(struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		      enum pm_samplerjob_place place, struct pm_err *e)
{
	struct pm_cli start = { .value = { [PM_OPT_job] = cli->value[PM_OPT_job] } };
	struct pm_jobdir d = { .fd = -1 };
	const bool csv = explain_others(cli) || is_asked(cli, "csv");
	struct pm_err why;
	bool tables;
	int created, status;

	if (choose_directory(cli, place, e) < 0 || add_labels(cli, e) < 0)
		return PM_EXIT_FAILED;
	if (*pm_config_get(PM_SET_output))
		start.value[PM_OPT_directory] = pm_config_get(PM_SET_output);
	if (pm_job_start(&start, NULL, &d, &created, e) < 0)
		return PM_EXIT_FAILED;
	/* Close the directory, and so release the job's lock: other hosts and samplers join
	 * meanwhile. */
	close(d.fd);
	d.fd = -1;
	if (begin_ska_log(cli, d.path, e) < 0)
		return PM_EXIT_FAILED;
	cli->value[PM_OPT_directory] = d.path;
	cli->given[PM_OPT_directory]++;
	status = sample(cli, e);
	if (pm_jobdir_open(d.path, &d, &why) < 0) {
		pm_warn("%s", why.text);
		return status ? status : PM_EXIT_FAILED;
	}
	if (created && pm_job_stop(&d, NULL, &why) < 0)
		pm_warn("%s", why.text);
	tables = cli->ska || *cli->formats;
	if ((cli->given[PM_OPT_gen_report] || tables) && is_first_host()) {
		/* Where perfmon start has opened the job, perfmon stop closes it, later. */
		if (created)
			wait_for_others(&d);
		if (cli->given[PM_OPT_gen_report])
			write_report(cli, &d);
		if (tables)
			write_ska(cli, &d, csv);
	}
	pm_jobdir_close(&d);
	return status;
}

/* Find the directory of the job's control group. The caller frees the text; NULL: no group here. */
static char *find_group(const struct pm_cli *cli, const struct pm_job_marks *marks)
{
	struct pm_jobcgroups groups;
	char *found = NULL;

	pm_jobcgroups_open(&groups, cli->value[PM_OPT_cgroups]);
	pm_jobcgroups_scan(&groups);
	for (size_t i = 0; i < groups.count && !found; i++)
		if (pm_jobgroup_find(groups.group[i].path, strlen(groups.group[i].path),
				     marks->cgroup) ||
		    strcmp(groups.group[i].id, marks->cgroup) == 0)
			found = strdup(groups.group[i].path);
	pm_jobcgroups_close(&groups);
	return found;
}

/* Sample without a job, whose directory would have the tables. */
static int sample_alone(const struct pm_cli *cli,
			int (*sample)(const struct pm_cli *, struct pm_err *), struct pm_err *e)
{
	if (*cli->formats)
		pm_warn("-e %s: tables are written of a batch job alone", cli->formats);
	return sample(cli, e);
}

/* Sample the processes of the control group that the command line names, outside of any job. */
static int sample_group(struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
			struct pm_err *e)
{
	const struct pm_job_marks marks = { .job = "",
					    .cgroup = "",
					    .directory = cli->value[PM_OPT_cgroup] };
	int status;

	if (cli->value[PM_OPT_pid] || cli->value[PM_OPT_job]) {
		pm_err(e, "--cgroup cannot be combined with --pid or --job");
		return PM_EXIT_USAGE;
	}
	cli->marks = &marks;
	status = sample_alone(cli, sample, e);
	cli->marks = NULL;
	return status;
}

int pm_samplerjob_run(struct pm_cli *cli, int (*sample)(const struct pm_cli *, struct pm_err *),
		      enum pm_samplerjob_place place, const struct pm_samplerjob_group *group,
		      struct pm_err *e)
{
	struct pm_job_marks marks;
	int rc, status;

	if (cli->value[PM_OPT_cgroup])
		return sample_group(cli, sample, e);
	if (cli->value[PM_OPT_pid] || cli->given[PM_OPT_dry_run] || cli->off)
		return sample_alone(cli, sample, e);
	rc = pm_sched_marks(cli->value[PM_OPT_job], &marks, e);
	if (rc < 0)
		return PM_EXIT_FAILED;
	if (rc > 0)
		return sample_alone(cli, sample, e);
	marks.directory = group ? strdup(group->directory) : find_group(cli, &marks);
	marks.strict = group != NULL;
	marks.uid = group ? group->uid : 0;
	cli->marks = &marks;
	status = sample_job(cli, sample, place, e);
	pm_sched_marks_free(&marks);
	cli->marks = NULL;
	return status;
}
