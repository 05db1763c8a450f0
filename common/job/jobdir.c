/* Job directories inside the user's directory. */
#include "config.h"

#include "common/job/jobdir.h"

#include "common/safe/tsv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void pm_jobdir_host(char *buf, size_t size)
{
	struct utsname u;

	if (uname(&u) < 0 || !u.nodename[0])
		snprintf(u.nodename, sizeof u.nodename, "unknown");
	snprintf(buf, size, "%s", u.nodename);
	for (char *p = buf; *p; p++)
		if (*p == '/')
			*p = '_';
}

/* Create and open `name` in the directory `dir`, whose path is `user`; returns the same as
 * pm_jobdir_create(). */
static int create_in(int dir, const char *user, const char *name, struct pm_jobdir *d,
		     struct pm_err *e)
{
	if (snprintf(d->path, sizeof d->path, "%s/%s", user, name) >= (int)sizeof d->path)
		return pm_err(e, "%s/%s: path too long", user, name);
	if (mkdirat(dir, name, 0700) < 0)
		return errno == EEXIST ? 1 : pm_err(e, "create %s: %m", d->path);
	d->fd = openat(dir, name, DIRECTORY_FLAGS);
	if (d->fd < 0)
		return pm_err(e, "open %s: %m", d->path);
	pm_jobdir_protect(d->fd);
	snprintf(d->name, sizeof d->name, "%s", name);
	return 0;
}

int pm_jobdir_create(const char *name, struct pm_jobdir *d, struct pm_err *e)
{
	char user[PATH_MAX];
	int dir, rc;

	d->fd = -1;
	if (!pm_jobdir_name_valid(name))
		return pm_err(e, "'%s' cannot be a job id", name);
	dir = pm_jobdir_user(user, e);
	if (dir < 0)
		return -1;
	rc = create_in(dir, user, name, d, e);
	close(dir);
	return rc;
}

int pm_jobdir_is_named(const char *directory, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(directory, name, n) != 0)
		return 0;
	directory += n;
	return !*directory || (*directory == '.' && directory[1] &&
			       strspn(directory + 1, "0123456789") == strlen(directory + 1));
}

/* The highest n of the entries <stem>-<n> in the directory, 0 for none. */
static int64_t highest_number(int dir, const char *stem)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	size_t len = strlen(stem);
	struct dirent *entry;
	int64_t most = 0, n;

	if (!entries) {
		if (copy >= 0)
			close(copy);
		return 0;
	}
	while ((entry = readdir(entries)) != NULL) {
		const char *number = entry->d_name + len + 1;

		if (strncmp(entry->d_name, stem, len) == 0 && entry->d_name[len] == '-' &&
		    pm_tsv_number(number, strlen(number), &n) == 0 && n > most && n < INT32_MAX)
			most = n;
	}
	closedir(entries);
	return most;
}

int pm_jobdir_create_next(const char *stem, struct pm_jobdir *d, struct pm_err *e)
{
	char user[PATH_MAX], name[NAME_MAX + 1];
	int dir, rc = 1;
	int64_t n;

	d->fd = -1;
	dir = pm_jobdir_user(user, e);
	if (dir < 0)
		return -1;
	/* mkdir decides which caller gets a number; the scan only saves trying every number. */
	n = highest_number(dir, stem);
	while (rc == 1) {
		snprintf(name, sizeof name, "%.200s-%lld", stem, (long long)++n);
		rc = create_in(dir, user, name, d, e);
	}
	close(dir);
	return rc;
}

int pm_jobdir_open(const char *path, struct pm_jobdir *d, struct pm_err *e)
{
	char clean[PATH_MAX];
	const char *base;
	struct stat st;
	size_t len = strlen(path);

	d->fd = -1;
	if (len == 0 || len >= sizeof clean)
		return pm_err(e, "path is empty or too long");
	memcpy(clean, path, len + 1);
	/* With a slash at its end, open(2) would follow a symbolic link. */
	while (len > 1 && clean[len - 1] == '/')
		clean[--len] = '\0';
	d->fd = open(clean, DIRECTORY_FLAGS);
	if (d->fd < 0)
		return pm_err(e, "open %s: %m", path);
	if (fstat(d->fd, &st) < 0 || (st.st_uid != geteuid() && geteuid() != 0)) {
		pm_jobdir_close(d);
		return pm_err(e, "%s belongs to another user", path);
	}
	base = strrchr(clean, '/');
	snprintf(d->name, sizeof d->name, "%.*s", NAME_MAX, base ? base + 1 : clean);
	if (clean[0] == '/') {
		memcpy(d->path, clean, len + 1);
	} else if (!realpath(clean, d->path)) {
		pm_jobdir_close(d);
		return pm_err(e, "%s: %m", path);
	}
	return 0;
}

void pm_jobdir_close(struct pm_jobdir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/* Open a directory a second time, to read it from its beginning. Returns NULL on failure. */
static DIR *open_again(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (copy >= 0 && !dir)
		close(copy);
	return dir;
}

int pm_jobdir_is_job(int fd)
{
	DIR *dir = open_again(fd);
	struct dirent *entry;
	int found = 0;

	if (!dir)
		return 0;
	while (!found && (entry = readdir(dir)) != NULL) {
		size_t n = strlen(entry->d_name);

		found = n > 9 && strncmp(entry->d_name, "job-", 4) == 0 &&
			strcmp(entry->d_name + n - 5, ".json") == 0;
	}
	closedir(dir);
	return found;
}

/* The caller's functions, for each_job(). */
struct walk {
	pm_jobdir_wanted_fn *wanted; /* NULL: every job is wanted */
	pm_jobdir_fn *fn;
	void *arg;
};

static int each_job(int user, const char *path, void *arg)
{
	DIR *dir = open_again(user);
	struct walk *w = arg;
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return 0;
	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		struct pm_jobdir d;
		struct stat st;

		if (!pm_jobdir_name_valid(entry->d_name) ||
		    (w->wanted && !w->wanted(entry->d_name, w->arg)))
			continue;
		d.fd = openat(user, entry->d_name, DIRECTORY_FLAGS);
		if (d.fd < 0)
			continue;
		snprintf(d.name, sizeof d.name, "%s", entry->d_name);
		if (fstat(d.fd, &st) == 0 && st.st_uid == geteuid() && pm_jobdir_is_job(d.fd) &&
		    snprintf(d.path, sizeof d.path, "%s/%s", path, d.name) < PATH_MAX)
			rc = w->fn(&d, w->arg);
		pm_jobdir_close(&d);
	}
	closedir(dir);
	return rc;
}

int pm_jobdir_each_wanted(pm_jobdir_wanted_fn *wanted, pm_jobdir_fn *fn, void *arg,
			  struct pm_err *e)
{
	struct walk w = { wanted, fn, arg };

	return pm_jobdir_each_user(each_job, &w, e);
}

int pm_jobdir_each(pm_jobdir_fn *fn, void *arg, struct pm_err *e)
{
	return pm_jobdir_each_wanted(NULL, fn, arg, e);
}
