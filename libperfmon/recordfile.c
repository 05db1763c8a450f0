/* Where the records of this process go. */
#include "config.h"

#include "libperfmon/recordfile.h"

#include "common/tally.h"
#include "libperfmon/memory.h"
#include "libperfmon/state.h"

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

/* "<output>/<host>-", which the file name continues. */
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
	/* Few processes need it. Two threads may both make it. */
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

/* What the path of that directory leads to now. Returns 0 or -1. */
static int look_home(struct stat *st)
{
	char path[sizeof pm.file];

	memcpy(path, pm.file, pm.file_dir);
	path[pm.file_dir] = '\0';
	return pm_sys4(SYS_newfstatat, AT_FDCWD, path, st, 0) < 0 ? -1 : 0;
}

bool pm_recordfile_remember(void)
{
	struct stat st;

	if (!home.known && look_home(&st) == 0) {
		home.known = true;
		home.dev = st.st_dev;
		home.ino = st.st_ino;
	}
	return home.known;
}

bool pm_recordfile_is_astray(void)
{
	struct stat st;

	return look_home(&st) < 0 || st.st_dev != home.dev || st.st_ino != home.ino;
}
