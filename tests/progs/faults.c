/*
 * Loads a job into SQLite over a file system that fails at one call, for every call there is (or
 * every STRIDE-th):
 *
 *	faults JOB OTHER EARLY STRIDE
 *
 * into a new database, one that has the job OTHER, and one that has EARLY, an earlier state of JOB;
 *in the current directory. Whatever fails, the load says so or did all; the database is sound and
 *has the job wholly or as before; and the next load completes it. Prints TAP.
 */
#include "config.h"

#include "common/log.h"
#include "submit/load.h"
#include "tests/progs/faults_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DB     "x.db"
#define FUSE   0x65735546
#define SILENT 99 /* exit status of a load that failed without saying why */

/* What the database may have: hashes of all rows. */
struct scene {
	const char *name;
	const char *before; /* the job that is there, NULL: no database */
	bool shared;        /* the file system is one that several hosts share */
	uint64_t was, is;
};

static struct {
	bool shared_fs;
	char *template; /* the database that a scene begins with */
	size_t template_len;
	struct faults *told; /* by the child */
	int tests, failed;
} run;

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

/* In place of libc's: the database may be on another file system than it seems. */
int statfs(const char *path, struct statfs *fs)
{
	int rc = (int)syscall(SYS_statfs, path, fs);

	if (rc == 0 && run.shared_fs)
		fs->f_type = FUSE;
	return rc;
}

static void remove_db(void)
{
	static const char *const name[] = { DB, DB "-wal", DB "-shm", DB "-journal" };

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		if (unlink(name[i]) < 0 && errno != ENOENT)
			die(name[i]);
}

/* Load a job; NULL: make a database alone. Returns the exit status. */
static int load(const char *job)
{
	struct pm_load_options o = { .done = NULL };
	struct pm_err e = { "" };
	struct pm_db *db;
	int rc = pm_db_open(&db, DB, PM_DB_WRITE, &e);

	if (rc == 0) {
		if (job)
			rc = pm_load_source(db, job, &o, &e);
		pm_db_close(db);
	}
	return rc == 0 ? 0 : e.text[0] ? 1 : SILENT;
}

/* The same in a process of its own. Returns what wait(2) says. */
static int load_apart(const char *job, enum faults_how how, unsigned long at)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		int rc;

		faults = (struct faults){ .how = how, .at = at, .seed = 88172645463325252u + at };
		rc = load(job);
		*run.told = faults;
		_exit(rc);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("wait");
	return status;
}

static uint64_t mix(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *c = p;

	/* FNV-1a. */
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ c[i]) * 1099511628211u;
	return (hash ^ n) * 1099511628211u;
}

/* Add the rows of a query to a hash, whatever their order, but for the times of loading. Returns
 * how many there were, or -1. */
static long hash_rows(sqlite3 *db, const char *sql, uint64_t *hash)
{
	sqlite3_stmt *q;
	long rows = 0;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
		return -1;
	for (; (rc = sqlite3_step(q)) == SQLITE_ROW; rows++) {
		uint64_t row = mix(0, sql, strlen(sql));

		for (int i = 0; i < sqlite3_column_count(q); i++) {
			int type = sqlite3_column_type(q, i);
			const void *p = sqlite3_column_blob(q, i);

			if (strcmp(sqlite3_column_name(q, i), "loaded_us") == 0 ||
			    strcmp(sqlite3_column_name(q, i), "applied_us") == 0)
				continue;
			row = mix(row, &type, sizeof type);
			row = mix(row, p ? p : "", (size_t)sqlite3_column_bytes(q, i));
		}
		*hash += row;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE ? rows : -1;
}

/* 1 where a database is sound. */
static bool is_sound(sqlite3 *db)
{
	sqlite3_stmt *q = NULL;
	uint64_t ignored = 0;
	bool ok = sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &q, NULL) == SQLITE_OK &&
		  sqlite3_step(q) == SQLITE_ROW &&
		  strcmp((const char *)sqlite3_column_text(q, 0), "ok") == 0;

	sqlite3_finalize(q);
	return ok && hash_rows(db, "PRAGMA foreign_key_check", &ignored) == 0;
}

