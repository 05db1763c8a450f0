/* perfmon submit: load recorded jobs into the database. */
#include "config.h"

#include "common/cli/ask.h"
#include "common/cli/verb.h"
#include "common/job/jobdir.h"
#include "common/log.h"
#include "common/now.h"
#include "common/path.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/erase.h"
#include "submit/finddir.h"
#include "submit/input/operands.h"
#include "submit/job/progress.h"
#include "submit/load.h"
#include "submit/sacct.h"
#include "submit/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct run {
	const struct pm_cli *cli;
	json_t *list;  /* with --json */
	char **source; /* paths of the sources */
	size_t sources;
	bool *failed; /* with --move-away: whether each could not be loaded; else NULL */
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
		json_pack("{s:o s:s s:s s:s s:I s:I s:I s:I s:I s:s}", "id",
			  r->job_id ? json_integer(r->job_id) : json_null(), "job", r->jobid,
			  "source", r->source, "state", state_name(r->state), "processes",
			  (json_int_t)r->processes, "threads", (json_int_t)r->threads, "lines",
			  (json_int_t)r->lines, "rejected", (json_int_t)r->rejected, "elapsed_us",
			  (json_int_t)r->elapsed_us, "problems", r->problems));
}

/* Print a line, or collect JSON, for a job. */
static void job_done(void *ctx, const struct pm_load_result *r)
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
		pm_terminal_print(stdout, "job %s: already loaded, nothing new\n", r->jobid);
		return;
	}
	pm_terminal_print(
		stdout,
		"job %s: %lld process%s, %lld thread%s, %lld rejected, %.0f processes/s%s\n",
		r->jobid, (long long)r->processes, r->processes == 1 ? "" : "es",
		(long long)r->threads, r->threads == 1 ? "" : "s", (long long)r->rejected,
		seconds > 0 ? (double)r->processes / seconds : 0.0,
		r->state == PM_LOAD_APPENDED   ? " (added to the earlier load)"
		: r->state == PM_LOAD_REPLACED ? " (replaces the earlier load)"
					       : "");
}

/* Whether a path is one of a list, separated by ", ". */
static bool is_in_list(const char *list, const char *path)
{
	const size_t n = strlen(path);

	for (const char *p = list; n > 0 && (p = strstr(p, path)) != NULL; p++)
		if ((p == list || p[-1] == ' ') && (p[n] == '\0' || p[n] == ','))
			return true;
	return false;
}

static void note_failed(void *ctx, const char *source)
{
	struct run *run = ctx;

	for (size_t i = 0; run->failed && i < run->sources; i++)
		run->failed[i] = run->failed[i] || is_in_list(source, run->source[i]);
}

static void source_failed(void *ctx, const char *source, const struct pm_err *e)
{
	note_failed(ctx, source);
	/* Keep the order with jobs already printed to stdout. */
	fflush(stdout);
	pm_error("%s", e->text);
}

static void source_removed(void *ctx, const char *source, const struct pm_err *stays)
{
	const struct run *run = ctx;

	fflush(stdout);
	if (stays)
		pm_warn("not removed: %s", stays->text);
	else if (!run->cli->given[PM_OPT_dry_run])
		pm_info("removed %s", source);
	else if (!run->list && pm_log_level >= 0)
		pm_terminal_print(stdout, "would remove %s\n", source);
}

/* Open a directory in another one; a symbolic link only where it is root's or the caller's. Returns
 * a descriptor, or -1 with errno set. */
