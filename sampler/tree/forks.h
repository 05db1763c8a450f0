/* Who was born of whom, as the kernel tells by its process connector. Programs only. */
#ifndef PM_FORKS_H
#define PM_FORKS_H

#include "sampler/netlink.h"

#include <sys/types.h>

/*
 * Listen to every fork of the node from now on. Needs CAP_NET_ADMIN in the first namespaces of
 * users, processes and networks. Returns 0, or -1 with errno set and nothing held.
 */
int pm_forks_open(struct pm_netlink *s);

/*
 * Tell `born` of each fork since the last call, in their order: a process of its parent, or a
 * thread of its process.
 */
void pm_forks_drain(struct pm_netlink *s, void (*born)(void *context, pid_t parent, pid_t child),
		    void *context);

#endif
