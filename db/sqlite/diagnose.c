/* Why an SQLite database cannot be used: SQLite does not name the file that it cannot open. */
#include "config.h"

#include "db/sqlite/diagnose.h"

#include "db/sqlite/files.h"
#include "db/sqlite/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Add to e a file or directory, the error in errno, and the owner, who can change the mode. */
static void add_path(const char *path, struct pm_err *e)
{
	char user[24], group[24], what[sizeof e->text];
	int why = errno;
	struct passwd *pw;
	struct group *gr;
	struct stat st;

	if (stat(path, &st) < 0)
		return;
	pw = getpwuid(st.st_uid);
	gr = getgrgid(st.st_gid);
	snprintf(user, sizeof user, "%u", (unsigned)st.st_uid);
	snprintf(group, sizeof group, "%u", (unsigned)st.st_gid);
	snprintf(what, sizeof what, "%s", e->text);
	pm_err(e, "%s: %s: %s (of user %s, group %s, mode %04o)%s", what, path, strerror(why),
	       pw ? pw->pw_name : user, gr ? gr->gr_name : group, (unsigned)(st.st_mode & 07777),
	       why == EACCES ? "; see SHARING A DATABASE in perfmon-submit(1)" : "");
}

static bool allows_access(const char *path, int how)
{
	return faccessat(AT_FDCWD, path, how, AT_EACCESS) == 0;
}

void pm_sqlite_diagnose_access(const char *path, bool write, struct pm_err *e)
{
	int how = write ? R_OK | W_OK : R_OK, saved = errno;
	char *real = e ? realpath(path, NULL) : NULL, *slash;

	if (!real) {
		errno = saved;
		return;
	}
	if (!allows_access(real, how)) {
		add_path(real, e);
		goto out;
	}
	for (enum pm_sqlite_beside i = 0; i < PM_SQLITE_BESIDE; i++) {
		char *other = pm_sqlite_files_beside(real, i);
		bool stops = other && !allows_access(other, how) && errno != ENOENT;

		if (stops)
			add_path(other, e);
		free(other);
		if (stops)
			goto out;
	}
	slash = strrchr(real, '/');
	slash[slash == real] = '\0';
	if (!allows_access(real, W_OK | X_OK))
		add_path(real, e);
out:
	free(real);
	errno = saved;
}

void pm_sqlite_diagnose_holder(const char *path, struct pm_err *e)
{
	int saved = errno;
	long pid = pm_sqlite_lock_holder(path);
	struct pm_err why;

	if (e && pid > 0) {
		why = *e;
		pm_err(e, "%s by process %ld", why.text, pid);
	}
	errno = saved;
}

void pm_sqlite_diagnose_damage(const char *path, struct pm_err *e)
{
	struct pm_err why;

	if (!e)
		return;
	why = *e;
	pm_err(e,
	       "%s; sqlite3's PRAGMA integrity_check locates the damage: restore a backup of %s, "
	       "or load the jobs again",
	       why.text, path);
}
