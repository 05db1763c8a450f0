/* Names of environment variables by which perfmon reaches the programs of a job; what follows the
 * prefix is in handed.def and in the table of settings. */
#ifndef PM_COMMON_SAFE_VARIABLES_H
#define PM_COMMON_SAFE_VARIABLES_H

#define PM_VARIABLE_PREFIX  "PERFMON_"
#define PM_VARIABLE_PRELOAD "LD_PRELOAD"
#define PM_VARIABLE_ASAN    "ASAN_OPTIONS"

/* Flags of PERFMON_HOST, one digit: delays are accounted; the host has GPUs whose drivers may tell
 * of clients. */
#define PM_HOST_DELAYS 1
#define PM_HOST_GPUS   2

#endif
