/* The host's hardware, read from /sys once per job for its metadata. */
#ifndef PM_WRAPPER_NODE_HARDWARE_H
#define PM_WRAPPER_NODE_HARDWARE_H

#include <stdint.h>

/* An unknown number is -1, an unknown text "". */
struct pm_hardware {
	int64_t sockets;          /* processor packages that have online CPUs */
	int64_t cores;            /* cores that have online CPUs */
	int64_t threads_per_core; /* online CPUs of the core that has most of them */
	int64_t numa_nodes;
	int64_t l1d_kb, l1i_kb, l2_kb, l3_kb; /* size of one cache of the first CPU */
	char system[256];                     /* maker and product of the machine */
};

/* Read the hardware from the /sys and /proc below root; "": this machine's. */
void pm_hardware_read(const char *root, struct pm_hardware *h);

/* Get the name of the hypervisor that this machine runs under, by CPUID; "" without one, and on
 * processors that have no CPUID. */
void pm_hardware_hypervisor(char name[16]);

#endif
