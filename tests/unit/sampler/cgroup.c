/* Source "cgroup" on recorded trees of version 2, of version 1 and of both. */
#include "config.h"

#include "common/safe/procfs.h"

#include "tests/unit/sampler/source.h"

/* --- whose group ------------------------------------------------------------------------------ */

static const struct {
	const char *path, *job;
} jobs[] = {
	{ "/", "/" },
	{ "", "" },
	{ "/slurm/uid_1000/job_42/step_batch/task_0", "/slurm/uid_1000/job_42" },
	{ "/system.slice/slurmstepd.scope/job_42/step_0/user/task_1",
	  "/system.slice/slurmstepd.scope/job_42" },
	{ "/job_42/steps", "/job_42/steps" },
	{ "/job_/step_0", "/job_/step_0" },
	{ "/job_4x/step_0", "/job_4x/step_0" },
	{ "/my-job_4/step_0", "/my-job_4/step_0" },
	{ "/job_1/x/job_2/step_0", "/job_1/x/job_2" },
	{ "/oar/alice_4711", "/oar/alice_4711" },
	{ "/oar.slice/oar-u1000.slice/oar-u1000-j4711.slice/oar-u1000-j4711-s0.scope",
	  "/oar.slice/oar-u1000.slice/oar-u1000-j4711.slice" },
	{ "/user.slice/user-1000.slice/session-3.scope",
	  "/user.slice/user-1000.slice/session-3.scope" },
};

START_TEST(job_of)
{
	char path[256];

	snprintf(path, sizeof path, "%s", jobs[_i].path);
	pm_procfs_cgroup_job(path);
	ck_assert_str_eq(path, jobs[_i].job);
}
END_TEST

/* --- version 2 -------------------------------------------------------------------------------- */

#define MOUNT2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define JOB2   "sys/fs/cgroup/system.slice/slurmstepd.scope/job_42/"

