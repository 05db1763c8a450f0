/* common/job/living.c and quality.c: images whose end nobody recorded, and which of them live. */
#include "config.h"

#include "common/bootid.h"
#include "common/job/jobdir.h"
#include "common/job/living.h"
#include "common/job/quality.h"
#include "common/pidns.h"
#include "common/safe/procfs.h"
#include "common/safe/record.h"
#include "tests/unit/sampler/root.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int dir;
static char host[256], boot[64];
static int before; /* descriptors that were open */

static int descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	int n = 0;

	while (list && readdir(list))
		n++;
	if (list)
		closedir(list);
	return n;
}

static void begin(void)
{
	root_make();
	dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	PM_SURE(dir >= 0);
	pm_jobdir_host(host, sizeof host);
	pm_bootid_read(boot);
	before = descriptors();
}

static void end(void)
{
	ck_assert_int_eq(descriptors(), before);
	close(dir);
	root_remove();
}

/* Append a record to a file; a boot id of NULL, or numbers below 0, are not known. */
static void put(const char *name, const char *kind, const char *boot_id, int64_t pid,
		int64_t starttime, int64_t pid_ns, int64_t image_us)
{
	char text[8192];
	struct pm_record r;
	struct pm_buf b;
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_APPEND, 0600);

	pm_record_clear(&r);
	pm_record_text(&r, PM_COL_record, kind, strlen(kind));
	if (boot_id)
		pm_record_text(&r, PM_COL_boot_id, boot_id, strlen(boot_id));
	if (pid >= 0)
		pm_record_int(&r, PM_COL_pid, pid);
	if (starttime >= 0)
		pm_record_int(&r, PM_COL_starttime, starttime);
	if (pid_ns >= 0)
		pm_record_int(&r, PM_COL_pid_ns, pid_ns);
	if (image_us >= 0)
		pm_record_int(&r, PM_COL_image_us, image_us);
	pm_buf_init(&b, text, sizeof text);
	if (lseek(fd, 0, SEEK_END) == 0)
		pm_buf_mem(&b, pm_column_header, pm_column_header_len);
	pm_record_format(&r, &b);
	PM_SURE(!b.truncated && write(fd, text, b.len) == (ssize_t)b.len);
	close(fd);
}

/* --- counting -----------------------------------------------------------------------------------
 */

static char seen[512];

static int take(void *ctx, const struct pm_quality_image *image)
{
	size_t n = strlen(seen);

	snprintf(seen + n, sizeof seen - n, "%s%lld/%lld/%lld", n ? " " : "", (long long)image->pid,
		 (long long)image->starttime, (long long)image->pid_ns);
	return *(int *)ctx;
}

/* What is open of a host, in the order of pids below 10. */
static const char *open_of(const char *of)
{
	static char sorted[512];
	char *word[64], *save = NULL;
	int stop = 0, n = 0;
	struct pm_err e;

	seen[0] = sorted[0] = '\0';
	ck_assert_int_eq(pm_quality_each_open(dir, of, take, &stop, &e), 0);
	for (char *p = strtok_r(seen, " ", &save); p; p = strtok_r(NULL, " ", &save))
		word[n++] = p;
	for (char c = '1'; c <= '9'; c++)
		for (int i = 0; i < n; i++)
			if (word[i][0] == c)
				snprintf(sorted + strlen(sorted), sizeof sorted - strlen(sorted),
					 "%s%s", *sorted ? " " : "", word[i]);
	return sorted;
}

