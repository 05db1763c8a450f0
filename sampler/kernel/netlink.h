/* Netlink sockets: requests, their answers, and unsolicited messages from the kernel. */
#ifndef PM_SAMPLER_KERNEL_NETLINK_H
#define PM_SAMPLER_KERNEL_NETLINK_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

struct pm_netlink {
	int fd; /* -1: closed */
	uint32_t sequence;
	uint64_t dropped; /* messages that did not reach us, as of the last drain */
	uint32_t drops;   /* the socket's own count of dropped messages, which wraps */
};

/* A part of a received message: a sequence of attributes, or an attribute's value. */
struct pm_netlink_part {
	const char *p;
	size_t n;
};

/*
 * Open a socket of a netlink protocol as member of the multicast groups (a bit each), with a
 * receive buffer of `room` bytes if the kernel grants it. A filter, which may be NULL, is in force
 * before the first message. Returns 0, or -1 with errno set and nothing held.
 */
int pm_netlink_open(struct pm_netlink *s, int protocol, uint32_t groups, int room,
		    const struct sock_fprog *filter);

/* Release what is held; a socket that is closed or zeroed with fd -1 is allowed. */
void pm_netlink_close(struct pm_netlink *s);

/*
 * Send a generic netlink command with one attribute, and read its answer or acknowledgement, which
 * the kernel has queued by the time sending returns. Unsolicited messages queued before are
 * dropped: use this before listening begins. Returns 0 with the answer's attributes in *answer
 * (empty for an acknowledgement), which point into `room` of `size` bytes, or -1 with errno set:
 * the kernel's, or EPROTO.
 */
int pm_netlink_request(struct pm_netlink *s, uint16_t family, uint8_t command, uint16_t attribute,
		       const void *value, size_t n, char *room, size_t size,
		       struct pm_netlink_part *answer);

/*
 * Look up a generic netlink family. Returns its number, or 0 with errno set (ENOENT: the kernel
 * lacks the family).
 */
uint16_t pm_netlink_family(struct pm_netlink *s, const char *name);

/*
 * Append a generic netlink command with a number as its attribute to `text`, which has room for
 * PM_NETLINK_COMMAND_SIZE more bytes. Returns the command's length.
 */
#define PM_NETLINK_COMMAND_SIZE 32
size_t pm_netlink_command(char *text, uint16_t family, uint8_t command, uint16_t attribute,
			  uint32_t value);

/* Send complete messages. Returns 0, or -1 with errno set. */
int pm_netlink_send(struct pm_netlink *s, const char *text, size_t n);

/*
 * Receive at most `most` queued datagrams and call `take` with the type and the body of each
 * message. Never waits. Returns how many datagrams there were.
 */
int pm_netlink_take(struct pm_netlink *s, int most,
		    void (*take)(void *context, uint16_t type, struct pm_netlink_part body),
		    void *context);

/*
 * Receive all queued datagrams and call `take` with the type and the body of each message. Never
 * waits. Adds to s->dropped how many messages were lost: dropped by the kernel, or too long.
 * Returns how many datagrams there were.
 */
int pm_netlink_drain(struct pm_netlink *s,
		     void (*take)(void *context, uint16_t type, struct pm_netlink_part body),
		     void *context);

/*
 * Find the first attribute of a type in `in`. A truncated attribute ends the search. Returns 0 with
 * its value, or -1 where there is none.
 */
int pm_netlink_find(struct pm_netlink_part in, uint16_t type, struct pm_netlink_part *value);

/* The attributes of a generic netlink message's body; empty where it is too short. */
struct pm_netlink_part pm_netlink_attributes(struct pm_netlink_part body);

#endif
