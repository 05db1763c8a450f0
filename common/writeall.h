/* Writing to a descriptor. */
#ifndef PM_COMMON_WRITEALL_H
#define PM_COMMON_WRITEALL_H

#include <stddef.h>

/* Write all n bytes, also after interrupted and partial writes. Returns 0 or -1 with errno. */
int pm_write_all(int fd, const void *p, size_t n);

#endif
