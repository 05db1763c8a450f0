/*
 * An account of a command's processes that owes nothing to perfmon: the records that the kernel
 * sends at the exit of every task (taskstats). The times in them are tick samples: they say who
 * there was, not for how long.
 *
 * usage: taskstats OUTPUT COMMAND [ARGUMENT...]
 *
 * Runs the command and waits until all that descends from it is gone. OUTPUT then has a line for
 * each process, in the order of their ends, with tabs between:
 *
 *   number   1, 2, ...
 *   parent   number of its parent as it ended; 0 for the command and for orphans
 *   pid
 *   status   as in wait(2)
 *   tasks    how many tasks (threads) of it ended
 *   name     command name; a tab or newline in it becomes a question mark
 *
 * Orphans are adopted here instead of by init; nothing else is different for the command. Exit
 * status: that of the command (128 + signal), 77 where the kernel gives us no records, 76 where it
 * had to drop some.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the kernel has ac_tgid since version 12, which the header may not know. */
#define AT_TGID 368

enum { UNAVAILABLE = 77, INCOMPLETE = 76, BROKEN = 99 };

/* From Linux 5.19 on; a header may be older. */
#ifndef AGROUP
#define AGROUP 0x20
#endif

#define OURS UINT32_MAX

/* The kernel's own limit. */
#define PID_MAX (1 << 22)

/* A task that ended. */
struct task {
	uint32_t tid, tgid, ppid, status;
	uint32_t process; /* record of its process' last task, its own included */
	uint32_t parent;  /* that of its parent; 0 not known, OURS this program */
	uint8_t last;     /* the last task of its process */
	char name[TS_COMM_LEN];
};

static struct {
	struct task *task;
	size_t count, cap;
	int socket;
	uint16_t family;
	uint32_t sequence;
} state;

static void refuse(int status, const char *what)
{
	fprintf(stderr, "taskstats: %s%s%s\n", what, errno ? ": " : "",
		errno ? strerror(errno) : "");
	exit(status);
}

/* --- netlink ---------------------------------------------------------------------------------- */

/* The library's macros mix signs. */
#define HEAD       sizeof(struct nlattr)
#define ALIGNED(n) (((size_t)(n) + 3) & ~(size_t)3)

struct request {
	struct nlmsghdr n;
	struct genlmsghdr g;
	char attribute[256];
};

/* Send a command with one text attribute and wait for what comes back: the answer or an error. */
static ssize_t request(uint16_t type, uint8_t command, uint16_t attribute, const char *text,
		       char *answer, size_t size)
{
	struct request r = { .n = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
			     .g = { .cmd = command, .version = 1 } };
	struct nlattr *a = (struct nlattr *)(void *)r.attribute;
	struct nlmsghdr *h = (struct nlmsghdr *)(void *)answer;
	ssize_t n;

	a->nla_type = attribute;
	a->nla_len = (uint16_t)(HEAD + strlen(text) + 1);
	memcpy(r.attribute + HEAD, text, strlen(text) + 1);
	r.n.nlmsg_seq = ++state.sequence;
	r.n.nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + ALIGNED(a->nla_len));
	if (send(state.socket, &r, r.n.nlmsg_len, 0) < 0)
		return -1;
	do
		n = recv(state.socket, answer, size, 0);
	while (n > 0 && h->nlmsg_seq != state.sequence);
	if (n > 0 && h->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *e = NLMSG_DATA(h);

		errno = -e->error;
		return e->error ? -1 : 0;
	}
	return n;
}

/* The first attribute of a type among attributes; its length without head in *length. */
static const char *find(const char *p, size_t n, uint16_t type, size_t *length)
{
	while (n >= HEAD) {
		struct nlattr a;

		memcpy(&a, p, sizeof a);
		if (a.nla_len < HEAD || a.nla_len > n)
			return NULL;
		if ((a.nla_type & NLA_TYPE_MASK) == type) {
			*length = a.nla_len - HEAD;
			return p + HEAD;
		}
		if (ALIGNED(a.nla_len) >= n)
			return NULL;
		p += ALIGNED(a.nla_len);
		n -= ALIGNED(a.nla_len);
	}
	return NULL;
}

/* The attributes of a message behind its heads, or NULL. */
static const char *payload(const char *message, size_t n, size_t *length)
{
	size_t head = NLMSG_LENGTH(GENL_HDRLEN);

	if (n < head)
		return NULL;
	*length = n - head;
	return message + head;
}

