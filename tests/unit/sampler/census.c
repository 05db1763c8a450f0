/* What the kernel tells about processes is what /proc and taskstats have about them. */
#include "config.h"

#include "sampler/kernel/netlink.h"
#include "sampler/kernel/taskstats.h"
#include "sampler/tree/process.h"
#include "sampler/tree/taskaccount.h"
#include "sampler/tree/tree.h"

#include "tests/unit/main.h"
#include "tests/unit/sampler/census.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* More of what a process may be than any other has. */
enum { PLAIN, WRITER, PARENT, SHARER, THREADED, SURVIVOR, ODD_NAME, KINDS };

#define KB 1024

static pid_t root, kind[KINDS];
static pthread_barrier_t worked; /* by the threads of a process */
static struct pm_tree *tree;
static struct pm_census *census;
static struct pm_tree_sum sum;

static void burn(int ms)
{
	struct timespec t;
	char some[65536];
	int zero = open("/dev/zero", O_RDONLY);

	do {
		PM_SURE(read(zero, some, sizeof some) > 0);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
	close(zero);
}

static void *use_and_end(void *unused)
{
	burn(60);
	return unused;
}

static void *use_and_stay(void *unused)
{
	burn(20);
	pthread_barrier_wait(&worked);
	for (;;)
		pause();
	return unused;
}

static void *use_memory(int flags)
{
	const size_t n = 3 * KB * KB;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	PM_SURE(p != MAP_FAILED);
	memset(p, 1, n);
	return p;
}

static void write_file(void)
{
	FILE *f = tmpfile();
	char some[5000] = "";

	PM_SURE(f);
	for (int i = 0; i < 3000; i++)
		PM_SURE(write(fileno(f), some, sizeof some) == sizeof some);
	fdatasync(fileno(f));
	PM_SURE(pread(fileno(f), some, 77, 0) == 77);
	fclose(f);
}

/* Be a process of that kind, say so, and sleep until the end. */
static void become(int which, int say)
{
	pthread_t thread;
	pid_t pid;

	burn(15);
	switch (which) {
	case WRITER:
		write_file();
		break;
	case PARENT:
		pid = fork();
		if (pid == 0) {
			burn(50);
			write_file();
			_exit(0);
		}
		PM_SURE(waitpid(pid, NULL, 0) == pid);
		break;
	case SHARER:
		use_memory(MAP_SHARED);
		use_memory(MAP_PRIVATE);
		break;
	case THREADED:
		pthread_barrier_init(&worked, NULL, 4);
		for (int i = 0; i < 3; i++)
			PM_SURE(pthread_create(&thread, NULL, use_and_stay, NULL) == 0);
		pthread_barrier_wait(&worked);
		break;
	case SURVIVOR:
		PM_SURE(pthread_create(&thread, NULL, use_and_end, NULL) == 0);
		PM_SURE(pthread_join(thread, NULL) == 0);
		break;
	case ODD_NAME:
		prctl(PR_SET_NAME, "a\n\\name");
		break;
	default:
		break;
	}
	PM_SURE(write(say, "", 1) == 1);
	for (;;)
		pause();
}

/* Whether none has run since it was asked before. */
static bool all_sleep(void)
{
	static int64_t before[KINDS];
	bool all = true;

	for (int k = 0; k < KINDS; k++) {
		clockid_t clock;
		struct timespec t;
		int64_t now;

		PM_SURE(clock_getcpuclockid(kind[k], &clock) == 0);
		PM_SURE(clock_gettime(clock, &t) == 0);
		now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
		all = all && now == before[k];
		before[k] = now;
	}
	return all;
}

/* A process with one child of each kind, all of which have done what they do and sleep. */
static void begin(void)
{
	int told[2], said[2];
	char c;

	PM_SURE(pipe(told) == 0 && pipe(said) == 0);
	root = fork();
	if (root == 0) {
		for (int k = 0; k < KINDS; k++) {
			const pid_t pid = fork();

			if (pid == 0)
				become(k, said[1]);
			PM_SURE(write(told[1], &pid, sizeof pid) == sizeof pid);
		}
		for (;;)
			pause();
	}
	PM_SURE(root > 0);
	for (int k = 0; k < KINDS; k++)
		PM_SURE(read(told[0], &kind[k], sizeof kind[k]) == sizeof kind[k]);
	for (int k = 0; k < KINDS; k++)
		PM_SURE(read(said[0], &c, 1) == 1);
	for (int i = 0; i < 2; i++) {
		close(told[i]);
		close(said[i]);
	}
	/* Going to sleep takes a moment. */
	while (!all_sleep())
		poll(NULL, 0, 100);
	tree = pm_tree_open("", root, NULL);
	census = pm_census_open();
	PM_SURE(tree && census);
	pm_tree_census(tree, census);
}

static void end(void)
{
	pm_tree_close(tree);
	pm_census_close(census);
	for (int k = 0; k < KINDS; k++)
		kill(kind[k], SIGKILL);
	kill(root, SIGKILL);
	PM_SURE(waitpid(root, NULL, 0) == root);
}

static size_t scan(void)
{
	const size_t living = pm_tree_scan(tree);

	pm_tree_total(tree, &sum);
	return living;
}

static struct pm_tree_process find(pid_t pid)
{
	size_t i = 0;

	while (i < pm_tree_count(tree) && pm_tree_process(tree, i).pid != pid)
		i++;
	PM_SURE(i < pm_tree_count(tree));
	return pm_tree_process(tree, i);
}

static void ask_the_kernel(void)
{
	struct pm_err e;

	if (pm_census_prepare(census, &e) < 0)
		ck_abort_msg("%s", e.text);
}

#define SAME(a, b, what)                                                                           \
	do {                                                                                       \
		PM_SURE((a).what.known && (b).what.known);                                         \
		ck_assert_int_eq((a).what.value, (b).what.value);                                  \
	} while (0)

/*
 * How stat divides CPU time depends on who read it before, and each part is cut to whole ticks: of
 * a process both together may be one off.
 */
static void check_cpu(int64_t us, int64_t of_proc, int processes)
{
	ck_assert_int_le(llabs(us - of_proc), processes * 1000000 / sysconf(_SC_CLK_TCK));
}

static int64_t cpu_of(const struct pm_tree_sum *s)
{
	return s->counter[PM_TREE_USER].value + s->counter[PM_TREE_SYSTEM].value;
}

/* Everything in the sums and in each process, to the last byte. */
START_TEST(as_proc)
{
	struct pm_tree_sum read;
	struct pm_tree_process before[KINDS];
	char name[KINDS][16];

	scan();
	ck_assert_uint_eq(scan(), KINDS + 1);
	read = sum;
	for (int k = 0; k < KINDS; k++) {
		before[k] = find(kind[k]);
		PM_SURE(!before[k].told);
		snprintf(name[k], sizeof name[k], "%s", before[k].name);
	}
	ask_the_kernel();
	ck_assert_uint_eq(scan(), KINDS + 1);
	SAME(sum, read, processes);
	SAME(sum, read, threads);
	SAME(sum, read, vms);
	SAME(sum, read, rss);
	SAME(sum, read, shared);
	check_cpu(cpu_of(&sum), cpu_of(&read), KINDS + 1);
	for (int c = PM_TREE_RCHAR; c < PM_TREE_COUNTERS; c++)
		SAME(sum, read, counter[c]);
	for (int k = 0; k < KINDS; k++) {
		const struct pm_tree_process p = find(kind[k]);

		/* Kernels differ in how stat has such a name, so it is left to that. */
		ck_assert_int_eq(p.told != NULL, k != ODD_NAME);
		ck_assert_int_eq(p.start, before[k].start);
		ck_assert_int_eq(p.threads, before[k].threads);
		ck_assert_int_eq(p.threads, k == THREADED ? 4 : 1);
		ck_assert_str_eq(p.name, name[k]);
		check_cpu(p.cpu.value, before[k].cpu.value, 1);
		SAME(p, before[k], rss);
		if (p.told)
			ck_assert_int_eq(p.told->ppid, root);
	}
	/* They have what makes them differ. */
	ck_assert_int_ge(find(kind[SURVIVOR]).cpu.value, 40000);
	ck_assert_int_ge((int64_t)find(kind[PARENT]).told->waited_user_ns +
				 (int64_t)find(kind[PARENT]).told->waited_system_ns,
			 40000000);
	ck_assert_uint_ge(find(kind[PARENT]).told->io[1], 3000 * 5000);
	ck_assert_int_ge(find(kind[SHARER]).told->shared,
			 find(kind[PLAIN]).told->shared + 3 * KB * KB / sysconf(_SC_PAGESIZE));
}
END_TEST

/* What taskstats answers of a process, when it is asked. */
static void ask_taskstats(struct pm_netlink *s, uint16_t family, pid_t pid, struct pm_taskstats *t)
{
	const uint32_t number = (uint32_t)pid;
	struct pm_netlink_part answer;
	char room[8192];

	PM_SURE(pm_netlink_request(s, family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID, &number,
				   sizeof number, room, sizeof room, &answer) == 0);
	PM_SURE(pm_taskstats_message(t, answer) == 0);
}

START_TEST(as_taskstats)
{
	struct pm_netlink s;
	uint16_t family;

	PM_SURE(pm_netlink_open(&s, NETLINK_GENERIC, 0, 1 << 20, NULL) == 0);
	family = pm_netlink_family(&s, TASKSTATS_GENL_NAME);
	if (!family) {
		printf("# this kernel has no taskstats\n");
		pm_netlink_close(&s);
		return;
	}
	scan();
	ask_the_kernel();
	scan();
	for (int k = 0; k < KINDS; k++) {
		const struct pm_tree_process p = find(kind[k]);
		struct pm_taskstats t;

		if (k == THREADED || k == ODD_NAME)
			continue;
		ask_taskstats(&s, family, kind[k], &t);
		for (size_t i = 0; i < t.values; i++)
			if (i != PM_TASKSTATS_elapsed && p.told->leader[i] != t.value[i])
				ck_abort_msg("kind %d: %s is %lld, by taskstats %" PRId64, k,
					     pm_taskstats_info[i].name,
					     (long long)p.told->leader[i], t.value[i]);
		ck_assert_int_ge(t.value[PM_TASKSTATS_cpu_run_virtual], 15000000);
	}
	pm_netlink_close(&s);
}
END_TEST

/* One that has ended is not told of, whether its parent knows or not; it counts all the same. */
START_TEST(ended)
{
	int64_t cpu;

	scan();
	ask_the_kernel();
	scan();
	cpu = cpu_of(&sum);
	kill(kind[SURVIVOR], SIGKILL);
	while (find(kind[SURVIVOR]).told) {
		poll(NULL, 0, 10);
		scan();
	}
	PM_SURE(find(kind[SURVIVOR]).ended);
	PM_SURE(find(kind[PLAIN]).told);
	ck_assert_uint_eq(scan(), KINDS);
	ck_assert_int_ge(cpu_of(&sum), cpu);
}
END_TEST

/* A pid that was given again is another process. */
START_TEST(reused)
{
	struct pm_process_place place = { .proc_fd = AT_FDCWD, .clocks = true, .page = 4096 };
	const int64_t none[PM_TREE_COUNTERS] = { 0 };
	struct pm_process m;
	struct pm_tree_process p;

	place.tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	scan();
	ask_the_kernel();
	scan();
	p = find(kind[PLAIN]);
	pm_process_resume(&m, &place, p.pid, root, p.start - 1, none, none);
	PM_SURE(!pm_process_tell(&m, &place, p.told));
	pm_process_resume(&m, &place, p.pid, root, p.start, none, none);
	PM_SURE(pm_process_tell(&m, &place, p.told));
	pm_process_close(&m, &place);
}
END_TEST

/* It begins by itself when reading has cost as much. */
START_TEST(by_itself)
{
	size_t scans = 0;

	for (; scans * KINDS < 3000; scans++) {
		scan();
		PM_SURE(!find(kind[PLAIN]).told);
	}
	while (!find(kind[PLAIN]).told) {
		poll(NULL, 0, 1);
		scan();
	}
}
END_TEST

/* Without the powers for it processes are read as ever. */
START_TEST(without_powers)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	struct pm_err e = { "" };

	PM_SURE(syscall(SYS_capset, &head, none) == 0);
	scan();
	ck_assert_int_eq(pm_census_prepare(census, &e), -1);
	ck_assert_str_ne(e.text, "");
	ck_assert_int_eq(pm_census_prepare(census, &e), -1);
	scan();
	PM_SURE(!find(kind[PLAIN]).told && find(kind[PLAIN]).rss.known);
	/* Nor does it try again and again. */
	for (size_t scans = 0; scans * KINDS < 5000; scans++)
		scan();
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_census");
	TCase *t = tcase_create("kernel");

	tcase_add_checked_fixture(t, begin, end);
	if (census_can_be_taken()) {
		tcase_add_test(t, as_proc);
		tcase_add_test(t, as_taskstats);
		tcase_add_test(t, ended);
		tcase_add_test(t, reused);
		tcase_add_test(t, by_itself);
	}
	tcase_add_test(t, without_powers);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
