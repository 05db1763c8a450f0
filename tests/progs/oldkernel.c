/*
 * Run a program as if the kernel were Linux 4.18: system calls that came later do not exist.
 *
 *	oldkernel PROGRAM [ARGUMENT...]
 */
#include "config.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The last call of 4.18, rseq, and the first of those that have the same number everywhere
 * since 5.1. Between them are a few of x86's own, such as uretprobe. */
#define LAST  SYS_rseq
#define FIRST 424

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof code / sizeof code[0], code };

	_Static_assert(LAST < FIRST, "numbers in the order in which calls came");
	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
		perror("oldkernel: a filter of system calls");
		return 77;
	}
	/* pidfd_open. */
	if (syscall(434, getpid(), 0) >= 0 || errno != ENOSYS) {
		fputs("oldkernel: younger calls are there\n", stderr);
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
