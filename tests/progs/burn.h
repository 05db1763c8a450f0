/* CPU time that a test program uses up, however fast the processor is. */
#ifndef PM_TESTS_PROGS_BURN_H
#define PM_TESTS_PROGS_BURN_H

#include <time.h>

/* Go on until the calling thread has used so many ms of CPU time since it began. */
static inline void burn_thread_ms(long ms)
{
	struct timespec used;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms);
}

#endif