/* Ask for the exit records of all CPUs. */
static void subscribe(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int size = 64 << 20;
	char answer[4096], cpus[128];
	const char *p, *id;
	size_t length;
	ssize_t n;
	FILE *f;

	state.socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (state.socket < 0 ||
	    bind(state.socket, (struct sockaddr *)(void *)&address, sizeof address) < 0)
		refuse(UNAVAILABLE, "no generic netlink");
	/* Acknowledgements still to come are told apart by their number. */
	n = request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
		    answer, sizeof answer);
	if (n <= 0 || !(p = payload(answer, (size_t)n, &length)) ||
	    !(id = find(p, length, CTRL_ATTR_FAMILY_ID, &length)) || length < sizeof state.family)
		refuse(UNAVAILABLE, "the kernel has no taskstats");
	memcpy(&state.family, id, sizeof state.family);
	f = fopen("/sys/devices/system/cpu/possible", "r");
	if (!f || !fgets(cpus, sizeof cpus, f))
		refuse(UNAVAILABLE, "/sys/devices/system/cpu/possible");
	fclose(f);
	cpus[strcspn(cpus, "\n")] = '\0';
	if (setsockopt(state.socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		refuse(UNAVAILABLE, "a large socket buffer");
	if (request(state.family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus,
		    answer, sizeof answer) < 0)
		refuse(UNAVAILABLE, "exit records of all CPUs");
}

static void keep(const struct taskstats *s, pid_t tgid)
{
	struct task *t;

	if (state.count == state.cap) {
		state.cap = state.cap ? 2 * state.cap : 4096;
		state.task = realloc(state.task, state.cap * sizeof *state.task);
		if (!state.task)
			refuse(BROKEN, "memory");
	}
	t = &state.task[state.count++];
	memset(t, 0, sizeof *t);
	t->tid = s->ac_pid;
	t->tgid = tgid;
	t->ppid = s->ac_ppid;
	t->status = s->ac_exitcode;
	t->last = (s->ac_flag & AGROUP) != 0;
	memcpy(t->name, s->ac_comm, sizeof t->name - 1);
	for (char *c = t->name; *c; c++)
		if (*c == '\t' || *c == '\n')
			*c = '?';
}

static void take_message(const char *message, size_t n)
{
	struct nlmsghdr h;
	struct taskstats s = { 0 };
	const char *p, *task, *stats;
	uint32_t tgid;
	size_t length;

	memcpy(&h, message, sizeof h);
	if (h.nlmsg_type != state.family || !(p = payload(message, n, &length)) ||
	    !(task = find(p, length, TASKSTATS_TYPE_AGGR_PID, &length)) ||
	    !(stats = find(task, length, TASKSTATS_TYPE_STATS, &length)))
		return;
	errno = 0;
	if (length < AT_TGID + sizeof tgid)
		refuse(UNAVAILABLE, "this kernel's records do not name the process");
	/* The kernel's struct may be longer than the header's, or shorter. */
	memcpy(&s, stats, length < sizeof s ? length : sizeof s);
	memcpy(&tgid, stats + AT_TGID, sizeof tgid);
	keep(&s, (pid_t)tgid);
}

/* Take what is there. */
static void drain(void)
{
	static char buffer[65536];
	ssize_t n;

	while ((n = recv(state.socket, buffer, sizeof buffer, MSG_DONTWAIT)) != 0) {
		size_t at = 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			refuse(errno == ENOBUFS ? INCOMPLETE : BROKEN, "exit records were lost");
		while (at + sizeof(struct nlmsghdr) <= (size_t)n) {
			struct nlmsghdr h;

			memcpy(&h, buffer + at, sizeof h);
			if (h.nlmsg_len < sizeof h || h.nlmsg_len > (size_t)n - at)
				break;
			take_message(buffer + at, h.nlmsg_len);
			at += ALIGNED(h.nlmsg_len);
		}
	}
}

/* --- the command ------------------------------------------------------------------------------ */

/* Run it until nothing of it is left; its wait status. */
static int run(char **argv, pid_t *root)
{
	sigset_t chld, before;
	struct pollfd wait[2];
	int status = 0, one;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &chld, &before);
	wait[0] = (struct pollfd){ .fd = state.socket, .events = POLLIN };
	wait[1] = (struct pollfd){ .fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK),
				   .events = POLLIN };
	if (wait[1].fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		refuse(BROKEN, "adopt orphans");
	*root = fork();
	if (*root == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[0], argv);
		refuse(127, argv[0]);
	}
	if (*root < 0)
		refuse(BROKEN, "fork");
	for (;;) {
		struct signalfd_siginfo ignored;

		if (poll(wait, 2, -1) < 0 && errno != EINTR)
			refuse(BROKEN, "poll");
		drain();
		while (read(wait[1].fd, &ignored, sizeof ignored) > 0)
			;
		while ((pid = waitpid(-1, &one, WNOHANG)) > 0)
			if (pid == *root)
				status = one;
		/* A record is sent before the task can be waited for: all of them are here. */
		if (pid < 0 && errno == ECHILD)
			break;
	}
	drain();
	return status;
}

