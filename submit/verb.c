/* perfmon submit: load recorded jobs into the database. */
#include "config.h"

#include "common/config.h"
#include "common/jobdir.h"
#include "common/log.h"
#include "common/verb.h"
#include "submit/find.h"
#include "submit/load.h"
#include "submit/spool.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	const struct pm_cli *cli;
	json_t *list; /* with --json */
};

static const char *state_name(enum pm_load_state state)
{
	static const char *const name[] = {
		[PM_LOAD_NEW] = "new",
		[PM_LOAD_APPENDED] = "appended",
		[PM_LOAD_REPLACED] = "replaced",
		[PM_LOAD_UNCHANGED] = "unchanged",
	};

	return name[state];
}

static void add_json(struct run *run, const struct pm_load_result *r)
{
	json_array_append_new(
		run->list,
		json_pack("{s:I s:s s:s s:s s:I s:I s:I s:I s:I s:s}", "id", (json_int_t)r->job_id,
			  "job", r->jobid, "source", r->source, "state", state_name(r->state),
			  "processes", (json_int_t)r->processes, "threads", (json_int_t)r->threads,
			  "lines", (json_int_t)r->lines, "rejected", (json_int_t)r->rejected,
			  "elapsed_us", (json_int_t)r->elapsed_us, "problems", r->problems));
}

/* One line per job. */
static void done(void *ctx, const struct pm_load_result *r)
{
	struct run *run = ctx;
	double seconds = (double)r->elapsed_us / 1e6;

	if (run->list) {
		add_json(run, r);
		return;
	}
	if (pm_log_level < 0)
		return;
	if (r->state == PM_LOAD_UNCHANGED) {
		printf("job %s: already loaded, nothing new\n", r->jobid);
		return;
	}
	printf("job %s: %lld process%s, %lld thread%s, %lld rejected, %.0f processes/s%s\n",
	       r->jobid, (long long)r->processes, r->processes == 1 ? "" : "es",
	       (long long)r->threads, r->threads == 1 ? "" : "s", (long long)r->rejected,
	       seconds > 0 ? (double)r->processes / seconds : 0.0,
	       r->state == PM_LOAD_APPENDED   ? " (added to what was there)"
	       : r->state == PM_LOAD_REPLACED ? " (in place of what was there)"
					      : "");
}

static void failed(void *ctx, const char *source, const struct pm_err *e)
{
	(void)ctx;
	(void)source;
	/* In order with what was loaded before. */
	fflush(stdout);
	pm_error("%s", e->text);
}

/* Load the sources; failures are told as they come. Returns the exit status. */
static int load_all(struct pm_db *db, struct run *run, char **source, int n, struct pm_err *e)
{
	struct pm_load_options o = {
		.done = done,
		.failed = failed,
		.ctx = run,
		.replace = run->cli->given[PM_OPT_replace],
	};
	int rc = pm_load_sources(db, (const char *const *)source, (size_t)n, &o, e);

	e->text[0] = '\0';
	return rc == 0 ? PM_EXIT_OK : PM_EXIT_FAILED;
}

/* The job to submit. A dry run, too, asks the real database what is loaded, where it can. */
static char *find(const struct pm_cli *cli, struct pm_db *db, bool dry, struct pm_err *e)
{
	struct pm_db *real = NULL;
	char *path;

	if (dry && pm_db_open(&real, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0) {
		pm_debug("%s", e->text);
		e->text[0] = '\0';
	}
	path = pm_find_job(cli, real ? real : db, e);
	pm_db_close(real);
	return path;
}

/* A spool, once or for good. Returns the exit status. */
static int submit_spool(struct run *run, struct pm_err *e)
{
	const struct pm_cli *cli = run->cli;
	const char *path = cli->value[PM_OPT_spool];
	struct pm_load_options o = { .done = done, .ctx = run };
	const volatile sig_atomic_t never = 0;
	struct pm_spool_pass pass;

	if (cli->argc || cli->given[PM_OPT_dry_run] || cli->given[PM_OPT_replace] ||
	    cli->given[PM_OPT_json]) {
		pm_err(e, "--spool goes without operands, --dry-run, --replace and --json");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_watch])
		return pm_spool_watch(path, cli->given[PM_OPT_remove], &o, e);
	if (pm_spool_run(path, cli->given[PM_OPT_remove], &o, &never, &pass, e) < 0)
		return pass.again ? PM_EXIT_AGAIN : PM_EXIT_FAILED;
	if (pm_log_level >= 0 && pass.loaded + pass.aside + pass.left > 0)
		printf("spool %s: %d loaded, %d set aside, %d left%s\n", path, pass.loaded,
		       pass.aside, pass.left,
		       pass.due_us < INT64_MAX
			       ? ": changed a short while ago, see the setting spool_age"
			       : "");
	if (fflush(stdout) != 0) {
		pm_err(e, "write: %m");
		return PM_EXIT_FAILED;
	}
	return pass.again                     ? PM_EXIT_AGAIN
	       : pass.aside + pass.faulty > 0 ? PM_EXIT_FAILED
					      : PM_EXIT_OK;
}

int pm_verb_submit(const struct pm_cli *cli, struct pm_err *e)
{
	bool dry = cli->given[PM_OPT_dry_run];
	struct run run = { .cli = cli };
	struct pm_db *db = NULL;
	char *found[1] = { NULL }, **source = cli->argv;
	int n = cli->argc, status = PM_EXIT_FAILED;

	if (cli->given[PM_OPT_spool])
		return submit_spool(&run, e);
	if (cli->given[PM_OPT_watch] || cli->given[PM_OPT_remove]) {
		pm_err(e, "--watch and --remove go with --spool");
		return PM_EXIT_USAGE;
	}
	/* A dry run does everything, into a database that is gone afterwards. */
	if (pm_db_open(&db, pm_config_get(PM_SET_db), dry ? PM_DB_MEMORY : PM_DB_WRITE, e) < 0)
		return PM_EXIT_FAILED;
	if (cli->given[PM_OPT_json] && !(run.list = json_array())) {
		pm_err(e, "out of memory");
		goto out;
	}
	if (n == 0) {
		found[0] = find(cli, db, dry, e);
		if (!found[0] && cli->off) {
			/* A job script that ends in submit is no failure. */
			pm_info("%s: %s", e->text, cli->off);
			e->text[0] = '\0';
			status = PM_EXIT_OK;
		}
		if (!found[0])
			goto out;
		source = found;
		n = 1;
	}
	status = load_all(db, &run, source, n, e);
	if (dry && pm_log_level >= 0 && !run.list)
		puts("nothing was written: this was a dry run");
	if (run.list && (json_dumpf(run.list, stdout, JSON_INDENT(2)) < 0 || puts("") < 0))
		status = PM_EXIT_FAILED;
	if (fflush(stdout) != 0) {
		pm_err(e, "write: %m");
		status = PM_EXIT_FAILED;
	}
out:
	free(found[0]);
	json_decref(run.list);
	pm_db_close(db);
	return status;
}
