/* Talk to the kernel by netlink. */
#include "config.h"

#include "sampler/kernel/netlink.h"

#include <errno.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* In place of NLA_HDRLEN and NLA_ALIGN: the kernel's macros mix signs. */
#define HEAD       sizeof(struct nlattr)
#define ALIGNED(n) (((size_t)(n) + 3) & ~(size_t)3)

/* Longest value of a request: a list of CPUs. */
#define VALUE_MAX 512

/* The longest message. */
#define MESSAGE_MAX 4096

int pm_netlink_open(struct pm_netlink *s, int protocol, uint32_t groups, int room,
		    const struct sock_fprog *filter)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = groups };
	const int on = 1;
	int saved;

	memset(s, 0, sizeof *s);
	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (s->fd < 0)
		return -1;
	if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0)
		setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	/* The socket counts dropped messages; ENOBUFS would add nothing. */
	setsockopt(s->fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof on);
	if ((!filter ||
	     setsockopt(s->fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, sizeof *filter) == 0) &&
	    bind(s->fd, (struct sockaddr *)(void *)&address, sizeof address) == 0)
		return 0;
	saved = errno;
	pm_netlink_close(s);
	errno = saved;
	return -1;
}

void pm_netlink_close(struct pm_netlink *s)
{
	if (s->fd >= 0)
		close(s->fd);
	memset(s, 0, sizeof *s);
	s->fd = -1;
}

/* --- messages --------------------------------------------------------------------------------- */

int pm_netlink_find(struct pm_netlink_part in, uint16_t type, struct pm_netlink_part *value)
{
	while (in.n >= HEAD) {
		struct nlattr a;

		memcpy(&a, in.p, sizeof a);
		if (a.nla_len < HEAD || a.nla_len > in.n)
			return -1;
		if ((a.nla_type & NLA_TYPE_MASK) == type) {
			*value = (struct pm_netlink_part){ in.p + HEAD, a.nla_len - HEAD };
			return 0;
		}
		if (ALIGNED(a.nla_len) >= in.n)
			return -1;
		in.p += ALIGNED(a.nla_len);
		in.n -= ALIGNED(a.nla_len);
	}
	return -1;
}

struct pm_netlink_part pm_netlink_attributes(struct pm_netlink_part body)
{
	if (body.n < GENL_HDRLEN)
		return (struct pm_netlink_part){ body.p, 0 };
	return (struct pm_netlink_part){ body.p + GENL_HDRLEN, body.n - GENL_HDRLEN };
}

/* Write a command with an attribute of n bytes. Returns the command's length. */
static size_t put_command(char *text, const struct nlmsghdr *head, uint8_t command,
			  uint16_t attribute, const void *value, size_t n)
{
	const struct genlmsghdr generic = { .cmd = command, .version = 1 };
	const struct nlattr a = { .nla_type = attribute, .nla_len = (uint16_t)(HEAD + n) };
	const size_t length = NLMSG_HDRLEN + GENL_HDRLEN + ALIGNED(HEAD + n);
	struct nlmsghdr h = *head;

	h.nlmsg_len = (uint32_t)length;
	memset(text, 0, length);
	memcpy(text, &h, sizeof h);
	memcpy(text + NLMSG_HDRLEN, &generic, sizeof generic);
	memcpy(text + NLMSG_HDRLEN + GENL_HDRLEN, &a, sizeof a);
	memcpy(text + NLMSG_HDRLEN + GENL_HDRLEN + HEAD, value, n);
	return length;
}

size_t pm_netlink_command(char *text, uint16_t family, uint8_t command, uint16_t attribute,
			  uint32_t value)
{
	const struct nlmsghdr h = { .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST };

	_Static_assert(NLMSG_HDRLEN + GENL_HDRLEN + HEAD + sizeof value <= PM_NETLINK_COMMAND_SIZE,
		       "room for a command");
	return put_command(text, &h, command, attribute, &value, sizeof value);
}

int pm_netlink_send(struct pm_netlink *s, const char *text, size_t n)
{
	return send(s->fd, text, n, 0) < 0 ? -1 : 0;
}

/* --- requests --------------------------------------------------------------------------------- */

