/* End the program when memory runs out. */
#include "config.h"

#include "common/nomem.h"

#include <stddef.h>
#include <unistd.h>

/* Handler that runs before the program ends for lack of memory; NULL for none. */
static struct {
	void (*last)(void *arg);
	void *arg;
} instead;

void pm_nomem_instead(void (*last)(void *arg), void *arg)
{
	instead.last = last;
	instead.arg = arg;
}

void pm_nomem(void)
{
	static const char text[] = "perfmon: out of memory\n";
	void (*last)(void *arg) = instead.last;

	/* The handler may run out of memory itself. */
	instead.last = NULL;
	if (last)
		last(instead.arg);
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(2);
	_exit(1);
}
