/* Files that take their name when they are complete. */
#include "config.h"

#include "common/outfile.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open a new file beside a path. Returns its descriptor, or -1 with errno and o->beside NULL. */
static int open_beside(struct pm_outfile *o, const char *path)
{
	const mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&o->beside, "%s.XXXXXX", path) < 0) {
		o->beside = NULL;
		return -1;
	}
	fd = mkostemp(o->beside, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, 0666 & ~mask) == 0)
		return fd;
	if (fd >= 0) {
		close(fd);
		unlink(o->beside);
	}
	free(o->beside);
	o->beside = NULL;
	return -1;
}

int pm_outfile_open(struct pm_outfile *o, const char *path, struct pm_err *e)
{
	char target[PATH_MAX];
	struct stat st;
	int fd;

	*o = (struct pm_outfile){ .path = path };
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return 0;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		fd = open_beside(o, realpath(path, target) ? target : path);
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
