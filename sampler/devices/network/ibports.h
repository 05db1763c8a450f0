/*
 * Ports of RDMA devices, InfiniBand, Omni-Path and RoCE, as the devices of a source: found below
 * /sys/class/infiniband, each with the files that its driver has for a source's metrics. A port is
 * named "mlx5_0/1", device and port.
 */
#ifndef PM_SAMPLER_DEVICES_NETWORK_IBPORTS_H
#define PM_SAMPLER_DEVICES_NETWORK_IBPORTS_H

#include "sampler/devices/deviceset.h"

/* Places of a value, at most. */
#define PM_IBPORTS_PLACES 4

/* Where a metric of a source is, below the port's folder. */
struct pm_ibports_row {
	bool always; /* a port has the metric, even where no driver's file is there */
	int (*parse)(const char *text, size_t n, int64_t *value); /* deviceset.h */
	struct pm_ibports_place {
		const char *file, *plus; /* NULL: none */
		int64_t scale;
		/* Bits of a counter that stops at its end (InfiniBand's PortCounters); 0: it does
		 * not, or has 64. */
		int bits;
	} place[PM_IBPORTS_PLACES]; /* the first that is there is taken */
};

/*
 * Find the ports. row: one for each metric of the set's source.
 * Returns 0, or -1 with *why filled and nothing held.
 */
int pm_ibports_open(struct pm_deviceset *set, const struct pm_target *target, struct pm_sink *sink,
		    const struct pm_ibports_row *row, struct pm_unavailable *why);

/* Look again where it is time, and read all values. */
void pm_ibports_sample(struct pm_deviceset *set, const struct pm_ibports_row *row);

#endif
