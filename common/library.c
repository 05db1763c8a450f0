/* Open shared libraries on demand. */
#include "config.h"

#include "common/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int pm_library_open(const char *const *names, const struct pm_library_function *function, size_t n,
		    char *why, size_t size)
{
	void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);

	while (!library && names[1])
		library = dlopen(*++names, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(why, size, "%s", dlerror());
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		void *symbol = dlsym(library, function[i].name);

		if (!symbol) {
			snprintf(why, size, "%s lacks %s", *names, function[i].name);
			return -1;
		}
		/* ISO C does not convert data pointers to function pointers. */
		memcpy(function[i].slot, &symbol, sizeof symbol);
	}
	return 0;
}
