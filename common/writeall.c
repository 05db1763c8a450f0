/* Writing to a descriptor. */
#include "config.h"

#include "common/writeall.h"

#include <errno.h>
#include <unistd.h>

int pm_write_all(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n > 0) {
		const ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}
