/* Libraries that are opened when they are needed, since linking them would cost every start. */
#ifndef PM_LIBRARY_H
#define PM_LIBRARY_H

#include <stddef.h>

/* A function of a library, and the pointer that is to get its address. */
struct pm_library_function {
	const char *name;
	void *slot;
};

/*
 * Open the first of the libraries that is there (names, NULL at the end) and look up n functions.
 * It stays open. Returns 0, or -1 with the reason in `why`.
 */
int pm_library_open(const char *const *names, const struct pm_library_function *function, size_t n,
		    char *why, size_t size);

#endif