static int open_directory(int at, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = openat(at, name, flags | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 || (errno != ELOOP && errno != ENOTDIR) ||
	    fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fd;
	if (!S_ISLNK(st.st_mode) || (st.st_uid != 0 && st.st_uid != geteuid())) {
		errno = ELOOP;
		return -1;
	}
	return openat(at, name, flags);
}

/* Open the directory of a path, part by part. Returns a descriptor with *name behind it, or -1 with
 * errno set. */
static int open_parent(const char *path, const char **name)
{
	int at = open(*path == '/' ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	path += strspn(path, "/");
	while (at >= 0) {
		const size_t n = strcspn(path, "/"), more = n + strspn(path + n, "/");
		char part[NAME_MAX + 1];
		int next;

		if (!path[more]) {
			*name = path;
			break;
		}
		snprintf(part, sizeof part, "%.*s", (int)n, path);
		next = open_directory(at, part);
		close(at);
		at = next;
		path += more;
	}
	return at;
}

/* Move a source to the directory of failed ones, to be called as the user wrote it: a link that
 * somebody else put in its place must not carry another file away. Returns 0 or -1 with e filled.
 */
static int move_source(const char *path, const char *directory, struct pm_err *e)
{
	char name[NAME_MAX + 1], *to = NULL;
	const char *rest;
	struct stat st;
	int from, rc = 0;

	from = open_parent(path, &rest);
	if (from < 0)
		return errno == ELOOP
			       ? pm_err(e, "%s stays: somebody's symbolic link is on its way", path)
			       : pm_err(e, "%s stays: %m", path);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "/"), rest);
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		rc = pm_err(e, "%s stays: %m", path);
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		rc = pm_err(e,
			    "%s stays: neither a file nor a directory, but perhaps a symbolic link",
			    path);
	else if (!name[strspn(name, ".")])
		rc = pm_err(e, "%s stays: it has no name of its own", path);
	else if (asprintf(&to, "%s/%s", directory, name) < 0)
		rc = pm_err(e, "out of memory");
	else if (renameat2(from, name, AT_FDCWD, to, RENAME_NOREPLACE) < 0)
		rc = errno == EXDEV
			     ? pm_err(e,
				      "%s stays: %s is on another file system; name a directory "
				      "of the same one in the setting failed_to",
				      path, directory)
			     : pm_err(e, "%s stays: move to %s: %m", path, to);
	free(to);
	close(from);
	return rc;
}

/* Move the sources that failed away. Returns 0 or -1 after an error, which is reported. */
static int move_failed(const struct run *run)
{
	const char *directory = pm_config_get(PM_SET_failed_to);
	struct pm_err e;
	int rc = 0;

	for (size_t i = 0; i < run->sources; i++) {
		if (!run->failed[i] || strcmp(run->source[i], "-") == 0)
			continue;
		if (pm_path_make(directory, &e) < 0 ||
		    move_source(run->source[i], directory, &e) < 0) {
			pm_error("%s", e.text);
			rc = -1;
		} else {
			pm_warn("%s moved to %s", run->source[i], directory);
		}
	}
	return rc;
}

/* Load the sources; failures are reported immediately. Returns the exit status. */
static int load_all(struct pm_db *db, struct pm_db *real, struct run *run, char **source, size_t n,
		    struct pm_err *e)
{
	struct pm_load_options o = {
		.done = job_done,
		.failed = source_failed,
		.damaged = note_failed,
		.removed = source_removed,
		.ctx = run,
		.remove = run->cli->given[PM_OPT_remove],
		.show = run->cli->given[PM_OPT_remove],
		.dry = run->cli->given[PM_OPT_dry_run],
		.real = real,
		.replace = run->cli->given[PM_OPT_replace],
		.halt = run->cli->given[PM_OPT_error],
	};
	int trouble = 0;
	struct pm_progress progress = { .out = stderr, .now = pm_now_monotonic_us };
	int rc;

	if (pm_log_level >= 0 && isatty(STDERR_FILENO))
		o.progress = &progress;
	if (run->cli->given[PM_OPT_move_away] && !o.dry) {
		run->source = source;
		run->sources = n;
		run->failed = calloc(n, sizeof *run->failed);
		o.trouble = &trouble;
		if (!run->failed) {
			pm_err(e, "out of memory");
			return PM_EXIT_FAILED;
		}
	}
	rc = pm_load_sources(db, (const char *const *)source, n, &o, e);
	/* Where memory or the database failed, the sources are not at fault. */
	if (run->failed && !trouble)
		move_failed(run);
	free(run->failed);
	run->failed = NULL;

