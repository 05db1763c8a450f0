/*
 * Writes the record files of a made-up job, for tests and benchmarks of loading:
 *
 *	generate DIR PROCESSES [HOSTS]
 *
 * Deterministic: the same arguments give the same bytes. A shell per host starts one command after
 * the other; every command is a fork and an exec, 4 % of them have four
 * threads, some fail, some are killed and have no end. The last line on standard output says what
 * the job must load to: processes, thread rows, failed, killed.
 */
#include "config.h"

#include "common/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define START_US 1700000000000000
#define BOOT     "00000000-0000-4000-8000-00000000000"

static struct {
	FILE *out;
	unsigned host;
	int64_t now_us;
	uint64_t random;
	long processes, threads, failed, killed;
} job;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* xorshift64 (Marsaglia 2003). */
static unsigned pick(unsigned below)
{
	job.random ^= job.random << 13;
	job.random ^= job.random >> 7;
	job.random ^= job.random << 17;
	return (unsigned)(job.random >> 33) % below;
}

static void text(struct pm_record *r, enum pm_column c, const char *s)
{
	pm_record_text(r, c, s, strlen(s));
}

static void put(const struct pm_record *r)
{
	static char line[65536];
	struct pm_buf b;

	pm_buf_init(&b, line, sizeof line);
	pm_buf_ch(&b, '\n');
	pm_record_format(r, &b);
	if (b.truncated || fwrite(line, 1, b.len, job.out) != b.len)
		die("write");
}

static void key(struct pm_record *r, const char *kind, int64_t pid, int64_t image_us)
{
	static char boot[8][sizeof BOOT + 1], host[8][8];
	unsigned h = job.host % 8;

	snprintf(boot[h], sizeof boot[h], "%s%u", BOOT, h);
	snprintf(host[h], sizeof host[h], "n%u", h);
	pm_record_clear(r);
	text(r, PM_COL_record, kind);
	text(r, PM_COL_boot_id, boot[h]);
	text(r, PM_COL_hostname, host[h]);
	pm_record_int(r, PM_COL_pid_ns, 4026531836);
	pm_record_int(r, PM_COL_pid, pid);
	if (image_us) {
		pm_record_int(r, PM_COL_image_us, image_us);
		pm_record_int(r, PM_COL_starttime, (image_us - START_US) / 10000 + 1000);
	}
}

static void rusage(struct pm_record *r, int64_t n)
{
	pm_record_int(r, PM_COL_usertime, n);
	pm_record_int(r, PM_COL_systemtime, n / 2);
	pm_record_int(r, PM_COL_minflt, n / 10);
	pm_record_int(r, PM_COL_majflt, 0);
	pm_record_int(r, PM_COL_inblock, 0);
	pm_record_int(r, PM_COL_outblock, 8);
	pm_record_int(r, PM_COL_vol_ctxsw, 3);
	pm_record_int(r, PM_COL_invol_ctxsw, 1);
}

static void put_start(int64_t pid, int64_t starttime, int64_t ppid, int64_t image_us,
		      const char *exe, const char *path, const char *args, int64_t used)
{
	struct pm_record r;

	key(&r, "start", pid, image_us);
	pm_record_int(&r, PM_COL_starttime, starttime);
	pm_record_int(&r, PM_COL_ppid, ppid);
	pm_record_int(&r, PM_COL_tid, pid);
	pm_record_int(&r, PM_COL_pgid, ppid);
	pm_record_int(&r, PM_COL_sid, 1000);
	pm_record_int(&r, PM_COL_uid, 1000);
	pm_record_int(&r, PM_COL_start_us, image_us);
	text(&r, PM_COL_exename, exe);
	text(&r, PM_COL_thread_name, exe);
	text(&r, PM_COL_path, path);
	text(&r, PM_COL_args, args);
	text(&r, PM_COL_tags, "op:build;stage:one=1");
	text(&r, PM_COL_jobid, "4711");
	text(&r, PM_COL_cgroup, "/system.slice/slurmstepd.scope/job_4711/step_0");
	text(&r, PM_COL_version, PACKAGE_VERSION);
	rusage(&r, used);
	put(&r);
}