START_TEST(counts)
{
	struct pm_quality q;
	struct pm_err e;
	struct stat st;
	int stop = 7;

	/* Ended; open; gone on after its end; ended twice; begun twice and ended; two of a pid. */
	put("h-0.tsv", "start", boot, 1, 100, 5, 10);
	put("h-0.tsv", "end", boot, 1, 100, 5, 10);
	put("h-0.tsv", "start", boot, 2, 100, 5, 10);
	put("h-0.tsv", "start", boot, 3, 100, 5, 10);
	put("h-0.tsv", "end", boot, 3, 100, 5, 10);
	put("h-0.tsv", "resumed", boot, 3, 100, 5, 10);
	put("h-0.tsv", "start", boot, 4, 100, 5, 10);
	put("h-1.tsv", "end", boot, 4, 100, 5, 10);
	put("h-1.tsv", "end", boot, 4, 100, 5, 10);
	put("h-1.tsv", "start", boot, 5, 100, 5, 10);
	put("h-1.tsv", "start", boot, 5, 100, 5, 10);
	put("h-1.tsv", "end", boot, 5, 100, 5, 10);
	put("h-1.tsv", "start", boot, 6, 100, 5, 10);
	put("h-1.tsv", "end", boot, 6, 100, 5, 11);
	put("h-1.tsv", "start", boot, 7, 100, -1, 10);
	put("h-1.tsv", "end", boot, 7, 101, -1, 10);
	put("h-1.tsv", "end", boot, 7, 100, 5, 10);
	put("h-1.tsv", "end", "other", 7, 100, -1, 10);
	/* An earlier boot, one that is not known, an end alone, what is no image. */
	put("h-1.tsv", "start", "other", 8, 100, 5, 10);
	put("h-1.tsv", "start", NULL, 9, 100, 5, 10);
	put("h-1.tsv", "end", boot, 9, 100, 5, 10);
	put("h-1.tsv", "reaped", boot, 9, 100, 5, 10);
	/* Other hosts', and no record files. */
	put("h2-0.tsv", "start", boot, 9, 1, 5, 10);
	put("h.tsv", "start", boot, 9, 1, 5, 10);
	put("h-0.tsx", "start", boot, 9, 1, 5, 10);
	put("xh-0.tsv", "start", boot, 8, 1, 5, 10);

	ck_assert_int_eq(pm_quality_count(dir, "h", &q, &e), 0);
	ck_assert_int_eq(q.files, 2);
	ck_assert_int_eq(q.records, 22);
	ck_assert_int_eq(q.without_end, 6);
	ck_assert(fstatat(dir, "h-0.tsv", &st, 0) == 0);
	q.bytes -= st.st_size;
	ck_assert(fstatat(dir, "h-1.tsv", &st, 0) == 0);
	ck_assert_int_eq(q.bytes, st.st_size);
	ck_assert_str_eq(open_of("h"), "2/100/5 3/100/5 6/100/5 7/100/-1");
	ck_assert_str_eq(open_of("h2"), "9/1/5");
	ck_assert_str_eq(open_of("none"), "");
	seen[0] = '\0';
	ck_assert_str_eq(open_of(NULL), "2/100/5 3/100/5 6/100/5 7/100/-1 8/1/5 9/1/5");
	/* The one who asks may have enough. */
	seen[0] = '\0';
	ck_assert_int_eq(pm_quality_each_open(dir, "h", take, &stop, &e), 7);
	ck_assert_ptr_null(strchr(seen, ' '));
}
END_TEST

START_TEST(damage)
{
	static char big[300 << 10];
	struct pm_quality q;
	struct pm_err e;
	int fd;

	/* A line longer than what is read at once, and what is behind it. */
	put("h-0.tsv", "start", boot, 1, 100, 5, 10);
	memset(big, 'x', sizeof big);
	big[sizeof big - 1] = '\n';
	fd = openat(dir, "h-0.tsv", O_WRONLY | O_APPEND);
	PM_SURE(write(fd, big, sizeof big) == sizeof big);
	close(fd);
	for (int i = 2; i < 1500; i++)
		put("h-0.tsv", "start", boot, i, 100, 5, 10);
	fd = openat(dir, "h-0.tsv", O_WRONLY | O_APPEND);
	PM_SURE(write(fd, "\n\ncut", 5) == 5);
	close(fd);
	PM_SURE(symlinkat("/etc/passwd", dir, "h-1.tsv") == 0);
	PM_SURE(mkfifoat(dir, "h-2.tsv", 0600) == 0);
	ck_assert_int_eq(pm_quality_count(dir, "h", &q, &e), 0);
	ck_assert_int_eq(q.files, 1);
	ck_assert_int_eq(q.records, 1499);
	ck_assert_int_eq(q.without_end, 1499);
	ck_assert_int_gt(q.bytes, (int64_t)sizeof big);
}
END_TEST

