/* How programs of tests that make data up end where they cannot go on. */
#include "config.h"

#include "tests/progs/die.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

void *checked(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}