static void io(struct pm_record *r, int64_t n)
{
	pm_record_int(r, PM_COL_processor, n % 2);
	pm_record_int(r, PM_COL_guest_time, 0);
	pm_record_int(r, PM_COL_rchar, 10 * n);
	pm_record_int(r, PM_COL_wchar, 5 * n);
	pm_record_int(r, PM_COL_syscr, 12);
	pm_record_int(r, PM_COL_syscw, 4);
	pm_record_int(r, PM_COL_read_bytes, 0);
	pm_record_int(r, PM_COL_write_bytes, 4096);
	pm_record_int(r, PM_COL_cancelled_write_bytes, 0);
	pm_record_int(r, PM_COL_time_oncpu, 1500 * n);
	pm_record_int(r, PM_COL_time_waiting, 10 * n);
	pm_record_int(r, PM_COL_timeslices, 5);
	pm_record_int(r, PM_COL_rdtsc_duration, 3000 * n);
}

static void put_end(int64_t pid, int64_t starttime, int64_t image_us, const char *why, int code,
		    int64_t used, int threads, const char *exe)
{
	struct pm_record r;

	key(&r, "end", pid, image_us);
	pm_record_int(&r, PM_COL_starttime, starttime);
	pm_record_int(&r, PM_COL_tid, pid);
	pm_record_int(&r, PM_COL_start_us, image_us);
	pm_record_int(&r, PM_COL_end_us, job.now_us);
	pm_record_int(&r, PM_COL_duration_us, job.now_us - image_us);
	text(&r, PM_COL_end_reason, why);
	if (code >= 0)
		pm_record_int(&r, PM_COL_exitcode, code);
	text(&r, PM_COL_exename, exe);
	text(&r, PM_COL_thread_name, exe);
	pm_record_int(&r, PM_COL_numtids, threads);
	pm_record_int(&r, PM_COL_num_threads, 1);
	pm_record_int(&r, PM_COL_rssmax, 2000 + used / 100);
	pm_record_int(&r, PM_COL_vmpeak, 20000);
	pm_record_int(&r, PM_COL_cminflt, 0);
	pm_record_int(&r, PM_COL_cmajflt, 0);
	pm_record_int(&r, PM_COL_cutime, 0);
	pm_record_int(&r, PM_COL_cstime, 0);
	rusage(&r, used);
	io(&r, used);
	text(&r, PM_COL_counters, "perf::TASK-CLOCK=1500000 perf::PAGE-FAULTS=70@0.500");
	pm_record_int(&r, PM_COL_own_overhead_us, 40);
	pm_record_int(&r, PM_COL_own_cpu_us, 30);
	pm_record_int(&r, PM_COL_own_minflt, 5);
	pm_record_int(&r, PM_COL_own_rchar, 100);
	pm_record_int(&r, PM_COL_own_wchar, 50);
	pm_record_int(&r, PM_COL_own_syscr, 2);
	pm_record_int(&r, PM_COL_own_syscw, 1);
	put(&r);
}

static void put_thread(int64_t pid, int64_t starttime, int64_t image_us, int64_t tid, int64_t used)
{
	struct pm_record r;

	key(&r, "thread", pid, image_us);
	pm_record_int(&r, PM_COL_starttime, starttime);
	pm_record_int(&r, PM_COL_tid, tid);
	pm_record_int(&r, PM_COL_start_us, image_us + (tid - pid) * 10);
	pm_record_int(&r, PM_COL_end_us, job.now_us);
	pm_record_int(&r, PM_COL_duration_us, job.now_us - image_us);
	text(&r, PM_COL_thread_name, "worker");
	rusage(&r, used);
	io(&r, used);
	put(&r);
	job.threads++;
}

static void put_reaped(int64_t pid, int64_t ppid, int code, int sig, int64_t used)
{
	struct pm_record r;

	key(&r, "reaped", pid, 0);
	pm_record_int(&r, PM_COL_ppid, ppid);
	pm_record_int(&r, PM_COL_end_us, job.now_us);
	if (sig)
		pm_record_int(&r, PM_COL_exitsignal, sig);
	else
		pm_record_int(&r, PM_COL_exitcode, code);
	rusage(&r, used);
	pm_record_int(&r, PM_COL_rssmax, 2500);
	put(&r);
	job.failed += code != 0 || sig != 0;
	job.killed += sig != 0;
}

