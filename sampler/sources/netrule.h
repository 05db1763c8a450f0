/*
 * Which network interfaces carry what goes in and out of the node, so that a packet that passes
 * several of them counts once. Programs only.
 */
#ifndef PM_NETRULE_H
#define PM_NETRULE_H

enum pm_netrule_class {
	PM_NETRULE_UNKNOWN,  /* there is nothing about it in /sys */
	PM_NETRULE_LOOPBACK, /* type 772 */
	PM_NETRULE_STACKED,  /* bridge, bond, team, VLAN, macvlan: its packets pass others, too */
	PM_NETRULE_HARDWARE, /* has a device, real or of the hypervisor */
	PM_NETRULE_UPLINK,   /* no device, but its other end is outside: veth of a container */
	PM_NETRULE_VIRTUAL,  /* the rest: tun, tap, dummy, tunnels, ... */
};

/* What /sys/class/net/NAME says an interface is. */
enum pm_netrule_class pm_netrule_classify(const char *root, const char *name);

#endif
