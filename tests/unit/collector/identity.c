/* Who an image says that it is, from its environment, and its lines on their way to the file. */
#include "config.h"

#include "libperfmon/record/identity.h"

#include "libperfmon/base/state.h"
#include "libperfmon/record/threadbuffer.h"
#include "tests/unit/main.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#define BOOT "01234567-89ab-cdef-0123-456789abcdef"

static struct pm_settings s;
static char host[80];
static const char *const no_arguments[] = { "prog", NULL };

static void set_up(void)
{
	struct utsname u;

	ck_assert_int_eq(uname(&u), 0);
	snprintf(host, sizeof host, "%s", u.nodename);
	s = (struct pm_settings){ .auxv_uid = 77, .auxv_clktck = 100 };
	s.env[PM_ENV_output] = "/nonexistent";
}

static void set_up_directory(void)
{
	pm_unit_set_up();
	set_up();
	s.env[PM_ENV_output] = pm_unit_dir;
}

static int gather(const char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return pm_identity_gather(&s, argc, (char *const *)(uintptr_t)argv);
}

/* A column of the start record, "-" where it is unknown. */
static const char *text_of(enum pm_column c)
{
	static char text[4096];
	const struct pm_record *r = pm_identity_start();

	if (!pm_record_has(r, c))
		return "-";
	snprintf(text, sizeof text, "%.*s", (int)r->v[c].s.n, r->v[c].s.p);
	return text;
}

static int64_t number_of(enum pm_column c)
{
	return pm_record_get(pm_identity_start(), c, -1);
}

/* The first line of a file. */
static const char *file_text(const char *name)
{
	static char text[256];
	FILE *f = fopen(name, "r");

	text[0] = '\0';
	if (f) {
		if (fgets(text, sizeof text, f))
			text[strcspn(text, "\n")] = '\0';
		fclose(f);
	}
	return text;
}

/* What perfmon found out once is believed on the host that it is about. */
static const struct {
	const char *before, *behind; /* the name of the host, and what follows it */
	bool taken, delays, gpus;
} hint[] = {
	{ "", ":" BOOT ":0", true, false, false },
	{ "", ":" BOOT ":1", true, true, false },
	{ "", ":" BOOT ":2", true, false, true },
	{ "", ":" BOOT ":3", true, true, true },
	{ "", ":" BOOT ":1:5:6", true, true, false },
	{ "", ":" BOOT ":2:5:6", true, false, true },
	/* Where it is not known there may be GPUs. */
	{ "x", ":" BOOT ":1", false, false, true },
	{ "", "x:" BOOT ":1", false, false, true },
	{ "", ":" BOOT ":", false, false, true },
	{ "", ":" BOOT, false, false, true },
	{ "", ":" BOOT "x1", false, false, true },
	{ "", ":" BOOT ":1x", false, false, true },
	{ "", "", false, false, true },
};
#define HINTS (sizeof hint / sizeof hint[0])

START_TEST(hints_of_the_host)
{
	bool delays = file_text("/proc/sys/kernel/task_delayacct")[0] == '1';
	char text[256];

	snprintf(text, sizeof text, "%s%s%s", hint[_i].before, host, hint[_i].behind);
	s.env[PM_ENV_host] = text;
	ck_assert_int_eq(gather(no_arguments), 0);
	ck_assert_str_eq(text_of(PM_COL_hostname), host);
	ck_assert_str_eq(text_of(PM_COL_boot_id),
			 hint[_i].taken ? BOOT : file_text("/proc/sys/kernel/random/boot_id"));
	ck_assert(pm.delayacct == (hint[_i].taken ? hint[_i].delays : delays));
	ck_assert(pm.gpus == hint[_i].gpus);
}
END_TEST