/* A header says which columns there are, in which order, until the next one. */
START_TEST(headers)
{
	struct pm_quality q;
	struct pm_err e;
	char text[1024];

	snprintf(text, sizeof text,
		 "perfmon-tsv-1\tpid\trecord\tboot_id\tstarttime\tpid_ns\t.\n"
		 "1\t7\tstart\t%s\t100\t5\t.\n"
		 "perfmon-tsv-1\trecord\tpid\tboot_id\t.\n1\tend\t8\t%s\t.\n1\tstart\t9\t%s\t.\n",
		 boot, boot, boot);
	root_put("h-0.tsv", text);
	ck_assert_int_eq(pm_quality_count(dir, "h", &q, &e), 0);
	ck_assert_int_eq(q.records, 3);
	ck_assert_str_eq(open_of("h"), "7/100/5 9/-1/-1");
}
END_TEST

/* --- living -------------------------------------------------------------------------------------
 */

/* A process that waits until it is killed, or has ended and is waited for by nobody. */
static pid_t child(bool ended)
{
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "waits");
		if (ended)
			_exit(0);
		for (;;)
			pause();
	}
	PM_SURE(pid > 0);
	if (ended)
		PM_SURE(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	else
		for (char name[32] = "", path[64];
		     snprintf(path, sizeof path, "/proc/%d/comm", pid),
			  strcmp(name, "waits\n") != 0;) {
			FILE *f = fopen(path, "re");

			PM_SURE(f && fgets(name, sizeof name, f));
			fclose(f);
		}
	return pid;
}

static void gone(pid_t pid)
{
	kill(pid, SIGKILL);
	PM_SURE(waitpid(pid, NULL, 0) == pid);
}

static int64_t starttime_of(pid_t pid)
{
	char path[64], text[2048];
	struct pm_procfs_stat s;
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "re");
	PM_SURE(f);
	n = fread(text, 1, sizeof text, f);
	fclose(f);
	PM_SURE(pm_procfs_stat(text, n, &s) == 0);
	return s.starttime;
}

static int living(const char *of, char list[PM_LIVING_NAMES])
{
	struct pm_err e;
	int n;

	memset(list, 'x', PM_LIVING_NAMES);
	n = pm_living_find(dir, of, list, PM_LIVING_NAMES, &e);
	ck_assert_int_ge(n, 0);
	return n;
}

START_TEST(processes)
{
	char list[PM_LIVING_NAMES], want[64], name[512];
	int64_t ns = pm_pidns_own();
	pid_t lives = child(false), zombie = child(true);

	snprintf(name, sizeof name, "%s-0.tsv", host);
	ck_assert_int_eq(living(host, list), 0);
	ck_assert_str_eq(list, "");
	/* One that has ended lives no more, whoever has still to wait for it. */
	put(name, "start", boot, zombie, starttime_of(zombie), ns, 1);
	ck_assert_int_eq(living(host, list), 0);
	ck_assert_str_eq(list, "");
	/* Nor does one whose pid another process has now, of whatever namespace or boot. */
	put(name, "start", boot, lives, starttime_of(lives) + 1, ns, 1);
	put(name, "start", boot, lives, starttime_of(lives), ns + 1, 1);
	put(name, "start", "other", lives, starttime_of(lives), ns, 1);
	put(name, "start", boot, lives, -1, ns, 1);
	put(name, "start", boot, 0, starttime_of(lives), ns, 1);
	put("elsewhere-0.tsv", "start", boot, lives, starttime_of(lives), ns, 1);
	ck_assert_int_eq(living(host, list), 0);
	ck_assert_int_eq(living("elsewhere", list), 1);
	snprintf(want, sizeof want, "waits (%d)", lives);
	ck_assert_str_eq(list, want);
	ck_assert_int_eq(living(NULL, list), 1);
	ck_assert_str_eq(list, want);
	put(name, "start", boot, lives, starttime_of(lives), -1, 1);
	ck_assert_int_eq(living(host, list), 1);
	ck_assert_str_eq(list, want);
	/* This one has a record: it counts, too. */
	put(name, "start", boot, getpid(), starttime_of(getpid()), ns, 1);
	ck_assert_int_eq(living(host, list), 2);
	gone(zombie);
	gone(lives);
	ck_assert_int_eq(living(host, list), 1);
}
END_TEST

