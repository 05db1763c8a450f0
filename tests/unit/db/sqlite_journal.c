/* Which journal an SQLite database has, and what of it survives a loss of power. */
#include "config.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "db/waiting.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long type; /* of every file system, as it seems */

static int64_t slept_us;

/* In place of libc's. */
int usleep(useconds_t us)
{
	slept_us += us;
	return 0;
}

int statfs(const char *path, struct statfs *fs)
{
	int rc = (int)syscall(SYS_statfs, path, fs);

	fs->f_type = (__typeof__(fs->f_type))type;
	return rc;
}

/* Journal and synchronous of a database in a mode: "wal 1". */
static const char *look(enum pm_db_mode mode)
{
	static char text[64];
	struct pm_stmt *q[2];
	struct pm_db *db;
	struct pm_err e = { "" };

	ck_assert_msg(pm_db_open(&db, "x.db", mode, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_db_prepare(db, "PRAGMA journal_mode", &q[0], &e), 0);
	ck_assert_int_eq(pm_db_prepare(db, "PRAGMA synchronous", &q[1], &e), 0);
	ck_assert_int_eq(pm_db_step(q[0], &e), 1);
	ck_assert_int_eq(pm_db_step(q[1], &e), 1);
	snprintf(text, sizeof text, "%s %s", pm_db_text(q[0], 0, NULL), pm_db_text(q[1], 0, NULL));
	pm_db_finish(q[0]);
	pm_db_finish(q[1]);
	pm_db_close(db);
	return text;
}

static void choose(const char *mode)
{
	char sql[64];
	struct pm_stmt *q;
	struct pm_db *db;
	struct pm_err e;

	snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", mode);
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_CHANGE, &e), 0);
	ck_assert_int_eq(pm_db_prepare(db, sql, &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_str_eq(pm_db_text(q, 0, NULL), mode);
	pm_db_finish(q);
	pm_db_close(db);
}

#define EXT4 0xef53
#define FUSE 0x65735546

START_TEST(a_log_is_for_file_systems_known_to_be_of_one_host)
{
	static const struct {
		unsigned long type;
		const char *want;
	} known[] = {
		{ EXT4, "wal 1" },
		{ 0x58465342 /* XFS */, "wal 1" },
		{ 0x9123683e /* btrfs */, "wal 1" },
		{ 0x01021994 /* tmpfs */, "wal 1" },
		{ 0x794c7630 /* overlayfs */, "wal 1" },
		{ 0xf2f52010 /* F2FS */, "wal 1" },
		{ 0x2fc12fc1 /* ZFS */, "wal 1" },
		{ 0xca451a4e /* bcachefs */, "wal 1" },
		{ 0x3153464a /* JFS */, "wal 1" },
		{ 0x52654973 /* reiserfs */, "wal 1" },
		{ 0x858458f6 /* ramfs */, "wal 1" },
		{ FUSE, "truncate 2" },
		{ 0x6969 /* NFS */, "truncate 2" },
		{ 0x01021997 /* 9p */, "truncate 2" },
		{ 0x0bd00bd0 /* Lustre */, "truncate 2" },
		{ 0x20030528 /* OrangeFS */, "truncate 2" },
		{ 0x12345678 /* one that is not made yet */, "truncate 2" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		type = known[i].type;
		ck_assert_str_eq(look(PM_DB_WRITE), known[i].want);
		/* The second time there is one. */
		ck_assert_str_eq(look(PM_DB_WRITE), known[i].want);
		ck_assert_int_eq(unlink("x.db"), 0);
		ck_assert_int_ne(access("x.db-wal", F_OK), 0);
	}
}
END_TEST

START_TEST(what_must_not_be_lost_is_on_disk_when_it_is_committed)
{
	type = EXT4;
	ck_assert_str_eq(look(PM_DB_WRITE_SURE), "wal 2");
	ck_assert_str_eq(look(PM_DB_WRITE_SOON), "wal 2");
	ck_assert_str_eq(look(PM_DB_CHANGE), "wal 1");
	type = FUSE;
	ck_assert_str_eq(look(PM_DB_WRITE_SURE), "truncate 2");
	ck_assert_str_eq(look(PM_DB_CHANGE), "truncate 2");
}
END_TEST

START_TEST(the_journal_that_somebody_chose_stays)
{
	type = EXT4;
	ck_assert_str_eq(look(PM_DB_WRITE), "wal 1");
	choose("delete");
	ck_assert_str_eq(look(PM_DB_WRITE), "truncate 2");
	ck_assert_str_eq(look(PM_DB_CHANGE), "truncate 2");
	choose("wal");
	ck_assert_str_eq(look(PM_DB_WRITE), "wal 1");
	/* Moved to where hosts share it. */
	type = FUSE;
	ck_assert_str_eq(look(PM_DB_WRITE), "truncate 2");
}
END_TEST

/* The journal of an open database, and whether it is to have a log later: "truncate later". */
static const char *journal_of(struct pm_db *db)
{
	static char text[32];
	struct pm_stmt *q[2];
	struct pm_err e;

	ck_assert_int_eq(pm_db_prepare(db, "PRAGMA journal_mode", &q[0], &e), 0);
	ck_assert_int_eq(pm_db_prepare(db, "PRAGMA user_version", &q[1], &e), 0);
	ck_assert_int_eq(pm_db_step(q[0], &e), 1);
	ck_assert_int_eq(pm_db_step(q[1], &e), 1);
	snprintf(text, sizeof text, "%s%s", pm_db_text(q[0], 0, NULL),
		 pm_db_int(q[1], 0) ? " later" : "");
	pm_db_finish(q[0]);
	pm_db_finish(q[1]);
	return text;
}

static struct pm_db *open_to_write(void)
{
	struct pm_err e = { "" };
	struct pm_db *db;

	ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%s", e.text);
	return db;
}

static void insert_metric(struct pm_db *db)
{
	struct pm_stmt *q;
	struct pm_err e = { "" };

	ck_assert_int_eq(pm_db_insert(db, "metric", false, &q, &e), 0);
	for (int i = 1; i <= 6; i++)
		pm_db_bind_str(q, i, "x");
	ck_assert_msg(pm_db_run(q, &e) == 0, "%s", e.text);
	pm_db_finish(q);
}

START_TEST(a_first_large_job_writes_each_page_once)
{
	struct pm_db *db;
	struct pm_err e = { "" };

	type = EXT4;
	db = open_to_write();
	ck_assert_str_eq(journal_of(db), "wal");
	ck_assert_int_eq(pm_db_begin_large(db, &e), 0);
	ck_assert_str_eq(journal_of(db), "truncate later");
	insert_metric(db);
	ck_assert_msg(pm_db_commit(db, &e) == 0, "%s", e.text);
	ck_assert_str_eq(journal_of(db), "wal");
	/* Readers of what is there now would have to wait for the second. */
	ck_assert_int_eq(pm_db_begin_large(db, &e), 0);
	ck_assert_str_eq(journal_of(db), "wal");
	pm_db_rollback(db);
	pm_db_close(db);
	ck_assert_str_eq(look(PM_DB_WRITE), "wal 1");
}
END_TEST

START_TEST(a_first_large_job_that_is_killed_leaves_no_journal_of_its_own)
{
	pid_t child = fork();
	struct pm_db *db;
	struct pm_err e = { "" };
	int status;

	type = EXT4;
	if (child == 0) {
		db = open_to_write();
		if (pm_db_begin_large(db, &e) == 0)
			insert_metric(db);
		_exit(strcmp(journal_of(db), "truncate later") == 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	db = open_to_write();
	ck_assert_str_eq(journal_of(db), "wal");
	pm_db_close(db);
}
END_TEST

START_TEST(a_first_large_job_waits_for_nobody)
{
	struct pm_db *db, *reader, *third;
	struct pm_stmt *q;
	struct pm_err e = { "" };

	type = EXT4;
	/* A reader is there first: the log stays. */
	db = open_to_write();
	ck_assert_int_eq(pm_db_open(&reader, "x.db", PM_DB_READ, &e), 0);
	ck_assert_int_eq(pm_db_prepare(reader, "SELECT * FROM schema_version", &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	slept_us = 0;
	ck_assert_int_eq(pm_db_begin_large(db, &e), 0);
	insert_metric(db);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	ck_assert_int_eq(slept_us, 0);
	pm_db_finish(q);
	pm_db_close(reader);
	ck_assert_str_eq(journal_of(db), "wal");
	pm_db_close(db);
	ck_assert_int_eq(unlink("x.db"), 0);
	/* It comes later, and reads on after the commit: the next commit sets the log, or the next
	 * process that writes. */
	db = open_to_write();
	ck_assert_int_eq(pm_db_begin_large(db, &e), 0);
	ck_assert_int_eq(pm_db_open(&reader, "x.db", PM_DB_READ, &e), 0);
	insert_metric(db);
	ck_assert_int_eq(pm_db_prepare(reader, "SELECT * FROM schema_version", &q, &e), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	pm_db_rollback(db);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	third = open_to_write();
	ck_assert_str_eq(journal_of(third), "truncate later");
	pm_db_close(third);
	pm_db_rollback(db);
	pm_db_finish(q);
	pm_db_close(reader);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	ck_assert_str_eq(journal_of(db), "wal");
	pm_db_close(db);
}
END_TEST

/* Whether another process sees the database locked, by this one. */
static bool is_locked(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct pm_err e;
		long pid;

		_exit(pm_db_locked("x.db", &pid, &e) == 1 && pid == (long)getppid());
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* POSIX locks are gone with the first descriptor of a file that a process closes. */
START_TEST(nothing_of_this_process_takes_its_locks)
{
	static const unsigned long types[] = { EXT4, FUSE };

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		struct pm_db *db, *other;
		struct pm_err e;
		struct stat st;
		long pid;

		type = types[i];
		ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
		ck_assert_int_eq(pm_db_begin(db, &e), 0);
		ck_assert(is_locked());
		ck_assert_int_eq(pm_db_locked("x.db", &pid, &e), 0);
		ck_assert(is_locked());
		ck_assert_int_eq(pm_db_open(&other, "x.db", PM_DB_WRITE, &e), 0);
		pm_db_close(other);
		ck_assert(is_locked());
		ck_assert_int_eq(pm_db_open_file(AT_FDCWD, "x.db", 0), -1);
		ck_assert_int_eq(errno, EBUSY);
		ck_assert(is_locked());
		ck_assert_int_eq(symlink("x.db", "link"), 0);
		ck_assert_int_eq(pm_db_open_file(AT_FDCWD, "link", 0), -1);
		ck_assert_int_eq(errno, EBUSY);
		ck_assert_int_eq(pm_db_open_file(AT_FDCWD, "link", O_NOFOLLOW), -1);
		ck_assert_int_eq(errno, ELOOP);
		ck_assert_int_eq(stat("link", &st), 0);
		ck_assert(pm_db_is_file(&st));
		ck_assert_int_eq(stat(type == EXT4 ? "x.db-shm" : "x.db-journal", &st), 0);
		ck_assert(pm_db_is_file(&st));
		ck_assert_int_eq(stat("..", &st), 0);
		ck_assert(!pm_db_is_file(&st));
		pm_db_rollback(db);
		pm_db_close(db);
		ck_assert(!is_locked());
		ck_assert_int_eq(stat("x.db", &st), 0);
		ck_assert(!pm_db_is_file(&st));
		ck_assert_int_eq(unlink("x.db") + unlink("link"), 0);
	}
}
END_TEST

#define ANY INT64_MIN

START_TEST(every_connection_has_its_settings)
{
	static const struct {
		enum pm_db_mode mode;
		int64_t query_only, log_limit;
	} of[] = {
		{ PM_DB_WRITE, 0, 64 << 20 },
		{ PM_DB_WRITE_SURE, 0, 64 << 20 },
		{ PM_DB_WRITE_SOON, 0, 64 << 20 },
		{ PM_DB_CHANGE, 0, 64 << 20 },
		{ PM_DB_MIGRATE, 0, 64 << 20 },
		{ PM_DB_READ, 1, ANY },
		{ PM_DB_LOOK, 1, ANY },
		{ PM_DB_OTHER, 1, ANY },
	};

	type = EXT4;
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		const struct {
			const char *pragma;
			int64_t want;
		} row[] = {
			{ "foreign_keys", 1 },
			{ "trusted_schema", 0 }, /* since 3.31 */
			{ "cache_size", -8192 },
			{ "temp_store", 1 },
			{ "page_size", 16384 },
			{ "query_only", of[i].query_only },
			{ "journal_size_limit", of[i].log_limit },
		};
		struct pm_db *db;
		struct pm_err e;

		ck_assert_int_eq(pm_db_open(&db, "x.db", of[i].mode, &e), 0);
		for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
			struct pm_stmt *q;
			char sql[64];

			snprintf(sql, sizeof sql, "PRAGMA %s", row[k].pragma);
			ck_assert_int_eq(pm_db_prepare(db, sql, &q, &e), 0);
			if (pm_db_step(q, &e) > 0 && row[k].want != ANY)
				ck_assert_msg(pm_db_int(q, 0) == row[k].want, "%zu: %s %lld", i,
					      row[k].pragma, (long long)pm_db_int(q, 0));
			pm_db_finish(q);
		}
		pm_db_close(db);
	}
}
END_TEST

/* Whoever may write to the database may write to them, whatever the umask. */
START_TEST(files_beside_have_the_mode_of_the_database)
{
	static const struct {
		mode_t mode;
		unsigned long type;
	} of[] = { { 0600, EXT4 }, { 0664, EXT4 }, { 0660, FUSE } };
	struct pm_db *db;
	struct pm_err e;
	struct stat st;

	umask(077);
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		type = of[i].type;
		ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
		pm_db_close(db);
		ck_assert_int_eq(chmod("x.db", of[i].mode), 0);
		ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
		ck_assert_int_eq(pm_db_begin(db, &e), 0);
		ck_assert_int_eq(pm_db_exec(db, "DELETE FROM metric", &e), 0);
		ck_assert_int_eq(stat(type == EXT4 ? "x.db-wal" : "x.db-journal", &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, of[i].mode);
		if (type == EXT4) {
			ck_assert_int_eq(stat("x.db-shm", &st), 0);
			ck_assert_uint_eq(st.st_mode & 07777, of[i].mode);
		}
		pm_db_rollback(db);
		pm_db_close(db);
		ck_assert_int_eq(unlink("x.db"), 0);
		unlink("x.db-journal");
	}
}
END_TEST

/* Another kind of file may never answer, and is named. */
START_TEST(only_a_regular_file_is_opened)
{
	struct pm_db *db;
	struct pm_err e;

	type = EXT4;
	ck_assert_int_eq(mkdir("dir", 0700) + mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(pm_db_open(&db, "dir", PM_DB_READ, &e), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_ptr_nonnull(strstr(e.text, "open database dir: Is a directory"));
	ck_assert_int_eq(pm_db_open(&db, "fifo", PM_DB_READ, &e), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "database fifo: not a regular file"));
	ck_assert_int_eq(pm_db_open(&db, "fifo", PM_DB_WRITE, &e), -1);
	ck_assert_int_eq(errno, EINVAL);
}
END_TEST

START_TEST(a_lock_is_waited_for_as_long_as_the_mode_says)
{
	static const struct {
		enum pm_db_mode mode;
		int64_t ms;
	} of[] = { { PM_DB_WRITE_SOON, 3000 }, { PM_DB_WRITE, 600000 } };

	type = EXT4;
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		struct pm_db *holder, *db;
		struct pm_err e;

		ck_assert_int_eq(pm_db_open(&holder, "x.db", PM_DB_WRITE, &e), 0);
		ck_assert_int_eq(pm_db_open(&db, "x.db", of[i].mode, &e), 0);
		ck_assert_int_eq(pm_db_begin(holder, &e), 0);
		slept_us = 0;
		ck_assert_int_eq(pm_db_begin(db, &e), -1);
		ck_assert_int_eq(pm_db_failure(db), EBUSY);
		ck_assert(slept_us >= of[i].ms * 1000 && slept_us <= of[i].ms * 1000 + 100000);
		pm_db_rollback(holder);
		slept_us = 0;
		ck_assert_int_eq(pm_db_begin(db, &e), 0);
		ck_assert_int_eq(slept_us, 0);
		pm_db_rollback(db);
		pm_db_close(db);
		pm_db_close(holder);
	}
}
END_TEST

/* Its journal is its owner's matter. */
START_TEST(what_is_refused_is_left_as_it_is)
{
	struct pm_db *db;
	struct pm_err e;
	char before[20], after[20];

	type = EXT4;
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO schema_version VALUES (99, 0)", &e), 0);
	pm_db_close(db);
	for (int i = 0; i < 2; i++) {
		char *header = i ? after : before;
		FILE *f = fopen("x.db", "re");

		ck_assert_uint_eq(fread(header, 1, sizeof before, f), sizeof before);
		fclose(f);
		/* 2 is a log. */
		ck_assert_int_eq(header[18], 2);
		type = FUSE;
		ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), -1);
		ck_assert_ptr_nonnull(strstr(e.text, "newer"));
	}
	ck_assert_mem_eq(before, after, sizeof before);
}
END_TEST

START_TEST(who_waits_is_told_for_whom)
{
	char text[256] = "";
	FILE *f = freopen("err", "w+", stderr);

	ck_assert_ptr_nonnull(f);
	pm_log_level = 0;
	pm_waiting_tell("x.db", "process 7", 600000);
	rewind(f);
	ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
	ck_assert_ptr_nonnull(strstr(text, "database x.db: waiting for process 7, at most 600 s"));
	ck_assert_int_eq(ftruncate(fileno(f), 0), 0);
	rewind(f);
	pm_log_level = -1;
	pm_waiting_tell("x.db", "process 7", 9000);
	fflush(f);
	ck_assert_int_eq(ftell(f), 0);
}
END_TEST

/* What SQLite has in the header of a database: 2 for a write-ahead log, 1 for a rollback journal.
 */
static int journal_in_header(void)
{
	unsigned char header[19] = { 0 };
	FILE *f = fopen("x.db", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(header, 1, sizeof header, f), sizeof header);
	fclose(f);
	return header[18];
}

/* The setting journal, on a file system of this host and on one that others may share. */
START_TEST(the_journal_that_is_asked_for_is_had)
{
	static const struct {
		const char *journal;
		bool shared;
		int header;
	} want[] = {
		{ "delete", false, 1 }, { "wal", false, 2 },  { "auto", false, 2 },
		{ "delete", false, 1 }, { "auto", false, 1 }, { "wal", true, 2 },
		{ "auto", true, 1 },
	};
	struct pm_db *db;
	struct pm_err e;

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		type = want[i].shared ? FUSE : EXT4;
		ck_assert_int_eq(pm_config_set(PM_SET_journal, want[i].journal, &e), 0);
		ck_assert_msg(pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0, "%zu: %s", i, e.text);
		pm_db_close(db);
		ck_assert_msg(journal_in_header() == want[i].header, "%zu", i);
	}
	ck_assert_int_eq(pm_config_set(PM_SET_journal, "auto", &e), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sqlite_journal");
	TCase *t = tcase_create("journal");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, a_log_is_for_file_systems_known_to_be_of_one_host);
	tcase_add_test(t, what_must_not_be_lost_is_on_disk_when_it_is_committed);
	tcase_add_test(t, the_journal_that_somebody_chose_stays);
	tcase_add_test(t, the_journal_that_is_asked_for_is_had);
	tcase_add_test(t, a_first_large_job_writes_each_page_once);
	tcase_add_test(t, a_first_large_job_that_is_killed_leaves_no_journal_of_its_own);
	tcase_add_test(t, a_first_large_job_waits_for_nobody);
	tcase_add_test(t, nothing_of_this_process_takes_its_locks);
	tcase_add_test(t, every_connection_has_its_settings);
	tcase_add_test(t, files_beside_have_the_mode_of_the_database);
	tcase_add_test(t, a_lock_is_waited_for_as_long_as_the_mode_says);
	tcase_add_test(t, what_is_refused_is_left_as_it_is);
	tcase_add_test(t, only_a_regular_file_is_opened);
	tcase_add_test(t, who_waits_is_told_for_whom);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
