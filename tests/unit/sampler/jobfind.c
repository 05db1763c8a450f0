/* Which processes belong to a batch job, by control groups, environments and argument lists. */
#include "config.h"

#include "sampler/job/jobfind.h"
#include "sampler/job/jobwatch.h"

#include "common/job/jobgroup.h"
#include "tests/unit/sampler/root.h"
#include "wrapper/sched/sched_marks.h"

#define WITH_LEN(text) text, sizeof text

static const struct {
	const char *path, *job;
	bool belongs;
} groups[] = {
	{ "/system.slice/slurmstepd.scope/job_12/step_0/user/task_0", "12", true },
	{ "/slurm/uid_1000/job_12", "12", true },
	{ "/slurm/uid_1000/job_123/step_0", "12", false },
	{ "/slurm/uid_1000/job_2", "12", false },
	{ "/slurm/uid_1000/myjob_12", "12", false },
	{ "/oar/alice_12", "12", true },
	{ "/oar/alice_112", "12", false },
	{ "/other/alice_12", "12", false },
	{ "/oar/12", "12", false },
	{ "/pbs_jobs.service/jobid/12.server.example", "12.server.example", true },
	{ "/pbs_jobs.service/jobid/12.server.example", "12", true },
	{ "/pbs_jobs.service/jobid/12[3].server", "12", true },
	{ "/pbs_jobs.service/jobid/121.server", "12", false },
	{ "/torque/12.server", "12", true },
	{ "/lsf/cluster/job.12.4711.1700000000", "12", true },
	{ "/lsf/cluster/job.123.4711.1700000000", "12", false },
	{ "/GE/12.1", "12", true },
	{ "/user.slice/user-12.slice/session-12.scope", "12", false },
	{ "/12", "12", false },
	{ "/", "12", false },
	{ "", "12", false },
	{ "/job_", "", false },
	{ "/slurm/job_12x", "12", false },
	{ "/user.slice/user@1000.service/shell-12.service", "12", true },
	{ "/pbs_jobs.service/jobs/12.server", "12.server", true },
	{ "/pbs_jobs.service/jobs/12.server", "12", true },
	{ "/pbs_jobs.service/jobs/cleaner", "cleaner", false },
	{ "/pbspro.slice/pbspro-12.server.slice", "12.server", true },
	{ "/pbspro.slice/pbspro-12.server.slice", "1", false },
	{ "/pbspro.slice/pbspro-12.server", "12", false },
	{ "/system.slice/imp-shell-0-f8XyZ.service", "f8XyZ", true },
	{ "/system.slice/imp-shell-17-f8XyZ.service", "\xc6\x92" "8XyZ", true },
	{ "/user.slice/user@1000.service/shell-3-f8XyZ.service", "f8XyZ", true },
	{ "/user.slice/user@1000.service/shell-3-f8XyZ.service", "3", false },
	{ "/UGE/12.1", "12", true },
	{ "/system.slice/slurmstepd.scope/job_s1A2B3C4D5E6F7/step_0", "s1A2B3C4D5E6F7", true },
	{ "/system.slice/slurmstepd.scope/job_sleepy/step_0", "sleepy", false },
};

START_TEST(control_groups)
{
	ck_assert_int_eq(pm_jobgroup_find(groups[_i].path, strlen(groups[_i].path), groups[_i].job) > 0,
			 groups[_i].belongs);
}
END_TEST

static const struct {
	const char *arguments;
	size_t n;
	bool samples;
} commands[] = {
	{ WITH_LEN("perfmon"), true },
	{ WITH_LEN("/opt/bin/perfmon\0-i\0"
		   "5\0-v\0-r\0-e"),
	  true },
	{ WITH_LEN("perfmon\0-q\0sample\0--job\0"
		   "7"),
	  true },
	{ WITH_LEN("perfmon\0run\0./app"), false },
	{ WITH_LEN("perfmon\0-a\0run\0./app"), false },
	{ WITH_LEN("perfmon\0./app"), false },
	{ WITH_LEN("srun\0-n\0"
		   "2\0--ntasks-per-node\0"
		   "1\0perfmon"),
	  true },
	{ WITH_LEN("/usr/bin/mpirun\0--map-by\0node\0/opt/bin/perfmon\0-i\0"
		   "5"),
	  true },
	{ WITH_LEN("ssh\0node2\0perfmon\0sample"), true },
	{ WITH_LEN("mpirun\0perfmon\0run\0./app"), false },
	{ WITH_LEN("mpirun\0perfmon\0-a\0./app"), false },
	{ WITH_LEN("mpirun\0./app"), false },
	{ WITH_LEN("bash\0-c\0perfmon"), false },
	{ WITH_LEN("cat\0perfmon"), false },
	{ "srun", 4, false }, /* cut */
	{ "", 0, false },
};

