/* The CPUs that a job may use, and the times that they spent busy and idle; how many a machine has.
 */
#ifndef PM_SAMPLER_CPUSET_H
#define PM_SAMPLER_CPUSET_H

#include "sampler/kernel/procfile.h"
#include "sampler/source.h"

enum pm_cpuset_time { PM_CPUSET_BUSY, PM_CPUSET_IDLE, PM_CPUSET_STEAL, PM_CPUSET_TIMES };

/* CPU numbers are below this. */
#define PM_CPUSET_CPUS (UINT16_MAX + 1)

/* A CPU's times in the previous sample, us. */
struct pm_cpuset_last {
	bool seen;
	int64_t us[PM_CPUSET_TIMES];
};

struct pm_cpuset {
	struct pm_procfile status;
	pid_t pid;             /* 0: the calling process */
	bool real;             /* a process of this machine, not of a recorded tree */
	long affinity_n;       /* bytes of affinity; 0: unknown */
	bool masked;           /* the mask was read at least once */
	bool current;          /* the mask is of this sample, or the last one of an ended process */
	bool known;            /* `current`, and the times of all CPUs of the mask are known */
	enum pm_reason reason; /* while !known */
	unsigned char mask[PM_CPUSET_CPUS / 8];
	unsigned char affinity[PM_CPUSET_CPUS / 8]; /* as of just before the mask was read */
	int64_t cpus;                               /* online CPUs of the mask */
	struct pm_cpuset_last *last;                /* by CPU; owned */
	size_t capacity;
	int64_t sum_us[PM_CPUSET_TIMES]; /* since the first sample; never falls */
};

/* Whether the machine below root has more CPUs than n. Where it does not say, it has not. */
bool pm_cpuset_exceeds(const char *root, int64_t n);

/*
 * Follow the process that stands for the job, 0 for the sampler itself, by the line
 * Cpus_allowed_list of its /proc/PID/status: this reflects affinity and cpuset. Reads nothing yet.
 */
void pm_cpuset_open(struct pm_cpuset *a, const char *root, pid_t pid);
void pm_cpuset_close(struct pm_cpuset *a);

/* Begin a sample: read the mask. The last mask of a process that has ended stays valid. */
void pm_cpuset_begin(struct pm_cpuset *a);

/* Take the times of an online CPU; us: NULL where they are unknown. */
void pm_cpuset_add(struct pm_cpuset *a, int64_t cpu, const int64_t us[PM_CPUSET_TIMES]);

#endif