/* --- from tasks to processes ------------------------------------------------------------------ */

/*
 * A child that ends between its parent's record and its becoming ours still names that parent. So
 * few records earlier it is that parent for certain, and so many at most.
 */
#define JUST_ENDED 256
#define LONG_AGO   8192

/*
 * Give each task its process and each process its parent, by their records. Pids come back: the
 * parent is the process of that pid that ended just now, else the next one to end, since one that
 * ends first leaves its children to us.
 */
static void link_processes(uint32_t self)
{
	/* By pid, one more than the largest there can be: the record of a process. */
	uint32_t *at = calloc(PID_MAX + 1, sizeof *at);

	if (!at)
		refuse(BROKEN, "memory");
	for (size_t i = 1; i <= state.count; i++) {
		struct task *t = &state.task[i - 1];

		if (t->tgid > PID_MAX || t->ppid > PID_MAX)
			refuse(BROKEN, "a pid is out of range");
		t->parent = at[t->ppid] && i - at[t->ppid] < LONG_AGO ? at[t->ppid] : 0;
		if (t->last)
			at[t->tgid] = (uint32_t)i;
	}
	memset(at, 0, (PID_MAX + 1) * sizeof *at);
	for (size_t i = state.count; i > 0; i--) {
		struct task *t = &state.task[i - 1];

		if (t->last)
			at[t->tgid] = (uint32_t)i;
		t->process = at[t->tgid];
		if (at[t->ppid] && (t->parent == 0 || i - t->parent > JUST_ENDED))
			t->parent = at[t->ppid];
		if (t->ppid == self)
			t->parent = OURS;
	}
	free(at);
}

/* 1 when a process descends from the command. */
static int is_ours(size_t i)
{
	for (size_t steps = 0; steps <= state.count; steps++) {
		const struct task *t = &state.task[i];

		if (t->parent == OURS)
			return 1;
		if (t->parent == 0)
			return 0;
		i = t->parent - 1;
	}
	return 0;
}

/* Returns how many. */
static uint32_t print(FILE *out)
{
	uint32_t *number = calloc(state.count + 1, sizeof *number);
	uint32_t *tasks = calloc(state.count + 1, sizeof *tasks), n = 0;

	if (!number || !tasks)
		refuse(BROKEN, "memory");
	for (size_t i = 0; i < state.count; i++) {
		const struct task *t = &state.task[i];

		tasks[t->process]++;
		if (t->last && is_ours(i))
			number[i + 1] = ++n;
	}
	for (size_t i = 0; i < state.count; i++) {
		const struct task *t = &state.task[i];

		if (number[i + 1])
			fprintf(out, "%u\t%u\t%u\t%u\t%u\t%s\n", number[i + 1],
				t->parent == OURS ? 0 : number[t->parent], t->tgid, t->status,
				tasks[i + 1], t->name);
	}
	free(number);
	free(tasks);
	return n;
}

int main(int argc, char **argv)
{
	pid_t root;
	FILE *out;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: taskstats OUTPUT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	out = fopen(argv[1], "we");
	if (!out)
		refuse(BROKEN, argv[1]);
	subscribe();
	status = run(argv + 2, &root);
	errno = 0;
	link_processes((uint32_t)getpid());
	if (print(out) == 0)
		refuse(INCOMPLETE, "the command itself has no record");
	if (fclose(out) != 0)
		refuse(BROKEN, argv[1]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
