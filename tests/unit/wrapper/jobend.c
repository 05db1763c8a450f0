/* How a job begins and ends: what start and stop write into its metadata, and the record of the
 * command that was waited for. */
#include "config.h"

#include "common/bootid.h"
#include "common/log.h"
#include "common/now.h"
#include "common/pidns.h"
#include "common/safe/record.h"
#include "common/safe/tally.h"
#include "common/settings/readconfig.h"
#include "tests/unit/sampler/root.h"
#include "wrapper/job/job.h"
#include "wrapper/job/room.h"
#include "wrapper/job/tallyfile.h"
#include "wrapper/metadata/environment.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/host.h"
#include "wrapper/process/reaped.h"
#include "wrapper/sched/sched.h"

#include <sys/wait.h>

static struct pm_jobdir d;
static struct pm_err e;
static char host[256], file[300];

/* Start a job by hand, with a record file of three lines and no image left but one. */
static void begin(void)
{
	char path[128], text[1024];
	json_t *doc = pm_metadata_new();

	root_make();
	root_put("job/.x", "");
	snprintf(path, sizeof path, "%s/job", root);
	PM_SURE(pm_jobdir_open(path, &d, &e) == 0);
	pm_jobdir_host(host, sizeof host);
	snprintf(file, sizeof file, "%s-%lu.tsv", host, (unsigned long)geteuid());
	snprintf(path, sizeof path, "job/%.100s", file);
	snprintf(text, sizeof text,
		 "perfmon-tsv-1\trecord\tpid\t.\n1\tstart\t7\t.\n1\tend\t7\t.\n1\tstart\t8\t.\n");
	root_put(path, text);
	pm_metadata_text(doc, PM_JOB_job_jobid, "job");
	pm_metadata_int(doc, PM_JOB_start_time_us, 1);
	PM_SURE(pm_metadata_write(d.fd, host, doc, &e) == 0);
	json_decref(doc);
	PM_SURE(freopen("/dev/null", "r", stdin));
}

static void end(void)
{
	pm_jobdir_close(&d);
	root_remove();
}