static void put_version2(void)
{
	root_put("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" MOUNT2);
	root_put("proc/77/cgroup", "0::/system.slice/slurmstepd.scope/job_42/step_0/user/task_0\n");
	root_put(JOB2 "cpu.stat", "usage_usec 300\nuser_usec 200\nsystem_usec 100\n"
				  "nr_periods 7\nnr_throttled 3\nthrottled_usec 12345\n");
	root_put(JOB2 "memory.current", "1048576\n");
	root_put(JOB2 "memory.peak", "2097152\n");
	root_put(JOB2 "memory.max", "max\n");
	root_put("sys/fs/cgroup/system.slice/memory.max", "9000000\n");
	root_put("sys/fs/cgroup/system.slice/slurmstepd.scope/memory.max", "8000000\n");
	root_put(JOB2 "memory.swap.current", "4096\n");
	root_put(JOB2 "memory.stat", "anon 1\nfile 2\nkernel 77\nfile_mapped 78\nanon_thp 79\n"
				     "shmem 3\npgfault 4\npgmajfault 5\n");
	root_put(JOB2 "memory.events",
		 "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n");
	root_put(JOB2 "io.stat", "8:0 rbytes=1000 wbytes=200 rios=30 wios=4 dbytes=0 dios=0\n"
				 "253:10 rbytes=1000 wbytes=200 rios=30 wios=4 dbytes=0 dios=0\n"
				 "253:1 rbytes=7 wbytes=8 rios=9 wios=10 dbytes=0 dios=0\n");
	root_put(JOB2 "pids.current", "12\n");
	root_put(JOB2 "pids.max", "100\n");
	root_put(JOB2 "cpu.pressure", "some avg10=1.00 avg60=2.00 avg300=3.00 total=55\n"
				      "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	root_put(JOB2 "io.pressure", "garbage\n");
	root_put("sys/dev/block/x", "");
	root_put("sys/block/dm-0/slaves/sda", "");
}

static void link_device(const char *number, const char *target)
{
	char path[256];

	snprintf(path, sizeof path, "%s/sys/dev/block/%s", root, number);
	PM_SURE(symlink(target, path) == 0);
}

START_TEST(version2)
{
	put_version2();
	link_device("8:0", "../../devices/pci0000:00/block/sda");
	link_device("253:10", "../../devices/virtual/block/dm-0");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("cpu_time", "", 300);
	check_known("usertime", "", 200);
	check_known("systemtime", "", 100);
	check_known("quota_periods", "", 7);
	check_known("throttled", "", 3);
	check_known("throttled_time", "", 12345);
	check_known("memory", "", 1048576);
	check_known("memory_peak", "", 2097152);
	check_known("memory_limit", "", 8000000);
	check_known("anonymous", "", 1);
	check_known("file", "", 2);
	check_known("shared", "", 3);
	check_known("swap", "", 4096);
	check_known("pgfault", "", 4);
	check_known("pgmajfault", "", 5);
	check_known("limit_hits", "", 3);
	check_known("oom", "", 4);
	check_known("oom_kill", "", 5);
	/* Without dm-0, whose traffic is sda's. */
	check_known("read_bytes", "", 1007);
	check_known("write_bytes", "", 208);
	check_known("reads", "", 39);
	check_known("writes", "", 14);
	check_known("tasks", "", 12);
	check_known("tasks_limit", "", 100);
	check_known("some", "cpu", 55);
	check_known("some_avg60", "cpu", 200);
	check_unknown("some", "memory", PM_REASON_absent);
	check_unknown("some", "io", PM_REASON_unsupported);
	/* The process ends: its group is read as long as it is there. */
	root_remove_path("proc/77");
	root_put(JOB2 "cpu.stat", "usage_usec 900\n");
	sample();
	check_known("cpu_time", "", 900);
	check_unknown("throttled", "", PM_REASON_absent);
	root_remove_path(JOB2);
	sample();
	check_unknown("cpu_time", "", PM_REASON_absent);
	check_unknown("memory", "", PM_REASON_absent);
	check_unknown("tasks", "", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(version2_garbled)
{
	put_version2();
	root_put(JOB2 "cpu.stat", "usage_usec x\nuser_usec 200");
	root_put(JOB2 "memory.current", "12 13\n");
	root_put(JOB2 "memory.peak", "");
	root_put(JOB2 "memory.max", "maximum\n");
	root_put(JOB2 "memory.events", "oom_kill 1\n");
	root_put(JOB2 "io.stat", "8:0 rbytes=1 wbytes=x rios=3\n8:16\n\nx:1 rbytes=5\n8: rbytes=5\n"
				 "8:32 rbytes=2 rios=9223372036854775807\n");
	root_put(JOB2 "pids.max", "max\n");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_unknown("cpu_time", "", PM_REASON_parse);
	check_unknown("usertime", "", PM_REASON_parse); /* cut */
	check_unknown("systemtime", "", PM_REASON_absent);
	check_unknown("memory", "", PM_REASON_parse);
	check_unknown("memory_peak", "", PM_REASON_parse);
	check_unknown("memory_limit", "", PM_REASON_parse);
	check_unknown("oom", "", PM_REASON_absent);
	check_known("oom_kill", "", 1);
	check_known("read_bytes", "", 3);
	check_unknown("write_bytes", "", PM_REASON_parse);
	check_unknown("reads", "", PM_REASON_parse);
	check_known("writes", "", 0);
	check_known("tasks", "", 12);
	check_unknown("tasks_limit", "", PM_REASON_absent); /* there is none */
	end();
}
END_TEST

/* A recorded tree may hold anything. */
START_TEST(version2_zeros)
{
	static const char text[] = "8:0 rbytes=1 \0 rbytes=2\n8:\0 rbytes=3\n8:0\0 rbytes=4\n";

	put_version2();
	root_put_bytes(JOB2 "io.stat", text, sizeof text - 1);
	root_put_bytes(JOB2 "cpu.stat", "usage_usec 1\0\n\0\n", 17);
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("read_bytes", "", 3);
	check_unknown("cpu_time", "", PM_REASON_parse);
	end();
}
END_TEST

START_TEST(version2_closed)
{
	char path[256];

	put_version2();
	snprintf(path, sizeof path, "%s/" JOB2 "memory.current", root);
	PM_SURE(chmod(path, 0) == 0);
	job = 77;
	root_become_plain_user();
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	root_become_self();
	check_unknown("memory", "", PM_REASON_permission);
	check_known("memory_peak", "", 2097152);
	end();
}
END_TEST

/* A batch system moves the process into another group once it has it. */
START_TEST(version2_moves)
{
	put_version2();
	root_put("sys/fs/cgroup/other one/cpu.stat", "usage_usec 11\n");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("cpu_time", "", 300);
	root_put("proc/77/cgroup", "0::/other one\n");
	sample();
	check_known("cpu_time", "", 11);
	check_unknown("memory", "", PM_REASON_absent);
	root_put("proc/77/cgroup", "0::/system.slice/slurmstepd.scope/job_42/step_1\n");
	sample();
	check_known("cpu_time", "", 300);
	check_known("memory", "", 1048576);
	end();
}
END_TEST

/* --- version 1 -------------------------------------------------------------------------------- */

#define MOUNT1(list)                                                                               \
	"36 33 0:26 / /sys/fs/cgroup/" list " rw shared:12 - cgroup cgroup rw," list "\n"
#define OAR "oar/alice_4711/"

static void put_version1(void)
{
	root_put("proc/self/mountinfo", MOUNT1("cpu,cpuacct") MOUNT1("memory") MOUNT1("blkio")
						MOUNT1("pids") MOUNT1("cpuset"));
	root_put("proc/77/cgroup", "7:pids:/\n6:memory:/oar/alice_4711\n5:blkio:/oar/alice_4711\n"
				   "4:cpuset:/oar/alice_4711\n3:cpu,cpuacct:/oar/alice_4711\n");
	root_put("sys/fs/cgroup/cpu,cpuacct/" OAR "cpuacct.usage", "300000999\n");
	root_put("sys/fs/cgroup/cpu,cpuacct/" OAR "cpuacct.usage_user", "200000000\n");
	root_put("sys/fs/cgroup/cpu,cpuacct/" OAR "cpuacct.usage_sys", "100000000\n");
	root_put("sys/fs/cgroup/cpu,cpuacct/" OAR "cpu.stat",
		 "nr_periods 7\nnr_throttled 3\nthrottled_time 12345678\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.usage_in_bytes", "1048576\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.max_usage_in_bytes", "2097152\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.failcnt", "9\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.stat",
		 "cache 1\nrss 2\nhierarchical_memory_limit 9223372036854771712\ntotal_cache 30\n"
		 "total_rss 40\ntotal_rss_huge 41\ntotal_shmem 50\ntotal_swap 60\n"
		 "total_pgfault 70\ntotal_pgmajfault 80\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.oom_control",
		 "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	root_put("sys/fs/cgroup/blkio/" OAR "blkio.throttle.io_service_bytes_recursive",
		 "8:0 Read 4096\n8:0 Write 100\n8:0 Sync 0\n8:0 Async 4196\n8:0 Total 4196\n"
		 "8:16 Read 1\n8:16 Write 2\n8:16 Total 3\nTotal 4199\n");
	root_put("sys/fs/cgroup/blkio/" OAR "blkio.throttle.io_serviced_recursive",
		 "8:0 Read 5\n8:0 Write 6\n8:0 Total 11\nTotal 11\n");
	root_put("sys/fs/cgroup/pids/pids.current", "999\n");
}

START_TEST(version1)
{
	put_version1();
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("cpu_time", "", 300000);
	check_known("usertime", "", 200000);
	check_known("systemtime", "", 100000);
	check_known("quota_periods", "", 7);
	check_known("throttled_time", "", 12345);
	check_known("memory", "", 1048576);
	check_known("memory_peak", "", 2097152);
	check_unknown("memory_limit", "", PM_REASON_absent);
	check_known("anonymous", "", 40);
	check_known("file", "", 30);
	check_known("shared", "", 50);
	check_known("swap", "", 60);
	check_known("pgfault", "", 70);
	check_known("pgmajfault", "", 80);
	check_known("limit_hits", "", 9);
	check_unknown("oom", "", PM_REASON_absent);
	check_known("oom_kill", "", 2);
	check_known("read_bytes", "", 4097);
	check_known("write_bytes", "", 102);
	check_known("reads", "", 5);
	check_known("writes", "", 6);
	check_unknown("tasks", "", PM_REASON_absent); /* those of the whole node */
	check_unknown("some", "cpu", PM_REASON_absent);
	root_put("sys/fs/cgroup/memory/" OAR "memory.stat", "hierarchical_memory_limit 5000\n");
	sample();
	check_known("memory_limit", "", 5000);
	check_unknown("anonymous", "", PM_REASON_absent);
	end();
}
END_TEST

/* Its tasks, the quota and what the limit may be. */
START_TEST(version1_rest)
{
	put_version1();
	root_put("proc/77/cgroup", "7:pids:/oar/alice_4711\n6:memory:/oar/alice_4711\n"
				   "3:cpu,cpuacct:/oar/alice_4711\n");
	root_put("sys/fs/cgroup/pids/" OAR "pids.current", "12\n");
	root_put("sys/fs/cgroup/pids/" OAR "pids.max", "100\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.stat", "hierarchical_memory_limit 4611686018427387903\n");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("tasks", "", 12);
	check_known("tasks_limit", "", 100);
	check_known("throttled", "", 3);
	check_known("memory_limit", "", 4611686018427387903);
	root_put("sys/fs/cgroup/pids/" OAR "pids.max", "max\n");
	root_put("sys/fs/cgroup/memory/" OAR "memory.stat", "hierarchical_memory_limit 4611686018427387904\n");
	sample();
	check_unknown("tasks_limit", "", PM_REASON_absent);
	check_unknown("memory_limit", "", PM_REASON_absent);
	root_put("sys/fs/cgroup/memory/" OAR "memory.stat", "hierarchical_memory_limit x\n");
	sample();
	check_unknown("memory_limit", "", PM_REASON_parse);
	end();
}
END_TEST

/* The least of all limits, wherever it is; one that cannot be read may be the least. */
START_TEST(version2_limits)
{
	put_version2();
	root_put(JOB2 "memory.max", "7000000\n");
	root_put(JOB2 "io.pressure", "some avg10=1.01 avg60=2.02 avg300=3.03 total=44\n"
				     "full avg10=5.05 avg60=6.06 avg300=7.07 total=88\n");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("memory_limit", "", 7000000);
	check_known("some", "io", 44);
	check_known("full", "io", 88);
	check_known("some_avg10", "io", 101);
	check_known("full_avg300", "io", 707);
	root_put(JOB2 "memory.max", "max\n");
	root_put("sys/fs/cgroup/system.slice/memory.max", "6000000\n");
	sample();
	check_known("memory_limit", "", 6000000);
	root_put("sys/fs/cgroup/system.slice/slurmstepd.scope/memory.max", "");
	sample();
	check_unknown("memory_limit", "", PM_REASON_parse);
	root_put("sys/fs/cgroup/system.slice/slurmstepd.scope/memory.max", "max\n");
	root_put("sys/fs/cgroup/system.slice/memory.max", "max\n");
	sample();
	check_unknown("memory_limit", "", PM_REASON_absent);
	end();
}
END_TEST

/* systemd's hybrid: the unified hierarchy without controllers, which version 1 has. */
START_TEST(hybrid)
{
	put_version1();
	root_put("proc/self/mountinfo",
		 MOUNT1("cpu,cpuacct") MOUNT1("memory") "42 33 0:27 / /sys/fs/cgroup/unified rw - "
							"cgroup2 cgroup2 rw\n");
	root_put("proc/77/cgroup", "6:memory:/oar/alice_4711\n3:cpu,cpuacct:/oar/alice_4711\n0::/"
				   "user.slice/s.scope\n");
	root_put("sys/fs/cgroup/unified/user.slice/s.scope/cgroup.procs", "77\n");
	root_put("sys/fs/cgroup/unified/user.slice/s.scope/cpu.stat",
		 "usage_usec 44\nuser_usec 33\nsystem_usec 11\n");
	root_put("sys/fs/cgroup/unified/user.slice/s.scope/memory.pressure",
		 "some avg10=0.00 avg60=0.00 avg300=0.00 total=6\n"
		 "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("cpu_time", "", 44);
	check_known("quota_periods", "", 7); /* of version 1: the other has none */
	check_known("memory", "", 1048576);
	check_known("full", "memory", 5);
	check_unknown("read_bytes", "", PM_REASON_absent); /* not mounted */
	end();
}
END_TEST

/* --- none, and containers --------------------------------------------------------------------- */

static const struct {
	const char *cgroup, *mountinfo;
	bool there;
} places[] = {
	{ "0::/job\n", MOUNT2, true },
	{ "0::/\n", MOUNT2, false }, /* the node's */
	{ "4:memory:/\n", MOUNT1("memory"), false },
	{ "", MOUNT2, false },
	{ "0::/job\n", "", false },
	{ "0::/job (deleted)\n", MOUNT2, false },
	{ "0::/../../elsewhere\n", MOUNT2, false },
	{ "garbage\n::\n0::\n0::job\n", MOUNT2, false },
	{ "0::/job\n", "30 23 0:26 / /sys/fs/cgroup rw\n - cgroup2\n30 - cgroup2 x y\n", false },
	/* A container that sees its own part of version 1 under the node's names. */
	{ "4:memory:/docker/abc\n",
	  "36 33 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", true },
	/* A mount point with a blank. */
	{ "0::/job\n", "30 23 0:26 / /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw\n", true },
};

START_TEST(place)
{
	root_put("proc/77/cgroup", places[_i].cgroup);
	root_put("proc/self/mountinfo", places[_i].mountinfo);
	root_put("sys/fs/cgroup/job/memory.current", "5\n");
	root_put("sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n");
	root_put("sys/fs/my groups/job/memory.current", "5\n");
	job = 77;
	if (!places[_i].there) {
		ck_assert_int_eq(begin(&pm_source_cgroup), -1);
		ck_assert_int_eq(why.reason, PM_REASON_absent);
		pm_sink_free(&sink);
		return;
	}
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("memory", "", 5);
	end();
}
END_TEST

/* In a namespace of control groups the job's group is "/", which the node's root is not like. */
START_TEST(namespace)
{
	root_put("proc/77/cgroup", "0::/\n");
	root_put("proc/self/mountinfo", MOUNT2);
	root_put("sys/fs/cgroup/cgroup.events", "populated 1\n");
	root_put("sys/fs/cgroup/memory.current", "5\n");
	root_put("sys/fs/cgroup/memory.max", "7\n");
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("memory", "", 5);
	check_known("memory_limit", "", 7);
	end();
}
END_TEST

START_TEST(no_process)
{
	root_put("proc/self/mountinfo", MOUNT2);
	job = 77;
	ck_assert_int_eq(begin(&pm_source_cgroup), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/proc/77/cgroup"));
	pm_sink_free(&sink);
	job = 0;
	root_put("proc/self/cgroup", "0::/mine\n");
	root_put("sys/fs/cgroup/mine/memory.current", "6\n");
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("memory", "", 6);
	end();
}
END_TEST

/* A group that is named by its directory in one hierarchy is read in all. */
START_TEST(named)
{
	put_version2();
	root_put("proc/self/cgroup", "0::/elsewhere\n");
	root_put("sys/fs/cgroup/elsewhere/cpu.stat", "usage_usec 1\n");
	root_put(JOB2 "cgroup.procs", "77\n");
	group = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_42/";
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("cpu_time", "", 300);
	check_known("memory_limit", "", 8000000);
	/* The sampler's own group may change. */
	root_put("proc/self/cgroup", "0::/\n");
	sample();
	check_known("cpu_time", "", 300);
	end();
}
END_TEST

START_TEST(named_version1)
{
	put_version1();
	root_put("proc/self/cgroup", "3:cpu,cpuacct:/\n");
	for (const char *const *c =
		     (const char *const[]){ "memory/", "cpu,cpuacct/", "cpuset/", NULL };
	     *c; c++) {
		char path[128];

		snprintf(path, sizeof path, "sys/fs/cgroup/%s" OAR "cgroup.procs", *c);
		root_put(path, "77\n");
	}
	group = "/sys/fs/cgroup/cpuset/oar/alice_4711";
	ck_assert_int_eq(begin(&pm_source_cgroup), 0);
	sample();
	check_known("cpu_time", "", 300000);
	check_known("memory", "", 1048576);
	check_unknown("read_bytes", "", PM_REASON_absent); /* no such group there */
	end();
}
END_TEST

START_TEST(named_wrongly)
{
	static const char *const wrong[] = { "/tmp", "/sys/fs/cgroup", "/sys/fs/cgroupx/a",
					     "/sys/fs/cgroup/no/such", "sys/fs/cgroup/a" };

	put_version2();
	root_put("proc/self/cgroup", "0::/elsewhere\n");
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		group = wrong[i];
		ck_assert_int_eq(begin(&pm_source_cgroup), -1);
		ck_assert_int_eq(why.reason, PM_REASON_absent);
		pm_sink_free(&sink);
	}
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void setup(void)
{
	root_make();
	job = 0;
	group = NULL;
}

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_cgroup");
	TCase *t = tcase_create("cgroup");

	tcase_add_checked_fixture(t, setup, root_remove);
	tcase_add_loop_test(t, job_of, 0, COUNT(jobs));
	tcase_add_test(t, version2);
	tcase_add_test(t, version2_garbled);
	tcase_add_test(t, version2_zeros);
	tcase_add_test(t, version2_closed);
	tcase_add_test(t, version2_moves);
	tcase_add_test(t, version1);
	tcase_add_test(t, version1_rest);
	tcase_add_test(t, version2_limits);
	tcase_add_test(t, hybrid);
	tcase_add_loop_test(t, place, 0, COUNT(places));
	tcase_add_test(t, namespace);
	tcase_add_test(t, no_process);
	tcase_add_test(t, named);
	tcase_add_test(t, named_version1);
	tcase_add_test(t, named_wrongly);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
