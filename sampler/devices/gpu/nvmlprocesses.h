/* The processes that use a GPU, from the library's three lists of them. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVMLPROCESSES_H
#define PM_SAMPLER_DEVICES_GPU_NVMLPROCESSES_H

#include "sampler/devices/gpu/nvml.h"

#include <stdbool.h>
#include <sys/types.h>

/* What an unused byte of a list is before the library writes it. */
#define PM_NVMLPROCESSES_FILL 0xaa

/* Largest entry of a list, B. */
#define PM_NVMLPROCESSES_ENTRY 32

struct pm_nvmlprocess {
	unsigned pid;      /* in the pid namespace of the host */
	bool known;        /* whether the driver tells its memory */
	uint64_t memory;   /* memory of the GPU that it uses, B */
	bool shares_known; /* whether the driver has a sample of it */
	unsigned sm;       /* share of time in which its kernels ran, 0.01% */
};

struct pm_nvmlprocesses {
	struct pm_nvmlprocess *process; /* owned; ascending by pid */
	size_t count, capacity;
	unsigned char *entries; /* owned; buffer of a list */
	unsigned room;          /* entries that fit in it */
	uint64_t since_us;      /* time of the newest sample of shares */
};

/*
 * Find the size of the n entries that the library wrote into a list of `size` bytes, which was
 * filled with PM_NVMLPROCESSES_FILL: 16, 24 or 32, by what was written. The same function writes
 * entries of different sizes with different drivers. Returns 0 where none of the three fits.
 */
size_t pm_nvmlprocesses_stride(const unsigned char *entries, size_t size, unsigned n);

/*
 * List the processes that use a GPU: those that compute, draw graphics, or compute through MPS,
 * each once. Returns 0, or the code of the first list that cannot be read, and no processes then.
 */
int pm_nvmlprocesses_read(struct pm_nvmlprocesses *p, const struct pm_nvml *nvml,
			  pm_nvml_handle gpu);

/*
 * Read the processes' shares of a GPU's time since the previous call: the mean of the driver's
 * samples of each. Returns 0 or a code. A process without a sample has no known share.
 */
int pm_nvmlprocesses_shares(struct pm_nvmlprocesses *p, const struct pm_nvml *nvml,
			    pm_nvml_handle gpu);

/* Release what is held; a zeroed one holds nothing. */
void pm_nvmlprocesses_free(struct pm_nvmlprocesses *p);

#endif
