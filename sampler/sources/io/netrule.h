/*
 * Which network interfaces carry the traffic in and out of the node, so that a packet that passes
 * several interfaces counts once.
 */
#ifndef PM_SAMPLER_SOURCES_IO_NETRULE_H
#define PM_SAMPLER_SOURCES_IO_NETRULE_H

enum pm_netrule_class {
	PM_NETRULE_UNKNOWN,  /* not in /sys */
	PM_NETRULE_LOOPBACK, /* type 772 */
	PM_NETRULE_STACKED,  /* bridge, bond, team, VLAN, macvlan: on top of other interfaces */
	PM_NETRULE_HARDWARE, /* has a device, real or of the hypervisor */
	PM_NETRULE_UPLINK,   /* no device, but its other end is outside: veth of a container */
	PM_NETRULE_VIRTUAL,  /* the rest: tun, tap, dummy, tunnels, ... */
};

/* The class of an interface by its entries in /sys/class/net/NAME. */
enum pm_netrule_class pm_netrule_classify(const char *root, const char *name);

#endif
