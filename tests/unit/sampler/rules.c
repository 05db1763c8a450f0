/* What counts and what does not: file systems, disks, network interfaces, threads, the file that ends a
 * job; and when a reader that failed is started again. */
#include "config.h"

#include "sampler/finishfile.h"
#include "sampler/kernel/diskrule.h"
#include "sampler/kernel/mounts.h"
#include "sampler/sources/io/netrule.h"
#include "sampler/tree/threads.h"
#include "sampler/worker.h"

#include "tests/unit/sampler/root.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* --- file systems ----------------------------------------------------------------------------- */

/* By the kind that each type is, in blanks. */
static const struct {
	enum pm_mounts_kind kind;
	const char *types;
} types[] = {
	{ PM_MOUNTS_LOCAL, "ext2 ext3 ext4 xfs btrfs zfs f2fs jfs reiserfs bcachefs vfat exfat tmpfs overlay" },
	{ PM_MOUNTS_NETWORK, "nfs nfs4 lustre gpfs beegfs ceph cifs smb3 pvfs2 wekafs 9p virtiofs afs gfs2 "
			     "ocfs2 panfs fuse fuseblk fuse.sshfs fuse.juicefs" },
	{ PM_MOUNTS_NONE, "proc sysfs cgroup cgroup2 devtmpfs devpts autofs squashfs iso9660 fusectl nfsd "
			  "ext ext44 tmpfs2 rootfs" },
};

START_TEST(types_of_file_systems)
{
	char list[512], *at;

	snprintf(list, sizeof list, "%s", types[_i].types);
	for (char *type = strtok_r(list, " ", &at); type; type = strtok_r(NULL, " ", &at)) {
		struct pm_mounts m;
		char text[128];

		snprintf(text, sizeof text, "22 1 8:1 / /data rw shared:1 - %s source rw\n", type);
		for (int kind = PM_MOUNTS_LOCAL; kind <= PM_MOUNTS_NETWORK; kind++) {
			ck_assert_int_eq(pm_mounts_parse(&m, text, (enum pm_mounts_kind)kind, 9), 0);
			ck_assert_msg((m.count == 1) == (types[_i].kind == (enum pm_mounts_kind)kind),
				      "%s as %d", type, kind);
			if (m.count) {
				ck_assert_str_eq(m.entry[0].point, "/data");
				ck_assert_str_eq(m.entry[0].device, "8:1");
			}
			pm_mounts_free(&m);
		}
	}
}
END_TEST

static const struct {
	const char *point, *is; /* NULL: none that counts */
} points[] = {
	{ "/", "/" },
	{ "/tmp", "/tmp" },
	{ "/dev/shm", "/dev/shm" },
	{ "/dev/shm/x", NULL },
	{ "/dev", NULL },
	{ "/dev/hugepages", NULL },
	{ "/devel", "/devel" },
	{ "/run", NULL },
	{ "/run/user/1000", NULL },
	{ "/runs", "/runs" },
	{ "/sys/fs/x", NULL },
	{ "/system", "/system" },
	{ "/proc/x", NULL },
	{ "/process", "/process" },
	{ "relative", NULL },
	{ "/a\\040b\\011c\\012d\\134e", "/a b\tc\nd\\e" },
	{ "/\\303\\244", "/\xc3\xa4" },
	{ "/\\377\\000x", "/\xff" },
	{ "/\\400\\08\\1\\.40", "/\\400\\08\\1\\.40" },
};

START_TEST(points_of_file_systems)
{
	struct pm_mounts m;
	char text[128];

	snprintf(text, sizeof text, "22 1 8:1 / %s rw shared:1 - tmpfs tmpfs rw\n", points[_i].point);
	ck_assert_int_eq(pm_mounts_parse(&m, text, PM_MOUNTS_LOCAL, 9), 0);
	ck_assert_uint_eq(m.count, points[_i].is != NULL);
	if (points[_i].is)
		ck_assert_str_eq(m.entry[0].point, points[_i].is);
	pm_mounts_free(&m);
}
END_TEST