	e->text[0] = '\0';
	return rc == 0 ? PM_EXIT_OK : PM_EXIT_FAILED;
}

/* In a dry run: open the real database for reading; *real stays NULL if there is none, or with
 * --drop, which would empty it. Returns 0 or -1 with e filled. */
static int open_real(struct pm_db **real, const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	errno = 0;
	if (pm_db_open(real, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0) {
		if (errno != ENOENT)
			return -1;
		e->text[0] = '\0';
		return 0;
	}
	if (!cli->given[PM_OPT_drop])
		return 0;
	if (pm_db_prepare(*real, "SELECT count(*) FROM job", &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_log_level >= 0 && !cli->given[PM_OPT_json])
		pm_terminal_print(stdout, "would empty database %s: %lld job%s\n",
				  pm_db_name(*real), (long long)pm_db_int(q, 0),
				  pm_db_int(q, 0) == 1 ? "" : "s");
	pm_db_finish(q);
	pm_db_close(*real);
	*real = NULL;
	return rc < 0 ? -1 : 0;
}

/* With --drop: empty the database first. Returns PM_EXIT_OK, or another exit status with e filled.
 */
static int drop_all(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e)
{
	char question[512];
	int status;

	snprintf(question, sizeof question, "All of database %s will be gone for good. Go on?",
		 pm_db_name(db));
	status = pm_ask(cli, question, e);
	if (status != PM_EXIT_OK)
		return status;
	if (pm_erase_all(db, e) == 0)
		return PM_EXIT_OK;
	pm_err_prefix(e, "cannot delete the contents of database %s", pm_db_name(db));
	return PM_EXIT_FAILED;
}

/* Load a spool, once or with --watch permanently. Returns the exit status. */
static int submit_spool(struct run *run, struct pm_err *e)
{
	const struct pm_cli *cli = run->cli;
	const char *path = cli->value[PM_OPT_spool];
	struct pm_load_options o = { .done = job_done, .ctx = run };
	const volatile sig_atomic_t never = 0;
	struct pm_spool_pass pass;

	if (cli->argc || cli->given[PM_OPT_all] || cli->given[PM_OPT_job] ||
	    cli->given[PM_OPT_dry_run] || cli->given[PM_OPT_replace] || cli->given[PM_OPT_json] ||
	    cli->given[PM_OPT_drop] || cli->given[PM_OPT_error]) {
		pm_err(e, "--spool cannot be combined with operands, --all, --job, --dry-run, "
			  "--replace, --drop, --error or --json");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_move_away])
		pm_info("--move-away has no effect: a spool has its own directory failed");
	if (cli->given[PM_OPT_watch])
		return pm_spool_watch(path, cli->given[PM_OPT_remove], &o, e);
	if (pm_spool_run(path, cli->given[PM_OPT_remove], &o, &never, &pass, e) < 0)
		return pass.again ? PM_EXIT_AGAIN : PM_EXIT_FAILED;
	if (pm_log_level >= 0 && pass.loaded + pass.aside + pass.left > 0)
		pm_terminal_print(stdout, "spool %s: %d loaded, %d set aside, %d left%s\n", path,
				  pass.loaded, pass.aside, pass.left,
				  pass.due_us < INT64_MAX
					  ? ": changed too recently, see the setting spool_age"
					  : "");
	if (fflush(stdout) != 0) {
		pm_err(e, "write: %m");
		return PM_EXIT_FAILED;
	}
	return pass.again                     ? PM_EXIT_AGAIN
	       : pass.aside + pass.faulty > 0 ? PM_EXIT_FAILED
					      : PM_EXIT_OK;
}

/* Leave out the database's own files, which `*` matches in its directory. Returns how many sources
 * are left. */
static size_t leave_database(char **source, size_t n)
{
	size_t left = 0;
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(source[i], "-") != 0 && stat(source[i], &st) == 0 &&
		    pm_db_is_file(&st)) {
			pm_warn("%s: skipped, it is a file of the database itself", source[i]);
			free(source[i]);
		} else {
			source[left++] = source[i];
		}
	}
	return left;
}

