/*
 * Clients of GPUs: what drivers of the kernel's DRM tell in /proc/self/fdinfo of each open descriptor
 * of theirs. NVIDIA's own driver tells nothing.
 *
 * Only a process with a library that drivers' users have can have a client; the others make no
 * system call. A client counts in the image that opened it: not in a fork child that has a copy of
 * the descriptor, nor in a program to which exec left it.
 */
#ifndef PM_LIBPERFMON_RECORD_CLIENTS_H
#define PM_LIBPERFMON_RECORD_CLIENTS_H

#include "common/safe/record.h"

/* In an image that begins, by exec or fork: note the clients that it has already. */
void pm_clients_begin(void);

/* gpu_time, gpu_cycles and gpu_memory of the clients that are open now. Call this before I/O is
 * measured. */
void pm_clients_measure(struct pm_record *r);

#endif
