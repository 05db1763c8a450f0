/* What /proc/PID/fdinfo/FD says of a client of a DRM driver
 * (Documentation/gpu/drm-usage-stats.rst). */
#ifndef PM_SAMPLER_KERNEL_DRMCLIENT_H
#define PM_SAMPLER_KERNEL_DRMCLIENT_H

#include <stddef.h>
#include <stdint.h>

/* Engines, and regions of memory, of a client: at most. Further ones are left out. */
#define PM_DRMCLIENT_PARTS 16

/* Length of the name of a part, and of a device, with the NUL. */
#define PM_DRMCLIENT_NAME   32
#define PM_DRMCLIENT_DEVICE 32

/* Values are -1 where the driver does not tell them. */
struct pm_drmclient_engine {
	char name[PM_DRMCLIENT_NAME];
	int64_t ns;           /* time in which it worked for the client */
	int64_t cycles;       /* the same in cycles ... */
	int64_t total_cycles; /* ... of so many that passed */
	int64_t capacity;     /* number of such engines */
};

struct pm_drmclient_region {
	char name[PM_DRMCLIENT_NAME];
	int64_t total;    /* B that the client has a handle of */
	int64_t shared;   /* B of that which others have one of, too */
	int64_t resident; /* B of that which are there now */
};

struct pm_drmclient {
	char device[PM_DRMCLIENT_DEVICE]; /* PCI address, else the driver's name */
	int64_t id;                       /* of the client, unique for the device */
	struct pm_drmclient_engine engine[PM_DRMCLIENT_PARTS];
	struct pm_drmclient_region region[PM_DRMCLIENT_PARTS];
	size_t engines, regions;
};

/*
 * Read the n bytes of a file. Returns 0, or -1 with errno set: ENOENT where it is none of a DRM
 * client, EBADMSG where a value is not as documented.
 */
int pm_drmclient_parse(struct pm_drmclient *c, const char *text, size_t n);

#endif
