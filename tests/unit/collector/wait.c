/* What waits tell of children: of answers as a kernel gives them, and of real children. */
#include "config.h"

#include "libperfmon/hooks/wait.h"

#include "libperfmon/base/state.h"
#include "libperfmon/hooks/system.h"
#include "libperfmon/record/reaped.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* In place of the collector's: what was told, "PID CODE SIGNAL" or "". */
static char told[64];
static int begun, done, with_usage;
static long majflt;

void pm_system_wait_begins(void)
{
	begun++;
}

void pm_system_wait_done(const struct rusage *reaped)
{
	done++;
	with_usage += reaped != NULL;
}

void pm_reaped_write(const struct pm_reaped *x)
{
	size_t n = strlen(told);

	/* libcheck waits, too. */
	if (x->start_us == 0 && x->usage && x->peak)
		snprintf(told + n, sizeof told - n, "%d %d %d", x->pid, x->code, x->signal);
	majflt = x->usage ? x->usage->ru_majflt : 0;
}

static void set_up(void)
{
	begun = done = with_usage = 0;
	told[0] = '\0';
}

/* What was told since the last time: of one wait, which was begun and ended. */
static const char *told_now(void)
{
	static char now[sizeof told];

	ck_assert(begun == 1 && done == 1);
	ck_assert_int_eq(with_usage, *told != '\0');
	strcpy(now, told);
	set_up();
	return now;
}

/* A kernel that answers what it is told to. */
static struct {
	long ret;
	int status;
	siginfo_t info;
} answer;

static long kernel(long nr, long a, long b, long c, long d, long e, long f)
{
	struct rusage *used = (struct rusage *)(nr == SYS_wait4 ? d : e);

	ck_assert(a == 41 && f == 0);
	memset(used, 0, sizeof *used);
	used->ru_majflt = 77;
	if (nr == SYS_wait4)
		*(int *)b = answer.status;
	else
		*(siginfo_t *)c = answer.info;
	return answer.ret;
}

START_TEST(answers_of_wait4)
{
	static const struct {
		long ret;
		int status;
		const char *want;
	} row[] = {
		{ 5, 0, "5 0 -1" },
		{ 5, 3 << 8, "5 3 -1" },
		{ 5, 255 << 8, "5 255 -1" },
		{ 5, SIGKILL, "5 -1 9" },
		{ 5, SIGSEGV | 0x80 /* and left a core */, "5 -1 11" },
		{ 5, SIGSTOP << 8 | 0x7f /* stopped */, "" },
		{ 5, 0xffff /* goes on */, "" },
		{ 0, 3 << 8, "" },
		{ -ECHILD, 3 << 8, "" },
	};

	for (size_t i = 0; i < 2 * sizeof row / sizeof row[0]; i++) {
		struct rusage ru = { .ru_majflt = 0 };
		int status = 1;
		long ret;

		answer.ret = row[i / 2].ret;
		answer.status = row[i / 2].status;
		/* With and without memory of the caller's. */
		ret = pm_wait_raw(kernel, SYS_wait4, 41, i % 2 ? (long)&status : 0, WNOHANG,
				  i % 2 ? (long)&ru : 0, 0);
		ck_assert_int_eq(ret, answer.ret);
		ck_assert_msg(strcmp(told_now(), row[i / 2].want) == 0, "row %zu", i / 2);
		ck_assert_int_eq(status, i % 2 ? answer.status : 1);
		ck_assert_int_eq(ru.ru_majflt, i % 2 ? 77 : 0);
		ck_assert(!*row[i / 2].want || majflt == 77);
	}
}
END_TEST

START_TEST(answers_of_waitid)
{
	static const struct {
		long ret;
		int pid, code, status, options;
		const char *want;
	} row[] = {
		{ 0, 5, CLD_EXITED, 3, WEXITED, "5 3 -1" },
		{ 0, 5, CLD_EXITED, 0, WEXITED, "5 0 -1" },
		{ 0, 5, CLD_KILLED, 9, WEXITED, "5 -1 9" },
		{ 0, 5, CLD_DUMPED, 11, WEXITED, "5 -1 11" },
		{ 0, 5, CLD_STOPPED, 19, WEXITED | WSTOPPED, "" },
		{ 0, 5, CLD_TRAPPED, 5, WEXITED, "" },
		{ 0, 5, CLD_CONTINUED, 18, WEXITED | WCONTINUED, "" },
		{ 0, 5, CLD_EXITED, 3, WEXITED | WNOWAIT, "" },
		{ 0, 5, CLD_KILLED, 9, WEXITED | WNOWAIT, "" },
		{ 0, 0, CLD_EXITED, 3, WEXITED | WNOHANG, "" },
		{ -ECHILD, 5, CLD_EXITED, 3, WEXITED, "" },
	};

	for (size_t i = 0; i < 2 * sizeof row / sizeof row[0]; i++) {
		struct rusage ru = { .ru_majflt = 0 };
		siginfo_t info = { .si_pid = 1 };
		long ret;

		answer.ret = row[i / 2].ret;
		answer.info.si_pid = row[i / 2].pid;
		answer.info.si_code = row[i / 2].code;
		answer.info.si_status = row[i / 2].status;
		ret = pm_wait_raw(kernel, SYS_waitid, 41, 0, i % 2 ? (long)&info : 0,
				  row[i / 2].options, i % 2 ? (long)&ru : 0);
		ck_assert_int_eq(ret, answer.ret);
		ck_assert_msg(strcmp(told_now(), row[i / 2].want) == 0, "row %zu", i / 2);
		ck_assert_int_eq(info.si_pid, i % 2 ? answer.info.si_pid : 1);
		ck_assert_int_eq(ru.ru_majflt, i % 2 ? 77 : 0);
		ck_assert(!*row[i / 2].want || majflt == 77);
	}
}
END_TEST