/* A command as a shell starts it: fork, exec, end, waited for. Two images. */
static void command(int64_t pid, int64_t ppid)
{
	static const char *const exe[] = { "gcc", "cc1", "as", "ld", "sed", "cat" };
	char args[128], path[64];
	const char *name = exe[pick(6)];
	int64_t forked = job.now_us, execed, used = 500 + pick(5000);
	int64_t starttime = (forked - START_US) / 10000 + 1000;
	int threads = pick(100) < 4 ? 4 : 1, code = pick(50) == 0, sig = pick(200) == 0 ? 9 : 0;

	snprintf(path, sizeof path, "/usr/bin/%s", name);
	snprintf(args, sizeof args,
		 "-O2 -c -I/home/someone/project/include -o obj/file%u.o file%u.c", pick(10000),
		 pick(10000));
	put_start(pid, starttime, ppid, forked, "bash", "/usr/bin/bash", "build.sh", 10);
	job.now_us += 300;
	put_end(pid, starttime, forked, "exec", -1, 200, 1, "bash");
	execed = job.now_us += 100;
	put_start(pid, starttime, ppid, execed, name, path, args, 210);
	job.now_us += used;
	if (!sig) {
		for (int t = 0; threads > 1 && t < threads; t++)
			put_thread(pid, starttime, execed, pid + t, used / threads);
		put_end(pid, starttime, execed, "exit", code, 200 + used, threads, name);
	}
	job.now_us += 20;
	put_reaped(pid, ppid, code, sig, 220 + used);
	job.processes += 2;
}

static void metadata(const char *dir, int64_t end_us)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/job-n%u.json", dir, job.host);
	out = fopen(path, "w");
	if (!out)
		die(path);
	fprintf(out,
		"{\"format\":\"perfmon-job-1\",\"version\":\"" PACKAGE_VERSION
		"\",\"job\":{\"cluster\":\"\","
		"\"user\":\"tester\",\"jobid\":\"4711\",\"array_task\":\"\",\"restart_count\":0,"
		"\"epoch_us\":%lld,\"scheduler\":\"none\",\"name\":\"made "
		"up\",\"uid\":%u,\"gid\":1000,"
		"\"tags\":{\"exp\":\"a:b=c\"}},\"host\":{\"hostname\":\"n%u\",\"boot_id\":\"%s%u\","
		"\"cpus_online\":4,\"cpus_allowed\":2,\"memory_kb\":8000000},"
		"\"start\":{\"time_us\":%lld,\"monotonic_us\":5000000},"
		"\"stop\":{\"time_us\":%lld,\"monotonic_us\":%lld,\"exit_status\":0}}\n",
		(long long)START_US, 1000u, job.host, BOOT, job.host, (long long)START_US - 1000,
		(long long)end_us, (long long)(5000000 + end_us - START_US + 1000));
	if (fclose(out) != 0)
		die(path);
}

static void one_host(const char *dir, long processes)
{
	char path[4096];
	int64_t pid = 1000, shell = 1000, shell_starttime = 1000, begin = START_US;
	long before = job.processes;

	snprintf(path, sizeof path, "%s/n%u-1000.tsv", dir, job.host);
	job.out = fopen(path, "w");
	if (!job.out || fwrite(pm_column_header, 1, pm_column_header_len, job.out) == 0)
		die(path);
	job.now_us = START_US;
	put_start(shell, shell_starttime, 1, begin, "bash", "/usr/bin/bash", "build.sh all", 0);
	job.processes++;
	while (job.processes - before + 2 <= processes) {
		pid = pid >= 4000000 ? 2000 : pid + 5;
		job.now_us += 50;
		command(pid, shell);
	}
	job.now_us += 1000;
	put_end(shell, shell_starttime, begin, "exit", 0, 5000, 1, "bash");
	if (fclose(job.out) != 0)
		die(path);
	metadata(dir, job.now_us + 1000);
}

int main(int argc, char **argv)
{
	long processes, hosts;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: generate DIR PROCESSES [HOSTS]\n");
		return 2;
	}
	processes = strtol(argv[2], NULL, 10);
	hosts = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
	if (processes < 1 || hosts < 1 || hosts > 8) {
		fprintf(stderr, "generate: numbers out of range\n");
		return 2;
	}
	if (mkdir(argv[1], 0700) < 0)
		die(argv[1]);
	job.random = 88172645463325252;
	for (job.host = 0; job.host < hosts; job.host++)
		one_host(argv[1], processes / hosts);
	printf("%ld %ld %ld %ld\n", job.processes, job.threads, job.failed, job.killed);
	return 0;
}