/* What stop says on standard error while it stops the job; *rc gets what it returns. */
static const char *stop(const struct pm_job_result *result, int *rc)
{
	static char text[2048];
	int saved = dup(STDERR_FILENO), fd = openat(d.fd, "said", O_RDWR | O_CREAT, 0600);
	ssize_t n;

	PM_SURE(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	*rc = pm_job_stop(&d, result, &e);
	PM_SURE(dup2(saved, STDERR_FILENO) >= 0);
	n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	close(saved);
	close(fd);
	unlinkat(d.fd, "said", 0);
	return text;
}

/* The stop half of the metadata, without the times, sorted. */
static const char *stopped(void)
{
	static const char *const times[] = { "time_us", "monotonic_us", "environment_changes",
					     "environment_added", "environment_removed" };
	static char text[1024];
	json_t *doc = pm_metadata_read(d.fd, host, &e), *half = json_object_get(doc, "stop");
	char *made;
	const char *name;
	json_t *value;
	void *next;

	PM_SURE(half);
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		json_object_del(half, times[i]);
	/* What the system's accounts say is in tests/unit/wrapper/charge.c. */
	json_object_foreach_safe (half, next, name, value)
		if (strncmp(name, "measured", 8) == 0 || strncmp(name, "cgroup", 6) == 0)
			json_object_del(half, name);
	made = json_dumps(half, JSON_COMPACT | JSON_SORT_KEYS);
	snprintf(text, sizeof text, "%s", made);
	free(made);
	json_decref(doc);
	return text;
}

static void put_slot(int at, const char *kind, const char *key, int64_t v)
{
	struct pm_tally t = { { kind, strlen(kind) }, { key, strlen(key) }, 1, { v } };
	char name[300], slot[PM_TALLY_SLOT];
	int fd;

	snprintf(name, sizeof name, "%s-%lu.tally", host, (unsigned long)geteuid());
	fd = openat(d.fd, name, O_WRONLY | O_CLOEXEC);
	PM_SURE(fd >= 0 && pm_tally_format(slot, &t) == 0);
	PM_SURE(pwrite(fd, slot, sizeof slot, (off_t)at * PM_TALLY_SLOT) == sizeof slot);
	close(fd);
}

static bool is_there(const char *prefix)
{
	char name[300];

	snprintf(name, sizeof name, "%s%s", prefix, host);
	return faccessat(d.fd, name, F_OK, 0) == 0;
}

START_TEST(counts)
{
	int64_t before = pm_now_us(), monotonic = pm_now_monotonic_us();
	char want[PATH_MAX + 512];
	struct stat st;
	json_t *doc;
	int rc;

	PM_SURE(pm_config_set(PM_SET_environment, "changes", &e) == 0);
	ck_assert_int_eq(pm_environment_remember(d.fd, host, &e), 0);
	ck_assert_int_eq(pm_tallyfile_create(d.fd, host, &e), 0);
	pm_room_keep(d.fd, host);
	put_slot(1, "lost", "ENOSPC", 3);
	put_slot(2, "lost", "ENOSPC", 4);
	put_slot(9, "lost", "EDQUOT", 10);
	put_slot(30, "folded", "a", 5);
	put_slot(31, "folded", "b", 6);
	put_slot(32, "size", "", 1000);
	setenv("NEW_ONE", "1", 1);
	snprintf(want, sizeof want,
		 "perfmon: warning: the record files reached max_bytes: 11 short processes are recorded only in "
		 "totals per program\n"
		 "perfmon: warning: 17 lines of records could not be written to %s (ENOSPC 7, "
		 "EDQUOT "
		 "10)\n",
		 d.path);
	ck_assert_str_eq(stop(NULL, &rc), want);
	ck_assert_int_eq(rc, 0);
	PM_SURE(fstatat(d.fd, file, &st, 0) == 0);
	snprintf(want, sizeof want,
		 "{\"bytes\":%lld,\"files\":1,\"folded\":11,\"lost\":17,\"lost_reasons\":{"
		 "\"EDQUOT\":\"10\",\"ENOSPC\":\"7\"},\"records\":3,\"without_end\":1}",
		 (long long)st.st_size);
	ck_assert_str_eq(stopped(), want);
	doc = pm_metadata_read(d.fd, host, &e);
	ck_assert_int_ge(pm_metadata_get_int(doc, PM_JOB_stop_time_us, 0), before);
	ck_assert_int_le(pm_metadata_get_int(doc, PM_JOB_stop_time_us, 0), pm_now_us());
	ck_assert_int_ge(pm_metadata_get_int(doc, PM_JOB_stop_monotonic_us, 0), monotonic);
	ck_assert_int_le(pm_metadata_get_int(doc, PM_JOB_stop_monotonic_us, 0),
			 pm_now_monotonic_us());
	ck_assert_str_eq(json_string_value(json_object_get(
				 pm_metadata_get(doc, PM_JOB_stop_environment_changes), "NEW_ONE")),
			 "1");
	ck_assert_uint_eq(json_array_size(pm_metadata_get(doc, PM_JOB_stop_environment_added)), 1);
	ck_assert_uint_eq(json_array_size(pm_metadata_get(doc, PM_JOB_stop_environment_removed)),
			  0);
	json_decref(doc);
	/* What only an open job needs is gone. */
	ck_assert(!is_there(".environment-") && !is_there(".room-"));
	/* It is stopped once. */
	ck_assert_str_eq(stop(NULL, &rc), "");
	ck_assert_int_eq(rc, 1);
	ck_assert_str_eq(stopped(), want);
}
END_TEST

/* Each way in which the command of run -a may end, by its wait status. */
START_TEST(results)
{
	static const struct {
		struct pm_job_result result;
		const char *want;
	} cases[] = {
		{ { 0, false, 1500000 },
		  "\"charged_cpu_us\":1500000,\"exit_reason\":\"success\",\"exit_status\":0" },
		{ { 3 << 8, false, 7 },
		  "\"charged_cpu_us\":7,\"exit_reason\":\"failure\",\"exit_status\":3" },
		{ { SIGTERM, false, 7 },
		  "\"charged_cpu_us\":7,\"exit_reason\":\"asked\",\"exit_signal\":15" },
		{ { SIGKILL, false, 7 },
		  "\"charged_cpu_us\":7,\"exit_reason\":\"killed\",\"exit_signal\":9" },
		{ { 127 << 8, true, 0 },
		  "\"charged_cpu_us\":0,\"exit_reason\":\"not-started\",\"exit_status\":127" },
	};
	int rc;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char want[512];
		struct stat st;
		json_t *doc;

		ck_assert_str_eq(stop(&cases[i].result, &rc), "");
		ck_assert_int_eq(rc, 0);
		PM_SURE(fstatat(d.fd, file, &st, 0) == 0);
		/* Without a tally nobody could count what is lost. */
		snprintf(want, sizeof want,
			 "{\"bytes\":%lld,%s,\"files\":1,\"records\":3,\"without_end\":1}",
			 (long long)st.st_size, cases[i].want);
		ck_assert_str_eq(stopped(), want);
		doc = pm_metadata_read(d.fd, host, &e);
		pm_metadata_reopen(doc);
		ck_assert_int_eq(pm_metadata_write(d.fd, host, doc, &e), 0);
		json_decref(doc);
		pm_job_unlock(&d);
	}
}
END_TEST

