/* Memory that cannot be done without: what happens where there is none. */
#include "config.h"

#include "common/memory.h"
#include "common/log.h"

#include <stdlib.h>

/* Set while something is owed; taken back by whoever set it. */
static struct {
	void (*fn)(void *arg);
	void *arg;
} owed;

void pm_memory_owe(void (*fn)(void *arg), void *arg)
{
	owed.fn = fn;
	owed.arg = arg;
}

void *pm_memory_sure(void *p)
{
	void (*fn)(void *arg) = owed.fn;

	if (p)
		return p;
	/* Once: it may come here, too. */
	owed.fn = NULL;
	if (fn)
		fn(owed.arg);
	pm_error("out of memory");
	exit(EXIT_FAILURE);
}
