/* The layout mlflow: a run of a job in a directory that MLflow reads as its file store, with the
 * summaries of its nodes as metrics. */
#include "config.h"

#include "export/layout.h"

#include "common/bytes.h"
#include "common/digest.h"
#include "common/path.h"
#include "common/record/nodesummaries.h"
#include "common/utf8.h"
#include "export/layout/hosts.h"
#include "export/layout/jsontext.h"
#include "export/layout/layoutfile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The experiment that runs are in: a number of 18 digits, as MLflow gives them. */
#define EXPERIMENT      "707110277033031109"
#define EXPERIMENT_NAME "perfmon"

/* The word of --names for those that perf.py logs. */
#define LOGGED "perf.py"

/* Digits of the id of a run. */
#define RUN_ID 32

/* MLflow's numbers of states. */
enum { RUNNING = 1, FINISHED = 3, FAILED = 4, KILLED = 5 };

/* The names under which perf.py logs what its documentation calls otherwise. */
static const struct logged {
	enum pm_nodesummary_id which;
	const char *name;
} logged[] = {
	{ PM_NODESUMMARY_max_t_cpu_pct_per_cpu_avg, "max_t_(cpu_pct_per_cpu_avg)" },
	{ PM_NODESUMMARY_max_t_cpu_pct_per_cpu_min, "max_t_(cpu_pct_per_cpu_min)" },
	{ PM_NODESUMMARY_max_t_cpu_pct_per_cpu_max, "max_t_(cpu_pct_per_cpu_max)" },
	{ PM_NODESUMMARY_max_t_mem_percent, "max_t_(mem_percent)" },
};

/* What is written: the paths of the experiment and the run, and what the job says. */
struct run {
	struct pm_layout_ask *a;
	struct pm_hosts hosts;
	char id[PM_DIGEST_TEXT];
	char experiment[PATH_MAX], path[PATH_MAX], root[PATH_MAX];
	char *name, *user, *jobid;
	int64_t start_ms, end_ms; /* INT64_MIN: unknown */
	int64_t last_ms;          /* of the latest sample; INT64_MIN: there is none */
	int status;
};

/* The name under which perf.py logs a summary. */
static const char *logged_name(enum pm_nodesummary_id which)
{
	for (size_t i = 0; i < sizeof logged / sizeof logged[0]; i++)
		if (logged[i].which == which)
			return logged[i].name;
	return pm_nodesummary_info[which].name;
}

/* A time in us as ms. */
static int64_t ms_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? INT64_MIN : pm_db_int(q, i) / 1000;
}

/* Copy a text as valid UTF-8 without NUL, NULL for NULL. Returns 0, or -1 if out of memory. */
static int take_text(struct pm_stmt *q, int i, char **out)
{
	struct pm_bytes b = { .n = 0 };
	size_t n = 0;
	const char *text = pm_db_text(q, i, &n);

	if (!text)
		return 0;
	pm_utf8_add_text(&b, text, n);
	pm_bytes_byte(&b, '\0');
	if (b.failed)
		pm_bytes_free(&b);
	*out = (char *)b.p;
	return *out ? 0 : -1;
}

/* The state of the run. MLflow has no word for an end of which nothing is known: such a run keeps
 * the state that it has where a program was never able to say how it ended. */
static int status_of(struct pm_stmt *q, int64_t end_ms)
{
	/* The columns of the question below. */
	enum { EXIT_STATUS = 9, EXIT_SIGNAL };

	if (end_ms == INT64_MIN)
		return RUNNING;
	if (!pm_db_is_null(q, EXIT_SIGNAL))
		return KILLED;
	if (pm_db_is_null(q, EXIT_STATUS))
		return RUNNING;
	return pm_db_int(q, EXIT_STATUS) != 0 ? FAILED : FINISHED;
}

/* Take the facts of the job; the id of its run is made of what no other job has. Returns 0, or -1
 * with e filled. */
