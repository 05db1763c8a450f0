/*
 * The zones of RAPL below /sys/class/powercap (Documentation/power/powercap/powercap.rst): each
 * once, whether the class lists all of them side by side, as it does on a machine, or only the
 * control types, as in some recordings. A zone's directory is TYPE:N[:N...], and its file `name`
 * says what it measures.
 */
#ifndef PM_SAMPLER_DEVICES_POWER_POWERCAP_H
#define PM_SAMPLER_DEVICES_POWER_POWERCAP_H

#include <stddef.h>
#include <sys/types.h>

/* What a zone measures. Zones of one part may be added, those of two not: see source_rapl.c. */
enum pm_powercap_part {
	PM_POWERCAP_PACKAGE, /* a package, or a die of one that has several */
	PM_POWERCAP_CORE,    /* its cores */
	PM_POWERCAP_UNCORE,  /* on clients its graphics */
	PM_POWERCAP_DRAM,    /* memory */
	PM_POWERCAP_PSYS,    /* the platform: packages and more */
	PM_POWERCAP_MMIO,    /* a package once more, by another interface */
	PM_POWERCAP_OTHER
};

struct pm_powercap_zone {
	char path[192]; /* of its directory, below the root */
	char base[32];  /* name of the directory */
	char name[96];  /* by the files `name`: "package-0", "package-0/dram" */
	enum pm_powercap_part part;
};

/*
 * List the zones, in the order of their directories' names. Zones of the same part and name have
 * their directory behind the name: "package-0 (intel-rapl:2)". The caller frees *zones. Returns how
 * many there are, or -1 with errno set.
 */
ssize_t pm_powercap_list(const char *root, struct pm_powercap_zone **zones);

#endif
