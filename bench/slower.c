/* A preload that makes one program slower: at its end it uses SLOW_PART of the CPU time that it has
 * used. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static volatile double sink;

static double used(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static void burn(void)
{
	const char *part = getenv("SLOW_PART");
	const double until = used() * (1 + (part ? strtod(part, NULL) : 0));

	while (used() < until)
		for (int i = 0; i < 2000; i++)
			sink += i;
}

__attribute__((constructor)) static void begin(void)
{
	const char *program = getenv("SLOW_PROGRAM");

	if (program && strcmp(program_invocation_short_name, program) == 0)
		atexit(burn);
}