/* The pid namespace is that of perfmon where /proc is the same one. */
START_TEST(hints_of_the_namespace)
{
	struct stat st;
	char text[256];
	int64_t own;

	own = pm_state_namespace();
	ck_assert_int_gt(own, 0);
	ck_assert_int_eq(stat("/proc/self/stat", &st), 0);
	snprintf(text, sizeof text, "%s:" BOOT ":0:%ld:4242", host, (long)st.st_dev + _i);
	s.env[PM_ENV_host] = text;
	ck_assert_int_eq(gather(no_arguments), 0);
	ck_assert_int_eq(pm_identity_read(), 0);
	if (atoi(file_text("/proc/self/stat")) != getpid())
		return;
	ck_assert_int_eq(pm.pid_ns, _i ? own : 4242);
}
END_TEST

/* perfmon itself, and what Slurm runs of it, are no part of a job. */
static const struct {
	const char *output;
	const char *argv[5];
	bool taken;
} image[] = {
	{ "/tmp", { "sh", "/lib/perfmon/slurm/taskprolog.sh" }, false },
	{ "/tmp", { "sh", "/lib/perfmon/slurm/taskepilog.sh" }, false },
	{ "/tmp", { "sh", "/lib/perfmon/slurm/tasklog.sh" }, true },
	{ "/tmp", { "sh", "/lib/perfmon/slurn/taskprolog.sh" }, true },
	{ "/tmp", { "sh", "prolog.sh" }, true },
	{ "/tmp", { "sh", "/lib/perfmon/slurm/taskprolog.sh", "x" }, true },
	{ "/tmp", { "sh", "slurm_script_launcher", "/lib/perfmon/slurm/taskprolog.sh" }, false },
	{ "/tmp", { "sh", "slurm_script_launcher", "x" }, true },
	{ "/tmp", { "sh" }, true },
	{ "tmp", { "sh" }, false },
	{ NULL, { "sh" }, false },
	{ "", { "sh" }, false },
};
#define IMAGES (sizeof image / sizeof image[0])

START_TEST(images_that_are_recorded)
{
	s.env[PM_ENV_output] = image[_i].output;
	ck_assert_int_eq(gather(image[_i].argv), image[_i].taken ? 0 : -1);
}
END_TEST

START_TEST(perfmon_itself)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 2);

	ck_assert_int_gt(n, 0);
	path[n] = 'x';
	path[n + 1] = '\0';
	s.env[PM_ENV_exe] = path;
	if (_i == 0)
		path[n] = '\0';
	ck_assert_int_eq(gather(no_arguments), _i == 0 ? -1 : 0);
	if (_i == 0)
		return;
	path[n] = '\0';
	ck_assert_str_eq(text_of(PM_COL_path), path);
	ck_assert_str_eq(text_of(PM_COL_exename), strrchr(path, '/') + 1);
}
END_TEST

static const struct {
	const char *text;
	int64_t want;
} limit[] = {
	{ NULL, INT64_C(1) << 30 },
	{ "0", 0 },
	{ "123", 123 },
	{ "-1", INT64_C(1) << 30 },
	{ "x", INT64_C(1) << 30 },
	{ "", INT64_C(1) << 30 },
};
#define LIMITS (sizeof limit / sizeof limit[0])

START_TEST(limits)
{
	s.env[PM_ENV_max_bytes] = limit[_i].text;
	ck_assert_int_eq(gather(no_arguments), 0);
	ck_assert_int_eq(pm.max_bytes, limit[_i].want);
}
END_TEST

