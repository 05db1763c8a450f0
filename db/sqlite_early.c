/*
 * A load's changes are all in the log, and on disk, before the first may go into the database. What
 * was on its way to the disk meanwhile need not be waited for.
 */
#include "config.h"

#include "db/sqlite_early.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is worth a request, bytes. */
#define WORTH ((int64_t)4 << 20)

static int open_log(sqlite3 *handle)
{
	const char *database = sqlite3_db_filename(handle, "main");

	/* SQLite locks no byte of its log: closing this loses none. */
	return database && database[0] ? open(sqlite3_filename_wal(database),
					      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY)
				       : -1;
}

void pm_sqlite_early(struct pm_sqlite_early *x, sqlite3 *handle)
{
	struct stat st;

	if (!x->tried)
		x->fd = open_log(handle);
	x->tried = true;
	if (x->fd < 0 || fstat(x->fd, &st) < 0 || st.st_size - x->told < WORTH)
		return;
	/* A failure will be told to the one who waits. */
	(void)sync_file_range(x->fd, x->told, st.st_size - x->told, SYNC_FILE_RANGE_WRITE);
	x->told = st.st_size;
}

void pm_sqlite_early_end(struct pm_sqlite_early *x)
{
	if (x->tried && x->fd >= 0)
		close(x->fd);
	*x = (struct pm_sqlite_early){ .tried = false };
}
