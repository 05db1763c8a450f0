/* The hypervisor's name, from CPUID leaf 0x40000000, which every hypervisor has. */
#include "config.h"

#include "wrapper/node/hardware.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static const struct {
	const char signature[13];
	const char *name;
} hypervisors[] = {
	{ "KVMKVMKVM\0\0\0", "KVM" },    { "Microsoft Hv", "Hyper-V" },
	{ "VMwareVMware", "VMware" },    { "XenVMMXenVMM", "Xen" },
	{ "bhyve bhyve ", "bhyve" },     { "TCGTCGTCGTCG", "QEMU" },
	{ "prl hyperv  ", "Parallels" },
};

void pm_hardware_hypervisor(char name[16])
{
	unsigned eax, ebx, ecx, edx;
	char signature[13] = "";

	name[0] = '\0';
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & 1u << 31))
		return;
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(signature, &ebx, 4);
	memcpy(signature + 4, &ecx, 4);
	memcpy(signature + 8, &edx, 4);
	for (size_t i = 0; i < sizeof hypervisors / sizeof hypervisors[0]; i++)
		if (memcmp(hypervisors[i].signature, signature, 12) == 0) {
			snprintf(name, 16, "%s", hypervisors[i].name);
			return;
		}
	snprintf(name, 16, "%s", signature[0] ? signature : "unknown");
}

#else

void pm_hardware_hypervisor(char name[16])
{
	name[0] = '\0';
}

#endif
