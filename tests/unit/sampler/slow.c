/* Sources that may wait or are dear, on recorded trees: frequency, interrupts, nfs, file systems.
 */
#include "config.h"

#include <sys/statvfs.h>

#include "tests/unit/sampler/source.h"

/* --- jobs ------------------------------------------------------------------------------------- */

static void put_group(const char *path)
{
	char file[256];

	snprintf(file, sizeof file, "%s/cgroup.procs", path);
	root_put(file, "");
}

/* Jobs of several batch systems and hierarchies, each once, as they come and go. */
START_TEST(jobs)
{
	put_group("sys/fs/cgroup/system.slice/slurmstepd.scope/job_42/step_0/user");
	put_group("sys/fs/cgroup/cpuset/slurm/uid_1000/job_7/step_batch");
	put_group("sys/fs/cgroup/memory/slurm/uid_1000/job_7/step_batch");
	put_group("sys/fs/cgroup/system.slice/cron.service");
	put_group("dev/cpuset/oar/alice_4711");
	ck_assert_int_eq(begin(&pm_source_jobs), 0);
	sample();
	check_known("jobs", "", 3);
	check_known("present", "42", 1);
	check_known("present", "7", 1);
	check_known("present", "4711", 1);
	ck_assert_int_eq(objects("present"), 3);
	/* One comes, one goes, and another one from one of its hierarchies alone. */
	root_remove_path("dev/cpuset/oar/alice_4711");
	root_remove_path("sys/fs/cgroup/cpuset/slurm/uid_1000/job_7");
	put_group("sys/fs/cgroup/lsf/cluster/job.99.12.1700000000");
	sample();
	check_known("jobs", "", 3);
	check_known("present", "99", 1);
	check_known("present", "7", 1);
	check_unknown("present", "4711", PM_REASON_absent);
	pm_sink_passed(&sink);
	sample();
	ck_assert_int_eq(objects("present"), 3);
	root_remove_path("sys/fs/cgroup");
	sample();
	check_known("jobs", "", 0);
	end();
}
END_TEST

START_TEST(jobs_many)
{
	for (int i = 0; i < 300; i++) {
		char path[128];

		snprintf(path, sizeof path, "sys/fs/cgroup/slurm/uid_0/job_%d", i);
		put_group(path);
	}
	ck_assert_int_eq(begin(&pm_source_jobs), 0);
	for (int i = 0; i < 2; i++) {
		sample();
		check_known("jobs", "", 300);
		ck_assert_int_eq(objects("present"), 256);
	}
	end();
}
END_TEST

/* Of an SLUID root's slurmstepd tells the job, soon after its group is there; else the SLUID stays
 * its name. */
START_TEST(jobs_sluid)
{
	put_group("sys/fs/cgroup/slurm/job_s0123456789ABC/step_0/slurm");
	put_group("sys/fs/cgroup/slurm/job_s0123456789XYZ/step_0/slurm");
	ck_assert_int_eq(begin(&pm_source_jobs), 0);
	sample();
	check_known("jobs", "", 2);
	ck_assert_int_eq(objects("present"), 0);
	root_put("sys/fs/cgroup/slurm/job_s0123456789ABC/step_0/slurm/cgroup.procs", "10\n");
	root_put("proc/10/cmdline", "slurmstepd: [4711.0]");
	root_put("proc/10/status", "Name:\tslurmstepd\nUid:\t0\t0\t0\t0\n");
	for (int i = 0; i < 3; i++)
		sample();
	check_known("jobs", "", 2);
	check_known("present", "4711", 1);
	check_known("present", "s0123456789XYZ", 1);
	ck_assert_int_eq(objects("present"), 2);
	end();
}
END_TEST

