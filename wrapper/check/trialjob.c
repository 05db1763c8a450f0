/* The temporary job: run this program to record, pack and load `true`, as a user would. */
#include "config.h"

#include "wrapper/check/trialjob.h"

#include "common/job/jobdir.h"
#include "common/safe/record.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/switchoff.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Most bytes that are read of a record file: that of one process has a few lines. */
#define RECORDS_MAX ((size_t)1 << 20)

/* Filled by the first call of pm_check_trial. */
static struct {
	bool done;
	struct pm_check_trial t;
} state;

/* Get the last line that a child wrote to standard error, without "perfmon: " and "warning: ". */
static void take_message(int fd, char *why)
{
	static const char *const head[] = { "perfmon: ", "warning: " };
	char text[8192], *line = text, *end;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	while ((end = strchr(line, '\n')) != NULL && end[1])
		line = end + 1;
	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
		if (strncmp(line, head[i], strlen(head[i])) == 0)
			line += strlen(head[i]);
	snprintf(why, PM_CHECK_TRIAL_WHY, "%.*s", PM_CHECK_TRIAL_WHY - 64, line);
}

/* Run this program. Returns its wait status, or -1; `why` gets its last message. */
static int run_self(const char *self, char *const *argv, char *why)
{
	posix_spawn_file_actions_t actions;
	int fd = memfd_create("messages", MFD_CLOEXEC), status = -1;
	pid_t pid;

	*why = '\0';
	if (fd < 0) {
		snprintf(why, PM_CHECK_TRIAL_WHY, "cannot create a file in memory: %s", strerror(errno));
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fd, 2);
	errno = posix_spawn(&pid, self, &actions, NULL, argv, environ);
	if (errno)
		snprintf(why, PM_CHECK_TRIAL_WHY, "%s: %s", self, strerror(errno));
	else if (waitpid(pid, &status, 0) == pid)
		take_message(fd, why);
	else
		status = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(fd);
	return status;
}

/* Read the lines of a record file: count records, find start, end and the collector's version. */
static void read_records(struct pm_check_trial *t, char *text, size_t n, bool *start, bool *end)
{
	const char *why, *column;
	struct pm_record r;
	struct pm_map map;

	pm_map_builtin(&map);
	for (char *p = text; p < text + n;) {
		size_t len = strcspn(p, "\n");
		struct pm_str kind = { "", 0 };

		if (pm_map_is_header(p, len)) {
			pm_map_parse(&map, p, len, &why);
		} else if (pm_record_parse(&r, &map, p, len, &why, &column) == 0) {
			t->records++;
			if (pm_record_has(&r, PM_COL_record))
				kind = r.v[PM_COL_record].s;
			*start |= kind.n == 5 && memcmp(kind.p, "start", 5) == 0;
			*end |= kind.n == 3 && memcmp(kind.p, "end", 3) == 0;
			if (pm_record_has(&r, PM_COL_version))
				snprintf(t->version, sizeof t->version, "%.*s",
					 (int)r.v[PM_COL_version].s.n, r.v[PM_COL_version].s.p);
		}
		p += len + 1;
	}
}

/* Read the record files in the job's directory. */
static void read_job(struct pm_check_trial *t, const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char *text = malloc(RECORDS_MAX + 1);
	bool start = false, end = false;
	DIR *d = dir >= 0 ? fdopendir(dir) : NULL;
	struct dirent *entry;

	while (d && text && (entry = readdir(d)) != NULL) {
		size_t n = strlen(entry->d_name);
		ssize_t got = -1;
		int fd;

		if (n < 4 || strcmp(entry->d_name + n - 4, ".tsv") != 0)
			continue;
		fd = openat(dir, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0) {
			got = read(fd, text, RECORDS_MAX);
			close(fd);
		}
		text[got > 0 ? got : 0] = '\0';
		read_records(t, text, got > 0 ? (size_t)got : 0, &start, &end);
	}
	t->by_collector = start && end;
	free(text);
	if (d)
		closedir(d);
	else if (dir >= 0)
		close(dir);
}