START_TEST(columns)
{
	static const char *const argv[] = { "prog", "a b", "--password=x", NULL };

	s.env[PM_ENV_slurm_jobid] = "12";
	s.env[PM_ENV_pbs_jobid] = "13";
	s.env[PM_ENV_slurm_step] = "4";
	s.env[PM_ENV_slurm_localid] = "5";
	s.env[PM_ENV_singularity] = "sing";
	s.env[PM_ENV_container] = "docker";
	s.env[PM_ENV_papiex_tags] = "a:1";
	s.env[PM_ENV_pmi_rank] = "2";
	s.env[PM_ENV_pmi_size] = "3";
	s.env[PM_ENV_options] = "PER_PROCESS";
	s.auxv_clktck = 250;
	ck_assert_int_eq(gather(argv), 0);
	ck_assert_int_eq(pm_identity_read(), 0);
	ck_assert_str_eq(text_of(PM_COL_record), "start");
	ck_assert_str_eq(text_of(PM_COL_version), PACKAGE_VERSION);
	ck_assert_str_eq(text_of(PM_COL_args), "a\\x20b --password=[redacted]");
	ck_assert_str_eq(text_of(PM_COL_jobid), "12");
	ck_assert_str_eq(text_of(PM_COL_step), "4");
	ck_assert_str_eq(text_of(PM_COL_container), "sing");
	ck_assert_str_eq(text_of(PM_COL_tags), "a:1");
	ck_assert_int_eq(number_of(PM_COL_localid), 5);
	ck_assert_int_eq(number_of(PM_COL_mpirank), 2);
	ck_assert_int_eq(number_of(PM_COL_numranks), 3);
	ck_assert_int_eq(number_of(PM_COL_uid), 77);
	ck_assert(pm.uid == 77 && !pm.root && pm.per_process && pm.tick_ns == 4000000);
	ck_assert_int_eq(number_of(PM_COL_pid), getpid());
	ck_assert_int_eq(number_of(PM_COL_tid), getpid());
	ck_assert_int_eq(number_of(PM_COL_ppid), getppid());
	ck_assert_int_eq(number_of(PM_COL_pgid), getpgid(0));
	ck_assert_int_eq(number_of(PM_COL_sid), getsid(0));
	ck_assert_int_eq(number_of(PM_COL_starttime), pm.starttime);
	ck_assert(!pm_record_has(pm_identity_start(), PM_COL_cgroup));
}
END_TEST

START_TEST(other_columns)
{
	s.env[PM_ENV_exclude] = _i == 2 ? "*" : NULL;
	s.env[PM_ENV_jobid] = "11";
	s.env[PM_ENV_slurm_jobid] = "12";
	s.env[PM_ENV_pbs_jobid] = "13";
	s.env[PM_ENV_apptainer] = "app";
	s.env[PM_ENV_singularity] = "sing";
	s.env[PM_ENV_tags] = "b:2";
	s.env[PM_ENV_papiex_tags] = "a:1";
	s.env[PM_ENV_slurm_localid] = "x";
	s.auxv_uid = _i ? 0 : -1;
	ck_assert_int_eq(gather(no_arguments), 0);
	ck_assert(pm.root == (_i > 0) && pm.excluded == (_i == 2) && !pm.per_process);
	ck_assert_str_eq(text_of(PM_COL_record), _i == 2 ? "excluded" : "start");
	ck_assert_str_ne(text_of(PM_COL_exename), "-");
	if (_i == 2) {
		ck_assert_str_eq(text_of(PM_COL_path), "-");
		ck_assert_str_eq(text_of(PM_COL_jobid), "-");
		ck_assert_int_eq(pm_identity_read(), 0);
		ck_assert_int_eq(number_of(PM_COL_ppid), getppid());
		ck_assert(!pm_record_has(pm_identity_start(), PM_COL_pgid));
		return;
	}
	ck_assert_str_eq(text_of(PM_COL_jobid), "11");
	ck_assert_str_eq(text_of(PM_COL_container), "app");
	ck_assert_str_eq(text_of(PM_COL_tags), "b:2");
	ck_assert_int_eq(number_of(PM_COL_localid), -1);
	ck_assert_int_eq(number_of(PM_COL_uid), _i ? 0 : -1);
	ck_assert_int_eq(number_of(PM_COL_mpirank), -1);
}
END_TEST