/* Each once, where it comes first, as many as there may be; also where the last line has no end. */
START_TEST(mounts_of_a_file_system)
{
	static const char text[] = "1 0 8:1 / /a rw - ext4 x rw\n2 0 8:2 / /b rw - ext4 x rw\n"
				   "3 0 8:1 / /c rw - ext4 x rw\n4 0 8:3 / /d rw - ext4 x rw";
	struct pm_mounts m;

	for (size_t limit = 1; limit < 5; limit++) {
		ck_assert_int_eq(pm_mounts_parse(&m, text, PM_MOUNTS_LOCAL, limit), 0);
		ck_assert_uint_eq(m.count, limit < 3 ? limit : 3);
		for (size_t i = 0; i < m.count; i++)
			ck_assert_int_eq(m.entry[i].point[1], "abd"[i]);
		pm_mounts_free(&m);
	}
}
END_TEST

/* --- disks ------------------------------------------------------------------------------------ */

START_TEST(disks_by_name)
{
	char counted[] = "sda vda xvdb hda nvme0n1 mmcblk0 pmem0 nbd0 rbd3 cciss/c0d0 ram zramx looper fdx srv "
			 "dm mdx md_dx bcache zdx drbd";
	char others[] = "ram0 zram0 zram12 loop0 loop10 fd0 sr0 sr1 dm-0 dm-12 md0 md127 md_d0 bcache0 zd0 zd16 "
			"drbd0 drbd1000";
	char *at;

	for (char *name = strtok_r(counted, " ", &at); name; name = strtok_r(NULL, " ", &at))
		ck_assert_msg(pm_diskrule_counts(root, name), "%s", name);
	for (char *name = strtok_r(others, " ", &at); name; name = strtok_r(NULL, " ", &at))
		ck_assert_msg(!pm_diskrule_counts(root, name), "%s", name);
}
END_TEST

/* --- network interfaces ----------------------------------------------------------------------- */

static const struct {
	const char *type, *ifindex, *iflink; /* NULL: no such file */
	const char *entries;                 /* directories, in blanks */
	enum pm_netrule_class class;
} interfaces[] = {
	{ "1\n", "2\n", "2\n", "device", PM_NETRULE_HARDWARE },
	{ "32\n", "2\n", "2\n", "device statistics", PM_NETRULE_HARDWARE },
	{ "772\n", "1\n", "1\n", "device", PM_NETRULE_LOOPBACK },
	{ "772\n", "1\n", "7\n", "bridge", PM_NETRULE_LOOPBACK },
	{ "1\n", "2\n", "2\n", "device bridge", PM_NETRULE_STACKED },
	{ "1\n", "2\n", "2\n", "device bonding", PM_NETRULE_STACKED },
	{ "1\n", "2\n", "2\n", "device lower_eth0", PM_NETRULE_STACKED },
	{ "1\n", "2\n", "3\n", "lower_eth0 tun_flags", PM_NETRULE_STACKED },
	{ "1\n", "2\n", "3\n", "device tun_flags", PM_NETRULE_VIRTUAL },
	/* A member of a bridge or a bond is none. */
	{ "1\n", "2\n", "2\n", "device brport bonding_slave upper_bond0 bridge0 devices", PM_NETRULE_HARDWARE },
	{ "1\n", "2\n", "3\n", "", PM_NETRULE_UPLINK },
	{ "1\n", "2\n", "2\n", "", PM_NETRULE_VIRTUAL },
	{ "1\n", "2\n", "0\n", "", PM_NETRULE_VIRTUAL },
	{ "1\n", "0\n", "2\n", "", PM_NETRULE_VIRTUAL },
	{ "1\n", NULL, "2\n", "", PM_NETRULE_VIRTUAL },
	{ "1\n", "2\n", NULL, "", PM_NETRULE_VIRTUAL },
	{ "1\n", "2\n", "x\n", "", PM_NETRULE_VIRTUAL },
	{ "768\n", "2\n", "3\n", "", PM_NETRULE_VIRTUAL },
	{ NULL, "2\n", "3\n", "", PM_NETRULE_VIRTUAL },
	{ NULL, NULL, NULL, NULL, PM_NETRULE_UNKNOWN },
};

