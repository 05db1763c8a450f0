/*
 * A preload that sets the wall clock of one program: $CLOCK_OFFSET names a file with the seconds by
 * which it is ahead. Other clocks, and what waits by them, are left alone.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	const char *name = getenv("CLOCK_OFFSET");
	int rc = (int)syscall(SYS_clock_gettime, clock, t);
	char text[32] = "";
	int fd;

	if (rc != 0 || clock != CLOCK_REALTIME || !name)
		return rc;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
		t->tv_sec += atol(text);
	if (fd >= 0)
		close(fd);
	return 0;
}
