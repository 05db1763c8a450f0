/* What the programs and the preload both know of PAPI. Safe in the preload. */
#ifndef PM_PAPI_COMMON_H
#define PM_PAPI_COMMON_H

/* Types of an event's value, as PAPI numbers them. */
enum pm_papi_type { PM_PAPI_INT64, PM_PAPI_UINT64, PM_PAPI_FP64, PM_PAPI_BIT64 };

/* The name of an error number of PAPI's, such as "PAPI_ENOEVNT" for -7; "error" of one that is not
 * known. A reason in records. */
const char *pm_papi_error(int error);

#endif