START_TEST(told)
{
	static const struct {
		int tasks;
		const char *want;
	} cases[] = { { 0, "" }, { 1, "1 task of Slurm went" }, { 2, "2 tasks of Slurm went" } };
	char name[300];
	int rc;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *doc = pm_metadata_new();
		const char *said;

		pm_metadata_int(doc, PM_JOB_host_tasks_unrecorded, cases[i].tasks);
		ck_assert_int_eq(pm_metadata_write(d.fd, host, doc, &e), 0);
		json_decref(doc);
		said = stop(NULL, &rc);
		ck_assert_int_eq(rc, 0);
		ck_assert_int_eq(*said == '\0', cases[i].tasks == 0);
		ck_assert_ptr_nonnull(strstr(said, cases[i].want));
	}
	/* With a tally nothing lost is a number, too. */
	ck_assert_int_eq(pm_tallyfile_create(d.fd, host, &e), 0);
	{
		json_t *doc = pm_metadata_new();

		ck_assert_int_eq(pm_metadata_write(d.fd, host, doc, &e), 0);
		json_decref(doc);
	}
	ck_assert_str_eq(stop(NULL, &rc), "");
	ck_assert_ptr_nonnull(strstr(stopped(), "\"folded\":0,\"lost\":0,\"records\""));
	/* Of another host there is nothing to stop. */
	snprintf(name, sizeof name, "job-%s.json", host);
	ck_assert_int_eq(unlinkat(d.fd, name, 0), 0);
	ck_assert_str_eq(stop(NULL, &rc), "");
	ck_assert_int_lt(rc, 0);
	ck_assert_ptr_nonnull(strstr(e.text, "job job was not started on this host"));
}
END_TEST

/* --- waited for ---------------------------------------------------------------------------------
 */

/* The last record of the file. */
static void last_record(const char *name, struct pm_record *r)
{
	static char text[16384];
	const char *why, *column, *line, *header;
	struct pm_map map;
	ssize_t n;
	int fd = openat(d.fd, name, O_RDONLY | O_CLOEXEC);

	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	ck_assert_int_gt(n, 1);
	close(fd);
	text[n] = '\0';
	ck_assert_int_eq(text[n - 1], '\n');
	text[n - 1] = '\0';
	line = strrchr(text, '\n') + 1;
	/* The last header above it. */
	header = NULL;
	for (const char *p = text; p && (p = strstr(p, "perfmon-tsv-")); p++)
		header = p;
	ck_assert_ptr_nonnull(header);
	ck_assert_int_eq(pm_map_parse(&map, header, strcspn(header, "\n"), &why), 0);
	ck_assert_msg(pm_record_parse(r, &map, line, strlen(line), &why, &column) == 0, "%s", why);
}

static bool is_text(const struct pm_record *r, enum pm_column c, const char *want)
{
	return pm_record_has(r, c) && r->v[c].s.n == strlen(want) &&
	       memcmp(r->v[c].s.p, want, strlen(want)) == 0;
}

