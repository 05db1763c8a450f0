/* Files that take their name when they are complete. */
#include "config.h"

#include "common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Signals that end a program unless it has another mind, and the file that they remove. */
static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ };

#define ENDS (sizeof(ends) / sizeof(*ends))

static struct {
	const char *volatile path; /* NULL: none */
	struct sigaction before[ENDS];
} unfinished;

/* End as without a handler, and leave no file. */
static void remove_unfinished(int sig)
{
	const char *path = unfinished.path;

	if (path)
		unlink(path);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Have signals remove a file from now on. A limit of the file's size becomes an error to tell. */
static void watch(const char *path)
{
	const struct sigaction end = { .sa_handler = remove_unfinished },
			       ignore = { .sa_handler = SIG_IGN };

	if (unfinished.path)
		return;
	unfinished.path = path;
	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &unfinished.before[i]) == 0 &&
		    unfinished.before[i].sa_handler == SIG_DFL)
			sigaction(ends[i], ends[i] == SIGXFSZ ? &ignore : &end, NULL);
}

/* Leave a file to itself: it has its name, or is gone. */
static void unwatch(const char *path)
{
	if (!path || unfinished.path != path)
		return;
	for (size_t i = 0; i < ENDS; i++)
		if (unfinished.before[i].sa_handler == SIG_DFL)
			sigaction(ends[i], &unfinished.before[i], NULL);
	unfinished.path = NULL;
}

/* The mode of a new file. */
static mode_t usual_mode(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Open a file that is no regular one. Nobody may read a FIFO: that is an error, not a wait. */
static int open_special(const char *path, struct pm_err *e)
{
	const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	else if (errno == ENXIO)
		pm_err(e, "write %s: nobody reads it; start its reader first", path);
	else
		pm_err(e, "write %s: %m", path);
	return fd;
}

/* Make the file o->beside. Returns its descriptor, or -1 with errno. */
static int make_beside(struct pm_outfile *o, mode_t mode)
{
	sigset_t all, before;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = mkostemp(o->beside, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, mode) == 0) {
		watch(o->beside);
	} else if (fd >= 0) {
		close(fd);
		unlink(o->beside);
		fd = -1;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* Open a new file beside a path. Returns its descriptor, or -1 with e filled and o->beside NULL. */
static int open_beside(struct pm_outfile *o, const char *path, mode_t mode, struct pm_err *e)
{
	int fd = -1;

	if (asprintf(&o->beside, "%s.XXXXXX", path) < 0)
		o->beside = NULL;
	else
		fd = make_beside(o, mode);
	if (fd >= 0)
		return fd;
	pm_err(e,
	       errno == EACCES ? "write %s: no file can be made in its directory: %m"
			       : "write %s: %m",
	       path);
	free(o->beside);
	o->beside = NULL;
	return -1;
}

/* Open a file beside one that it will replace, of the same owner, group and mode; where the group
 * cannot be had, it gets no rights. Returns as open_beside(). */
static int replace(struct pm_outfile *o, const char *path, const struct stat *st, struct pm_err *e)
{
	const int fd = open_beside(o, path, st->st_mode & 0707, e);

	if (fd >= 0 &&
	    (fchown(fd, st->st_uid, st->st_gid) == 0 || fchown(fd, (uid_t)-1, st->st_gid) == 0))
		fchmod(fd, st->st_mode & 0777);
	return fd;
}

/* Open what has the name already, or the file that will have it. Returns its descriptor, or -1
 * with e filled. */
static int open_path(struct pm_outfile *o, const char *path, struct pm_err *e)
{
	char target[PATH_MAX];
	struct stat st;

	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return open_special(path, e);
		if (access(path, W_OK) == 0 && realpath(path, target))
			return replace(o, target, &st, e);
		return pm_err(e, "write %s: %m", path);
	}
	/* A link that the kernel does not follow, since it may be a trap, or that leads nowhere, is
	 * not looked through, nor replaced. */
	if (errno != ENOENT)
		return pm_err(e, "write %s: %m", path);
	if (lstat(path, &st) == 0)
		return pm_err(e, "write %s: it is a link to a file that does not exist", path);
	return open_beside(o, path, usual_mode(), e);
}

int pm_outfile_open(struct pm_outfile *o, const char *path, struct pm_err *e)
{
	int fd;

	*o = (struct pm_outfile){ .path = path };
	if (!*path)
		return pm_err(e, "the name of the file to write is empty");
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		o->path = "standard output";
		o->f = stdout;
		return 0;
	}
	fd = open_path(o, path, e);
	if (fd < 0)
		return -1;
	o->f = fdopen(fd, "w");
	if (!o->f) {
		pm_err(e, "write %s: %m", path);
		close(fd);
		pm_outfile_abandon(o);
		return -1;
	}
	return 0;
}

/* The name that a complete file takes: what stands before the dot and its six letters. */
static int take_name(struct pm_outfile *o)
{
	char *name = strndup(o->beside, strlen(o->beside) - strlen(".XXXXXX"));
	int rc = name ? rename(o->beside, name) : -1;

	free(name);
	return rc;
}

int pm_outfile_commit(struct pm_outfile *o, struct pm_err *e)
{
	int failed = ferror(o->f) || fflush(o->f) != 0;

	if (o->f != stdout && fclose(o->f) != 0)
		failed = 1;
	o->f = NULL;
	if (failed || (o->beside && take_name(o) < 0)) {
		pm_err(e, "write %s: %m", o->path);
		pm_outfile_abandon(o);
		return -1;
	}
	unwatch(o->beside);
	free(o->beside);
	o->beside = NULL;
	return 0;
}

void pm_outfile_abandon(struct pm_outfile *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	o->f = NULL;
	if (o->beside)
		unlink(o->beside);
	unwatch(o->beside);
	free(o->beside);
	o->beside = NULL;
}