START_TEST(jobs_none)
{
	ck_assert_int_eq(begin(&pm_source_jobs), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/sys/fs/cgroup"));
	pm_sink_free(&sink);
}
END_TEST

/* --- frequency -------------------------------------------------------------------------------- */

#define CPUFREQ(n) "sys/devices/system/cpu/cpu" n "/cpufreq/scaling_cur_freq"

START_TEST(frequency_cpufreq)
{
	root_put(CPUFREQ("0"), "1699981\n");
	root_put(CPUFREQ("1"), "8000\n");
	root_put(CPUFREQ("10"), "x\n");
	root_put("sys/devices/system/cpu/cpu11/online", "0\n"); /* offline: no cpufreq */
	root_put("sys/devices/system/cpu/cpufreq/boost", "1\n");
	root_put("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 1.000\n");
	ck_assert_int_eq(begin(&pm_source_frequency), 0);
	sample();
	ck_assert_int_eq(objects("frequency"), 3);
	check_known("frequency", "cpu0", 1699981000);
	check_known("frequency", "cpu1", 8000000);
	check_unknown("frequency", "cpu10", PM_REASON_parse);
	check_known("frequency", "", (1699981000 + 8000000) / 2);
	/* A CPU goes offline. */
	root_remove_path("sys/devices/system/cpu/cpu1");
	sample();
	check_unknown("frequency", "cpu1", PM_REASON_absent);
	check_known("frequency", "", 1699981000);
	root_remove_path("sys/devices/system/cpu");
	sample();
	check_unknown("frequency", "", PM_REASON_absent);
	end();
}
END_TEST

/* The mean alone, where CPUs have series together. */
START_TEST(frequency_together)
{
	const struct pm_target target = { .root = root, .own = &own, .no_cpu_series = true };

	root_put(CPUFREQ("0"), "1699981\n");
	root_put(CPUFREQ("1"), "8000\n");
	root_put(CPUFREQ("10"), "x\n");
	ck_assert_int_eq(begin_on(&pm_source_frequency, &target), 0);
	sample();
	ck_assert_int_eq(objects("frequency"), 0);
	check_known("frequency", "", (1699981000 + 8000000) / 2);
	end();
}
END_TEST

START_TEST(frequency_cpuinfo)
{
	root_put("proc/cpuinfo",
		 "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu MHz\t\t: 2299.998\n"
		 "cache size\t: 1 KB\n\nprocessor\t: 3\ncpu MHz\t\t: 800\n\n"
		 "processor\t: 4\ncpu MHz\t\t: fast\n\nprocessor\t: x\ncpu MHz\t\t: 7\n");
	ck_assert_int_eq(begin(&pm_source_frequency), 0);
	sample();
	check_known("frequency", "cpu0", 2299998000);
	check_known("frequency", "cpu3", 800000000);
	check_unknown("frequency", "cpu4", PM_REASON_parse);
	check_known("frequency", "", (2299998000 + 800000000) / 2);
	ck_assert_int_eq(objects("frequency"), 3);
	root_put("proc/cpuinfo", "processor\t: 5\ncpu MHz\t\t: 1000.5\n");
	sample();
	check_known("frequency", "cpu5", 1000500000);
	check_unknown("frequency", "cpu0", PM_REASON_absent);
	end();
}
END_TEST

/* ARM says no frequency in /proc/cpuinfo. */
START_TEST(frequency_none)
{
	root_put("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n");
	ck_assert_int_eq(begin(&pm_source_frequency), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	root_remove_path("proc/cpuinfo");
	ck_assert_int_eq(begin(&pm_source_frequency), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

/* --- interrupts ------------------------------------------------------------------------------- */

START_TEST(interrupts)
{
	root_put("proc/interrupts", "           CPU0       CPU1       \n"
				    "  0:         18          2  IR-IO-APIC-edge      timer\n"
				    " 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n"
				    " 25:          4          0  2-edge 77 88\n"
				    "NMI:         47       5031   Non-maskable interrupts\n"
				    "ERR:          3\nMIS:\nLOC:  9223372036854775807 1\n"
				    "cut: 5 6");
	ck_assert_int_eq(begin(&pm_source_interrupts), 0);
	sample();
	check_known("interrupts", "devices", 25);
	check_known("interrupts", "NMI", 5078);
	check_known("interrupts", "ERR", 3);
	check_unknown("interrupts", "MIS", PM_REASON_parse);
	check_unknown("interrupts", "LOC", PM_REASON_parse);
	check_unknown("interrupts", "", PM_REASON_parse);
	ck_assert_int_eq(objects("interrupts"), 5);
	/* arm64: names behind the numbers, inter-processor interrupts. */
	root_put("proc/interrupts",
		 "           CPU0       CPU1\n"
		 " 11:          3          4     GICv3  27 Level     arch_timer\n"
		 "IPI0:         5          6       Rescheduling interrupts\nErr:          0\n");
	sample();
	check_known("interrupts", "devices", 7);
	check_known("interrupts", "IPI0", 11);
	check_known("interrupts", "Err", 0);
	check_unknown("interrupts", "NMI", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(interrupts_many)
{
	char *text = malloc(1000000);
	size_t n = (size_t)snprintf(text, 100, "      CPU0\n");

	for (int i = 0; i < 500; i++)
		n += (size_t)snprintf(text + n, 100, "K%d: 2\n", i);
	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(text + n, 100, "%d: 1 x y z\n", i);
	root_put("proc/interrupts", text);
	free(text);
	ck_assert_int_eq(begin(&pm_source_interrupts), 0);
	sample();
	ck_assert_int_eq(objects("interrupts"), 64);
	check_known("interrupts", "", 6000);
	end();
}
END_TEST

/* --- nfs -------------------------------------------------------------------------------------- */

#define STATS "proc/self/mountstats"

#define NFS(point, type)                                                                           \
	"device 192.168.1.1:/srv mounted on " point " with fstype " type " statvers=1.1\n"         \
	"\topts:\trw,vers=4.0\n\tage:\t13968\n"                                                    \
	"\tevents:\t52 226 0 0 1 13\n"
#define OPERATIONS                                                                                 \
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"                                        \
	"\txprt:\ttcp 832 0 1 0 11 6428 6428 0 12154 0 24 26 5726\n\tper-op statistics\n"

START_TEST(nfs)
{
	root_put(STATS,
		 "device proc mounted on /proc with fstype proc\n"
		 "device /dev/sda1 mounted on / with fstype ext4\n" NFS(
			 "/home", "nfs4") "\tbytes:\t1 2 3 4 5 6 7 8\n" OPERATIONS
					  "\t        NULL: 0 0 0 0 0 0 0 0 0\n"
					  "\t        READ: 10 12 3 400 500 6 7 8 9\n"
					  "\t       WRITE: 20 20 0 1 2 3 4 5 6\n"
					  "\t       CLOSE: 5 4 0 0 0 0 0 0\n\n"
					  "device none mounted on /proc/fs/nfsd with fstype nfsd\n"
					  "\tbytes:\t9 9 9 9 9 9 9 9\n" NFS("/my\\040data", "nfs")
						  OPERATIONS);
	ck_assert_int_eq(begin(&pm_source_nfs), 0);
	sample();
	ck_assert_int_eq(objects("read_bytes"), 2);
	check_known("read_bytes", "/home", 1);
	check_known("write_bytes", "/home", 2);
	check_known("direct_read_bytes", "/home", 3);
	check_known("direct_write_bytes", "/home", 4);
	check_known("server_read_bytes", "/home", 5);
	check_known("server_write_bytes", "/home", 6);
	check_known("operations", "/home", 35);
	check_known("retransmissions", "/home", 2);
	check_known("timeouts", "/home", 3);
	check_known("sent_bytes", "/home", 401);
	check_known("received_bytes", "/home", 502);
	check_known("queue_time", "/home", 9000);
	check_known("rtt_time", "/home", 11000);
	check_known("execute_time", "/home", 13000);
	check_unknown("read_bytes", "/my\\040data", PM_REASON_absent);
	check_unknown("operations", "/my\\040data", PM_REASON_absent);
	/* Unmounted. */
	root_put(STATS, "device proc mounted on /proc with fstype proc\n");
	sample();
	check_unknown("read_bytes", "/home", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(nfs_garbled)
{
	root_put(STATS,
		 NFS("/a", "nfs4") "\tbytes:\t1 2 x 4 5 6\n" OPERATIONS
				   "\tREAD: 1 1 0 5 6 18446743919241604546 7 8\n"
				   "\tWRITE: 1 1 0 5\n\tCLOSE 5 5\n" NFS("/b", "nfs4") OPERATIONS
		 "\tREAD: 1 1 0 5 6 18446743919241604546 7 8\n"
		 "device garbage\ndevice x mounted on /c\n"
		 "\tbytes:\t1 2 3 4 5 6 7 8\n" NFS("/d", "nfs4") "\tbytes:\t1 2 3");
	ck_assert_int_eq(begin(&pm_source_nfs), 0);
	sample();
	ck_assert_int_eq(objects("read_bytes"), 3);
	check_known("read_bytes", "/a", 1);
	check_known("write_bytes", "/a", 2);
	check_unknown("direct_read_bytes", "/a", PM_REASON_parse);
	check_unknown("server_read_bytes", "/a", PM_REASON_parse);
	check_unknown("operations", "/a", PM_REASON_parse);
	/* A time that became negative in the kernel is unknown, the others are as they are. */
	check_unknown("queue_time", "/b", PM_REASON_parse);
	check_known("operations", "/b", 1);
	check_known("rtt_time", "/b", 7000);
	check_unknown("read_bytes", "/d", PM_REASON_absent); /* cut */
	end();
}
END_TEST

static const struct {
	const char *text;
	enum pm_reason reason;
} no_nfs[] = {
	{ NULL, PM_REASON_absent },
	{ "", PM_REASON_absent },
	{ "device proc mounted on /proc with fstype proc\n", PM_REASON_absent },
};

START_TEST(nfs_none)
{
	if (no_nfs[_i].text)
		root_put(STATS, no_nfs[_i].text);
	ck_assert_int_eq(begin(&pm_source_nfs), -1);
	ck_assert_int_eq(why.reason, no_nfs[_i].reason);
	pm_sink_free(&sink);
}
END_TEST

/* --- file systems ----------------------------------------------------------------------------- */

#define MOUNTS "proc/self/mountinfo"

/* A file system of our making stands for all of them, where there is one. */
static const struct statvfs *made_up;

int statvfs(const char *path, struct statvfs *vfs)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = fstatvfs(fd, vfs);
	close(fd);
	if (rc == 0 && made_up)
		*vfs = *made_up;
	return rc;
}

/* Some of what is free is kept for root: neither used nor available. */
START_TEST(filesystems_figures)
{
	static const struct statvfs full = { .f_bsize = 1048576,
					     .f_frsize = 4096,
					     .f_blocks = 1000,
					     .f_bfree = 400,
					     .f_bavail = 300,
					     .f_files = 50,
					     .f_ffree = 20,
					     .f_favail = 10 };
	static const struct statvfs without_inodes = { .f_frsize = 512,
						       .f_blocks = 7,
						       .f_bfree = 7 };
	static const struct statvfs huge = { .f_frsize = 1 << 20, .f_blocks = (fsblkcnt_t)1 << 50 };

	root_put(MOUNTS, "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
	made_up = &full;
	ck_assert_int_eq(begin(&pm_source_filesystem), 0);
	sample();
	check_known("size", "/", 1000 * 4096);
	check_known("used", "/", 600 * 4096);
	check_known("available", "/", 300 * 4096);
	check_known("inodes", "/", 50);
	check_known("inodes_used", "/", 30);
	made_up = &without_inodes;
	sample();
	check_known("size", "/", 7 * 512);
	check_known("used", "/", 0);
	check_known("available", "/", 0);
	check_unknown("inodes", "/", PM_REASON_unsupported);
	check_unknown("inodes_used", "/", PM_REASON_unsupported);
	made_up = &huge;
	sample();
	check_unknown("size", "/", PM_REASON_parse);
	check_known("available", "/", 0);
	made_up = NULL;
	end();
}
END_TEST

/* The mount points of the recorded tree are directories of this machine, which has one file system
 * there. */
START_TEST(filesystems)
{
	struct statvfs vfs;

	root_put("data/my disk/x", "");
	root_put("scratch/x", "");
	root_put("home/x", "");
	root_put(MOUNTS, "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
			 "23 22 0:21 / /proc rw - proc proc rw\n"
			 "24 22 8:2 / /data/my\\040disk rw - xfs /dev/sda2 rw\n"
			 "25 22 8:2 /x /bind rw - xfs /dev/sda2 rw\n"
			 "26 22 0:30 / /run rw - tmpfs tmpfs rw\n"
			 "27 22 0:31 / /run/user/0 rw - tmpfs tmpfs rw\n"
			 "28 22 0:32 / /home rw - nfs4 server:/home rw\n"
			 "29 22 0:33 / /scratch rw - lustre mgs:/scratch rw\n"
			 "30 22 0:34 / /gone rw - nfs server:/gone rw\n"
			 "31 22 0:35 / /mnt/x rw - fuse.sshfs me@there: rw\n"
			 "garbage\n32 22 - ext4\n33 22 8:9 / relative rw - ext4 /dev/sda9 rw\n");
	ck_assert_int_eq(begin(&pm_source_filesystem), 0);
	sample();
	PM_SURE(statvfs(root, &vfs) == 0);
	ck_assert_int_eq(objects("size"), 2);
	check_known("size", "/", (int64_t)vfs.f_blocks * (int64_t)vfs.f_frsize);
	check_known("size", "/data/my disk", (int64_t)vfs.f_blocks * (int64_t)vfs.f_frsize);
	ck_assert_int_eq(series("used", "/")->known, true);
	ck_assert_int_gt(series("used", "/")->value, 0);
	ck_assert_int_lt(series("available", "/")->value, series("size", "/")->value);
	/* One more is mounted, one is gone. */
	root_put(MOUNTS, "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
			 "24 22 8:3 / /scratch rw - ext4 /dev/sdb rw\n");
	sample();
	check_unknown("size", "/data/my disk", PM_REASON_absent);
	check_known("size", "/scratch", (int64_t)vfs.f_blocks * (int64_t)vfs.f_frsize);
	end();
}
END_TEST

START_TEST(filesystems_network)
{
	root_put("home/x", "");
	root_put(MOUNTS, "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
			 "28 22 0:32 / /home rw - nfs4 server:/home rw\n"
			 "30 22 0:34 / /gone rw - nfs server:/gone rw\n");
	ck_assert_int_eq(begin(&pm_source_netfs), 0);
	sample();
	ck_assert_int_eq(objects("size"), 2);
	ck_assert_int_eq(series("size", "/home")->known, true);
	check_unknown("size", "/gone", PM_REASON_absent);
	end();
	root_put(MOUNTS, "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
	ck_assert_int_eq(begin(&pm_source_netfs), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

START_TEST(filesystems_many)
{
	char *text = malloc(1000000);
	size_t n = 0;

	for (int i = 0; i < 1000; i++)
		n += (size_t)snprintf(text + n, 100, "1 1 8:%d / /m%d rw - ext4 /dev/x rw\n", i, i);
	root_put(MOUNTS, text);
	free(text);
	ck_assert_int_eq(begin(&pm_source_filesystem), 0);
	sample();
	ck_assert_int_eq(objects("size"), 32);
	check_unknown("size", "/m31", PM_REASON_absent);
	end();
}
END_TEST

/* --- the recorded machine --------------------------------------------------------------------- */

START_TEST(fixture)
{
	fixture_put(
		"proc/interrupts proc/10/mountstats proc/self sys/devices/system/cpu proc/cpuinfo");
	ck_assert_int_eq(begin(&pm_source_frequency), 0);
	sample();
	check_known("frequency", "cpu0", 1699981000);
	check_known("frequency", "cpu3", 8000000);
	check_known("frequency", "", (2 * (int64_t)1699981000 + 2 * 8000000) / 4);
	end();
	ck_assert_int_eq(begin(&pm_source_interrupts), 0);
	sample();
	check_known("interrupts", "NMI", 47 + 5031 + 6211 + 4968);
	check_known("interrupts", "TLB", 10460334 + 9918429 + 10494258 + 10345022);
	end();
	ck_assert_int_eq(begin(&pm_source_nfs), 0);
	sample();
	check_known("read_bytes", "/mnt/nfs/test", 1207640230);
	check_known("server_read_bytes", "/mnt/nfs/test", 1210214218);
	check_known("operations", "/mnt/nfs/test", 1298);
	check_known("rtt_time", "/mnt/nfs/test", 79386000);
	check_known("retransmissions", "/mnt/nfs/test", 0);
	end();
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_slow");
	TCase *t = tcase_create("slow");
	char path[512];

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, jobs);
	tcase_add_test(t, jobs_many);
	tcase_add_test(t, jobs_sluid);
	tcase_add_test(t, jobs_none);
	tcase_add_test(t, frequency_cpufreq);
	tcase_add_test(t, frequency_together);
	tcase_add_test(t, frequency_cpuinfo);
	tcase_add_test(t, frequency_none);
	tcase_add_test(t, interrupts);
	tcase_add_test(t, interrupts_many);
	tcase_add_test(t, nfs);
	tcase_add_test(t, nfs_garbled);
	tcase_add_loop_test(t, nfs_none, 0, COUNT(no_nfs));
	tcase_add_test(t, filesystems_figures);
	tcase_add_test(t, filesystems);
	tcase_add_test(t, filesystems_network);
	tcase_add_test(t, filesystems_many);
	if (fixture_path(path, sizeof path) == 0)
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
