/*
 * Files of a job's directory that wrapper/ writes and reads again: what it remembers of the
 * environment, the list of tasks, kept room, tallies, archives. What is left of a killed writer is
 * in nobody's way, what is written is on disk, and no descriptor stays open.
 */
#include "config.h"

#include "common/job/jobdir.h"
#include "common/settings/readconfig.h"
#include "tests/unit/sampler/root.h"
#include "wrapper/job/room.h"
#include "wrapper/job/tallyfile.h"
#include "wrapper/job/tasklist.h"
#include "wrapper/metadata/environment.h"
#include "wrapper/metadata/jsonfile.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/host.h"
#include "wrapper/stage/pack.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int synced; /* calls of fsync(2) */
static int dir;
static int before; /* descriptors that were open */

int fsync(int fd)
{
	synced++;
	return (int)syscall(SYS_fsync, fd);
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void begin(void)
{
	root_make();
	dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	PM_SURE(dir >= 0);
	synced = 0;
	before = descriptors();
}

static void end(void)
{
	ck_assert_int_eq(descriptors(), before);
	close(dir);
	root_remove();
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode & 07777 : 0;
}

static void same_json(json_t *got, const char *want)
{
	char *text = json_dumps(got, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	ck_assert_str_eq(text ? text : "NULL", want);
	free(text);
	json_decref(got);
}

/* --- environment ------------------------------------------------------------------------------ */

START_TEST(environment_changes)
{
	/* What never counts: it differs between any two shells, or is perfmon's. */
	static const char *const quiet[] = { "_", "SHLVL", "PERFMON_X", "LD_PRELOAD",
					     "ASAN_OPTIONS" };
	json_t *added, *removed, *changes;
	struct pm_err e;

	clearenv();
	PM_SURE(pm_config_set(PM_SET_environment, "changes", &e) == 0);
	ck_assert_ptr_null(pm_environment_changes(dir, "h", &added, &removed));
	ck_assert_ptr_null(added);
	root_put_bytes(".environment-h", "left by one that was killed", 27);
	setenv("STAYS", "1", 1);
	setenv("OTHER", "1", 1);
	setenv("GONE2", "1", 1);
	setenv("GONE1", "1", 1);
	for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
		setenv(quiet[i], i % 2 ? "1" : "/x", 1);
	ck_assert_int_eq(pm_environment_remember(dir, "h", &e), 0);
	ck_assert_int_eq(mode_of(".environment-h"), 0600);
	ck_assert_int_ge(synced, 1);
	clearenv();
	setenv("STAYS", "1", 1);
	setenv("OTHER", "2", 1);
	setenv("NEW2", "2", 1);
	setenv("NEW1", "PASSWORD=hunter2x", 1);
	setenv("MY_PASSWORD", "hunter2x", 1);
	setenv("PERFMON_NEW", "1", 1);
	setenv("SHLVL", "3", 1);
	changes = pm_environment_changes(dir, "h", &added, &removed);
	ck_assert_ptr_nonnull(changes);
	ck_assert_uint_eq(json_object_size(changes), 6);
	ck_assert_str_eq(json_string_value(json_object_get(changes, "OTHER")), "2");
	ck_assert_str_eq(json_string_value(json_object_get(changes, "NEW2")), "2");
	ck_assert(json_is_null(json_object_get(changes, "GONE1")));
	ck_assert(json_is_null(json_object_get(changes, "GONE2")));
	same_json(changes, "{\"GONE1\":null,\"GONE2\":null,\"MY_PASSWORD\":\"[redacted]\","
			   "\"NEW1\":\"PASSWORD=[redacted]\",\"NEW2\":\"2\",\"OTHER\":\"2\"}");
	same_json(added, "[\"MY_PASSWORD\",\"NEW1\",\"NEW2\"]");
	same_json(removed, "[\"GONE1\",\"GONE2\"]");
	PM_SURE(pm_config_set(PM_SET_environment, "none", &e) == 0);
	ck_assert_ptr_null(pm_environment_changes(dir, "h", &added, &removed));
	ck_assert_ptr_null(pm_environment_collect());
	pm_environment_forget(dir, "h");
	ck_assert_int_eq(pm_environment_remember(dir, "h", &e), 0);
	ck_assert_int_eq(mode_of(".environment-h"), 0);
	ck_assert_ptr_null(removed);
}
END_TEST

START_TEST(environment_listed)
{
	struct pm_err e;

	clearenv();
	PM_SURE(pm_config_set(PM_SET_environment, "changes", &e) == 0);
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("PATH", "/bin", 1);
	setenv("PATHS", "/bin", 1);
	setenv("JOB_ID", "", 1);
	setenv("SLURM", "1", 1);
	setenv("OMP_NUM_THREADS", "4", 1);
	setenv("HOME", "/h", 1);
	setenv("EPMT_PASSWORD", "hunter2x", 1);
	same_json(pm_environment_collect(),
		  "{\"EPMT_PASSWORD\":\"[redacted]\",\"JOB_ID\":\"\",\"OMP_NUM_THREADS\":\"4\","
		  "\"PATH\":\"/bin\",\"SLURM_JOB_ID\":\"7\"}");
	PM_SURE(pm_config_set(PM_SET_environment, "all", &e) == 0);
	clearenv();
	setenv("HOME", "/h", 1);
	setenv("X", "\xff", 1);
	same_json(pm_environment_collect(), "{\"HOME\":\"/h\",\"X\":\"\\\\xff\"}");
	ck_assert_ptr_null(pm_environment_modules());
	setenv("LOADEDMODULES", ":gcc/12::mpi/4:", 1);
	same_json(pm_environment_modules(), "[\"gcc/12\",\"mpi/4\"]");
	PM_SURE(pm_config_set(PM_SET_environment, "none", &e) == 0);
	ck_assert_ptr_null(pm_environment_modules());
}
END_TEST

/* --- tasks ------------------------------------------------------------------------------------ */

/* A pid that is nobody's. */
static int64_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	PM_SURE(waitpid(pid, NULL, 0) == pid);
	return pid;
}

START_TEST(tasks)
{
	int64_t us = getpid(), now = pm_host_starttime(us), dead = dead_pid();
	const struct {
		struct pm_task task[3];
		bool lives;
	} lists[] = {
		{ { { us, now } }, true },
		{ { { us, now + 1 } }, false },
		{ { { us, -1 } }, true },
		{ { { dead, now } }, false },
		{ { { dead, -1 } }, false },
		{ { { 0, -1 } }, false },
		{ { { -1, -1 } }, false },
		{ { { us, now }, { dead, now }, { dead, -1 } }, true },
		{ { { dead, now }, { us, now }, { dead, now } }, true },
		{ { { dead, now }, { dead, -1 }, { us, now } }, true },
		{ { { dead, now }, { us, now - 1 }, { dead, 1 } }, false },
	};
	const struct pm_jobdir d = { .fd = dir };
	struct pm_err e;

	ck_assert(!pm_tasklist_lives(&d, "h"));
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		for (size_t k = 0; k < 3 && (k == 0 || lists[i].task[k].pid); k++)
			ck_assert_int_eq(pm_tasklist_add(&d, "h", &lists[i].task[k], &e), 0);
		ck_assert_int_eq(mode_of(".tasks-h"), 0600);
		ck_assert_msg(pm_tasklist_lives(&d, "h") == lists[i].lives, "list %zu", i);
		ck_assert(!pm_tasklist_lives(&d, "other"));
		pm_tasklist_forget(&d, "h");
		ck_assert_int_eq(mode_of(".tasks-h"), 0);
	}
}
END_TEST

