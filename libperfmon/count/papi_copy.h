/* A private copy of a library that the program may come to use itself. */
#ifndef PM_LIBPERFMON_COUNT_PAPI_COPY_H
#define PM_LIBPERFMON_COUNT_PAPI_COPY_H

/*
 * Make a copy of a shared library in memory under another soname, so that ld.so takes it for
 * another library: what the program opens later has its own variables. Returns a descriptor,
 * close-on-exec, that the caller closes, or a negative error number.
 */
int pm_papi_copy(const char *path);

#endif
