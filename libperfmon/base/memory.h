/* Memory beyond the library's own pages. */
#ifndef PM_LIBPERFMON_BASE_MEMORY_H
#define PM_LIBPERFMON_BASE_MEMORY_H

#include <stddef.h>

/*
 * Map `size` bytes of zeroes, for as long as the image lives; the program's heap is not touched.
 * Returns NULL if the program's limits leave no room. Async-signal-safe.
 */
void *pm_memory_map(size_t size);

#endif
