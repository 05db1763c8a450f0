/*
 * PAPI's library, by declarations of our own: it is found at run time, and its headers need not be
 * there when this is built. The one place of the collector that knows its interface.
 */
#ifndef PM_PAPI_LIBRARY_H
#define PM_PAPI_LIBRARY_H

#include <stdbool.h>

/* PAPI_OK and PAPI_NULL; errors are negative (common/papi.h). */
#define PM_PAPI_OK   0
#define PM_PAPI_NULL (-1)

/* Its functions, as papi.h has them. */
struct pm_papi_library {
	int (*num_components)(void);
	const char *(*component)(int index); /* what it points to begins with the name */
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
 * Open the library at `path`, and begin with version `version` of it and those components that
 * `needed` says: some take seconds, or ask the network. To be called under pm_papi_guard, once.
 * Returns the reason why it cannot be used, or NULL.
 */
const char *pm_papi_library_open(struct pm_papi_library *l, const char *path, int version,
				 bool (*needed)(const char *component));

#endif
