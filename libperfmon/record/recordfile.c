/* Where the records of this process go. */
#include "config.h"

#include "libperfmon/record/recordfile.h"

#include "common/safe/tally.h"
#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* The directory of the record file before the first call that may lead away from it. Life cycle:
 * empty until then; kept by fork children. */
static struct {
	dev_t dev;
	ino_t ino;
	bool known;
} home;

/* Set pm.file to "<output>/<host>-", to be continued by pm_recordfile_name. */
int pm_recordfile_place(const char *output)
{
	struct pm_buf b;

	pm_buf_init(&b, pm.file, sizeof pm.file);
	pm_buf_str(&b, output);
	pm_buf_ch(&b, '/');
	pm.file_dir = b.len;
	for (size_t i = 0; i < pm.hostname.n; i++)
		pm_buf_ch(&b, pm.hostname.p[i] == '/' ? '_' : pm.hostname.p[i]);
	pm_buf_ch(&b, '-');
	pm.file_stem = b.len;
	/* Room for the longest rest: two numbers and ".tsv". */
	return b.truncated || b.len + 2 * PM_BUF_NUMBER_MAX + 8 > sizeof pm.file ? -1 : 0;
}

void pm_recordfile_name(void)
{
	struct pm_buf b;

	pm_buf_init(&b, pm.file, sizeof pm.file);
	b.len = pm.file_stem;
	if (pm.per_process) {
		pm_buf_i64(&b, pm.pid);
		pm_buf_ch(&b, '-');
		pm_buf_i64(&b, pm.starttime);
	} else {
		pm_buf_i64(&b, pm.uid);
	}
	pm_buf_mem(&b, ".tsv", 5);
}

const char *pm_recordfile_tally(void)
{
	/* Made on demand, as few processes need the path. Two threads may both make it. */
	static char *path;
	char *made = __atomic_load_n(&path, __ATOMIC_ACQUIRE);
	struct pm_buf b;

	if (made || !(made = pm_memory_map(sizeof pm.file)))
		return made;
	pm_buf_init(&b, made, sizeof pm.file);
	pm_buf_mem(&b, pm.file, pm.file_stem);
	pm_buf_i64(&b, pm.uid);
	pm_buf_mem(&b, PM_TALLY_SUFFIX, sizeof PM_TALLY_SUFFIX);
	if (b.truncated)
		return NULL;
	__atomic_store_n(&path, made, __ATOMIC_RELEASE);
	return made;
}

/* The directory of the record file, the slash included. */
static void copy_directory(char path[sizeof pm.file])
{
	memcpy(path, pm.file, pm.file_dir);
	path[pm.file_dir] = '\0';
}

/* Stat the directory that the path of the record file leads to now. Returns 0 or -1. */
static int stat_home(struct stat *st)
{
	char path[sizeof pm.file];

	copy_directory(path);
	return pm_sys4(SYS_newfstatat, AT_FDCWD, path, st, 0) < 0 ? -1 : 0;
}

bool pm_recordfile_remember(void)
{
	struct stat st;

	if (!home.known && stat_home(&st) == 0) {
		home.known = true;
		home.dev = st.st_dev;
		home.ino = st.st_ino;
	}
	return home.known;
}

bool pm_recordfile_is_astray(void)
{
	struct stat st;

	return stat_home(&st) < 0 || st.st_dev != home.dev || st.st_ino != home.ino;
}

bool pm_recordfile_is_safe(const struct stat *st)
{
	return (S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == 0) ||
	       pm_sys0(SYS_geteuid) != 0;
}

bool pm_recordfile_change_user(void)
{
	int uid = (int)pm_sys0(SYS_geteuid);

	if (!pm.per_process && uid == pm.uid)
		return false;
	pm.per_process = false;
	pm.uid = uid;
	pm_recordfile_name();
	return true;
}

/* Whether other users can search the directory, and only root can change or list it: perfmon
 * creates the directories of root's jobs like that. */
static bool is_passage(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && st->st_uid == 0 && (st->st_mode & 0777) == 0711;
}

/* Give a file that was made for a user to that user. Returns 0 or a negative error number. */
static long give_to_user(long fd, uid_t uid)
{
	struct stat st;

	if (pm_sys2(SYS_fstat, fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != 0 ||
	    st.st_size != 0 || st.st_nlink != 1)
		return 0;
	/* The program's umask may forbid the next open. */
	if ((st.st_mode & 0777) != 0600)
		pm_sys2(SYS_fchmod, fd, 0600);
	return pm_sys3(SYS_fchown, fd, uid, -1);
}

void pm_recordfile_make_for(uid_t uid)
{
	char name[sizeof pm.file];
	struct pm_buf b;
	struct stat st;
	long dir, fd;

	if (pm_sys0(SYS_geteuid) != 0 || (pm.departed && pm_recordfile_is_astray()))
		return;
	copy_directory(name);
	dir = pm_descriptors_open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (dir < 0)
		return;
	pm_buf_init(&b, name, sizeof name);
	pm_buf_mem(&b, pm.file + pm.file_dir, pm.file_stem - pm.file_dir);
	pm_buf_u64(&b, uid);
	pm_buf_mem(&b, ".tsv", 5);
	if (pm_sys2(SYS_fstat, dir, &st) == 0 && is_passage(&st)) {
		fd = pm_descriptors_openat(
			(int)dir, name,
			O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
		/* chown fails in a user namespace that does not map the user. */
		if (fd >= 0 && give_to_user(fd, uid) < 0)
			pm_sys3(SYS_unlinkat, dir, name, 0);
		if (fd >= 0)
			pm_sys1(SYS_close, fd);
	}
	pm_sys1(SYS_close, dir);
}
