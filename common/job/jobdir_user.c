/* The prefix and the user's directory in it, chosen so that no other user can read, block or
 * redirect them. */
#include "config.h"

#include "common/job/jobdir.h"
#include "common/log.h"
#include "common/settings/readconfig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Number of random characters appended to a name that another user has taken, and how many names to
 * try. */
#define SUFFIX_LENGTH 6
#define SUFFIX_TRIES  100

/* Longest name of a job directory in bytes; leaves room for an epoch after it. */
#define NAME_BYTES_MAX 200

/* 1 when no other user can replace the directory's contents. Only directories of root and of the
 * effective user qualify; in another user's directory even the sticky bit does not help, since the
 * owner may rename everything. */
static int is_trusted(const struct stat *st)
{
	bool others_write = st->st_mode & (S_IWGRP | S_IWOTH);

	if (!S_ISDIR(st->st_mode) || (st->st_uid != 0 && st->st_uid != geteuid()))
		return 0;
	return !others_write || (st->st_mode & S_ISVTX);
}

/* Open path as a trusted directory. Returns a descriptor or -1 with errno (EPERM: not trusted). */
static int open_trusted(const char *path)
{
	int fd = open(path, DIRECTORY_FLAGS);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && is_trusted(&st))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* The setting output_prefix as an absolute path without slashes at its end. */
static int prefix_path(char *path, struct pm_err *e)
{
	const char *set = pm_config_get(PM_SET_output_prefix);
	char cwd[PATH_MAX];
	size_t len;
	int n;

	if (set[0] == '/')
		n = snprintf(path, PATH_MAX, "%s", set);
	else if (getcwd(cwd, sizeof cwd))
		n = snprintf(path, PATH_MAX, "%s/%s", cwd, set);
	else
		return pm_err(e, "cannot find the working directory: %m");
	/* Room for user, job and file name after it. */
	if (n < 0 || n > PATH_MAX - 3 * (NAME_MAX + 1))
		return pm_err(e, "output_prefix is too long");
	len = (size_t)n;
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	return 0;
}

/* The fallback where the prefix cannot be trusted or used: <prefix>-<uid>. */
static void own_prefix(const char *prefix, char *path)
{
	snprintf(path, PATH_MAX, "%.*s-%lu", PATH_MAX - 32, prefix, (unsigned long)geteuid());
}

/* Create the missing directories above path. */
static void make_parents(const char *path)
{
	char part[PATH_MAX];

	snprintf(part, sizeof part, "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return;
		*slash = '/';
	}
}

/* 1 when other users may create files beside path. */
static int is_shared_place(const char *path)
{
	char parent[PATH_MAX];
	struct stat st;
	char *slash;

	snprintf(parent, sizeof parent, "%s", path);
	slash = strrchr(parent, '/');
	slash[slash == parent] = '\0';
	return stat(parent, &st) < 0 || (st.st_uid != geteuid() && (st.st_mode & S_IWOTH));
}

/* Create a missing prefix. Only root may create one in a directory that all users share: the owner
 * of the prefix can rename the directories in it. */
static int make_prefix(const char *path)
{
	mode_t mask;
	int rc;

	make_parents(path);
	if (geteuid() != 0 && is_shared_place(path)) {
		errno = EPERM;
		return -1;
	}
	mask = umask(geteuid() == 0 ? 0 : 022);
	rc = mkdir(path, geteuid() == 0 ? 01777 : 0755);
	umask(mask);
	return rc < 0 && errno != EEXIST ? -1 : 0;
}