START_TEST(classes_of_interfaces)
{
	char entries[128], path[128], *at;

	if (interfaces[_i].type)
		root_put("sys/class/net/x/type", interfaces[_i].type);
	if (interfaces[_i].ifindex)
		root_put("sys/class/net/x/ifindex", interfaces[_i].ifindex);
	if (interfaces[_i].iflink)
		root_put("sys/class/net/x/iflink", interfaces[_i].iflink);
	snprintf(entries, sizeof entries, "%s", interfaces[_i].entries ? interfaces[_i].entries : "");
	for (char *e = strtok_r(entries, " ", &at); e; e = strtok_r(NULL, " ", &at)) {
		snprintf(path, sizeof path, "sys/class/net/x/%s/y", e);
		root_put(path, "");
	}
	ck_assert_int_eq(pm_netrule_classify(root, "x"), interfaces[_i].class);
}
END_TEST

/* --- threads ---------------------------------------------------------------------------------- */

static pid_t seen[64];

static void note(void *context, pid_t tid)
{
	size_t *n = context;

	PM_SURE(*n < 64);
	seen[(*n)++] = tid;
}

static pid_t tid_of_thread;
static int ready[2], finish[2];

static void *wait_here(void *arg)
{
	char c;

	tid_of_thread = (pid_t)syscall(SYS_gettid);
	PM_SURE(write(ready[1], "x", 1) == 1);
	PM_SURE(read(finish[0], &c, 1) == 0);
	return arg;
}

START_TEST(threads_of_a_process)
{
	bool self = false, other = false;
	pthread_t thread;
	size_t n = 0, before = pm_threads_each(getpid(), note, &n);
	char c;

	ck_assert_uint_eq(before, n);
	PM_SURE(pipe(ready) == 0 && pipe(finish) == 0);
	PM_SURE(pthread_create(&thread, NULL, wait_here, NULL) == 0);
	PM_SURE(read(ready[0], &c, 1) == 1);
	n = 0;
	ck_assert_uint_eq(pm_threads_each(getpid(), note, &n), before + 1);
	ck_assert_uint_eq(n, before + 1);
	for (size_t i = 0; i < n; i++) {
		self = self || seen[i] == getpid();
		other = other || seen[i] == tid_of_thread;
	}
	ck_assert(self && other);
	close(finish[1]);
	PM_SURE(pthread_join(thread, NULL) == 0);
	n = 0;
	ck_assert_uint_eq(pm_threads_each(0, note, &n), 0);
	ck_assert_uint_eq(n, 0);
}
END_TEST

/* --- FINISHED --------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	bool over;
} ends[] = {
	{ "FINISHED", true },
	{ "FINISHED\n", true },
	{ " \t\r\n\"FINISHED\" now\n", true },
	{ "'FINISHED'\n", true },
	{ "FINISHED: 0\n", true },
	{ "", false },
	{ "\n", false },
	{ "INPROGRESS\n", false },
	{ "INPROGRESS\nFINISHED\n", false },
	{ "NOT FINISHED\n", false },
	{ "FINISHE", false },
	{ "FINISHEDX", false },
	{ "FINISHED2", false },
	{ "FINISHED_", false },
	{ "finished\n", false },
};

static char name[128]; /* of a file below the root */

static void put(const char *text)
{
	root_put("end", text);
	snprintf(name, sizeof name, "%s/end", root);
}

START_TEST(the_word_that_ends_a_job)
{
	put(ends[_i].text);
	ck_assert_int_eq(pm_finishfile_over(name), ends[_i].over);
	root_remove_path("end");
	ck_assert(!pm_finishfile_over(name));
	/* Nobody waits for another kind of file. */
	PM_SURE(mkfifo(name, 0600) == 0);
	ck_assert(!pm_finishfile_over(name));
	root_remove_path("end");
	PM_SURE(mkdir(name, 0700) == 0);
	ck_assert(!pm_finishfile_over(name));
}
END_TEST