static void report_missing(const struct pm_err *why)
{
	pm_error("%s", why->text);
}

/* Check that all sources are readable. Returns 0 or -1 with e filled. */
static int are_there(char *const *source, size_t n, struct pm_err *e)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(source[i], "-") != 0 && access(source[i], R_OK) < 0)
			return pm_err(e, "%s: %m", source[i]);
	return 0;
}

/*
 * Resolve an operand to the path to load, to be freed: the operand itself if it exists as a path,
 * else the directory of the job with this id. If it is both, the path wins, with a warning. Returns
 * NULL with e filled.
 */
static char *resolve_operand(const char *operand, struct pm_db *db, struct pm_err *e)
{
	bool there = access(operand, F_OK) == 0;
	char *job = NULL, *path;
	struct stat a, b;

	e->text[0] = '\0';
	if (*operand && !strpbrk(operand, "/*?[") && strcmp(operand, "-") != 0)
		job = pm_finddir_named(operand, db, e);
	if (!job && e->text[0])
		return NULL;
	if (job && !there)
		return job;
	if (job && stat(operand, &a) == 0 && stat(job, &b) == 0 &&
	    (a.st_dev != b.st_dev || a.st_ino != b.st_ino))
		pm_warn("%s: loading the file of this name; use -j %s for the job of this id",
			operand, operand);
	free(job);
	path = strdup(operand);
	if (!path)
		pm_err(e, "out of memory");
	return path;
}

/* Collect the sources to load: *n may be 0, with the reason in e. Returns 0 or -1 with e filled. */
static int find_sources(const struct pm_cli *cli, struct pm_db *db, char ***list, size_t *n,
			struct pm_err *e)
{
	size_t count = cli->argc ? (size_t)cli->argc : 1;

	if (cli->given[PM_OPT_all])
		return pm_finddir_all(db, list, n, e);
	*n = 0;
	*list = calloc(count, sizeof **list);
	if (!*list)
		return pm_err(e, "out of memory");
	if (cli->argc == 0) {
		(*list)[0] = pm_finddir_job(cli, db, e);
		*n = (*list)[0] != NULL;
		return 0;
	}
	for (; *n < count; ++*n) {
		(*list)[*n] = resolve_operand(cli->argv[*n], db, e);
		if (!(*list)[*n])
			return -1;
	}
	return 0;
}

/* Add what Slurm's accounting says. Returns an exit status: failed where a line is no job's. */
static int submit_sacct(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_sacct_result r;

	if (cli->argc || cli->given[PM_OPT_all] || cli->given[PM_OPT_job] ||
	    cli->given[PM_OPT_spool] || cli->given[PM_OPT_dry_run]) {
		pm_err(e, "--sacct loads no jobs: give it alone");
		return PM_EXIT_USAGE;
	}
	if (pm_sacct_load(pm_config_get(PM_SET_db), cli->value[PM_OPT_sacct], &r, e) < 0)
		return PM_EXIT_FAILED;
	if (pm_log_level >= 0)
		printf("sacct: %lld job%s told of, %lld not in the database\n", (long long)r.told,
		       r.told == 1 ? "" : "s", (long long)r.missing);
	if (fflush(stdout) != 0) {
		pm_err(e, "write: %m");
		return PM_EXIT_FAILED;
	}
	if (r.wrong)
		pm_err(e, "--sacct %s: %lld line%s of no job", cli->value[PM_OPT_sacct],
		       (long long)r.wrong, r.wrong == 1 ? "" : "s");
	return r.wrong ? PM_EXIT_FAILED : PM_EXIT_OK;
}