static int read_job(struct run *r, struct pm_err *e)
{
	static const char sql[] = "SELECT cluster, \"user\", jobid, array_task, restart_count, "
				  "epoch_us, coalesce(name, jobid), start_us, end_us, exit_status, "
				  "exit_signal, (SELECT max(u.end_us) FROM series_summary u "
				  "WHERE u.job_id = job.id) FROM job WHERE id = ?";
	/* The first columns are the identity of the job, and the first of them texts. */
	enum { TEXTS = 4, IDENTITY = 6 };
	struct pm_digest d;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(r->a->db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->a->job);
	rc = pm_db_step(q, e);
	if (rc == 0)
		rc = pm_err(e, "the job is gone");
	pm_digest_init(&d);
	for (int i = 0; rc > 0 && i < IDENTITY; i++) {
		const int64_t number = i < TEXTS ? 0 : pm_db_int(q, i);
		size_t n = 0;
		const char *text = i < TEXTS ? pm_db_text(q, i, &n) : NULL;

		/* With a NUL, so that texts do not run into each other. */
		pm_digest_add(&d, text ? text : "", n);
		pm_digest_add(&d, "", 1);
		pm_digest_add(&d, &number, sizeof number);
	}
	pm_digest_text(&d, r->id);
	r->id[RUN_ID] = '\0';
	if (rc > 0) {
		r->start_ms = ms_of(q, 7);
		r->end_ms = ms_of(q, 8);
		r->last_ms = ms_of(q, 11);
		r->status = status_of(q, r->end_ms);
		if (take_text(q, 1, &r->user) < 0 || take_text(q, 2, &r->jobid) < 0 ||
		    take_text(q, 6, &r->name) < 0)
			rc = pm_err(e, "out of memory");
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static void put_ms(FILE *f, const char *name, int64_t ms)
{
	fprintf(f, "%s: ", name);
	if (ms == INT64_MIN)
		fputs("null\n", f);
	else
		fprintf(f, "%" PRId64 "\n", ms);
}

/* Write the address of a directory: file: and its path, with bytes that an address must not have as
 * %XX. */
static void put_address(FILE *f, const char *directory, const char *below)
{
	fputs("\"file://", f);
	for (const char *p = directory; *p; p++)
		if (strchr("/-_.~", *p) || (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= 'a' && *p <= 'z'))
			fputc(*p, f);
		else
			fprintf(f, "%%%02X", (unsigned char)*p);
	fprintf(f, "%s\"\n", below);
}

/* Write what MLflow has to know of the experiment, unless it is there. Returns 0, or -1 with e
 * filled. */
static int write_experiment(struct run *r, struct pm_err *e)
{
	struct pm_export_target t;
	char path[PATH_MAX];
	struct stat st;
	int rc;

	if (snprintf(path, sizeof path, "%s/meta.yaml", r->experiment) < (int)sizeof path &&
	    lstat(path, &st) == 0)
		return 0;
	if (pm_layoutfile_open(&t, path, r->a, r->experiment, "meta.yaml", e) < 0)
		return -1;
	fputs("artifact_location: ", t.f);
	put_address(t.f, r->root, "/" EXPERIMENT);
	put_ms(t.f, "creation_time", r->start_ms);
	fprintf(t.f, "experiment_id: '%s'\n", EXPERIMENT);
	put_ms(t.f, "last_update_time", r->start_ms);
	fprintf(t.f, "lifecycle_stage: active\nname: %s\n", EXPERIMENT_NAME);
	rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	return rc;
}

static int write_run(struct run *r, struct pm_err *e)
{
	struct pm_export_target t;
	char path[PATH_MAX], below[PM_DIGEST_TEXT + 64];
	int rc;

	if (pm_layoutfile_open(&t, path, r->a, r->path, "meta.yaml", e) < 0)
		return -1;
	snprintf(below, sizeof below, "/" EXPERIMENT "/%s/artifacts", r->id);
	fputs("artifact_uri: ", t.f);
	put_address(t.f, r->root, below);
	put_ms(t.f, "end_time", r->end_ms);
	fprintf(t.f,
		"entry_point_name: ''\nexperiment_id: '%s'\nlifecycle_stage: active\nrun_id: "
		"%s\nrun_name: ",
		EXPERIMENT, r->id);
	pm_jsontext_put(t.f, r->name);
	fprintf(t.f, "\nrun_uuid: %s\nsource_name: ''\nsource_type: 4\nsource_version: ''\n",
		r->id);
	put_ms(t.f, "start_time", r->start_ms);
	fprintf(t.f, "status: %d\ntags: []\nuser_id: ", r->status);
	pm_jsontext_put(t.f, r->user);
	fputs("\n", t.f);
	rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	return rc;
}

/* Write a text as a file of the run. Returns 0, or -1 with e filled. */
static int write_text(struct run *r, const char *name, const char *text, struct pm_err *e)
{
	struct pm_export_target t;
	char path[PATH_MAX];
	int rc;

	if (pm_layoutfile_open(&t, path, r->a, r->path, name, e) < 0)
		return -1;
	fputs(text ? text : "", t.f);
	rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	return rc;
}

/* Write the list of nodes, by which a step has a name. Returns 0, or -1 with e filled. */
static int write_nodes(struct run *r, struct pm_err *e)
{
	struct pm_export_target t;
	char path[PATH_MAX];
	int rc;

	if (pm_layoutfile_open(&t, path, r->a, r->path, "tags/perfmon.nodes", e) < 0)
		return -1;
	fputs("[", t.f);
	for (size_t i = 0; i < r->hosts.n; i++) {
		fputs(i ? ", " : "", t.f);
		pm_jsontext_put(t.f, r->hosts.host[i].name);
	}
	fputs("]", t.f);
	rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	return rc;
}

/* Write a summary of all nodes that have it, a line each: time in ms, value, step; none where no
 * time is known. Returns how many, or -1 with e filled. */
static int put_summary(struct run *r, FILE *f, enum pm_nodesummary_id which, struct pm_err *e)
{
	const int64_t ms = r->end_ms != INT64_MIN     ? r->end_ms
			   : r->start_ms != INT64_MIN ? r->start_ms
						      : r->last_ms;
	char sql[256], s[PM_EXPORT_NUMBER];
	struct pm_stmt *q;
	int rc, n = 0;

	snprintf(sql, sizeof sql,
		 "SELECT n.%s FROM host h LEFT JOIN node_summary n ON n.job_id = h.job_id "
		 "AND n.host_id = h.id WHERE h.job_id = ? ORDER BY h.id",
		 pm_nodesummary_info[which].name);
	if (pm_db_prepare(r->a->db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->a->job);
	for (int step = 0; (rc = pm_db_step(q, e)) > 0; step++) {
		if (pm_db_is_null(q, 0) || ms == INT64_MIN)
			continue;
		pm_export_real(s, pm_db_real(q, 0));
		fprintf(f, "%" PRId64 " %s %d\n", ms, s, step);
		n++;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : n;
}

/* Write the file of a summary; where no node has it, there is none. What an earlier export has
 * under another name goes. Returns 0, or -1 with e filled. */
static int write_summary(struct run *r, enum pm_nodesummary_id which, struct pm_err *e)
{
	const char *const names[] = { pm_nodesummary_info[which].name, logged_name(which) };
	const bool other = r->a->names && strcmp(r->a->names, LOGGED) == 0;
	struct pm_export_target t;
	char path[PATH_MAX], name[64];
	int n, rc = 0;

	snprintf(name, sizeof name, "metrics/%s", names[other]);
	if (pm_layoutfile_open(&t, path, r->a, r->path, name, e) < 0)
		return -1;
	n = put_summary(r, t.f, which, e);
	if (n > 0)
		rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	for (size_t i = 0; i < 2 && n >= 0 && rc == 0; i++) {
		snprintf(name, sizeof name, "metrics/%s", names[i]);
		if (pm_layoutfile_name(path, r->path, name, e) < 0)
			return -1;
		if ((n > 0 && strcmp(names[i], names[other]) == 0) ||
		    (unlink(path) < 0 && errno == ENOENT))
			continue;
		if (access(path, F_OK) == 0)
			rc = pm_err(e, "remove %s: %m", path);
	}
	return n < 0 ? -1 : rc;
}

/* Make the directories. Returns 0, or -1 with e filled. */
static int make_directories(struct run *r, struct pm_err *e)
{
	static const char *const parts[] = { "metrics", "params", "tags", "artifacts" };
	char path[PATH_MAX];

	if (snprintf(r->experiment, sizeof r->experiment, "%s/" EXPERIMENT, r->a->path) >=
		    (int)sizeof r->experiment ||
	    snprintf(r->path, sizeof r->path, "%s/%s", r->experiment, r->id) >=
		    (int)sizeof r->path - 64)
		return pm_err(e, "%s: the name is too long", r->a->path);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (pm_layoutfile_name(path, r->path, parts[i], e) < 0 || pm_path_make(path, e) < 0)
			return -1;
	}
	if (!realpath(r->a->path, r->root))
		return pm_err(e, "%s: %m", r->a->path);
	return 0;
}

static int write_mlflow(struct pm_layout_ask *a, struct pm_err *e)
{
	struct run *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return pm_err(e, "out of memory");
	r->a = a;
	rc = pm_hosts_read(&r->hosts, a->db, a->job, "", e);
	if (rc == 0)
		rc = read_job(r, e);
	if (rc == 0)
		rc = make_directories(r, e);
	if (rc == 0)
		rc = write_experiment(r, e);
	for (enum pm_nodesummary_id i = 0; rc == 0 && i < PM_NODESUMMARIES; i++)
		rc = write_summary(r, i, e);
	if (rc == 0)
		rc = write_text(r, "tags/mlflow.runName", r->name, e);
	if (rc == 0)
		rc = write_text(r, "tags/mlflow.user", r->user, e);
	if (rc == 0)
		rc = write_text(r, "tags/perfmon.job", r->jobid, e);
	if (rc == 0)
		rc = write_nodes(r, e);
	/* Without it MLflow takes the directory for no run. */
	if (rc == 0)
		rc = write_run(r, e);
	free(r->name);
	free(r->user);
	free(r->jobid);
	pm_hosts_free(&r->hosts);
	free(r);
	return rc;
}

const struct pm_layout pm_layout_mlflow = { .name = "mlflow",
					    .kind = "summaries",
					    .names = "documented " LOGGED,
					    .directory = true,
					    .tables = "",
					    .write = write_mlflow };