static const char *contents(const char *path)
{
	static char text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof text - 1);

	PM_SURE(n >= 0);
	close(fd);
	text[n] = '\0';
	return text;
}

static void announce(void)
{
	struct pm_err e;
	char *path = pm_finishfile_announce("7[3].server", &e);

	ck_assert_str_eq(path, ".ipc-7[3].server");
	free(path);
}

/* What an earlier job of that id left is overwritten, what one wrote since this process began counts. */
START_TEST(the_sampler_announces_itself)
{
	const struct timespec old[2] = { { .tv_sec = time(NULL) - 86400 }, { .tv_sec = time(NULL) - 86400 } };
	struct stat st;

	PM_SURE(chdir(root) == 0);
	umask(022);
	announce();
	ck_assert_str_eq(contents(".ipc-7[3].server"), "INPROGRESS\n");
	ck_assert_int_eq(stat(".ipc-7[3].server", &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0644);
	root_put(".ipc-7[3].server", "FINISHED long ago\n");
	PM_SURE(utimensat(AT_FDCWD, ".ipc-7[3].server", old, 0) == 0);
	announce();
	ck_assert_str_eq(contents(".ipc-7[3].server"), "INPROGRESS\n");
	root_put(".ipc-7[3].server", "FINISHED\n");
	announce();
	ck_assert_str_eq(contents(".ipc-7[3].server"), "FINISHED\n");
	/* Others' files are not written to, and nobody is waited for. */
	root_put("precious", "precious\n");
	PM_SURE(unlink(".ipc-7[3].server") == 0 && symlink("precious", ".ipc-7[3].server") == 0);
	announce();
	ck_assert_str_eq(contents("precious"), "precious\n");
	PM_SURE(unlink(".ipc-7[3].server") == 0 && mkfifo(".ipc-7[3].server", 0600) == 0);
	announce();
	PM_SURE(chdir("/") == 0);
}
END_TEST

/* --- readers that failed ---------------------------------------------------------------------- */

#define SECOND INT64_C(1000000)

/* Its process ends at once. */
static void end_at(struct pm_worker *w, int64_t began_us, int64_t now_us, int want)
{
	siginfo_t info;
	int source = -7;

	w->started_us = began_us;
	w->pid = fork();
	if (w->pid == 0)
		_exit(0);
	PM_SURE(waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOWAIT) == 0);
	ck_assert(pm_worker_reap(w, now_us, &source));
	ck_assert_int_eq(source, want);
	ck_assert_int_eq(w->pid, 0);
	ck_assert(!pm_worker_reap(w, now_us, &source));
}

START_TEST(failures_in_a_row)
{
	static const int delay[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300 };
	struct pm_worker w;

	ck_assert_int_eq(pm_worker_init(&w, "test"), 0);
	ck_assert_str_eq(w.name, "perfmon:test");
	w.member[3] = true;
	for (int i = 0; i < COUNT(delay); i++) {
		const int64_t now_us = 1000 * SECOND;

		/* Which source it was, if it is one of its. */
		w.shared->reading = i % 4 == 3 ? PM_SOURCES : i % 4 + 1;
		w.message.user_us = 5;
		w.message.system_us = 7;
		w.busy = true;
		end_at(&w, now_us - 59 * SECOND, now_us, i % 4 == 2 ? 3 : -1);
		ck_assert(!w.busy);
		ck_assert_int_eq(w.retry_us - now_us, delay[i] * SECOND);
		ck_assert_int_eq(w.past_user_us, 5 * (i + 1));
		ck_assert_int_eq(w.past_system_us, 7 * (i + 1));
		ck_assert_int_eq(w.message.user_us + w.message.system_us, 0);
	}
	/* One that lived for a minute is as good as new. */
	w.shared->reading = -1;
	end_at(&w, 0, 60 * SECOND, -1);
	ck_assert_int_eq(w.retry_us, 60 * SECOND);
	end_at(&w, 60 * SECOND, 61 * SECOND, -1);
	ck_assert_int_eq(w.retry_us, 62 * SECOND);
	pm_worker_close(&w);
	ck_assert_int_eq(w.fd, -1);
}
END_TEST