int pm_verb_submit(const struct pm_cli *cli, struct pm_err *e)
{
	bool dry = cli->given[PM_OPT_dry_run];
	/* Before sources are removed, their data must be durable in the database. */
	enum pm_db_mode mode = dry                         ? PM_DB_MEMORY
			       : cli->given[PM_OPT_remove] ? PM_DB_WRITE_SURE
							   : PM_DB_WRITE;
	struct run run = { .cli = cli };
	struct pm_db *db = NULL, *real = NULL;
	char **found = NULL, **source = NULL;
	int status = PM_EXIT_FAILED, missed;
	size_t n = 0, named = 0;

	if (cli->value[PM_OPT_sacct])
		return submit_sacct(cli, e);
	if (cli->given[PM_OPT_num_cpus])
		pm_info("--num-cpus has no effect: the database has one writer");
	if (cli->given[PM_OPT_move_away] && !cli->given[PM_OPT_spool] &&
	    !*pm_config_get(PM_SET_failed_to)) {
		pm_err(e, "--move-away needs the setting failed_to, the directory to move to");
		return PM_EXIT_USAGE;
	}
	/* With SIGXFSZ ignored, a write beyond the file size limit fails with EFBIG: the error is
	 * reported, and other sources can still be loaded. */
	signal(SIGXFSZ, SIG_IGN);
	if (cli->given[PM_OPT_spool])
		return submit_spool(&run, e);
	if (cli->given[PM_OPT_watch]) {
		pm_err(e, "--watch needs --spool");
		return PM_EXIT_USAGE;
	}
	if (cli->argc && (cli->given[PM_OPT_all] || cli->given[PM_OPT_job])) {
		pm_err(e, "--all and -j take no operands");
		return PM_EXIT_USAGE;
	}
	/* A dry run loads into a database in memory. */
	if ((dry && open_real(&real, cli, e) < 0) ||
	    pm_db_open(&db, pm_config_get(PM_SET_db), mode, e) < 0)
		goto out;
	if (cli->given[PM_OPT_json] && !(run.list = json_array())) {
		pm_err(e, "out of memory");
		goto out;
	}
	if (find_sources(cli, real ? real : db, &found, &named, e) < 0)
		goto out;
	if (named == 0 && (cli->off || cli->given[PM_OPT_all])) {
		/* Nothing to load is not a failure: a job script may end in `submit`, and --all may
		 * find no job. */
		pm_info("%s%s%s", e->text, cli->off ? ": " : "", cli->off ? cli->off : "");
		e->text[0] = '\0';
		status = PM_EXIT_OK;
	}
	if (named == 0)
		goto out;
	missed = pm_operands_expand(found, named, report_missing, &source, &n, e);
	n = leave_database(source, n);
	/* Before loaded data are dropped or replaced, all sources must exist. */
	if (missed < 0 || (cli->given[PM_OPT_drop] && are_there(source, n, e) < 0) ||
	    (missed && (cli->given[PM_OPT_drop] || cli->given[PM_OPT_replace])))
		goto out;
	if (cli->given[PM_OPT_drop] && !dry && (status = drop_all(cli, db, e)) != PM_EXIT_OK)
		goto out;
	if (n == 0 && !missed) {
		pm_err(e, "nothing to load");
		goto out;
	}
	status = load_all(db, real, &run, source, n, e);
	if (missed)
		status = PM_EXIT_FAILED;
	if (dry && pm_log_level >= 0 && !run.list)
		puts("nothing was written: this was a dry run");
	if (run.list &&
	    (json_dumpf(run.list, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2)) < 0 || puts("") < 0))
		status = PM_EXIT_FAILED;
	if (fflush(stdout) != 0) {
		pm_err(e, "write: %m");
		status = PM_EXIT_FAILED;
	}
out:
	pm_operands_free(source, n);
	pm_operands_free(found, named);
	json_decref(run.list);
	pm_db_close(db);
	pm_db_close(real);
	return status;
}