/* Everything a database has, as one number; 0 where it is damaged, 1 where it has no table. */
static uint64_t content(void)
{
	sqlite3_stmt *q = NULL;
	uint64_t hash = 1;
	bool ok = true;
	sqlite3 *db;

	if (access(DB, F_OK) < 0)
		return hash;
	if (sqlite3_open_v2(DB, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK || !is_sound(db) ||
	    sqlite3_prepare_v2(db,
			       "SELECT 'SELECT * FROM \"' || name || '\"' FROM sqlite_master "
			       "WHERE type = 'table'",
			       -1, &q, NULL) != SQLITE_OK)
		ok = false;
	while (ok && sqlite3_step(q) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(q, 0);

		hash += mix(0, sql, strlen(sql));
		ok = hash_rows(db, sql, &hash) >= 0;
	}
	sqlite3_finalize(q);
	sqlite3_close(db);
	return ok ? hash : 0;
}

static void keep_template(void)
{
	FILE *f = fopen(DB, "rb");

	free(run.template);
	run.template = NULL;
	run.template_len = 0;
	if (!f || access(DB "-wal", F_OK) == 0)
		die("a database to begin with");
	run.template = malloc(16 << 20);
	if (run.template)
		run.template_len = fread(run.template, 1, 16 << 20, f);
	fclose(f);
}

static void begin(const struct scene *s)
{
	FILE *f;

	remove_db();
	run.shared_fs = s->shared;
	if (!s->before)
		return;
	f = fopen(DB, "wb");
	if (!f || fwrite(run.template, 1, run.template_len, f) != run.template_len ||
	    fclose(f) != 0)
		die(DB);
}

/* What is wrong after a fault at a call, or NULL. */
static const char *fault(const struct scene *s, const char *job, uint64_t blank,
			 enum faults_how how, unsigned long at, unsigned *in)
{
	uint64_t now;
	int status;

	begin(s);
	run.told->failed = NULL;
	status = load_apart(job, how, at);
	if (how == FAULTS_ERROR || how == FAULTS_SHORT) {
		if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
			return WIFEXITED(status) && WEXITSTATUS(status) == SILENT
				       ? "fails without a word"
				       : "ends by itself";
	} else if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
		return "is not killed";
	}
	now = content();
	if (now == 0)
		return "leaves a damaged database";
	if (now != s->is && now != s->was && (s->before || (now != blank && now != 1)))
		return "leaves part of the job";
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && now != s->is)
		return "is said to be a success, and the job is not there";
	*in += now == s->is;
	status = load_apart(job, FAULTS_NONE, 0);
	if (status != 0)
		return "lets the next load fail";
	return content() == s->is ? NULL : "is not completed by the next load";
}

static void test(const struct scene *s, const char *job, uint64_t blank, enum faults_how how,
		 const char *what, unsigned long calls, unsigned long stride)
{
	unsigned long bad = 0, tried = 0;
	unsigned in = 0;

	for (unsigned long at = 1 + calls % stride; at <= calls; at += stride, tried++) {
		const char *why = fault(s, job, blank, how, at, &in);

		if (why && bad++ < 5)
			printf("# call %lu%s%s: the load %s\n", at, run.told->failed ? ", " : "",
			       run.told->failed ? run.told->failed : "", why);
	}
	run.failed += bad > 0;
	printf("%s %d - %s, %s\n", bad ? "not ok" : "ok", ++run.tests, s->name, what);
	printf("# %lu of %lu calls, after %u of them the job was there\n", tried, calls, in);
}

int main(int argc, char **argv)
{
	static const struct {
		enum faults_how how;
		const char *what;
	} kind[] = {
		{ FAULTS_ERROR, "a call that fails" },
		{ FAULTS_SHORT, "a write that fails half-way" },
		{ FAULTS_KILL, "killed instead of a call" },
		{ FAULTS_TORN, "killed in the middle of a write" },
		{ FAULTS_POWER, "a loss of power" },
	};
	struct scene scene[] = {
		{ .name = "a new database" },
		{ .name = "a database with another job", .before = argv[2] },
		{ .name = "a database with an earlier state of the job", .before = argv[3] },
		{ .name = "a database that hosts share", .before = argv[3], .shared = true },
	};
	unsigned long stride, calls;
	uint64_t blank;

	if (argc != 5 || (stride = strtoul(argv[4], NULL, 10)) == 0) {
		fprintf(stderr, "usage: faults JOB OTHER EARLY STRIDE\n");
		return 2;
	}
	run.told = mmap(NULL, sizeof *run.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (run.told == MAP_FAILED || faults_register() < 0)
		die("start");
	pm_log_level = -1;
	remove_db();
	if (load(NULL) != 0 || (blank = content()) <= 1)
		die("a database without a job");
	for (size_t i = 0; i < sizeof scene / sizeof scene[0]; i++) {
		struct scene *s = &scene[i];

		remove_db();
		run.shared_fs = s->shared;
		if (s->before && load_apart(s->before, FAULTS_NONE, 0) != 0)
			die(s->before);
		s->was = content();
		if (s->before)
			keep_template();
		begin(s);
		if (load_apart(argv[1], FAULTS_NONE, 0) != 0 || (s->is = content()) <= 1 ||
		    s->is == s->was)
			die(argv[1]);
		calls = run.told->calls;
		for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++)
			test(s, argv[1], blank, kind[k].how, kind[k].what, calls, stride);
	}
	printf("1..%d\n", run.tests);
	free(run.template);
	return run.failed > 0;
}
