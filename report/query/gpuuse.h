/*
 * How far the programs of a job used GPUs: exactly where a driver told it of each process, else by
 * the sampler's figures of processes on NVIDIA's GPUs. A process has one or the other.
 */
#ifndef PM_REPORT_QUERY_GPUUSE_H
#define PM_REPORT_QUERY_GPUUSE_H

#include "db/db.h"
#include "report/facts/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A GPU that the sampler saw processes on. */
struct pm_gpuuse_gpu {
	int64_t host;
	char *uuid;
	double other_us; /* of processes that are not the job's, or have exact figures */
};

/* A process that the sampler saw. */
struct pm_gpuuse_process {
	int64_t host, pid;
	int64_t start_us, end_us; /* INT64_MIN, INT64_MAX: unknown */
	size_t program;
};

/* A sampled process on a GPU. */
struct pm_gpuuse_share {
	size_t process, gpu;
	double us;      /* GPU time; NAN: unknown */
	int64_t memory; /* bytes, the largest sample; PM_UNKNOWN */
};

/* Exact GPU time of a program on a host. */
struct pm_gpuuse_exact {
	int64_t host;
	size_t program;
	double us;
};

/* Programs are elements of pm_facts.gpu_program, by number. GPUs, processes with their shares, and
 * exact times are each in the order of the hosts. */
struct pm_gpuuse {
	struct pm_gpuuse_gpu *gpu;
	size_t gpus, gpus_room;
	struct pm_gpuuse_process *process;
	size_t processes, processes_room;
	struct pm_gpuuse_share *share;
	size_t shares, shares_room;
	struct pm_gpuuse_exact *exact;
	size_t exacts, exacts_room;
};

/* Fill u and f->gpu_program, in no order. Returns 0 or -1 with e filled; call pm_gpuuse_free(u) in
 * either case. */
int pm_gpuuse_read(struct pm_gpuuse *u, struct pm_db *db, int64_t job, bool utf8,
		   struct pm_facts *f, struct pm_err *e);
void pm_gpuuse_free(struct pm_gpuuse *u);

/* Attribute the energy of GPUs to the programs: fill f->gpu_program[].energy_uj and f->energy.gpu.
 * Returns 0 or -1 with e filled. */
int pm_gpuenergy_share(const struct pm_gpuuse *u, struct pm_db *db, int64_t job, struct pm_facts *f,
		       struct pm_err *e);

#endif
