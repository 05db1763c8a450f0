/* What an operand is: asked once, of its open descriptor. */
#include "config.h"

#include "submit/operand.h"

#include "db/db.h"
#include "submit/foreign/epmt_db.h"
#include "submit/job/gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pm_operand_init(struct pm_operand *o, const char *path, int fd)
{
	*o = (struct pm_operand){ .path = path, .name = path, .fd = fd, .lent = fd >= 0 };
	if (!o->lent && strcmp(path, PM_OPERAND_INPUT) == 0) {
		o->input = true;
		o->name = "standard input";
	}
}

/* Whether a path names a file of a job's directory. */
static bool is_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return pm_gather_kind(slash ? slash + 1 : path) != PM_FILE_OTHER;
}

/* Identify an open operand. Returns 0 or -1 with e filled. */
static int identify_open(struct pm_operand *o, struct pm_err *e)
{
	bool regular;

	if (fstat(o->fd, &o->st) < 0)
		return pm_err(e, "%s: %m", o->path);
	regular = S_ISREG(o->st.st_mode);
	if (S_ISDIR(o->st.st_mode)) {
		o->kind = PM_OPERAND_DIRECTORY;
	} else if (regular && !o->input && pm_epmt_db_is(o->fd)) {
		/* Never from a spool: SQLite would open the database by name, not by descriptor,
		 * and its schema, which anybody may have written, influences queries. */
		if (o->lent)
			return pm_err(e, "%s: a database, not an archive", o->path);
		o->kind = PM_OPERAND_DATABASE;
	} else if (regular && !o->input && !o->lent && is_part(o->path)) {
		return pm_err(e, "%s: a file of a job, not an archive: submit its directory",
			      o->path);
	} else if (regular || (o->input && !isatty(o->fd))) {
		o->kind = PM_OPERAND_ARCHIVE;
	} else {
		return pm_err(e, "%s: neither a directory nor an archive", o->name);
	}
	return 0;
}

int pm_operand_open(struct pm_operand *o, struct pm_err *e)
{
	int rc;

	if (o->kind != PM_OPERAND_UNKNOWN && (o->fd >= 0 || o->kind == PM_OPERAND_DATABASE))
		return 0;
	o->kind = PM_OPERAND_UNKNOWN;
	if (o->input)
		o->fd = STDIN_FILENO;
	else if (!o->lent)
		o->fd = pm_db_open_file(AT_FDCWD, o->path, O_NONBLOCK | O_NOCTTY);
	if (o->fd < 0 && errno == EBUSY)
		return pm_err(e, "%s: a file of the database itself", o->path);
	if (o->fd < 0)
		return pm_err(e, "%s: %m%s", o->path,
			      errno == ENOENT && !strchr(o->path, '/')
				      ? "; no job with this id can be loaded either"
				      : "");
	rc = identify_open(o, e);
	if (rc < 0 || o->kind == PM_OPERAND_DATABASE)
		pm_operand_close(o);
	return rc;
}

void pm_operand_close(struct pm_operand *o)
{
	if (o->fd < 0 || o->lent)
		return;
	if (!o->input)
		close(o->fd);
	o->fd = -1;
}

static int is_wanted(const struct dirent *d)
{
	return pm_gather_kind(d->d_name) != PM_FILE_OTHER;
}

void pm_operand_measure(struct pm_operand *o)
{
	struct dirent **name = NULL;
	struct stat st;
	int n;

	o->size = S_ISREG(o->st.st_mode) && !o->input ? (uint64_t)o->st.st_size : 0;
	if (o->kind != PM_OPERAND_DIRECTORY || o->input)
		return;
	n = scandirat(o->fd, ".", &name, is_wanted, NULL);
	for (int i = 0; i < n; i++) {
		if (fstatat(o->fd, name[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			o->size += (uint64_t)st.st_size;
		free(name[i]);
	}
	free(name);
}
