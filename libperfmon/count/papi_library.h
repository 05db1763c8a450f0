/*
 * PAPI's library, by declarations of our own: the library is found at run time, and its headers
 * need not be there when perfmon is built. No other part of the collector knows its interface.
 */
#ifndef PM_LIBPERFMON_COUNT_PAPI_LIBRARY_H
#define PM_LIBPERFMON_COUNT_PAPI_LIBRARY_H

#include <stdbool.h>

/* PAPI_OK and PAPI_NULL; errors are negative (common/safe/papi.h). */
#define PM_PAPI_OK   0
#define PM_PAPI_NULL (-1)

/* The library's functions, as papi.h declares them. */
struct pm_papi_library {
	int (*num_components)(void);
	const char *(*component)(int index); /* a struct that begins with the name */
	int (*disable)(int index);
	int (*init)(int version);
	int (*thread_init)(unsigned long (*id)(void));
	int (*code_of)(const char *name, int *code);
	int (*create)(int *set);
	int (*add)(int set, int code);
	int (*start)(int set);
	int (*read)(int set, long long *value);
	int (*stop)(int set, long long *value);
	int (*cleanup)(int set);
	int (*destroy)(int *set);
	int (*unregister)(void);
};

/*
 * Open the library at `path`, and initialise version `version` of it with the components that
 * `needed` selects: some take seconds, or use the network. To be called under pm_papi_guard, once.
 * Returns the reason why the library cannot be used, or NULL.
 */
const char *pm_papi_library_open(struct pm_papi_library *l, const char *path, int version,
				 bool (*needed)(const char *component));

#endif
