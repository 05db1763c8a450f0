/* descriptors.c: nothing stays open, with and without close_range(2). */
#include "config.h"

#include "common/descriptors.h"

#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than one buffer of /proc/self/fd lists. */
#define OPENED 300

/* Make a system call fail as one that the kernel lacks. Returns 0, or -1 where filters are not to
 * be had. */
static int hide_call(unsigned number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof code[0], code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In a child: open many, close all from the tenth on, count what is left. Returns the exit status:
 * 0 when exactly those below the tenth are left. */
static int close_in_child(bool hide_close_range, bool hide_list)
{
	bool kept[10];
	int wrong = 0;

	for (int i = 0; i < OPENED; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			return 2;
	if (hide_close_range && hide_call(436) < 0)
		return 77;
	if (hide_list && hide_call(SYS_getdents64) < 0)
		return 77;
	for (int fd = 0; fd < 10; fd++)
		kept[fd] = fcntl(fd, F_GETFD) >= 0;
	pm_descriptors_close(10);
	for (int fd = 0; fd < 10; fd++)
		wrong += kept[fd] != (fcntl(fd, F_GETFD) >= 0);
	for (int fd = 10; fd < OPENED + 20; fd++)
		wrong += fcntl(fd, F_GETFD) >= 0;
	return wrong ? 1 : 0;
}

START_TEST(all_are_closed)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(close_in_child(_i > 0, _i > 1));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) != 77)
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("descriptors");
	TCase *t = tcase_create("descriptors");

	/* By the system call, by the list, by number. */
	tcase_add_loop_test(t, all_are_closed, 0, 3);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
