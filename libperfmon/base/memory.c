/* Memory from the kernel, for the few images that need more than the library's own pages. */
#include "config.h"

#include "libperfmon/base/memory.h"

#include "libperfmon/base/sys.h"
#include "libperfmon/base/valgrind.h"

#include <sys/mman.h>

void *pm_memory_map(size_t size)
{
	long p = pm_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p < 0 && p > -4096)
		return NULL;
	pm_valgrind_ignore((void *)p, size);
	return (void *)p;
}
