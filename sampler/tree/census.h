/*
 * A census: what the kernel knows of many processes, in one system call. Programs only.
 *
 * It costs a fraction of reading as much from /proc (bench/RESULTS.md), and needs powers that a
 * user does not have (CAP_BPF and CAP_PERFMON), Linux with a description of its own types
 * (/sys/kernel/btf), and the library libbpf. What runs in the kernel is census.bpf.c.
 *
 * Loading that takes some 30 ms of CPU time, and for as long 10 MB of memory, in a process of its
 * own. It begins when as much has been spent otherwise.
 */
#ifndef PM_CENSUS_H
#define PM_CENSUS_H

#include "common/err.h"
#include "sampler/census_task.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pm_census;

/* Returns a census that is not loaded, or NULL when memory is short. */
struct pm_census *pm_census_open(void);

/* Load it now and wait until that is done. Returns 0, or -1 with e filled: there will be none. */
int pm_census_prepare(struct pm_census *c, struct pm_err *e);

/*
 * About to look at n processes. Returns how many of them a census can tell of: 0, PM_CENSUS_MAX or
 * n. Never waits.
 */
size_t pm_census_begin(struct pm_census *c, size_t n);

/* The process at a place below that number. */
void pm_census_ask(struct pm_census *c, size_t i, pid_t pid);

/* Take the census of the first n places. Returns false where it failed: there is none any more. */
bool pm_census_take(struct pm_census *c, size_t n);

/*
 * What was told of the process at place i, valid until the next census, or NULL where it is gone,
 * has ended or was just changing. Another one may have its pid by now: see the start time.
 */
const struct pm_census_task *pm_census_task(const struct pm_census *c, size_t i);

/* Release it; NULL is allowed. */
void pm_census_close(struct pm_census *c);

#endif