START_TEST(arguments)
{
	ck_assert_int_eq(pm_jobfind_samples(commands[_i].arguments, commands[_i].n),
			 commands[_i].samples);
}
END_TEST

/* Whatever brings a program to other nodes brings a sampler there, too. */
START_TEST(launchers)
{
	static const char *const launcher[] = {
		"srun",	  "mpirun",	   "mpiexec",	"mpiexec.hydra", "orterun",   "prterun",
		"orted",  "prted",	   "pmi_proxy", "ssh",		 "pbsdsh",    "pbs_tmrsh",
		"aprun",  "jsrun",	   "blaunch",	"oarsh",	 "flux",      "hydra_pmi_proxy",
	};
	static const struct {
		const char *before, *behind;
		bool samples;
	} line[] = {
		{ "", "\nperfmon\n", true },
		{ "/opt/x/bin/", "\n-n\n2\n/opt/perfmon\n-i\n5\n", true },
		{ "", "\nperfmon\nrun\n./app\n", false },
		{ "", "\nperfmon\n--auto\nsleep\n", false },
		{ "", "\nperfmonx\n", false },
		{ "", "\n./app\n", false },
		{ "my", "\nperfmon\n", false },
	};

	for (size_t i = 0; i < sizeof launcher / sizeof launcher[0]; i++)
		for (size_t k = 0; k < sizeof line / sizeof line[0]; k++) {
			char text[128];
			int n = snprintf(text, sizeof text, "%s%s%s", line[k].before, launcher[i],
					 line[k].behind);

			for (int at = 0; at < n; at++)
				text[at] = text[at] == '\n' ? '\0' : text[at];
			ck_assert_msg(pm_jobfind_samples(text, (size_t)n) == line[k].samples, "%s %zu",
				      launcher[i], k);
		}
}
END_TEST

/* --- a recorded tree -------------------------------------------------------------------------- */

