/*
 * Turn files into an archive so that at any moment one of the two is complete. We may be killed at
 * any of these steps:
 *   1. write a hidden file in the destination, sync it, read it back;
 *   2. rename it to a free name, never over another file; sync the directory;
 *   3. journal in the job's directory: published, with the list of files;
 *   4. run stage_command; journal: delivered;
 *   5. remove the files one by one, the metadata last, each after checking it under a name that no
 *      process writes to; then remove the journal.
 * Killed before 2: a hidden file stays, which the next call removes, since nobody holds its lock.
 * Killed between 2 and 3: the next call finds an archive of the name with the same content, and
 * uses it. Killed later: the journal says where to go on.
 */
#include "config.h"

#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/launch.h"
#include "wrapper/metadata/jsonfile.h"
#include "wrapper/stage/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX  ".stage-"
#define ASIDE   PREFIX "aside"
#define JOURNAL PREFIX "%.200s.json"

/* Most names that are tried for an archive or a file that is put back. */
#define NAME_TRIES 10000

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

int pm_stage_is_own(const char *name)
{
	return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

/* Make the job's part of the archive's name and of its members' names. */
static void make_stem(const struct pm_stage *s, char stem[NAME_MAX + 1])
{
	snprintf(stem, NAME_MAX + 1, "%.180s", s->d->name);
	for (char *p = stem; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f || (p == stem && *p == '.'))
			*p = '_';
}

/* Make the archive's i-th name: JOB.HOST.tgz, JOB.HOST.2.tgz, ... */
static void archive_name(const struct pm_stage *s, int i, char name[NAME_MAX + 1])
{
	char stem[NAME_MAX + 1];

	make_stem(s, stem);
	if (i == 1)
		snprintf(name, NAME_MAX + 1, "%.180s.%.50s.tgz", stem,
			 *s->host ? s->host : "other");
	else
		snprintf(name, NAME_MAX + 1, "%.180s.%.50s.%d.tgz", stem,
			 *s->host ? s->host : "other", i);
}

/* Open the directory for archives; create it if only its last component is missing. `path` gets its
 * absolute path. Returns a descriptor, or -1 with e filled. */
static int open_destination(char path[PATH_MAX], struct pm_err *e)
{
	const char *set = pm_config_get(PM_SET_stage_to);
	int fd;

	if (mkdir(set, 0700) < 0 && errno != EEXIST)
		return pm_err(e, "create %s: %m", set);
	if (!realpath(set, path))
		return pm_err(e, "%s: %m", set);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A spool may be writable but not readable, so that users do not see others' archives. */
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : pm_err(e, "%s: %m", path);
}

/* Remove hidden files of calls that were killed: this user's files that nobody has locked. */
static void remove_stale(int to, const char *name)
{
	int copy = openat(to, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	size_t n = strlen(name);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		size_t len = strlen(entry->d_name);
		struct stat st;
		int fd;

		if (entry->d_name[0] != '.' || strncmp(entry->d_name + 1, name, n) != 0 ||
		    len < n + 6 || strcmp(entry->d_name + len - 4, ".new") != 0)
			continue;
		fd = openat(to, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(to, entry->d_name, 0);
		close(fd);
	}
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
}

/* Create a hidden file and lock it; the lock lasts until it is closed. Returns a descriptor, or -1
 * with e filled. */
static int create_hidden(int to, const char *name, char hidden[NAME_MAX + 1], struct pm_err *e)
{
	for (int i = 0;; i++) {
		struct stat st;
		int fd;

		snprintf(hidden, NAME_MAX + 1, ".%.220s.%ld.%d.new", name, (long)getpid(), i);
		fd = openat(to, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST && i < NAME_TRIES)
			continue;
		if (fd < 0)
			return pm_err(e, "create %s in %s: %m", name,
				      pm_config_get(PM_SET_stage_to));
		/* Another call's remove_stale() may have removed the file before we locked it. */
		if ((flock(fd, LOCK_EX) == 0 || errno != EINTR) && fstat(fd, &st) == 0 &&
		    st.st_nlink > 0)
			return fd;
		close(fd);
	}
}

/* Give the hidden file its name unless that is taken. Returns 0 or -1 with errno. */
static int rename_new(int to, const char *hidden, const char *name)
{
	if (syscall(SYS_renameat2, to, hidden, to, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* On file systems without RENAME_NOREPLACE (NFS) use a link, which never replaces a file.
	 */
	if (linkat(to, hidden, to, name, 0) < 0)
		return -1;
	unlinkat(to, hidden, 0);
	return 0;
}

/* Whether the archive of this name belongs to us or the job's owner and has our files. */
static int is_same(const struct pm_stage *s, int to, const char *name, const char *path)
{
	char stem[NAME_MAX + 1];
	struct stat st;

	make_stem(s, stem);
	return fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_uid == geteuid() || (geteuid() == 0 && st.st_uid == s->owner)) &&
	       pm_pack_verify(path, stem, &s->pack, NULL) == 0;
}

/* Step 2. Sets s->archive. Returns 0 or -1 with e filled. */
static int publish_archive(struct pm_stage *s, int to, const char *where, const char *hidden,
			   struct pm_err *e)
{
	char name[NAME_MAX + 1];

	for (int i = 1; i <= NAME_TRIES; i++) {
		archive_name(s, i, name);
		if (snprintf(s->archive, sizeof s->archive, "%s/%s", where, name) >=
		    (int)sizeof s->archive)
			return pm_err(e, "%s: path too long", where);
		if (rename_new(to, hidden, name) == 0)
			return 0;
		if (errno != EEXIST)
			return pm_err(e, "rename to %s: %m", s->archive);
		if (is_same(s, to, name, s->archive)) {
			pm_info("%s already exists with the same content", s->archive);
			unlinkat(to, hidden, 0);
			return 0;
		}
	}
	return pm_err(e, "no free name for the archive in %s", where);
}

/* Steps 1 and 2. Returns 0 or -1 with e filled. */
static int write_archive(struct pm_stage *s, struct pm_err *e)
{
	char where[PATH_MAX], name[NAME_MAX + 1], hidden[NAME_MAX + 1], stem[NAME_MAX + 1];
	char path[PATH_MAX + NAME_MAX + 2];
	int to = open_destination(where, e), fd, rc;
	json_t *about;

	if (to < 0)
		return -1;
	make_stem(s, stem);
	archive_name(s, 1, name);
	remove_stale(to, name);
	fd = create_hidden(to, name, hidden, e);
	if (fd < 0) {
		close(to);
		return -1;
	}
	about = json_pack("{s:s, s:s, s:s, s:I}", "version", PACKAGE_VERSION, "job", stem, "host",
			  s->host, "packed_us", (json_int_t)pm_now_us());
	snprintf(path, sizeof path, "%s/%s", where, hidden);
	rc = pm_pack_write(fd, s->d->fd, stem, &s->pack, about, e);
	/* Drop the page cache, as far as the kernel does so, to read the archive back from disk. */
	if (rc == 0)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (rc == 0)
		rc = pm_pack_verify(path, stem, &s->pack, e);
	if (rc == 0 && geteuid() == 0 && s->owner != 0 && fchown(fd, s->owner, s->group) < 0)
		rc = pm_err(e, "give %s to the job's user: %m", name);
	if (rc == 0)
		rc = publish_archive(s, to, where, hidden, e);
	/* Sync the archive's name as well; if the directory may not be read, sync the whole file
	 * system. */
	if (rc == 0 && fsync(to) < 0 && errno == EBADF)
		syncfs(fd);
	if (rc < 0)
		unlinkat(to, hidden, 0);
	json_decref(about);
	close(fd);
	close(to);
	return rc;
}

static void journal_name(const struct pm_stage *s, char name[NAME_MAX + 1])
{
	snprintf(name, NAME_MAX + 1, JOURNAL, s->host);
}

/* Replace the journal atomically. Returns 0 or -1 with e filled. */
static int write_journal(const struct pm_stage *s, const char *state, struct pm_err *e)
{
	char name[NAME_MAX + 1], temp[] = PREFIX "new";
	json_t *doc = json_pack("{s:s, s:s, s:b, s:o}", "state", state, "archive", s->archive,
				"keep_job", s->keep_job, "files", pm_pack_list(&s->pack));
	int fd, rc = -1;

	journal_name(s, name);
	unlinkat(s->d->fd, temp, 0);
	fd = openat(s->d->fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (!doc || fd < 0 || pm_jsonfile_write(fd, doc, JSON_COMPACT) < 0)
		pm_err(e, "write %s: %m", name);
	else if (renameat(s->d->fd, temp, s->d->fd, name) < 0)
		pm_err(e, "rename to %s: %m", name);
	else
		rc = 0;
	if (fd >= 0)
		close(fd);
	if (rc < 0)
		unlinkat(s->d->fd, temp, 0);
	fsync(s->d->fd);
	json_decref(doc);
	return rc;
}

/* Step 4. Returns 0 or -1 with e filled. */
static int run_command(const struct pm_stage *s, struct pm_err *e)
{
	const char *command = pm_config_get(PM_SET_stage_command);
	char **envp;
	int status;
	pid_t pid;

	if (!*command)
		return 0;
	envp = pm_launch_helper_environ();
	if (!envp)
		return pm_err(e, "out of memory");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		/* Our standard output is only for the names of archives. */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execle("/bin/sh", "sh", "-c", command, "perfmon", s->archive, (char *)NULL, envp);
		_exit(127);
	}
	free(envp);
	if (pid < 0)
		return pm_err(e, "stage_command: fork: %m");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return pm_err(e, "stage_command: %m");
	if (WIFSIGNALED(status))
		return pm_err(e, "stage_command was killed by signal %d; %s and the job are kept",
			      WTERMSIG(status), s->archive);
	if (WEXITSTATUS(status))
		return pm_err(e, "stage_command failed with status %d; %s and the job are kept",
			      WEXITSTATUS(status), s->archive);
	return 0;
}

/* Whether a file has the size and, with `digest`, the digest that the list has for it. */
static int matches_list(int dir, const char *name, const struct pm_pack_file *f, bool digest)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char buf[16384], text[PM_DIGEST_TEXT];
	struct pm_digest sum;
	struct stat st;
	ssize_t n;
	int same;

	if (fd < 0)
		return 0;
	same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == f->size;
	if (same && digest) {
		pm_digest_init(&sum);
		while ((n = read(fd, buf, sizeof buf)) > 0)
			pm_digest_add(&sum, buf, (size_t)n);
		pm_digest_text(&sum, text);
		same = n == 0 && strcmp(text, f->digest) == 0;
	}
	close(fd);
	return same;
}

/* Give the file that is set aside a record file's name again: its own name, or a similar one if a
 * process has created a file of that name meanwhile. */
static int put_back(struct pm_stage *s, const char *name, struct pm_err *e)
{
	const char *dot = strrchr(name, '.');
	char other[NAME_MAX + 1];

	for (int i = 0; i < NAME_TRIES; i++) {
		if (i == 0)
			snprintf(other, sizeof other, "%s", name);
		else
			snprintf(other, sizeof other, "%.*s.late%d%s", (int)(dot - name), name, i,
				 dot);
		if (linkat(s->d->fd, ASIDE, s->d->fd, other, 0) == 0) {
			unlinkat(s->d->fd, ASIDE, 0);
			s->kept++;
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return pm_err(e, "%s/%s: %m", s->d->path, ASIDE);
}

/* Remove a file that a killed call had set aside, or put it back if it is not packed. */
static int settle_file_aside(struct pm_stage *s, struct pm_err *e)
{
	struct stat st;

	if (fstatat(s->d->fd, ASIDE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	for (size_t i = 0; i < s->pack.files; i++)
		if (matches_list(s->d->fd, ASIDE, &s->pack.file[i], true))
			return unlinkat(s->d->fd, ASIDE, 0) < 0 ? pm_err(e, "remove %s: %m", ASIDE)
								: 0;
	return put_back(s, "aside.tsv", e);
}

static int remove_file(struct pm_stage *s, const struct pm_pack_file *f, bool digest,
		       struct pm_err *e)
{
	/* Processes open record files by name: from here on no process opens this file to write. */
	if (renameat(s->d->fd, f->name, s->d->fd, ASIDE) < 0)
		return errno == ENOENT ? 0 : pm_err(e, "remove %s: %m", f->name);
	if (!matches_list(s->d->fd, ASIDE, f, digest))
		return put_back(s, f->name, e);
	return unlinkat(s->d->fd, ASIDE, 0) < 0 ? pm_err(e, "remove %s: %m", f->name) : 0;
}

#define RECORDS_ROUND  0
#define TALLY_ROUND    1
#define METADATA_ROUND 2

/* The round in which a file is removed: first files that may still grow, last the metadata, which
 * the others need. */
static int removal_round(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (strncmp(name, "job-", 4) == 0)
		return METADATA_ROUND;
	return dot && strcmp(dot, ".tally") == 0 ? TALLY_ROUND : RECORDS_ROUND;
}

/* Count the files whose size changed after they were packed. */
static int count_changed(const struct pm_stage *s)
{
	struct stat st;
	int n = 0;

	for (size_t i = 0; i < s->pack.files; i++)
		n += fstatat(s->d->fd, s->pack.file[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		     st.st_size != s->pack.file[i].size;
	return n;
}

/* Step 5. Files of a host are loaded together: if one has grown, all stay. */
static int remove_files(struct pm_stage *s, bool digest, struct pm_err *e)
{
	char name[NAME_MAX + 1];

	if (settle_file_aside(s, e) < 0)
		return -1;
	s->kept += count_changed(s);
	/* With keep_job the tally also stays, since a load expects that the counts of a tally of
	 * the same name never fall. */
	for (int round = 0; round <= (s->keep_job ? RECORDS_ROUND : METADATA_ROUND); round++)
		for (size_t i = 0; i < s->pack.files && !s->kept; i++)
			if (removal_round(s->pack.file[i].name) == round &&
			    remove_file(s, &s->pack.file[i], digest, e) < 0)
				return -1;
	journal_name(s, name);
	if (unlinkat(s->d->fd, name, 0) < 0 && errno != ENOENT)
		return pm_err(e, "remove %s: %m", name);
	return 0;
}

int pm_stage_files(struct pm_stage *s, struct pm_err *e)
{
	s->archive[0] = '\0';
	if (write_archive(s, e) < 0)
		return -1;
	if (s->keep)
		return run_command(s, e);
	if (write_journal(s, "published", e) < 0 || run_command(s, e) < 0 ||
	    write_journal(s, "delivered", e) < 0)
		return -1;
	return remove_files(s, false, e);
}

/* Read the journal of a call that was killed, and put its archive, files and keep_job into s. NULL:
 * no valid journal. */
static json_t *read_journal(struct pm_stage *s)
{
	char name[NAME_MAX + 1];
	const char *archive;
	struct stat st;
	json_t *doc;
	int fd;

	journal_name(s, name);
	fd = openat(s->d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	/* Trust only our own journal: it lists files that we remove, and the archive that we pass
	 * to stage_command. */
	doc = fstat(fd, &st) == 0 && st.st_uid == geteuid() ? pm_jsonfile_read(fd, NULL) : NULL;
	close(fd);
	archive = json_string_value(json_object_get(doc, "archive"));
	if (archive && strlen(archive) < sizeof s->archive &&
	    pm_pack_from_list(&s->pack, json_object_get(doc, "files")) == 0) {
		snprintf(s->archive, sizeof s->archive, "%s", archive);
		s->keep_job = json_is_true(json_object_get(doc, "keep_job"));
		return doc;
	}
	json_decref(doc);
	return NULL;
}

int pm_stage_resume(struct pm_stage *s, struct pm_err *e)
{
	json_t *doc = read_journal(s);
	const char *state = json_string_value(json_object_get(doc, "state"));
	char stem[NAME_MAX + 1];
	int rc = 1;

	make_stem(s, stem);
	if (!state) {
		rc = 0;
	} else if (strcmp(state, "delivered") == 0) {
		rc = remove_files(s, true, e) < 0 ? -1 : 1;
	} else if (pm_pack_verify(s->archive, stem, &s->pack, NULL) < 0) {
		/* The archive is missing or changed, perhaps by the command: stage the files anew.
		 */
		rc = 0;
	} else if (run_command(s, e) < 0 || write_journal(s, "delivered", e) < 0 ||
		   remove_files(s, true, e) < 0) {
		rc = -1;
	}
	json_decref(doc);
	return rc;
}
