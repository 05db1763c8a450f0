/* Memory in common with child processes. */
#include "config.h"

#include "forward/shared.h"

#include <sys/mman.h>

void *pm_shared_new(size_t size, struct pm_err *e)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		return p;
	pm_err(e, "%zu bytes of shared memory: %m", size);
	return NULL;
}

void pm_shared_free(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}
