/* When a sender tries: pauses that grow, and times that differ from host to host. No clock is read.
 */
#ifndef PM_FORWARD_BACKOFF_H
#define PM_FORWARD_BACKOFF_H

#include <stdint.h>

/* A host's number, by which its times differ from those of others. */
uint64_t pm_backoff_host(const char *name);

/* The pause after so many failures in a row, at least 1, us: a second, doubled for each further
 * failure up to `longest_us`, of which the host and the number of the failure take away up to half.
 */
int64_t pm_backoff_pause(uint64_t host, unsigned failures, int64_t longest_us);

/* The host's place within a span of time, us: 0 or more and less than `span_us`; of a span of 0
 * that is 0. */
int64_t pm_backoff_offset(uint64_t host, int64_t span_us);

#endif