/* A message that comes in pieces, of which nobody is kept waiting. */
START_TEST(a_message_in_pieces)
{
	struct pm_message *m;
	struct pm_bytes b = { 0 };
	const unsigned char *body;
	const bool wanted[PM_SOURCES] = { [1] = true, [2] = true };
	struct pm_request request;
	struct pm_message head;
	struct pm_worker w;
	int end[2];

	ck_assert_int_eq(pm_worker_init(&w, "test"), 0);
	w.member[2] = w.member[3] = true;
	PM_SURE(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
	w.fd = end[0];
	ck_assert_int_eq(pm_worker_receive(&w, &body), 0);
	for (uint32_t i = 1; i < 3; i++) {
		pm_worker_ask(&w, wanted, 4711);
		ck_assert(w.busy);
		ck_assert_int_eq(w.asked_us, 4711);
		PM_SURE(read(end[1], &request, sizeof request) == sizeof request);
		ck_assert_uint_eq(request.number, i);
		for (int s = 0; s < PM_SOURCES; s++)
			ck_assert_int_eq(request.read[s], s == 2);
		b.n = 0;
		PM_SURE(pm_message_begin(&b, &head) == 0);
		head.number = i;
		head.living = 77;
		pm_message_end(&b, &head);
		m = (struct pm_message *)b.p;
		m->length = 5;
		for (size_t at = 0; at < b.n; at++) {
			PM_SURE(write(end[1], b.p + at, 1) == 1);
			ck_assert_int_eq(pm_worker_receive(&w, &body), 0);
		}
		PM_SURE(write(end[1], "hell", 4) == 4);
		ck_assert_int_eq(pm_worker_receive(&w, &body), 0);
		PM_SURE(write(end[1], "o", 1) == 1);
		ck_assert_int_eq(pm_worker_receive(&w, &body), 1);
		ck_assert_mem_eq(body, "hello", 5);
		ck_assert_uint_eq(w.message.living, 77);
		ck_assert(!w.busy);
	}
	/* An answer to another question, one that nobody asked, and the end. */
	pm_worker_ask(&w, wanted, 1);
	PM_SURE(write(end[1], b.p, b.n) == (ssize_t)b.n);
	ck_assert_int_eq(pm_worker_receive(&w, &body), -1);
	w.bytes.n = 0;
	w.busy = false;
	m->number = 3;
	PM_SURE(write(end[1], b.p, b.n) == (ssize_t)b.n);
	ck_assert_int_eq(pm_worker_receive(&w, &body), -1);
	w.bytes.n = 0;
	w.busy = true;
	m->magic++;
	PM_SURE(write(end[1], b.p, b.n) == (ssize_t)b.n);
	ck_assert_int_eq(pm_worker_receive(&w, &body), -1);
	w.bytes.n = 0;
	close(end[1]);
	ck_assert_int_eq(pm_worker_receive(&w, &body), -1);
	free(b.p);
	pm_worker_close(&w);
	ck_assert_int_eq(close(end[0]), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_rules");
	TCase *t = tcase_create("rules");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_loop_test(t, types_of_file_systems, 0, COUNT(types));
	tcase_add_loop_test(t, points_of_file_systems, 0, COUNT(points));
	tcase_add_test(t, mounts_of_a_file_system);
	tcase_add_test(t, disks_by_name);
	tcase_add_loop_test(t, classes_of_interfaces, 0, COUNT(interfaces));
	tcase_add_test(t, threads_of_a_process);
	tcase_add_loop_test(t, the_word_that_ends_a_job, 0, COUNT(ends));
	tcase_add_test(t, the_sampler_announces_itself);
	tcase_add_test(t, failures_in_a_row);
	tcase_add_test(t, a_message_in_pieces);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
