/* Open shared libraries on demand: linking them would slow down every start. */
#ifndef PM_COMMON_LIBRARY_H
#define PM_COMMON_LIBRARY_H

#include <stddef.h>

/* A function of a library, and the pointer that receives its address. */
struct pm_library_function {
	const char *name;
	void *slot;
};

/*
 * Open the first available library of `names` (NULL at the end) and look up n functions. The
 * library stays open. Returns 0, or -1 with the reason in `why`.
 */
int pm_library_open(const char *const *names, const struct pm_library_function *function, size_t n,
		    char *why, size_t size);

#endif
