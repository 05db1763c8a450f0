/*
 * A census: the figures of many processes, read by BPF in one system call.
 *
 * A census costs a fraction of reading the same figures from /proc (bench/RESULTS.md). It needs
 * capabilities that an ordinary user lacks (CAP_BPF and CAP_PERFMON), a kernel with BTF type
 * information (/sys/kernel/btf), and the library libbpf. The BPF programs are in census.bpf.c.
 *
 * A child process loads the programs, which takes some 30 ms of CPU time and 10 MB of memory
 * meanwhile. Loading begins when reading /proc has cost as much.
 */
#ifndef PM_SAMPLER_TREE_CENSUS_H
#define PM_SAMPLER_TREE_CENSUS_H

#include "common/err.h"
#include "sampler/tree/census_task.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pm_census;

/* Returns a census that is not loaded, or NULL when memory is short. */
struct pm_census *pm_census_open(void);

/* Load the programs now and wait for them. Returns 0, or -1 with e filled: then no census can be
 * taken, now or later. */
int pm_census_prepare(struct pm_census *c, struct pm_err *e);

/*
 * Announce that n processes are about to be read. Returns how many of them fit into a census: 0,
 * PM_CENSUS_MAX or n. Never waits.
 */
size_t pm_census_begin(struct pm_census *c, size_t n);

/* Put a process at place i, below the number that pm_census_begin() returned. */
void pm_census_ask(struct pm_census *c, size_t i, pid_t pid);

/* Take the census of the first n places. Returns false on failure: no later census is possible. */
bool pm_census_take(struct pm_census *c, size_t n);

/*
 * The figures of the process at place i, valid until the next census; NULL where the process is
 * gone, has ended or was just changing. The pid may have been reused: compare the start time.
 */
const struct pm_census_task *pm_census_task(const struct pm_census *c, size_t i);

/* Release the census; NULL is allowed. */
void pm_census_close(struct pm_census *c);

#endif