START_TEST(ranks)
{
	struct pm_record r;

	pm_record_clear(&r);
	pm_identity_set_rank(&r);
	ck_assert(!pm_record_has(&r, PM_COL_mpirank));
	pm_identity_tell_rank(3, 4);
	pm_identity_set_rank(&r);
	ck_assert(r.v[PM_COL_mpirank].i == 3 && r.v[PM_COL_numranks].i == 4);
	pm_record_clear(&r);
	pm_identity_tell_rank(4, 4);
	pm_identity_set_rank(&r);
	ck_assert(r.v[PM_COL_mpirank].i == 4 && !pm_record_has(&r, PM_COL_numranks));
}
END_TEST

/* A fork child: what it knows from its parent, and where a tick of the clock passed, from /proc. */
START_TEST(fork_child)
{
	int64_t before_ns;
	int status;
	pid_t pid;

	ck_assert_int_eq(gather(no_arguments), 0);
	ck_assert_int_eq(pm_identity_read(), 0);
	before_ns = pm_clock_ns(CLOCK_BOOTTIME);
	pid = fork();
	if (pid == 0) {
		int64_t born = pm_ticks(before_ns) - (_i ? 100 : 0);

		pm_moment_now(&pm.image);
		if (pm_identity_inherit(4242, _i ? before_ns - 1000000000 : before_ns) < 0 ||
		    pm.pid != getpid() || number_of(PM_COL_pid) != getpid() ||
		    number_of(PM_COL_tid) != getpid() || number_of(PM_COL_ppid) != 4242 ||
		    number_of(PM_COL_pgid) != getpgid(0) || number_of(PM_COL_sid) != getsid(0) ||
		    number_of(PM_COL_start_us) != pm.image.real_us ||
		    number_of(PM_COL_starttime) < born ||
		    number_of(PM_COL_starttime) != pm.starttime)
			_exit(1);
		_exit(pm.starttime > pm_ticks(pm_clock_ns(CLOCK_BOOTTIME)) ? 2 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* --- lines ------------------------------------------------------------------------ */

/* What is in the record file: "RECORD TID," of each line, behind H for each header. */
static const char *written(size_t *bytes)
{
	static char said[8192], text[200000];
	const char *why, *column;
	struct pm_record r;
	struct pm_map map;
	size_t len = 0;
	FILE *f = fopen(pm.file, "r");

	*bytes = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[*bytes] = '\0';
	if (f)
		fclose(f);
	said[0] = '\0';
	for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		if (pm_map_is_header(line, (size_t)(end - line)))
			len += (size_t)snprintf(
				said + len, sizeof said - len, "H%d",
				pm_map_parse(&map, line, (size_t)(end - line), &why));
		else if (end > line &&
			 pm_record_parse(&r, &map, line, (size_t)(end - line), &why, &column) == 0)
			len += (size_t)snprintf(said + len, sizeof said - len, "%.*s %d,",
						(int)r.v[PM_COL_record].s.n, r.v[PM_COL_record].s.p,
						(int)r.v[PM_COL_tid].i);
		else if (end > line)
			len += (size_t)snprintf(said + len, sizeof said - len, "damaged,");
		ck_assert_uint_lt(len, sizeof said);
	}
	return said;
}

static struct pm_record record(int tid)
{
	struct pm_record r;

	pm_record_clear(&r);
	pm_record_text(&r, PM_COL_record, "thread", 6);
	pm_identity_key(&r);
	pm_record_int(&r, PM_COL_tid, tid);
	return r;
}

/* A line of a thread that waits. */
static bool add(int tid)
{
	const struct pm_record r = record(tid);
	uint32_t told = 4;
	const struct pm_claim claim = { &told, 4, 5 };
	bool taken = pm_threadbuffer_add(&r, &claim);

	ck_assert_uint_eq(told, 5);
	return taken;
}

START_TEST(lines)
{
	struct rusage used = { .ru_utime = { 1, 2 } };
	size_t bytes, before, length;
	uint32_t told = 9;
	const struct pm_claim late = { &told, 8, 9 };
	struct pm_record r = record(3);
	char want[8192] = "";
	int n = 0;

	s.env[PM_ENV_max_bytes] = "0";
	ck_assert_int_eq(gather(no_arguments), 0);
	ck_assert_int_eq(pm_identity_read(), 0);
	pm_threadbuffer_write_start(&used);
	snprintf(want, sizeof want, "H0start %d,", (int)getpid());
	ck_assert_str_eq(written(&bytes), want);
	ck_assert_int_eq(number_of(PM_COL_usertime), 1000002);
	ck_assert_uint_eq(pm.own_all.wchar, bytes);
	ck_assert_uint_eq(pm.own_all.syscw, 1);

	/* Lines of threads wait for each other, and go before what is written at once. */
	ck_assert(add(1) && add(2));
	r = record(3);
	ck_assert(!pm_threadbuffer_add(&r, &late) && told == 9);
	written(&before);
	ck_assert_uint_eq(before, bytes);
	length = pm_threadbuffer_length(&r);
	pm_threadbuffer_write(&r, false);
	strcat(want, "thread 1,thread 2,thread 3,");
	ck_assert_str_eq(written(&bytes), want);
	ck_assert_uint_eq(bytes - before, length);
	ck_assert(add(4));
	pm_threadbuffer_drop();
	pm_threadbuffer_write_last(&r);
	strcat(want, "thread 3,");
	ck_assert_str_eq(written(&bytes), want);
	ck_assert(add(5));
	pm_threadbuffer_reset();
	ck_assert(add(6));
	pm_threadbuffer_write_last(&r);
	strcat(want, "thread 6,thread 3,");
	ck_assert_str_eq(written(&bytes), want);

	/* Not for ever, and none is lost on the way. */
	if (_i)
		pm_threadbuffer_expect_threads();
	before = bytes;
	while (bytes == before && n < 1000) {
		ck_assert(add(++n + 100));
		snprintf(want + strlen(want), sizeof want - strlen(want), "thread %d,", n + 100);
		if (n % 4 == 0)
			written(&bytes);
	}
	written(&bytes);
	ck_assert_uint_gt(bytes - before, 4096);
	ck_assert_uint_lt(bytes - before, 16384);
	pm.ended = PM_ENDED_SOON;
	before = bytes;
	for (int i = 0; i < 100; i++) {
		ck_assert(add(i + 1000));
		snprintf(want + strlen(want), sizeof want - strlen(want), "thread %d,", i + 1000);
	}
	written(&bytes);
	ck_assert_uint_eq(bytes, before);
	pm_threadbuffer_write_last(&r);
	strcat(want, "thread 3,");
	ck_assert_str_eq(written(&bytes), want);
	/* A file that is gone is begun anew. */
	ck_assert_int_eq(unlink(pm.file), 0);
	pm_threadbuffer_write(&r, false);
	ck_assert_str_eq(written(&bytes), "H0thread 3,");
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("libperfmon/record/identity.c");
	TCase *t = tcase_create("identity"), *files = tcase_create("files");

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_loop_test(t, hints_of_the_host, 0, HINTS);
	tcase_add_loop_test(t, hints_of_the_namespace, 0, 2);
	tcase_add_loop_test(t, images_that_are_recorded, 0, IMAGES);
	tcase_add_loop_test(t, perfmon_itself, 0, 2);
	tcase_add_loop_test(t, limits, 0, LIMITS);
	tcase_add_test(t, columns);
	tcase_add_loop_test(t, other_columns, 0, 3);
	tcase_add_test(t, ranks);
	tcase_add_loop_test(t, fork_child, 0, 2);
	tcase_add_checked_fixture(files, set_up_directory, pm_unit_tear_down);
	tcase_add_loop_test(files, lines, 0, 2);
	suite_add_tcase(suite, t);
	suite_add_tcase(suite, files);
	return suite;
}

PM_UNIT_MAIN(suite)