int pm_jobdir_name_valid(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > NAME_BYTES_MAX || name[0] == '.')
		return 0;
	for (size_t i = 0; i < n; i++)
		if (name[i] == '/' || (unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return 0;
	return 1;
}

static void user_name(char *buf, size_t size)
{
	struct passwd *pw = getpwuid(geteuid());

	if (pw && pm_jobdir_name_valid(pw->pw_name) && strlen(pw->pw_name) < size)
		snprintf(buf, size, "%s", pw->pw_name);
	else
		snprintf(buf, size, "%lu", (unsigned long)geteuid());
}

int pm_jobdir_protect(int fd)
{
	const mode_t others = geteuid() == 0 ? 0011 : 0;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	return (st.st_mode & 077) == others ? 0 : fchmod(fd, 0700 | others);
}

/* Open `name` below dir if it is a directory of the effective user, and deny other users access to
 * it. Returns a descriptor or -1. */
static int open_own(int dir, const char *name)
{
	int fd = openat(dir, name, DIRECTORY_FLAGS);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && pm_jobdir_protect(fd) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* 1 when entry is user or user.XXXXXX. */
static int is_user_entry(const char *entry, const char *user)
{
	size_t len = strlen(user);

	if (strncmp(entry, user, len) != 0)
		return 0;
	return !entry[len] || (entry[len] == '.' && strlen(entry + len) == 1 + SUFFIX_LENGTH);
}

/* Call fn for every directory of this user below the prefix. Returns what fn returned last. */
static int each_in_prefix(const char *prefix, int (*fn)(int, const char *, void *), void *arg)
{
	int fd = open_trusted(prefix), rc = 0;
	struct dirent *entry;
	char user[128];
	DIR *dir;

	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return 0;
	}
	user_name(user, sizeof user);
	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		char path[PATH_MAX];
		int own;

		if (!is_user_entry(entry->d_name, user))
			continue;
		own = open_own(dirfd(dir), entry->d_name);
		if (own < 0)
			continue;
		if (snprintf(path, sizeof path, "%s/%s", prefix, entry->d_name) < PATH_MAX)
			rc = fn(own, path, arg);
		close(own);
	}
	closedir(dir);
	return rc;
}

/* Split a path without trailing slashes into its directory (copied to `directory`) and its last
 * component (returned). */
static const char *split_path(const char *path, char *directory)
{
	const char *slash = strrchr(path, '/');

	snprintf(directory, PATH_MAX, "%.*s", (int)(slash == path ? 1 : slash - path), path);
	return slash + 1;
}

/* Call fn for every directory of this user below this user's own prefixes: own_prefix(), and the
 * suffixed ones chosen because that name was taken. Returns what fn returned last. */
static int each_in_own(const char *prefix, int (*fn)(int, const char *, void *), void *arg)
{
	char own[PATH_MAX], parent[PATH_MAX], path[PATH_MAX];
	struct dirent *entry;
	const char *name;
	int rc = 0;
	DIR *dir;

	own_prefix(prefix, own);
	name = split_path(own, parent);
	dir = opendir(parent);
	/* A parent with search but no read permission still gives access to the plain name. */
	if (!dir)
		return each_in_prefix(own, fn, arg);
	while (rc == 0 && (entry = readdir(dir)) != NULL)
		if (is_user_entry(entry->d_name, name) &&
		    snprintf(path, sizeof path, "%s/%s", parent[1] ? parent : "", entry->d_name) <
			    PATH_MAX)
			rc = each_in_prefix(path, fn, arg);
	closedir(dir);
	return rc;
}

int pm_jobdir_each_user(int (*fn)(int fd, const char *path, void *arg), void *arg, struct pm_err *e)
{
	char prefix[PATH_MAX];
	int rc;

	if (prefix_path(prefix, e) < 0)
		return -1;
	rc = each_in_prefix(prefix, fn, arg);
	return rc ? rc : each_in_own(prefix, fn, arg);
}

