/*
 * A write-ahead log keeps its index in memory shared by all processes that use the database
 * (https://sqlite.org/wal.html). On a file system that several hosts mount, each host has its own
 * index, and hosts overwrite each other's commits. Such file systems cannot be listed (FUSE may be
 * anything from sshfs to a parallel file system), so the log is used only on those known to be
 * local; all others get a rollback journal, which only needs working POSIX locks.
 *
 * A log writes each page twice. What a new database's first large job writes are new pages, of
 * which a rollback journal has none: it is loaded with one, and the log is set when it is in.
 */
#include "config.h"

#include "db/sqlite/journal.h"

#include "db/sqlite/handle.h"

#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* f_type of statfs(2). overlayfs keeps changed files in another of these file systems: it accepts
 * no remote upper layer. */
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

/* Run a pragma, retrying while another process does the same: switching a new file to WAL reports
 * SQLITE_BUSY without waiting. */
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

/* Run statements unless another process is in the way. Returns whether they took effect. */
static bool try_exec(struct pm_db *db, const char *sql)
{
	struct pm_sqlite *s = pm_sqlite_of(db);
	const int patience_ms = s->patience_ms;
	bool done;

	s->patience_ms = 0;
	done = sqlite3_exec(s->handle, sql, NULL, NULL, NULL) == SQLITE_OK;
	s->patience_ms = patience_ms;
	return done;
}

/* Query one value into `out`. Returns 0 or -1 with e filled. */
static int query_value(struct pm_db *db, const char *sql, char out[16], struct pm_err *e)
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

/* user_version of a database that has a rollback journal for its first large job alone: told from
 * one whose journal somebody chose even if that load was killed. */
#define LOG_WAITS "1819240224"

/* What journal a database has. */
enum found { NEW, LOG, ROLLBACK, ROLLBACK_FOR_NOW };

/* Returns an enum found, or -1 with e filled. */
static int find_journal(struct pm_db *db, struct pm_err *e)
{
	char pages[16], mode[16], version[16];

	if (query_value(db, "PRAGMA page_count", pages, e) < 0 ||
	    query_value(db, "PRAGMA journal_mode", mode, e) < 0 ||
	    query_value(db, "PRAGMA user_version", version, e) < 0)
		return -1;
	if (strcmp(pages, "0") == 0)
		return NEW;
	if (strcmp(mode, "wal") == 0)
		return LOG;
	return strcmp(version, LOG_WAITS) == 0 ? ROLLBACK_FOR_NOW : ROLLBACK;
}

/* The journals; commits survive a power failure with all but log_fast. Without syncing, a rollback
 * journal may leave a damaged database. The commit of DELETE is the removal of the journal, which
 * only EXTRA brings to the disk. */
static const struct journal {
	const char *mode, *set;
} log_sure = { "wal", "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864;"
		      "PRAGMA synchronous = FULL" },
  log_fast = { "wal", "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864;"
		      "PRAGMA synchronous = NORMAL" },
  rollback_kept = { "truncate", "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL" },
  rollback_asked = { "delete", "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA" };

/* Set the journal that suits the file system. Returns 0 or -1 with e filled. */
static int set_suitable(struct pm_db *db, const char *path, bool sure, int wait_ms,
			struct pm_err *e)
{
	const char *log = sure ? log_sure.set : log_fast.set;
	const bool logged = is_local(path);
	const int found = find_journal(db, e);

	if (found < 0)
		return -1;
	pm_sqlite_of(db)->fresh = logged && found == NEW;
	/* Unless another process still loads the job. */
	if (logged && found == ROLLBACK_FOR_NOW && try_exec(db, log))
		return patient_exec(db, "PRAGMA user_version = 0", wait_ms, e);
	return patient_exec(db, logged && found <= LOG ? log : rollback_kept.set, wait_ms, e);
}

int pm_sqlite_journal_set(struct pm_db *db, const char *path, enum pm_db_journal journal, bool sure,
			  int wait_ms, struct pm_err *e)
{
	const struct journal *j = sure ? &log_sure : &log_fast;
	char mode[16];

	if (journal == PM_DB_JOURNAL_AUTO)
		return set_suitable(db, path, sure, wait_ms, e);
	if (journal == PM_DB_JOURNAL_DELETE)
		j = &rollback_asked;
	if (patient_exec(db, j->set, wait_ms, e) < 0)
		return pm_err_prefix(e, "change its journal to %s (setting journal)", j->mode);
	/* SQLite goes on with the journal there is where it cannot have the other. */
	if (query_value(db, "PRAGMA journal_mode", mode, e) < 0)
		return -1;
	return strcmp(mode, j->mode) == 0
		       ? 0
		       : pm_err(e, "the setting journal is %s, but SQLite uses %s here", j->mode,
				mode);
}

void pm_sqlite_journal_large(struct pm_db *db)
{
	struct pm_sqlite *s = pm_sqlite_of(db);

	if (!s->fresh)
		return;
	s->fresh = false;
	s->log_waits = try_exec(db, "PRAGMA user_version = " LOG_WAITS);
	/* While others have the database open, it stays with the log. */
	if (s->log_waits && !try_exec(db, rollback_kept.set))
		pm_sqlite_journal_committed(db);
}

void pm_sqlite_journal_committed(struct pm_db *db)
{
	struct pm_sqlite *s = pm_sqlite_of(db);

	if (s->rows)
		s->fresh = false;
	/* The commits that follow survive a power failure, too. */
	if (s->log_waits && try_exec(db, log_sure.set) && try_exec(db, "PRAGMA user_version = 0"))
		s->log_waits = false;
}
