/* Listen to the process connector (Documentation/driver-api/connector.rst). */
#include "config.h"

#include "sampler/tree/forks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Room for some 10 000 forks between two calls. */
#define ROOM (16 << 20)

/* The kernel acknowledges while the request is being sent; never wait longer, ms. */
#define PATIENCE 100

/* Events of struct proc_event: newer kernel headers moved the enum out of the struct. */
enum { EVENT_NONE = 0, EVENT_FORK = 1 };

/* Open a socket whose filter passes forks and acknowledgements alone: this saves the CPU time for
 * the execs, renamings and exits of all processes. Filters load words in network byte order. */
static int open_filtered(struct pm_netlink *s)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 NLMSG_HDRLEN + sizeof(struct cn_msg) + offsetof(struct proc_event, what)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(EVENT_FORK), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(EVENT_NONE), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = { sizeof code / sizeof code[0], code };

	return pm_netlink_open(s, NETLINK_CONNECTOR, CN_IDX_PROC, ROOM, &filter);
}

/* The receiver of events. */
struct listener {
	void (*born)(void *context, pid_t parent, pid_t child);
	void *context;
	bool acknowledged;
	int error;
};

static void take_event(void *context, uint16_t type, struct pm_netlink_part body)
{
	struct listener *l = context;
	struct proc_event e;

	(void)type;
	memset(&e, 0, sizeof e);
	if (body.n < sizeof(struct cn_msg) + offsetof(struct proc_event, event_data))
		return;
	body.p += sizeof(struct cn_msg);
	body.n -= sizeof(struct cn_msg);
	memcpy(&e, body.p, body.n < sizeof e ? body.n : sizeof e);
	if ((int)e.what == EVENT_NONE) {
		l->acknowledged = true;
		l->error = (int)e.event_data.ack.err;
	} else if ((int)e.what == EVENT_FORK && l->born) {
		bool thread = e.event_data.fork.child_pid != e.event_data.fork.child_tgid;

		l->born(l->context,
			thread ? e.event_data.fork.child_tgid : e.event_data.fork.parent_tgid,
			e.event_data.fork.child_pid);
	}
}

int pm_forks_open(struct pm_netlink *s)
{
	/* A cn_msg ends in a flexible array, so the operation after it is copied by offset. */
	enum { HEAD = NLMSG_HDRLEN, BODY = HEAD + sizeof(struct cn_msg) };
	const enum proc_cn_mcast_op operation = PROC_CN_MCAST_LISTEN;
	char request[BODY + sizeof operation];
	const struct nlmsghdr head = { .nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE };
	const struct cn_msg message = { .id = { CN_IDX_PROC, CN_VAL_PROC },
					.len = sizeof operation };
	struct listener l = { .error = ENOENT };
	struct pollfd wait;

	if (open_filtered(s) < 0)
		return -1;
	memcpy(request, &head, sizeof head);
	memcpy(request + HEAD, &message, sizeof message);
	memcpy(request + BODY, &operation, sizeof operation);
	wait = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	if (pm_netlink_send(s, request, sizeof request) < 0) {
		l.error = errno;
	} else {
		/* Outside the initial network namespace the kernel does not answer. */
		poll(&wait, 1, PATIENCE);
		pm_netlink_drain(s, take_event, &l);
	}
	if (l.acknowledged && l.error == 0)
		return 0;
	pm_netlink_close(s);
	errno = l.error;
	return -1;
}

void pm_forks_drain(struct pm_netlink *s, void (*born)(void *context, pid_t parent, pid_t child),
		    void *context)
{
	struct listener l = { .born = born, .context = context };

	pm_netlink_drain(s, take_event, &l);
}