int pm_netlink_request(struct pm_netlink *s, uint16_t family, uint8_t command, uint16_t attribute,
		       const void *value, size_t n, char *room, size_t size,
		       struct pm_netlink_part *answer)
{
	const struct nlmsghdr head = { .nlmsg_type = family,
				       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
				       .nlmsg_seq = ++s->sequence };
	char text[NLMSG_HDRLEN + GENL_HDRLEN + HEAD + VALUE_MAX];
	ssize_t got;

	if (n > VALUE_MAX - 4) {
		errno = EMSGSIZE;
		return -1;
	}
	if (send(s->fd, text, put_command(text, &head, command, attribute, value, n), 0) < 0)
		return -1;
	/* An acknowledgement follows the answer and stays in the socket. The next request
	 * recognises it by its sequence number and skips it. */
	while ((got = recv(s->fd, room, size, MSG_DONTWAIT)) >= 0) {
		struct nlmsghdr h;
		struct nlmsgerr e;

		if ((size_t)got < sizeof h)
			break;
		memcpy(&h, room, sizeof h);
		if (h.nlmsg_seq != s->sequence || h.nlmsg_len < sizeof h ||
		    h.nlmsg_len > (size_t)got)
			continue;
		*answer =
			(struct pm_netlink_part){ room + NLMSG_HDRLEN, h.nlmsg_len - NLMSG_HDRLEN };
		if (h.nlmsg_type != NLMSG_ERROR) {
			*answer = pm_netlink_attributes(*answer);
			return 0;
		}
		if (answer->n < sizeof e)
			break;
		memcpy(&e, answer->p, sizeof e);
		answer->n = 0;
		errno = -e.error;
		return e.error ? -1 : 0;
	}
	if (got >= 0 || errno == EAGAIN)
		errno = EPROTO;
	return -1;
}

uint16_t pm_netlink_family(struct pm_netlink *s, const char *name)
{
	struct pm_netlink_part answer, id;
	uint16_t family = 0;
	char room[4096];

	if (pm_netlink_request(s, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, name,
			       strlen(name) + 1, room, sizeof room, &answer) < 0)
		return 0;
	errno = EPROTO;
	if (pm_netlink_find(answer, CTRL_ATTR_FAMILY_ID, &id) == 0 && id.n >= sizeof family)
		memcpy(&family, id.p, sizeof family);
	return family;
}

/* --- listening -------------------------------------------------------------------------------- */

static void take_datagram(const char *p, size_t n,
			  void (*take)(void *context, uint16_t type, struct pm_netlink_part body),
			  void *context)
{
	while (n >= NLMSG_HDRLEN) {
		struct nlmsghdr h;

		memcpy(&h, p, sizeof h);
		if (h.nlmsg_len < sizeof h || h.nlmsg_len > n)
			return;
		take(context, h.nlmsg_type,
		     (struct pm_netlink_part){ p + NLMSG_HDRLEN, h.nlmsg_len - NLMSG_HDRLEN });
		if (ALIGNED(h.nlmsg_len) >= n)
			return;
		p += ALIGNED(h.nlmsg_len);
		n -= ALIGNED(h.nlmsg_len);
	}
}

int pm_netlink_take(struct pm_netlink *s, int most,
		    void (*take)(void *context, uint16_t type, struct pm_netlink_part body),
		    void *context)
{
	char room[MESSAGE_MAX];
	int n = 0;

	/* recvmmsg(2) is not faster: it touches as much memory as there is room for. */
	while (n < most) {
		ssize_t got = recv(s->fd, room, sizeof room, MSG_DONTWAIT | MSG_TRUNC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n++;
		s->dropped += (size_t)got > sizeof room;
		take_datagram(room, (size_t)got < sizeof room ? (size_t)got : sizeof room, take,
			      context);
	}
	return n;
}

int pm_netlink_drain(struct pm_netlink *s,
		     void (*take)(void *context, uint16_t type, struct pm_netlink_part body),
		     void *context)
{
	uint32_t memory[SK_MEMINFO_VARS];
	socklen_t length = sizeof memory;
	const int n = pm_netlink_take(s, INT_MAX, take, context);

	if (getsockopt(s->fd, SOL_SOCKET, SO_MEMINFO, memory, &length) < 0 ||
	    length < sizeof memory)
		return n;
	s->dropped += (uint32_t)(memory[SK_MEMINFO_DROPS] - s->drops);
	s->drops = memory[SK_MEMINFO_DROPS];
	return n;
}
