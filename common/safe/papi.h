/* Facts about PAPI shared by the programs and the preload. Safe in the preload. */
#ifndef PM_COMMON_SAFE_PAPI_H
#define PM_COMMON_SAFE_PAPI_H

/* Types of an event's value, as PAPI numbers them. */
enum pm_papi_type { PM_PAPI_INT64, PM_PAPI_UINT64, PM_PAPI_FP64, PM_PAPI_BIT64 };

/* The name of a PAPI error number, such as "PAPI_ENOEVNT" for -7; "error" for an unknown one.
 * Records store it as a reason. */
const char *pm_papi_error(int error);

#endif
