/* The CPUs that a job may use, and how they spent their time. Programs only. */
#ifndef PM_ALLOCATED_H
#define PM_ALLOCATED_H

#include "sampler/procfile.h"
#include "sampler/source.h"

enum pm_allocated_time {
	PM_ALLOCATED_BUSY,
	PM_ALLOCATED_IDLE,
	PM_ALLOCATED_STEAL,
	PM_ALLOCATED_TIMES
};

/* CPUs have numbers below this. */
#define PM_ALLOCATED_CPUS (UINT16_MAX + 1)

/* The times of a CPU in the sample before, us. */
struct pm_allocated_last {
	bool seen;
	int64_t us[PM_ALLOCATED_TIMES];
};

struct pm_allocated {
	struct pm_procfile status;
	pid_t pid;             /* 0: this one */
	bool real;             /* a process of this machine */
	long affinity_n;       /* bytes of affinity; 0: not known */
	bool masked;           /* the mask was read at least once */
	bool current;          /* the mask is that of this sample, or the last one there was */
	bool known;            /* so it is, and the times of all its CPUs are known */
	enum pm_reason reason; /* why not */
	unsigned char mask[PM_ALLOCATED_CPUS / 8];
	unsigned char affinity[PM_ALLOCATED_CPUS / 8]; /* before the mask was read */
	int64_t cpus;                                  /* of the mask that are online */
	struct pm_allocated_last *last;                /* by CPU; owned */
	size_t capacity;
	int64_t sum_us[PM_ALLOCATED_TIMES]; /* since the first sample; never falls */
};

/*
 * Follow the process that stands for the job, 0 for the sampler itself: by the line
 * Cpus_allowed_list of its /proc/PID/status, which has affinity and cpuset. Nothing is read yet.
 */
void pm_allocated_open(struct pm_allocated *a, const char *root, pid_t pid);
void pm_allocated_close(struct pm_allocated *a);

/* Begin a sample: read the mask. When the process has ended its last one stands. */
void pm_allocated_begin(struct pm_allocated *a);

/* Take the times of a CPU that is online; NULL where they are unknown. */
void pm_allocated_add(struct pm_allocated *a, int64_t cpu, const int64_t us[PM_ALLOCATED_TIMES]);

#endif
