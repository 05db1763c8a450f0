/* Why an SQLite database cannot be used: files that SQLite cannot open, which it does not name. */
#include "config.h"

#include "db/sqlite_blame.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What SQLite opens beside a database. */
static const char *const beside[] = { "-wal", "-shm", "-journal" };

/* Say what is the matter with a file or directory, and whose it is: who can change that. */
static void blame(const char *path, struct pm_err *e)
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
	       why == EACCES ? "; see SHARING A DATABASE in perfmon(1)" : "");
}

static bool allows(const char *path, int how)
{
	return faccessat(AT_FDCWD, path, how, AT_EACCESS) == 0;
}

void pm_sqlite_blame(const char *path, bool write, struct pm_err *e)
{
	int how = write ? R_OK | W_OK : R_OK, saved = errno;
	char *real = e ? realpath(path, NULL) : NULL, other[PATH_MAX + 16], *slash;

	if (!real) {
		errno = saved;
		return;
	}
	if (!allows(real, how)) {
		blame(real, e);
		goto out;
	}
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
		snprintf(other, sizeof other, "%s%s", real, beside[i]);
		if (!allows(other, how) && errno != ENOENT) {
			blame(other, e);
			goto out;
		}
	}
	slash = strrchr(real, '/');
	slash[slash == real] = '\0';
	if (!allows(real, W_OK | X_OK))
		blame(real, e);
out:
	free(real);
	errno = saved;
}

/* Who has a lock for writing on bytes of a file, 0 for nobody known. The kernel's list is asked,
 * not the file: to close that would give up the locks that SQLite has on it in this process. */
static long locker(const char *path, unsigned long long first, unsigned long long last)
{
	unsigned long long inode, from;
	unsigned major_, minor_;
	char line[160], to[24];
	struct stat st;
	long pid, found = 0;
	FILE *f;

	if (stat(path, &st) < 0)
		return 0;
	f = fopen("/proc/locks", "re");
	/* proc_locks(5) */
	while (f && !found && fgets(line, sizeof line, f))
		if (sscanf(line, "%*d: POSIX %*s WRITE %ld %x:%x:%llu %llu %23s", &pid, &major_,
			   &minor_, &inode, &from, to) == 6 &&
		    inode == st.st_ino && major_ == major(st.st_dev) &&
		    minor_ == minor(st.st_dev) && from <= last && strtoull(to, NULL, 10) >= first &&
		    pid > 0 && pid != getpid())
			found = pid;
	if (f)
		fclose(f);
	return found;
}

long pm_sqlite_blame_who(const char *path)
{
	char *real = realpath(path, NULL), index[PATH_MAX + 8];
	long pid = 0;

	if (real) {
		/* As in sqlite_lock.c: PENDING and RESERVED; the writer of the log. */
		pid = locker(real, 0x40000000, 0x40000001);
		snprintf(index, sizeof index, "%s-shm", real);
		if (!pid)
			pid = locker(index, 120, 120);
	}
	free(real);
	return pid;
}

void pm_sqlite_blame_holder(const char *path, struct pm_err *e)
{
	int saved = errno;
	long pid = pm_sqlite_blame_who(path);
	struct pm_err why;

	if (e && pid > 0) {
		why = *e;
		pm_err(e, "%s by process %ld", why.text, pid);
	}
	errno = saved;
}

void pm_sqlite_blame_damage(const char *path, struct pm_err *e)
{
	struct pm_err why;

	if (!e)
		return;
	why = *e;
	pm_err(e,
	       "%s; PRAGMA integrity_check of sqlite3 says where: put a copy of %s in its place, "
	       "or load the jobs anew",
	       why.text, path);
}

bool pm_sqlite_blame_log(const char *path)
{
	char *real = realpath(path, NULL), wal[PATH_MAX + 8];
	struct stat st;
	bool more = false;

	if (real) {
		snprintf(wal, sizeof wal, "%s-wal", real);
		more = stat(wal, &st) == 0 && st.st_size > 0;
	}
	free(real);
	return more;
}