START_TEST(reaped)
{
	static const struct rusage usage = { .ru_utime = { 3, 400000 },
					     .ru_stime = { 1, 2 },
					     .ru_maxrss = 12345,
					     .ru_minflt = 21,
					     .ru_majflt = 22,
					     .ru_inblock = 23,
					     .ru_oublock = 24,
					     .ru_nvcsw = 25,
					     .ru_nivcsw = 26 };
	static const struct {
		enum pm_column column;
		int64_t value;
	} want[] = {
		{ PM_COL_pid, 4711 },           { PM_COL_usertime, 3400000 },
		{ PM_COL_systemtime, 1000002 }, { PM_COL_rssmax, 12345 },
		{ PM_COL_minflt, 21 },          { PM_COL_majflt, 22 },
		{ PM_COL_inblock, 23 },         { PM_COL_outblock, 24 },
		{ PM_COL_vol_ctxsw, 25 },       { PM_COL_invol_ctxsw, 26 },
	};
	struct pm_child c = { .pid = 4711, .status = 5 << 8, .usage = usage };
	int64_t before = pm_now_us();
	char boot[64], name[400];
	struct pm_record r;
	struct stat st;

	ck_assert_int_eq(unlinkat(d.fd, file, 0), 0);
	ck_assert_int_eq(pm_reaped_write(&d, &c, &e), 0);
	PM_SURE(fstatat(d.fd, file, &st, 0) == 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	last_record(file, &r);
	pm_bootid_read(boot);
	ck_assert(is_text(&r, PM_COL_record, "reaped") && is_text(&r, PM_COL_boot_id, boot));
	ck_assert(is_text(&r, PM_COL_hostname, host));
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_int_eq(pm_record_get(&r, want[i].column, -1), want[i].value);
	ck_assert_int_eq(pm_record_get(&r, PM_COL_ppid, -1), getpid());
	ck_assert_int_eq(pm_record_get(&r, PM_COL_pid_ns, -1), pm_pidns_own());
	ck_assert_int_ge(pm_record_get(&r, PM_COL_end_us, -1), before);
	ck_assert_int_le(pm_record_get(&r, PM_COL_end_us, -1), pm_now_us());
	ck_assert_int_eq(pm_record_get(&r, PM_COL_exitcode, -1), 5);
	ck_assert(!pm_record_has(&r, PM_COL_exitsignal));
	/* Behind what is there, whole or cut, and killed by a signal. */
	root_put("job/x", "");
	{
		int fd = openat(d.fd, file, O_WRONLY | O_APPEND);

		PM_SURE(write(fd, "cut", 3) == 3);
		close(fd);
	}
	c.status = SIGSEGV | 0x80;
	ck_assert_int_eq(pm_reaped_write(&d, &c, &e), 0);
	last_record(file, &r);
	ck_assert_int_eq(pm_record_get(&r, PM_COL_exitsignal, -1), SIGSEGV);
	ck_assert(!pm_record_has(&r, PM_COL_exitcode));
	/* In a file of this process, where options asks for that. */
	PM_SURE(pm_config_set(PM_SET_options, "PER_PROCESSES, page-faults", &e) == 0);
	snprintf(name, sizeof name, "%s-%ld-%lld.tsv", host, (long)getpid(),
		 (long long)pm_host_starttime(getpid()));
	ck_assert_int_eq(pm_reaped_write(&d, &c, &e), 0);
	ck_assert_int_lt(fstatat(d.fd, name, &st, 0), 0);
	PM_SURE(pm_config_set(PM_SET_options, "page-faults, PER_PROCESS", &e) == 0);
	ck_assert_int_eq(pm_reaped_write(&d, &c, &e), 0);
	last_record(name, &r);
	ck_assert_int_eq(pm_record_get(&r, PM_COL_pid, -1), 4711);
}
END_TEST

/* --- how it begins ------------------------------------------------------------------------------
 */

static void begin_empty(void)
{
	char path[128];

	root_make();
	snprintf(path, sizeof path, "%s/prefix", root);
	PM_SURE(pm_config_set(PM_SET_output_prefix, path, &e) == 0);
	PM_SURE(pm_config_set(PM_SET_job_tags, "a:b; flag", &e) == 0);
	PM_SURE(pm_config_set(PM_SET_name_tags, "{model}_{run:[0-9]+}", &e) == 0);
	pm_jobdir_host(host, sizeof host);
	d.fd = -1;
	pm_log_level = -1;
	pm_sched_forget();
	PM_SURE(chdir(root) == 0);
}

static void end_empty(void)
{
	PM_SURE(chdir("/") == 0);
	pm_jobdir_close(&d);
	root_remove();
}

/* Start a job, and give others its lock. Returns whether this call opened it. */
static int start(const char *name, char **command)
{
	struct pm_cli cli = { .value = { [PM_OPT_job] = name } };
	int created = -1;

	ck_assert_msg(pm_job_start(&cli, command, &d, &created, &e) == 0, "%s", e.text);
	pm_job_unlock(&d);
	return created;
}

/* A section of the metadata, "job" or "start", or a part of one: "job.tags". */
static const char *section(const char *of)
{
	static char text[2048];
	char name[64];
	json_t *doc = pm_metadata_read(d.fd, host, &e), *value;
	char *made;
	const char *dot = strchr(of, '.');

	snprintf(name, sizeof name, "%.*s", (int)(dot ? dot - of : (int)strlen(of)), of);
	value = json_object_get(doc, name);
	if (dot)
		value = json_object_get(value, dot + 1);
	made = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;
	snprintf(text, sizeof text, "%s", made ? made : "none");
	free(made);
	json_decref(doc);
	return text;
}

START_TEST(commands)
{
	static const struct {
		const char *args, *want;
	} cases[] = {
		{ "full", "[\"/bin/ocean_12\",\"--password=Zq7x\",\"x\"]" },
		{ "redacted", "[\"/bin/ocean_12\",\"--password=[redacted]\",\"x\"]" },
		{ "name", "[\"/bin/ocean_12\",\"--password=[redacted]\"]" },
		{ "none", "[]" },
	};
	char *command[] = { (char *)"/bin/ocean_12", (char *)"--password=Zq7x", (char *)"x", NULL };
	char name[16], want[256];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		PM_SURE(pm_config_set(PM_SET_args, cases[i].args, &e) == 0);
		snprintf(name, sizeof name, "c%zu", i);
		ck_assert_int_eq(start(name, command), 1);
		ck_assert_str_eq(section("start.command"), cases[i].want);
		ck_assert_str_eq(section("job.name"), "\"ocean_12\"");
		/* Who closes it. */
		snprintf(want, sizeof want, "\"runner_pid\":\"%ld\",\"runner_start\":\"%lld\"",
			 (long)getpid(), (long long)pm_host_starttime(getpid()));
		ck_assert_ptr_nonnull(strstr(section("job.facts"), want));
		ck_assert_str_eq(section("job.tags"),
				 "{\"a\":\"b\",\"flag\":\"1\",\"model\":\"ocean\",\"run\":\"12\"}");
		pm_jobdir_close(&d);
	}
}
END_TEST