START_TEST(task_of_ours)
{
	char text[32];
	struct pm_task t;
	pid_t pid;
	int status;

	unsetenv("SLURM_TASK_PID");
	t = pm_tasklist_self();
	ck_assert_int_eq(t.pid, getppid());
	ck_assert_int_eq(t.starttime, pm_host_starttime(getppid()));
	/* Inherited from another task: no ancestor of ours. */
	snprintf(text, sizeof text, "%lld", (long long)getpid());
	setenv("SLURM_TASK_PID", text, 1);
	ck_assert_int_eq(pm_tasklist_self().pid, getppid());
	setenv("SLURM_TASK_PID", "7x", 1);
	ck_assert_int_eq(pm_tasklist_self().pid, getppid());
	/* The ancestor it names, not the nearest one. */
	setenv("SLURM_TASK_PID", text, 1);
	pid = fork();
	if (pid == 0) {
		pid_t below = fork();

		if (below == 0) {
			snprintf(text, sizeof text, "%lld", (long long)pm_tasklist_self().pid);
			_exit(strcmp(text, getenv("SLURM_TASK_PID")) == 0 ? 0 : 1);
		}
		_exit(waitpid(below, &status, 0) == below && status == 0 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* --- metadata, and room for it ---------------------------------------------------------------- */

START_TEST(room)
{
	json_t *doc = pm_metadata_new();
	struct pm_err e;
	struct stat st;

	/* What a killed writer left is in nobody's way. */
	root_put_bytes(".job-h.json.new", "{", 1);
	root_put_bytes(".room-h", "x", 1);
	ck_assert_int_eq(pm_metadata_size(dir, "h"), 0);
	ck_assert_int_eq(pm_metadata_write(dir, "h", doc, &e), 0);
	ck_assert_int_eq(synced, 2); /* the file, then its name */
	ck_assert_int_eq(mode_of(".job-h.json.new"), 0);
	ck_assert_int_gt(pm_metadata_size(dir, "h"), 10);
	pm_room_keep(dir, "h");
	if (fstatat(dir, ".room-h", &st, 0) == 0) {
		ck_assert_int_eq(st.st_size, pm_metadata_size(dir, "h") + 16384);
		ck_assert_int_ge(st.st_blocks * 512, 16384);
		ck_assert_int_eq(mode_of(".room-h"), 0600);
	}
	pm_metadata_int(doc, PM_JOB_stop_time_us, 5);
	ck_assert_int_eq(pm_room_write(dir, "h", doc, &e), 0);
	ck_assert_int_eq(mode_of(".room-h"), 0);
	/* Over a longer file nothing of it stays. */
	root_put_bytes("long", "0123456789", 10);
	PM_SURE(truncate((snprintf(e.text, sizeof e.text, "%s/long", root), e.text), 20000) == 0);
	synced = 0;
	pm_metadata_int(doc, PM_JOB_stop_time_us, 6);
	ck_assert_int_eq(pm_metadata_write_over(dir, "long", "h", doc, &e), 0);
	ck_assert_int_eq(synced, 3);
	ck_assert_int_eq(mode_of("long"), 0);
	ck_assert_int_lt(pm_metadata_size(dir, "h"), 20000);
	json_decref(doc);
	doc = pm_metadata_read(dir, "h", &e);
	ck_assert_int_eq(pm_metadata_get_int(doc, PM_JOB_stop_time_us, 0), 6);
	json_decref(doc);
	/* Nothing to write over. */
	ck_assert_int_lt(pm_metadata_write_over(dir, "none", "h", doc, &e), 0);
}
END_TEST

/* --- tally ------------------------------------------------------------------------------------ */

static int64_t tallied;

static int take(void *ctx, const struct pm_tally *t)
{
	(void)ctx;
	tallied += t->v[0];
	return 0;
}

static void put_slot(const char *name, int at, int64_t v)
{
	struct pm_tally t = { .kind = { "lost", 4 }, .key = { "ENOSPC", 6 }, .values = 2 };
	int fd = openat(dir, name, O_WRONLY);
	char slot[PM_TALLY_SLOT];

	t.v[0] = v;
	PM_SURE(pm_tally_format(slot, &t) == 0);
	PM_SURE(pwrite(fd, slot, sizeof slot, (off_t)at * PM_TALLY_SLOT) == sizeof slot);
	close(fd);
}

START_TEST(tallies)
{
	char mine[64], other[] = "h-99999999.tally", text[PM_TALLY_SLOT];
	struct pm_err e;
	struct stat st;
	int fd;

	snprintf(mine, sizeof mine, "h-%lu.tally", (unsigned long)geteuid());
	ck_assert_int_eq(pm_tallyfile_create(dir, "h", &e), 0);
	ck_assert_int_eq(fstatat(dir, mine, &st, 0), 0);
	ck_assert_int_eq(st.st_size, (off_t)PM_TALLY_COUNT * PM_TALLY_SLOT);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	fd = openat(dir, mine, O_RDONLY);
	for (int i = 0; i < PM_TALLY_COUNT; i++) {
		PM_SURE(read(fd, text, sizeof text) == sizeof text);
		PM_SURE(memchr(text, '\n', sizeof text) == text + sizeof text - 1);
		PM_SURE((strncmp(text, PM_TALLY_HEADER "\t", 16) == 0) == (i == 0));
	}
	close(fd);
	ck_assert_int_eq(pm_tallyfile_each(dir, "h", take, NULL, &e), 1);
	ck_assert_int_eq(tallied, 0);
	/* The first and the last slot, and of each user's file; another host's not. */
	put_slot(mine, 1, 1);
	put_slot(mine, PM_TALLY_COUNT - 1, 10);
	root_put_bytes(other, "", 0);
	put_slot(other, 2, 100);
	root_put_bytes("h2-1.tally", "", 0);
	put_slot("h2-1.tally", 2, 1000);
	root_put_bytes("h-1.tsv", "", 0);
	put_slot("h-1.tsv", 2, 1000);
	/* One that is there keeps its counts. */
	ck_assert_int_eq(pm_tallyfile_create(dir, "h", &e), 0);
	ck_assert_int_eq(pm_tallyfile_each(dir, "h", take, NULL, &e), 2);
	ck_assert_int_eq(tallied, 111);
}
END_TEST

/* --- JSON, archives ----------------------------------------------------------------------------- */

START_TEST(json_files)
{
	struct pm_err e;
	json_t *doc;
	int fd;

	root_put_bytes("a", "{\"x\": 1,\n \"x\": 2}", 17);
	fd = openat(dir, "a", O_RDWR);
	ck_assert_ptr_null(pm_jsonfile_read(fd, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "line 2: "));
	PM_SURE(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	doc = json_pack("{s:i}", "x", 3);
	ck_assert_int_eq(pm_jsonfile_write(fd, doc, JSON_COMPACT), 0);
	ck_assert_int_eq(synced, 1);
	json_decref(doc);
	PM_SURE(lseek(fd, 0, SEEK_SET) == 0);
	ck_assert_int_eq(read(fd, e.text, 100), 8);
	ck_assert_int_eq(memcmp(e.text, "{\"x\":3}\n", 8), 0);
	PM_SURE(lseek(fd, 0, SEEK_SET) == 0);
	same_json(pm_jsonfile_read(fd, &e), "{\"x\":3}");
	/* Of the largest size it is read, above it is not looked at. */
	PM_SURE(ftruncate(fd, PM_JSONFILE_MAX + 1) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	ck_assert_ptr_null(pm_jsonfile_read(fd, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "not a regular file of at most 16777216 bytes"));
	close(fd);
	fd = openat(dir, ".", O_RDONLY);
	ck_assert_ptr_null(pm_jsonfile_read(fd, &e));
	close(fd);
}
END_TEST

START_TEST(lists_of_archives)
{
	static const char *const bad[] = { "", ".x", "../x", "a/b", "/x" };
	struct pm_pack p = { NULL, 0 }, back;
	char digest[PM_DIGEST_TEXT];
	json_t *list;

	memset(digest, 'a', sizeof digest - 1);
	digest[sizeof digest - 1] = '\0';
	PM_SURE(pm_pack_add(&p, "one.tsv") == 0 && pm_pack_add(&p, "two.tsv") == 0);
	for (int i = 0; i < 2; i++) {
		p.file[i].size = 10 + i;
		p.file[i].lines = 3 + i;
		memcpy(p.file[i].digest, digest, sizeof digest);
		digest[0] = 'b';
	}
	list = pm_pack_list(&p);
	ck_assert_int_eq(pm_pack_from_list(&back, list), 0);
	ck_assert_uint_eq(back.files, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(back.file[i].name, p.file[i].name);
		ck_assert_int_eq(back.file[i].size, p.file[i].size);
		ck_assert_int_eq(back.file[i].lines, p.file[i].lines);
		ck_assert_str_eq(back.file[i].digest, p.file[i].digest);
	}
	pm_pack_free(&back);
	pm_pack_free(&p);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		json_object_set_new(json_array_get(list, 1), "name", json_string(bad[i]));
		ck_assert_msg(pm_pack_from_list(&back, list) < 0, "accepted: '%s'", bad[i]);
	}
	json_object_set_new(json_array_get(list, 1), "name", json_string("x"));
	ck_assert_int_eq(pm_pack_from_list(&back, list), 0);
	pm_pack_free(&back);
	json_object_set_new(json_array_get(list, 1), "sha256", json_string("abc"));
	ck_assert_int_lt(pm_pack_from_list(&back, list), 0);
	json_object_del(json_array_get(list, 1), "sha256");
	ck_assert_int_lt(pm_pack_from_list(&back, list), 0);
	json_decref(list);
	ck_assert_int_lt(pm_pack_from_list(&back, NULL), 0);
}
END_TEST

#ifdef HAVE_ZLIB

/* How an archive is compared with a list that is not its own. */
enum difference { SAME, STEM, SIZE, DIGEST, MISSING, STRANGE, DIFFERENCES };

static int verify(const char *path, enum difference how)
{
	struct pm_pack p = { NULL, 0 };
	struct pm_err e;
	int rc, fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	json_t *about = json_pack("{s:s}", "job", "j");

	PM_SURE(pm_pack_add(&p, "one.tsv") == 0 && pm_pack_add(&p, "two.tsv") == 0);
	synced = 0;
	ck_assert_msg(pm_pack_write(fd, dir, "j", &p, about, &e) == 0, "%s", e.text);
	ck_assert_int_eq(synced, 1);
	ck_assert_int_eq(p.file[0].size, 4);
	ck_assert_int_eq(p.file[0].lines, 2);
	ck_assert_int_eq(p.file[1].lines, 0);
	p.file[1].size += how == SIZE;
	p.file[0].digest[5] ^= how == DIGEST;
	if (how == MISSING)
		PM_SURE(pm_pack_add(&p, "three.tsv") == 0);
	if (how == STRANGE)
		free(p.file[--p.files].name);
	rc = pm_pack_verify(path, how == STEM ? "jj" : "j", &p, &e);
	pm_pack_free(&p);
	json_decref(about);
	close(fd);
	return rc;
}

START_TEST(archives_are_read_back)
{
	char path[128];

	snprintf(path, sizeof path, "%s/a.tgz", root);
	root_put_bytes("one.tsv", "a\nb\n", 4);
	root_put_bytes("two.tsv", "", 0);
	for (enum difference how = SAME; how < DIFFERENCES; how++)
		ck_assert_msg((verify(path, how) == 0) == (how == SAME), "difference %d", how);
	PM_SURE(truncate(path, 60) == 0);
	ck_assert_int_lt(pm_pack_verify(path, "j", &(struct pm_pack){ NULL, 0 }, NULL), 0);
}
END_TEST

#endif

static Suite *suite(void)
{
	Suite *s = suite_create("jobfiles");
	TCase *c = tcase_create("jobfiles");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, environment_changes);
	tcase_add_test(c, environment_listed);
	tcase_add_test(c, tasks);
	tcase_add_test(c, task_of_ours);
	tcase_add_test(c, room);
	tcase_add_test(c, tallies);
	tcase_add_test(c, json_files);
	tcase_add_test(c, lists_of_archives);
#ifdef HAVE_ZLIB
	tcase_add_test(c, archives_are_read_back);
#endif
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