static void random_suffix(char *suffix)
{
	static const char letter[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char byte[SUFFIX_LENGTH] = { 0 };

	/* Without random bytes the names are guessable: an attacker who squats on them makes this
	 * user try more of them. */
	if (getrandom(byte, sizeof byte, GRND_NONBLOCK) != (ssize_t)sizeof byte)
		memset(byte, (int)getpid(), sizeof byte);
	for (int i = 0; i < SUFFIX_LENGTH; i++)
		suffix[i] = letter[byte[i] % (sizeof letter - 1)];
	suffix[SUFFIX_LENGTH] = '\0';
}

/* The directory found by take_suffixed. */
struct found {
	int fd;
	char path[PATH_MAX];
};

static int take_suffixed(int fd, const char *path, void *arg)
{
	struct found *f = arg;

	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	memcpy(f->path, path, strlen(path) + 1);
	return 1;
}

/* Create a private directory named `path` plus a random suffix; made (PATH_MAX bytes) gets its
 * name. Returns 0, or -1 with errno. */
static int make_suffixed(const char *path, char *made)
{
	char suffix[SUFFIX_LENGTH + 1];

	for (int i = 0; i < SUFFIX_TRIES; i++) {
		random_suffix(suffix);
		snprintf(made, PATH_MAX, "%.*s.%s", PATH_MAX - SUFFIX_LENGTH - 2, path, suffix);
		if (mkdir(made, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Open or create this user's directory below an open prefix. Returns a descriptor or -1. */
static int user_in_open_prefix(int dir, const char *prefix, char *path)
{
	struct found f = { .fd = -1 };
	char user[128], taken[PATH_MAX];
	int fd;

	user_name(user, sizeof user);
	if (mkdirat(dir, user, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = open_own(dir, user);
	snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 160, prefix, user);
	if (fd >= 0)
		return fd;
	/* Another user has taken the name. Use the suffixed name chosen last time, else create one.
	 */
	if (each_in_prefix(prefix, take_suffixed, &f) == 1 && f.fd >= 0) {
		memcpy(path, f.path, sizeof f.path);
		return f.fd;
	}
	memcpy(taken, path, sizeof taken);
	return make_suffixed(taken, path) == 0 ? open_own(AT_FDCWD, path) : -1;
}

static int user_in_prefix(const char *prefix, char *path)
{
	int dir = open_trusted(prefix), fd, saved;

	if (dir < 0 && errno == ENOENT && make_prefix(prefix) == 0)
		dir = open_trusted(prefix);
	if (dir < 0)
		return -1;
	fd = user_in_open_prefix(dir, prefix, path);
	saved = errno;
	close(dir);
	errno = saved;
	return fd;
}

/* Fallback for a prefix that cannot be used: open or create this user's directory below a prefix of
 * the user's own. Returns a descriptor or -1 with errno. */
static int user_in_own_prefix(const char *prefix, char *path)
{
	struct found f = { .fd = -1 };
	char own[PATH_MAX], made[PATH_MAX];
	mode_t mask;
	int fd, rc;

	own_prefix(prefix, own);
	fd = user_in_prefix(own, path);
	if (fd >= 0)
		return fd;
	/* The directory is missing: create it private, since users share its parent. Or another
	 * user has taken the name. */
	mask = umask(077);
	rc = mkdir(own, 0700);
	umask(mask);
	if (rc == 0)
		return user_in_prefix(own, path);
	if (each_in_own(prefix, take_suffixed, &f) == 1 && f.fd >= 0) {
		memcpy(path, f.path, sizeof f.path);
		return f.fd;
	}
	return make_suffixed(own, made) == 0 ? user_in_prefix(made, path) : -1;
}

int pm_jobdir_user(char *path, struct pm_err *e)
{
	char prefix[PATH_MAX];
	struct pm_err why;
	struct stat st;
	int fd;

	if (prefix_path(prefix, e) < 0)
		return -1;
	fd = user_in_prefix(prefix, path);
	if (fd >= 0)
		return fd;
	pm_err(&why, "%s: %s", prefix,
	       errno == EPERM ? "other users can change its contents" : strerror(errno));
	fd = user_in_own_prefix(prefix, path);
	if (fd < 0)
		return pm_err(e,
			      "no directory for the job: %s; %s-%lu: %m; set output_prefix to a "
			      "writable directory",
			      why.text, prefix, (unsigned long)geteuid());
	/* Another user who takes the default name in /tmp must not make everybody's jobs print
	 * warnings. */
	if (lstat(prefix, &st) == 0 &&
	    strcmp(pm_config_origin(PM_SET_output_prefix), "default") != 0)
		pm_warn("%s; the job's directory is created below %s instead", why.text, path);
	else
		pm_debug("%s; using %s", why.text, path);
	return fd;
}