START_TEST(sessions)
{
	int64_t before = pm_now_us(), us;
	char want[512];
	struct stat st;
	json_t *doc;

	ck_assert_int_eq(start("named", NULL), 1);
	/* A session whose leader is outside of this PID namespace, 0, has no start to be read. */
	if (pm_host_starttime(getsid(0)) < 0)
		snprintf(want, sizeof want, "{\"session_id\":\"%ld\"}", (long)getsid(0));
	else
		snprintf(want, sizeof want, "{\"session_id\":\"%ld\",\"session_start\":\"%lld\"}",
			 (long)getsid(0), (long long)pm_host_starttime(getsid(0)));
	ck_assert_str_eq(section("job.facts"), want);
	ck_assert_str_eq(section("job.jobid"), "\"named\"");
	ck_assert_str_eq(section("job.scheduler"), "\"none\"");
	ck_assert_str_eq(section("job.cluster"), "\"\"");
	ck_assert_str_eq(section("job.array_task"), "\"\"");
	ck_assert_str_eq(section("job.restart_count"), "0");
	ck_assert_str_eq(section("job.name"), "none");
	ck_assert_str_eq(section("job.nodes"), "none");
	ck_assert_str_eq(section("start.command"), "none");
	snprintf(want, sizeof want, "%ld", (long)geteuid());
	ck_assert_str_eq(section("job.uid"), want);
	snprintf(want, sizeof want, "\"%s\"", root);
	ck_assert_str_eq(section("start.cwd"), want);
	doc = pm_metadata_read(d.fd, host, &e);
	us = pm_metadata_get_int(doc, PM_JOB_start_time_us, 0);
	ck_assert(us >= before && us <= pm_now_us());
	ck_assert_int_eq(pm_metadata_get_int(doc, PM_JOB_job_epoch_us, 0), us);
	json_decref(doc);
	/* What is lost can be counted, and the environment compared. */
	snprintf(want, sizeof want, "%s-%lu.tally", host, (unsigned long)geteuid());
	ck_assert_int_eq(fstatat(d.fd, want, &st, 0), 0);
	ck_assert(is_there(".environment-"));
	pm_jobdir_close(&d);
	/* Joined while it is open; once it is closed, another job of the name. */
	ck_assert_int_eq(start("named", NULL), 0);
	ck_assert_str_eq(d.name, "named");
	ck_assert_int_eq(pm_job_stop(&d, NULL, &e), 0);
	pm_jobdir_close(&d);
	ck_assert_int_eq(start("named", NULL), 1);
	ck_assert_int_eq(strncmp(d.name, "named.", 6), 0);
	ck_assert_int_ge(strtoll(d.name + 6, NULL, 10), before);
}
END_TEST

