/*
 * A write-ahead log has its index in memory that all who use the database share
 * (https://sqlite.org/wal.html): on a file system that several hosts mount each host has one of its
 * own, and they overwrite each other's commits. Which those are nobody can list (FUSE alone may be
 * anything, from sshfs to a parallel file system), so that the log is for those known to be of one
 * host; all others have a rollback journal, which needs working POSIX locks alone.
 */
#include "config.h"

#include "db/sqlite_journal.h"

#include "db/sqlite_handle.h"

#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* statfs(2); overlayfs has its files in one of the others: it takes no upper layer that is shared.
 */
static const unsigned long local[] = {
	0xef53 /* ext2, 3, 4 */, 0x58465342 /* XFS */,       0x9123683e /* btrfs */,
	0xf2f52010 /* F2FS */,   0x2fc12fc1 /* ZFS */,       0xca451a4e /* bcachefs */,
	0x3153464a /* JFS */,    0x52654973 /* reiserfs */,  0x01021994 /* tmpfs */,
	0x858458f6 /* ramfs */,  0x794c7630 /* overlayfs */,
};

static bool is_local(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
		if (((unsigned long)fs.f_type & 0xffffffff) == local[i])
			return true;
	return false;
}

/* Run a pragma although another process may be doing the same: switching a new file to a log
 * reports busy without waiting. */
static int patient_exec(struct pm_db *db, const char *sql, int ms, struct pm_err *e)
{
	for (int i = 0;; i += 20) {
		int rc = sqlite3_exec(pm_sqlite_of(db)->handle, sql, NULL, NULL, NULL);

		if (rc == SQLITE_OK)
			return 0;
		if ((rc & 0xff) != SQLITE_BUSY || i >= ms)
			return pm_sqlite_fail(db, rc, e);
		usleep(20000);
	}
}

/* Ask for one value, in `out`. Returns 0 or -1 with e filled. */
static int ask(struct pm_db *db, const char *sql, char out[16], struct pm_err *e)
{
	sqlite3_stmt *q = NULL;
	const char *text = NULL;
	int rc = sqlite3_prepare_v3(pm_sqlite_of(db)->handle, sql, -1, 0, &q, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(q, 0);
	snprintf(out, 16, "%s", text ? text : "");
	rc = text ? 0 : pm_sqlite_fail(db, rc == SQLITE_ROW ? SQLITE_NOMEM : rc, e);
	sqlite3_finalize(q);
	return rc;
}

/* Whether the database has pages and no log: somebody chose so. Returns 1, 0 or -1 with e filled.
 */
static int has_journal(struct pm_db *db, struct pm_err *e)
{
	char pages[16], mode[16];

	if (ask(db, "PRAGMA page_count", pages, e) < 0 ||
	    ask(db, "PRAGMA journal_mode", mode, e) < 0)
		return -1;
	return strcmp(pages, "0") != 0 && strcmp(mode, "wal") != 0;
}

int pm_sqlite_journal_set(struct pm_db *db, const char *path, bool sure, int wait_ms,
			  struct pm_err *e)
{
	int journal = is_local(path) ? has_journal(db, e) : 1;

	if (journal < 0)
		return -1;
	/* A rollback journal that is not synced may leave a damaged database: always FULL. */
	if (journal)
		return patient_exec(db, "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL",
				    wait_ms, e);
	return patient_exec(db,
			    sure ? "PRAGMA journal_mode = WAL;"
				   "PRAGMA journal_size_limit = 67108864;"
				   "PRAGMA synchronous = FULL"
				 : "PRAGMA journal_mode = WAL;"
				   "PRAGMA journal_size_limit = 67108864;"
				   "PRAGMA synchronous = NORMAL",
			    wait_ms, e);
}
