/* What the host is made of, from /sys: once, for the metadata of jobs. */
#ifndef PM_WRAPPER_HARDWARE_H
#define PM_WRAPPER_HARDWARE_H

#include <stdint.h>

/* Numbers are -1 and texts empty where they are not known. */
struct pm_hardware {
	int64_t sockets;          /* processor packages with CPUs that are online */
	int64_t cores;            /* their cores */
	int64_t threads_per_core; /* CPUs of the core that has most */
	int64_t numa_nodes;
	int64_t l1d_kb, l1i_kb, l2_kb, l3_kb; /* size of one cache of the first CPU */
	char system[256];                     /* maker and product of the machine */
};

/* Read it below root, "" for this machine. */
void pm_hardware_read(const char *root, struct pm_hardware *h);

/* The hypervisor that this machine runs under, by CPUID; "" for none, or where nothing says so. */
void pm_hardware_hypervisor(char name[16]);

#endif
