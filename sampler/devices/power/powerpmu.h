/*
 * RAPL's counters by perf_event_open(2): the events of the kernel's PMU `power`
 * (/sys/bus/event_source/devices/power; arch/x86/events/rapl.c). They count from the moment they
 * are opened, in 64 bits, so that they never wrap; the kernel lets those open them that
 * perf_event_paranoid 0 or CAP_PERFMON allows.
 */
#ifndef PM_SAMPLER_DEVICES_POWER_POWERPMU_H
#define PM_SAMPLER_DEVICES_POWER_POWERPMU_H

#include "common/safe/events.h"
#include "sampler/devices/power/powercap.h"

#include <stddef.h>
#include <sys/types.h>

/* An open counter. */
struct pm_powerpmu_counter {
	char name[96]; /* as powercap names the zone: "package-0", "package-0/dram" */
	enum pm_powercap_part part;
	int fd;
	long double uj; /* per count */
};

/* Opens a counter of a CPU and all tasks. Returns a descriptor, or -1 with errno set. */
typedef int pm_powerpmu_opener(const struct pm_event *event, int cpu);

/*
 * Open every event of the PMU below root, once per package, or die where the PMU counts dies. The
 * caller frees *counters by pm_powerpmu_close(). Returns how many are open, or -1 with errno set:
 * ENOENT without the PMU, else why the last event could not be opened. An event is left out
 * where it cannot be opened on all packages.
 */
ssize_t pm_powerpmu_open(const char *root, pm_powerpmu_opener *opener,
			 struct pm_powerpmu_counter **counters);

/* Read a counter, uJ. Returns 0, or -1 with errno set. */
int pm_powerpmu_read(const struct pm_powerpmu_counter *c, int64_t *uj);

void pm_powerpmu_close(struct pm_powerpmu_counter *counters, size_t n);

#endif