/* What a program started in this environment is to living(): it has no record. */
static int handing_on(const char *first, const char *second, char list[PM_LIVING_NAMES])
{
	char text[512] = "", path[64],
	     *env[] = { (char *)first, (char *)second, (char *)"MARK=1", NULL };
	pid_t pid = fork();
	size_t n;
	FILE *f;
	int found;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* What ld.so says of a library that it does not find. */
		close(STDERR_FILENO);
		execle("/bin/sleep", "sleep", "600", (char *)NULL, env);
		_exit(1);
	}
	PM_SURE(pid > 0);
	snprintf(path, sizeof path, "/proc/%d/environ", pid);
	while (!memmem(text, sizeof text, "\0MARK=1", 8)) {
		f = fopen(path, "re");
		PM_SURE(f);
		n = fread(text, 1, sizeof text, f);
		memset(text + n, 0, sizeof text - n);
		fclose(f);
	}
	found = living(host, list);
	gone(pid);
	return found;
}

START_TEST(environments)
{
	char list[PM_LIVING_NAMES], output[128], link[128];
	static const char preload[] = "LD_PRELOAD=/none/other.so:/none/libperfmon.so";

	snprintf(output, sizeof output, "PERFMON_OUTPUT=%s", root);
	snprintf(link, sizeof link, "PERFMON_OUTPUT=%s/link", root);
	ck_assert_int_eq(symlinkat(".", dir, "link"), 0);
	ck_assert_int_eq(handing_on(preload, output, list), 1);
	ck_assert_int_eq(strncmp(list, "sleep (", 7), 0);
	ck_assert_int_eq(handing_on(output, preload, list), 1);
	ck_assert_int_eq(handing_on(preload, link, list), 1);
	/* Recorded elsewhere, or not at all. */
	ck_assert_int_eq(handing_on(preload, "PERFMON_OUTPUT=/tmp", list), 0);
	ck_assert_int_eq(handing_on(preload, "PERFMON_OUTPUT=", list), 0);
	ck_assert_int_eq(handing_on("LD_PRELOAD=/none/other.so", output, list), 0);
	snprintf(link, sizeof link, "XPERFMON_OUTPUT=%s", root);
	ck_assert_int_eq(handing_on(preload, link, list), 0);
	snprintf(link, sizeof link, "PERFMON_OUTPUT_=%s", root);
	ck_assert_int_eq(handing_on(preload, link, list), 0);
	ck_assert_str_eq(list, "");
}
END_TEST

/* The first three are named. */
START_TEST(many)
{
	char list[PM_LIVING_NAMES], name[512], want[PM_LIVING_NAMES];
	int64_t ns = pm_pidns_own();
	pid_t pid[5];

	snprintf(name, sizeof name, "%s-0.tsv", host);
	for (int i = 0; i < 5; i++) {
		pid[i] = child(false);
		put(name, "start", boot, pid[i], starttime_of(pid[i]), ns, 1);
		ck_assert_int_eq(living(host, list), i + 1);
		if (i == 2)
			memcpy(want, list, sizeof want);
		ck_assert_int_eq(strstr(list, ", ...") != NULL, i > 2);
	}
	snprintf(want + strlen(want), sizeof want - strlen(want), ", ...");
	ck_assert_uint_eq(strlen(list), strlen(want));
	for (int i = 0; i < 5; i++)
		gone(pid[i]);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("living");
	TCase *c = tcase_create("living");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, counts);
	tcase_add_test(c, damage);
	tcase_add_test(c, headers);
	tcase_add_test(c, processes);
	tcase_add_test(c, environments);
	tcase_add_test(c, many);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
