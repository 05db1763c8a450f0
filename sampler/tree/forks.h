/* Forks of the node, as the kernel reports them by its process connector. */
#ifndef PM_SAMPLER_TREE_FORKS_H
#define PM_SAMPLER_TREE_FORKS_H

#include "sampler/kernel/netlink.h"

#include <sys/types.h>

/*
 * Listen to every fork of the node from now on. Needs CAP_NET_ADMIN in the initial user, pid and
 * network namespaces. Returns 0, or -1 with errno set and nothing held.
 */
int pm_forks_open(struct pm_netlink *s);

/*
 * Call `born` for each fork since the last call, in order: with a new process and its parent, or
 * with a new thread and its process.
 */
void pm_forks_drain(struct pm_netlink *s, void (*born)(void *context, pid_t parent, pid_t child),
		    void *context);

#endif
