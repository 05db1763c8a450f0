/* The child process that loads the BPF programs of a census. */
#include "config.h"

#include "sampler/tree/census_loader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Control data with the descriptors. The message's text is the error, "" for none. */
union control {
	char room[CMSG_SPACE(PM_CENSUS_FDS * sizeof(int))];
	struct cmsghdr align;
};

static void send_loaded(int to, const int fd[PM_CENSUS_FDS], const struct pm_err *e)
{
	union control control = { { 0 } };
	struct iovec text = { (void *)(uintptr_t)e->text, strlen(e->text) + 1 };
	struct msghdr message = { .msg_iov = &text, .msg_iovlen = 1 };

	if (!e->text[0]) {
		message.msg_control = &control;
		message.msg_controllen = sizeof control.room;
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(PM_CENSUS_FDS * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fd, PM_CENSUS_FDS * sizeof(int));
	}
	sendmsg(to, &message, MSG_NOSIGNAL);
}

_Noreturn static void run_loader(int to, pid_t parent)
{
	struct pm_err e = { "" };
	int fd[PM_CENSUS_FDS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent) {
		pm_census_load(fd, &e);
		send_loaded(to, fd, &e);
	}
	_exit(0);
}

int pm_census_loader_start(struct pm_census_loader *l, struct pm_err *e)
{
	const pid_t self = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return pm_err(e, "load the BPF program: %m");
	l->pid = fork();
	if (l->pid == 0)
		run_loader(pair[1], self);
	close(pair[1]);
	l->from = pair[0];
	if (l->pid > 0)
		return 0;
	pm_err(e, "load the BPF program: %m");
	close(l->from);
	l->pid = 0;
	return -1;
}

void pm_census_loader_end(struct pm_census_loader *l)
{
	if (!l->pid)
		return;
	close(l->from);
	kill(l->pid, SIGKILL);
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	l->pid = 0;
}

int pm_census_loader_wait(struct pm_census_loader *l, int wait_ms, int fd[PM_CENSUS_FDS],
			  struct pm_err *e)
{
	struct pollfd from = { .fd = l->from, .events = POLLIN };
	struct pm_err why = { "the process that loads the BPF program ended" };
	struct iovec text = { why.text, sizeof why.text - 1 };
	union control control;
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof control.room };
	struct cmsghdr *head;

	if (poll(&from, 1, wait_ms) <= 0)
		return 0;
	head = recvmsg(l->from, &message, MSG_CMSG_CLOEXEC) > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	pm_census_loader_end(l);
	if (!head || head->cmsg_len != CMSG_LEN(PM_CENSUS_FDS * sizeof(int)))
		return pm_err(e, "%s", why.text);
	memcpy(fd, CMSG_DATA(head), PM_CENSUS_FDS * sizeof(int));
	return 1;
}