static void process(int pid, int ppid, const char *cgroup, const char *environment, size_t en,
		    const char *cmdline, size_t cn)
{
	char path[64], text[512];

	snprintf(path, sizeof path, "proc/%d/stat", pid);
	snprintf(text, sizeof text,
		 "%d (x) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 "
		 "17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		 pid, ppid);
	root_put(path, text);
	snprintf(path, sizeof path, "proc/%d/cgroup", pid);
	root_put(path, cgroup);
	snprintf(path, sizeof path, "proc/%d/environ", pid);
	root_put_bytes(path, environment, en);
	snprintf(path, sizeof path, "proc/%d/cmdline", pid);
	root_put_bytes(path, cmdline, cn);
}

START_TEST(of_a_job)
{
	char *mark[] = { (char *)"SLURM_JOB_ID=12", (char *)"A=80\nB=3" };
	const struct pm_job_marks marks = { .job = "12", .cgroup = "12", .mark = mark, .marks = 2 };
	struct pm_jobfind *f;
	struct pm_err e;

	root_make();
	process(10, 1, "0::/slurm/uid_0/job_12\n", "", 0, WITH_LEN("bash"));
	process(11, 1, "0::/\n", WITH_LEN("X=1\0SLURM_JOB_ID=12"), WITH_LEN("./app"));
	process(12, 1, "0::/\n", WITH_LEN("SLURM_JOB_ID=123"), WITH_LEN("./app"));
	process(13, 1, "0::/\n", WITH_LEN("XSLURM_JOB_ID=12"), WITH_LEN("./app"));
	process(14, 1, "3:cpu:/x\n2:memory:/slurm/job_12\n", "", 0, WITH_LEN("./app"));
	process(15, 1, "0::/\n", WITH_LEN("B=3\0A=80"), WITH_LEN("./app"));
	process(16, 1, "0::/\n", WITH_LEN("A=80\0B=4"), WITH_LEN("./app"));
	process(17, 1, "garbage", "no end", 6, "", 0);
	process(20, 10, "0::/slurm/job_12\n", "", 0, WITH_LEN("srun\0perfmon"));
	process(21, 10, "0::/slurm/job_12\n", "", 0, WITH_LEN("srun\0./app"));
	f = pm_jobfind_open(root, &marks, &e);
	PM_SURE(f);
	for (int pid = 10; pid <= 22; pid++)
		ck_assert_int_eq(pm_jobfind_belongs(f, pid), pid == 10 || pid == 11 || pid == 14 ||
								     pid == 15 || pid == 20 ||
								     pid == 21);
	/* The launcher of a sampler waits, and the script that started it. */
	for (int pid = 10; pid <= 22; pid++)
		pm_jobfind_note(f, pid);
	pm_jobfind_look(f);
	for (int pid = 10; pid <= 22; pid++)
		ck_assert_int_eq(pm_jobfind_waits(f, pid), pid == 10 || pid == 20);
	/* It ends: the script goes on for itself. */
	root_remove_path("proc/20");
	pm_jobfind_look(f);
	ck_assert(!pm_jobfind_waits(f, 10));
	pm_jobfind_close(f);
	root_remove();
}
END_TEST

/* Of a control group that is named by its directory: its processes and those below, whatever they
 * are. */
START_TEST(of_a_group)
{
	const struct pm_job_marks marks = { .job = "",
					    .cgroup = "",
					    .directory = "/sys/fs/cgroup/a.slice/b" };
	struct pm_jobfind *f;
	struct pm_err e;

	root_make();
	root_put("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	process(10, 1, "0::/a.slice/b\n", "", 0, WITH_LEN("bash"));
	process(11, 1, "0::/a.slice/b/c\n", "", 0, WITH_LEN("./app"));
	process(12, 1, "0::/a.slice/bc\n", "", 0, WITH_LEN("./app"));
	process(13, 1, "0::/a.slice\n", "", 0, WITH_LEN("./app"));
	process(14, 1, "0::/\n", "", 0, WITH_LEN("./app"));
	process(15, 1, "0::/x/a.slice/b\n", "", 0, WITH_LEN("./app"));
	f = pm_jobfind_open(root, &marks, &e);
	PM_SURE(f);
	for (int pid = 10; pid <= 16; pid++)
		ck_assert_int_eq(pm_jobfind_belongs(f, pid), pid == 10 || pid == 11);
	pm_jobfind_close(f);
	ck_assert_int_eq(pm_jobfind_group(root, marks.directory, &e), -1);
	ck_assert_str_eq(e.text,
			 "--cgroup: '/sys/fs/cgroup/a.slice/b' is not a control group directory");
	root_put("sys/fs/cgroup/a.slice/b/cgroup.procs", "");
	ck_assert_int_eq(pm_jobfind_group(root, marks.directory, &e), 0);
	ck_assert_int_eq(pm_jobfind_group(root, "/sys/fs/cgroup", &e), -1);
	root_remove();
}
END_TEST

/* Where the group decides, neither what processes say does nor a group of the same name elsewhere; and
 * of its processes those of the job's user count, by their real user ids. */
START_TEST(of_a_user_in_a_group)
{
	char *mark[] = { (char *)"SLURM_JOB_ID=12" };
	const struct pm_job_marks marks = { .job = "12",
					    .cgroup = "12",
					    .mark = mark,
					    .marks = 1,
					    .directory = "/sys/fs/cgroup/slurm/job_12",
					    .strict = true,
					    .uid = 1000 };
	struct pm_jobfind *f;
	struct pm_err e;

	root_make();
	root_put("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	process(10, 1, "0::/slurm/job_12\n", "", 0, WITH_LEN("bash"));
	root_put("proc/10/status", "Name:\tbash\nUid:\t1000\t1000\t1000\t1000\n");
	process(11, 1, "0::/slurm/job_12/step_0\n", "", 0, WITH_LEN("su"));
	root_put("proc/11/status", "Name:\tsu\nUid:\t1000\t0\t0\t0\n");
	process(12, 1, "0::/slurm/job_12\n", "", 0, WITH_LEN("slurmstepd"));
	root_put("proc/12/status", "Name:\tslurmstepd\nUid:\t0\t1000\t0\t1000\n");
	process(13, 1, "0::/\n", WITH_LEN("SLURM_JOB_ID=12"), WITH_LEN("./app"));
	root_put("proc/13/status", "Name:\tapp\nUid:\t1000\t1000\t1000\t1000\n");
	process(14, 1, "0::/user.slice/job_12\n", "", 0, WITH_LEN("./app"));
	root_put("proc/14/status", "Name:\tapp\nUid:\t1000\t1000\t1000\t1000\n");
	process(15, 1, "0::/slurm/job_12\n", "", 0, WITH_LEN("./app"));
	root_put("proc/15/status", "Name:\tUid:\t1000\n");
	f = pm_jobfind_open(root, &marks, &e);
	PM_SURE(f);
	for (int pid = 10; pid <= 15; pid++)
		ck_assert_int_eq(pm_jobfind_belongs(f, pid), pid == 10 || pid == 11);
	ck_assert(pm_jobfind_is_gone(f));
	root_put("sys/fs/cgroup/slurm/job_12/cgroup.procs", "");
	ck_assert(!pm_jobfind_is_gone(f));
	pm_jobfind_close(f);
	root_remove();
}
END_TEST

START_TEST(until_it_is_over)
{
	char *mark[] = { (char *)"SLURM_JOB_ID=12" };
	const struct pm_job_marks marks = { .job = "12", .cgroup = "12", .mark = mark, .marks = 1 };
	const int64_t s = 1000000;
	struct pm_jobwatch *w;
	struct pm_err e;

	root_make();
	process(10, 1, "0::/slurm/job_12\n", "", 0, WITH_LEN("bash"));
	process(20, 10, "0::/slurm/job_12\n", "", 0, WITH_LEN("srun\0perfmon"));
	w = pm_jobwatch_open(root, &marks, &e);
	PM_SURE(w);
	/* The script has started the sampler and not yet its program. */
	ck_assert(!pm_jobwatch_over(w, 100 * s));
	ck_assert(!pm_jobwatch_over(w, 150 * s));
	process(21, 10, "0::/slurm/job_12\n", "", 0, WITH_LEN("./app"));
	ck_assert(!pm_jobwatch_over(w, 159 * s));
	/* One program ends, the next begins two seconds later. */
	root_remove_path("proc/21");
	ck_assert(!pm_jobwatch_over(w, 160 * s));
	ck_assert(!pm_jobwatch_over(w, 161 * s));
	process(22, 10, "0::/slurm/job_12\n", "", 0, WITH_LEN("./app"));
	ck_assert(!pm_jobwatch_over(w, 300 * s));
	/* One that nobody has waited for yet is over, too. */
	root_put("proc/22/stat",
		 "22 (x) Z 10 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 1 1 0 0 0 0 0 0 "
		 "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	ck_assert(!pm_jobwatch_over(w, 301 * s));
	ck_assert(!pm_jobwatch_over(w, 303 * s - 1));
	ck_assert(pm_jobwatch_over(w, 303 * s));
	pm_jobwatch_close(w);
	/* Nothing ever comes. */
	w = pm_jobwatch_open(root, &marks, &e);
	PM_SURE(w);
	ck_assert(!pm_jobwatch_over(w, 400 * s));
	ck_assert(!pm_jobwatch_over(w, 460 * s - 1));
	ck_assert(pm_jobwatch_over(w, 460 * s));
	pm_jobwatch_close(w);
	root_remove();
}
END_TEST

/* One that has the pid of a process of the job is not that. */
START_TEST(a_pid_in_use_again)
{
	const struct pm_job_marks marks = { .job = "12", .cgroup = "12" };
	const int64_t s = 1000000;
	struct pm_jobwatch *w;
	struct pm_err e;

	root_make();
	process(10, 1, "0::/slurm/job_12\n", "", 0, WITH_LEN("./app"));
	w = pm_jobwatch_open(root, &marks, &e);
	PM_SURE(w);
	ck_assert(!pm_jobwatch_over(w, 100 * s));
	process(10, 1, "0::/\n", "", 0, WITH_LEN("./app"));
	ck_assert(!pm_jobwatch_over(w, 101 * s));
	root_put("proc/10/stat", "10 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 6 0 0 0 1 1 0 0 0 0 0 0 0 0 "
				 "0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	ck_assert(!pm_jobwatch_over(w, 102 * s));
	ck_assert(!pm_jobwatch_over(w, 104 * s - 1));
	ck_assert(pm_jobwatch_over(w, 104 * s));
	pm_jobwatch_close(w);
	root_remove();
}
END_TEST

/* Its control group is removed: nobody waits for what a script may still do. */
START_TEST(over_with_its_group)
{
	const struct pm_job_marks marks = { .job = "12", .cgroup = "12", .directory = "/sys/fs/cgroup/job" };
	const int64_t s = 1000000;
	struct pm_jobwatch *w;
	struct pm_err e;

	root_make();
	root_put("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	root_put("sys/fs/cgroup/job/cgroup.procs", "10\n");
	process(10, 1, "0::/job\n", "", 0, WITH_LEN("./app"));
	w = pm_jobwatch_open(root, &marks, &e);
	PM_SURE(w);
	ck_assert(!pm_jobwatch_over(w, 100 * s));
	root_remove_path("proc/10");
	ck_assert(!pm_jobwatch_over(w, 101 * s));
	root_remove_path("sys/fs/cgroup/job");
	ck_assert(pm_jobwatch_over(w, 101 * s));
	pm_jobwatch_close(w);
	root_remove();
}
END_TEST

/* --- marks ------------------------------------------------------------------------------------ */

static bool has(const struct pm_job_marks *m, const char *mark)
{
	for (size_t i = 0; i < m->marks; i++)
		if (strcmp(m->mark[i], mark) == 0)
			return true;
	return false;
}

START_TEST(marks_of_ours)
{
	struct pm_job_marks m;
	struct pm_err e;

	clearenv();
	ck_assert_int_eq(pm_sched_marks(NULL, &m, &e), 1);
	setenv("SLURM_JOB_ID", "83", 1);
	ck_assert_int_eq(pm_sched_marks(NULL, &m, &e), 0);
	ck_assert_str_eq(m.job, "83");
	ck_assert_str_eq(m.cgroup, "83");
	ck_assert_uint_eq(m.marks, 1);
	ck_assert(has(&m, "SLURM_JOB_ID=83"));
	pm_sched_marks_free(&m);
	/* Old names of it may be empty. */
	setenv("SLURM_JOBID", "", 1);
	ck_assert_int_eq(pm_sched_marks(NULL, &m, &e), 0);
	ck_assert_str_eq(m.cgroup, "83");
	pm_sched_marks_free(&m);
	unsetenv("SLURM_JOBID");
	/* An element of an array has the id of another one as that of the whole. */
	setenv("SLURM_ARRAY_JOB_ID", "80", 1);
	setenv("SLURM_ARRAY_TASK_ID", "3", 1);
	ck_assert_int_eq(pm_sched_marks(NULL, &m, &e), 0);
	ck_assert_str_eq(m.job, "80_3");
	ck_assert_str_eq(m.cgroup, "83");
	ck_assert_uint_eq(m.marks, 1);
	ck_assert(has(&m, "SLURM_ARRAY_JOB_ID=80\nSLURM_ARRAY_TASK_ID=3"));
	pm_sched_marks_free(&m);
	/* What is empty is no id. */
	setenv("SLURM_JOBID", "", 1);
	setenv("SLURM_HET_JOB_ID", "", 1);
	ck_assert_int_eq(pm_sched_marks(NULL, &m, &e), 0);
	ck_assert_str_eq(m.job, "80_3");
	ck_assert_str_eq(m.cgroup, "83");
	pm_sched_marks_free(&m);
}
END_TEST

START_TEST(marks_of_a_named_one)
{
	struct pm_job_marks m;
	struct pm_err e;

	clearenv();
	ck_assert_int_eq(pm_sched_marks("80_3", &m, &e), 0);
	ck_assert_str_eq(m.job, "80_3");
	ck_assert_str_eq(m.cgroup, "80_3");
	ck_assert(has(&m, "PERFMON_JOBID=80_3"));
	ck_assert(has(&m, "PBS_JOBID=80_3"));
	ck_assert(has(&m, "SLURM_ARRAY_JOB_ID=80\nSLURM_ARRAY_TASK_ID=3"));
	ck_assert(!has(&m, "SLURM_JOB_ID=80"));
	pm_sched_marks_free(&m);
	ck_assert_int_eq(pm_sched_marks("12", &m, &e), 0);
	ck_assert(has(&m, "LSB_JOBID=12"));
	ck_assert(has(&m, "OAR_JOB_ID=12"));
	for (size_t i = 0; i < m.marks; i++)
		ck_assert(!strchr(m.mark[i], '\n'));
	pm_sched_marks_free(&m);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_jobfind");
	TCase *t = tcase_create("jobfind");

	tcase_add_loop_test(t, control_groups, 0, (int)(sizeof groups / sizeof groups[0]));
	tcase_add_loop_test(t, arguments, 0, (int)(sizeof commands / sizeof commands[0]));
	tcase_add_test(t, of_a_job);
	tcase_add_test(t, of_a_group);
	tcase_add_test(t, of_a_user_in_a_group);
	tcase_add_test(t, launchers);
	tcase_add_test(t, until_it_is_over);
	tcase_add_test(t, a_pid_in_use_again);
	tcase_add_test(t, over_with_its_group);
	tcase_add_test(t, marks_of_ours);
	tcase_add_test(t, marks_of_a_named_one);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