/* A child that ends with this status, in a process group of its own. */
static pid_t child(int status)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		_exit(status);
	}
	setpgid(pid, pid);
	return pid;
}

static const char *of(pid_t pid, int status)
{
	static char want[64];

	snprintf(want, sizeof want, "%d %d -1", (int)pid, status);
	return want;
}

/* Each kind of wait, by itself and as a tracer waits, which is told of threads, too. */
START_TEST(waits_for_children)
{
	struct rusage ru;
	siginfo_t info;
	int status;
	pid_t pid;

	pm.on = _i;
	pm.pid = getpid();
	for (int i = 0; i < 2; i++) {
		int options = i ? __WALL : 0;

		pid = child(3);
		ck_assert_int_eq(waitpid(-1, NULL, options), pid);
		ck_assert_str_eq(told_now(), of(pid, 3));
		pid = child(4);
		ck_assert_int_eq(waitpid(-pid, &status, options), pid);
		ck_assert_str_eq(told_now(), of(pid, 4));
		ck_assert_int_eq(status, 4 << 8);
		pid = child(5);
		ck_assert_int_eq(wait4(pid, NULL, options, NULL), pid);
		ck_assert_str_eq(told_now(), of(pid, 5));
		pid = child(6);
		ck_assert_int_eq(wait3(&status, options, &ru), pid);
		ck_assert_str_eq(told_now(), of(pid, 6));
		ck_assert_int_gt(ru.ru_minflt, 0);
		pid = child(7);
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
		ck_assert_str_eq(told_now(), "");
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | options), 0);
		ck_assert_str_eq(told_now(), of(pid, 7));
		ck_assert(info.si_pid == pid && info.si_status == 7);

		pid = fork();
		if (pid == 0)
			for (;;)
				pause();
		ck_assert_int_eq(waitpid(pid, &status, WNOHANG | options), 0);
		ck_assert_str_eq(told_now(), "");
		ck_assert_int_eq(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOHANG | options), 0);
		ck_assert_str_eq(told_now(), "");
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, &status, options), pid);
		ck_assert_str_eq(strchr(told_now(), ' '), " -1 9");
		errno = 0;
		ck_assert_int_eq(waitpid(-1, &status, options), -1);
		ck_assert_int_eq(errno, ECHILD);
		ck_assert_str_eq(told_now(), "");
	}
	pid = child(8);
	ck_assert_int_eq(wait(&status), pid);
	ck_assert_str_eq(told_now(), of(pid, 8));
	ck_assert_int_eq(status, 8 << 8);
}
END_TEST

static void *nothing(void *unused)
{
	return unused;
}

/* A process that is traced, and has a thread that comes and goes. */
__attribute__((noreturn)) static void traced(void)
{
	pthread_t t;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
	if (pthread_create(&t, NULL, nothing, NULL) != 0 || pthread_join(t, NULL) != 0)
		_exit(78);
	_exit(9);
}

/* The end of a thread is no end of a process, and is the tracer's to learn all the same. */
START_TEST(waits_of_a_tracer)
{
	int status = 0, ends = 0;
	pid_t pid = fork(), ended;

	if (pid == 0)
		traced();
	pm.on = true;
	pm.pid = getpid();
	ck_assert_int_eq(waitpid(pid, &status, __WALL | WUNTRACED), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return;
	ck_assert_str_eq(told_now(), "");
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACECLONE), 0);
	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	do {
		ended = waitpid(-1, &status, __WALL);
		ck_assert_int_gt(ended, 0);
		if (WIFEXITED(status)) {
			ends++;
			ck_assert_str_eq(told_now(), ended == pid ? of(pid, 9) : "");
		} else {
			ck_assert(WIFSTOPPED(status));
			ck_assert_str_eq(told_now(), "");
			ptrace(PTRACE_CONT, ended, NULL, NULL);
		}
	} while (ended != pid || !WIFEXITED(status));
	ck_assert_int_eq(ends, 2);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/hooks/wait.c");
	TCase *t = tcase_create("waits");

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_test(t, answers_of_wait4);
	tcase_add_test(t, answers_of_waitid);
	/* Whether or not the process records. */
	if (!PM_UNIT_SANITIZED) {
		tcase_add_loop_test(t, waits_for_children, 0, 2);
		tcase_add_test(t, waits_of_a_tracer);
	}
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
