/* Files that come into a directory. */
#include "config.h"

#include "common/dirwatch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

int pm_dirwatch_begin(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd >= 0 &&
	    inotify_add_watch(fd, path,
			      IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR | IN_DONT_FOLLOW) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

bool pm_dirwatch_wait(int fd, int64_t us, const sigset_t *waiting)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };
	struct pollfd p = { fd, POLLIN, 0 };

	return ppoll(&p, fd >= 0, &t, waiting) > 0;
}