START_TEST(batch_jobs)
{
	json_t *doc;

	setenv("SLURM_JOB_ID", "55", 1);
	setenv("SLURM_CLUSTER_NAME", "two", 1);
	setenv("SLURM_JOB_NAME", "https://me:Zq7x@host/", 1);
	setenv("SLURM_JOB_START_TIME", "1700000000", 1);
	setenv("SLURM_JOB_SUBMIT_TIME", "1600000000", 1);
	setenv("SLURM_JOB_NUM_NODES", "2", 1);
	setenv("SLURM_NTASKS", "8", 1);
	setenv("SLURM_JOB_QOS", "password=Zq7x", 1);
	ck_assert_int_eq(start(NULL, NULL), 1);
	ck_assert_str_eq(d.name, "55");
	ck_assert_str_eq(section("job.cluster"), "\"two\"");
	ck_assert_str_eq(section("job.epoch_us"), "1700000000000000");
	ck_assert_str_eq(section("job.submit_us"), "1600000000000000");
	ck_assert_str_eq(section("job.nodes"), "2");
	ck_assert_str_eq(section("job.tasks"), "8");
	ck_assert_str_eq(section("job.name"), "\"https://me:[redacted]@host/\"");
	ck_assert_str_eq(section("job.script"), "none");
	ck_assert_ptr_null(strstr(section("job.facts"), "session"));
	ck_assert_ptr_nonnull(strstr(section("job.facts"), "\"qos\":\"password=[redacted]\""));
	/* Closed, it goes on where it was: it is one job. */
	ck_assert_int_eq(pm_job_stop(&d, NULL, &e), 0);
	pm_jobdir_close(&d);
	ck_assert_int_eq(start(NULL, NULL), 1);
	ck_assert_str_eq(d.name, "55");
	doc = pm_metadata_read(d.fd, host, &e);
	ck_assert(!pm_metadata_is_closed(doc));
	ck_assert_int_eq(pm_metadata_get_int(doc, PM_JOB_start_reopened, 0), 1);
	json_decref(doc);
	pm_jobdir_close(&d);
	/* In the directory that the user chose, which another job does not share. */
	PM_SURE(pm_config_set(PM_SET_output, "mine", &e) == 0);
	setenv("SLURM_JOB_ID", "56", 1);
	ck_assert_int_eq(start(NULL, NULL), 1);
	ck_assert_str_eq(d.name, "mine");
	ck_assert_str_eq(section("job.jobid"), "\"56\"");
	pm_jobdir_close(&d);
	ck_assert_int_eq(start(NULL, NULL), 0);
	ck_assert_str_eq(d.name, "mine");
	pm_jobdir_close(&d);
	setenv("SLURM_JOB_ID", "57", 1);
	ck_assert_int_eq(start(NULL, NULL), 1);
	ck_assert_str_eq(d.name, "57");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jobend");
	TCase *c = tcase_create("jobend");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, counts);
	tcase_add_test(c, results);
	tcase_add_test(c, told);
	tcase_add_test(c, reaped);
	suite_add_tcase(s, c);
	c = tcase_create("begin");
	tcase_add_checked_fixture(c, begin_empty, end_empty);
	tcase_add_test(c, commands);
	tcase_add_test(c, sessions);
	tcase_add_test(c, batch_jobs);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
