/* Files that take their name when they are complete. */
#include "config.h"

#include "common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mode of a new file. */
static mode_t usual_mode(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Open a file that is no regular one. Nobody may read a FIFO: that is an error, not a wait. */
static int open_special(const char *path)
{
	const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* Open a new file beside a path. Returns its descriptor, or -1 with errno and o->beside NULL. */
static int open_beside(struct pm_outfile *o, const char *path, mode_t mode)
{
	int fd;

	if (asprintf(&o->beside, "%s.XXXXXX", path) < 0) {
		o->beside = NULL;
		return -1;
	}
	fd = mkostemp(o->beside, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, mode) == 0)
		return fd;
	if (fd >= 0) {
		close(fd);
		unlink(o->beside);
	}
	free(o->beside);
	o->beside = NULL;
	return -1;
}

/* Open a file beside one that it will replace, of the same group and mode; where the group cannot
 * be had, it gets no rights. Returns its descriptor, or -1 with errno and o->beside NULL. */
static int replace(struct pm_outfile *o, const char *path, const struct stat *st)
{
	const int fd = open_beside(o, path, st->st_mode & 0707);

	if (fd >= 0 && fchown(fd, (uid_t)-1, st->st_gid) == 0)
		fchmod(fd, st->st_mode & 0777);
	return fd;
}

int pm_outfile_open(struct pm_outfile *o, const char *path, struct pm_err *e)
{
	char target[PATH_MAX];
	struct stat st;
	int fd;

	*o = (struct pm_outfile){ .path = path };
	if (!*path)
		return pm_err(e, "the name of the file to write is empty");
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		o->path = "standard output";
		o->f = stdout;
		return 0;
	}
	/* A link that the kernel does not follow, since it may be a trap, or that leads nowhere, is
	 * not looked through, nor replaced. */
	if (stat(path, &st) < 0)
		fd = errno == ENOENT && lstat(path, &st) < 0 ? open_beside(o, path, usual_mode())
							     : -1;
	else if (!S_ISREG(st.st_mode))
		fd = open_special(path);
	else
		fd = access(path, W_OK) == 0 && realpath(path, target) ? replace(o, target, &st)
								       : -1;
	if (fd < 0)
		return pm_err(e, "write %s: %m", path);
	o->f = fdopen(fd, "w");
	if (!o->f) {
		close(fd);
		pm_err(e, "write %s: %m", path);
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
	free(o->beside);
	o->beside = NULL;
}