/* Remove a directory and the files in it. */
static void remove_job(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *entry;

	while (d && (entry = readdir(d)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

/* The directories that existed before the trial; all others are removed after it. */
struct before {
	bool had_user;          /* the user had a directory of jobs */
	size_t there[2];        /* length of the part of each path that existed */
	char path[2][PATH_MAX]; /* the prefix, and the directory of plain users beside it */
};

static int note_user(int fd, const char *path, void *arg)
{
	(void)fd;
	(void)path;
	*(bool *)arg = true;
	return 1;
}

static void note_directories(struct before *b)
{
	const char *prefix = pm_config_get(PM_SET_output_prefix);
	char cwd[PATH_MAX] = "";
	struct stat st;
	struct pm_err e;

	memset(b, 0, sizeof *b);
	pm_jobdir_each_user(note_user, &b->had_user, &e);
	if (prefix[0] != '/' && !getcwd(cwd, sizeof cwd))
		return;
	snprintf(b->path[0], PATH_MAX, "%.2000s%s%.2000s", cwd, *cwd ? "/" : "", prefix);
	snprintf(b->path[1], PATH_MAX, "%.4000s-%lu", b->path[0], (unsigned long)geteuid());
	for (int i = 0; i < 2; i++) {
		char part[PATH_MAX];

		memcpy(part, b->path[i], sizeof part);
		while (*part && lstat(part, &st) < 0)
			*strrchr(part, '/') = '\0';
		b->there[i] = strlen(part);
	}
}

static void remove_directories(const struct before *b, const char *place)
{
	char part[PATH_MAX];

	if (b->had_user)
		return;
	for (int i = 0; i < 2; i++) {
		size_t n = strlen(b->path[i]);

		if (n == 0 || strncmp(place, b->path[i], n) != 0 || place[n] != '/')
			continue;
		snprintf(part, sizeof part, "%s", place);
		while (strlen(part) > b->there[i] && rmdir(part) == 0)
			*strrchr(part, '/') = '\0';
	}
}

/* The job's name and the paths of its parts. */
struct paths {
	char name[32];
	char job[PATH_MAX + 64], staged[PATH_MAX + 64], db[PATH_MAX + 64];
};

/* Record the job. Returns whether the collector wrote its records. */
static bool record_job(struct pm_check_trial *t, const struct pm_cli *cli, struct paths *p)
{
	/* Override the user's settings that would keep `true` from being recorded. */
	static const char *const options[] = {
		"--recording=on",    "--off-file=",    "--off-users=", "--off-accounts=",
		"--off-partitions=", "--fraction=1",   "--sample=0",   "--exclude=",
		"--include=",        "--max-bytes=1G", "--job-tags=",
	};
	char *argv[sizeof options / sizeof options[0] + 7] = { (char *)"perfmon" };
	size_t n = 1;
	char why[PM_CHECK_TRIAL_WHY], off[256];

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		argv[n++] = (char *)(uintptr_t)options[i];
	argv[n++] = (char *)"-a";
	argv[n++] = (char *)"-j";
	argv[n++] = p->name;
	argv[n++] = (char *)"run";
	argv[n++] = (char *)"true";
	if (run_self(cli->self, argv, why) != 0) {
		snprintf(t->fault, sizeof t->fault, "%s", *why ? why : "true did not run");
		return false;
	}
	read_job(t, p->job);
	/* The options above do not override the file `off` beside the user's configuration. */
	t->off = t->records == 0 && pm_switchoff_is(cli, off);
	if (!t->by_collector)
		snprintf(t->fault, sizeof t->fault, "%s",
			 t->off           ? off
			 : *why           ? why
			 : t->records > 0 ? "the collector was not loaded into the program"
					  : "no record was written");
	/* If the records are complete, a warning is the subject of another check. */
	return t->by_collector;
}

/* Run a verb on the job. Returns whether the verb succeeded; `why` gets "" or the reason. */
static bool run_verb(const char *self, const char *verb, char *option, char *other, char *operand,
		     char *why)
{
	char *argv[] = { (char *)"perfmon", option, other, (char *)verb, operand, NULL };

	if (run_self(self, argv, why) == 0) {
		*why = '\0';
		return true;
	}
	if (!*why)
		snprintf(why, PM_CHECK_TRIAL_WHY, "%s failed", verb);
	return false;
}

/* Find the archive in a directory that has no other file. */
static void find_archive(const char *staged, char *archive, size_t size)
{
	DIR *d = opendir(staged);
	struct dirent *entry;

	*archive = '\0';
	while (d && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.')
			snprintf(archive, size, "%s/%s", staged, entry->d_name);
	if (d)
		closedir(d);
}

/* Record, pack and load the job in the directory t->place, and remove all its files. */
static void try_job(struct pm_check_trial *t, const struct pm_cli *cli)
{
	char option[PATH_MAX + 96], archive[PATH_MAX + 64 + NAME_MAX + 2];
	struct paths p;

	snprintf(p.name, sizeof p.name, "check-%ld", (long)getpid());
	snprintf(p.job, sizeof p.job, "%s/%s", t->place, p.name);
	snprintf(p.staged, sizeof p.staged, "%s/%s.staged", t->place, p.name);
	/* Put the database into a folder that is removed as a whole, so that the files that SQLite
	 * makes beside the database go as well. */
	snprintf(p.db, sizeof p.db, "%s/%s.staged/db", t->place, p.name);
	if (!record_job(t, cli, &p)) {
		snprintf(t->stage, sizeof t->stage, "nothing was recorded");
		snprintf(t->load, sizeof t->load, "nothing was recorded");
		goto out;
	}
	snprintf(option, sizeof option, "--stage-to=%s", p.staged);
	if (mkdir(p.staged, 0700) < 0)
		snprintf(t->stage, sizeof t->stage, "%s", strerror(errno));
	else
		run_verb(cli->self, "stage", option, (char *)"--stage-command=", p.job, t->stage);
	find_archive(p.staged, archive, sizeof archive);
	snprintf(option, sizeof option, "--db=%s", p.db);
	run_verb(cli->self, "submit", option, (char *)"-q", *archive ? archive : p.job, t->load);
out:
	remove_job(p.staged);
	remove_job(p.job);
}

const struct pm_check_trial *pm_check_trial(struct pm_check *c)
{
	struct pm_check_trial *t = &state.t;
	struct before before;
	struct pm_err e;
	int fd;

	if (state.done)
		return t;
	state.done = true;
	note_directories(&before);
	fd = pm_jobdir_user(t->place, &e);
	if (fd < 0) {
		t->place[0] = '\0';
		snprintf(t->fault, sizeof t->fault, "%.*s", PM_CHECK_TRIAL_WHY - 1, e.text);
		snprintf(t->stage, sizeof t->stage, "nothing was recorded");
		snprintf(t->load, sizeof t->load, "nothing was recorded");
		return t;
	}
	close(fd);
	try_job(t, c->cli);
	remove_directories(&before, t->place);
	return t;
}
