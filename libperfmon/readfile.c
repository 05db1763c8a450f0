/* Reading a /proc file: one open, one read, one close, charged to the collector. */
#include "config.h"

#include "libperfmon/readfile.h"
#include "libperfmon/descriptors.h"
#include "libperfmon/state.h"

#include <fcntl.h>

long pm_readfile(const char *path, char *buf, size_t cap)
{
	long fd = pm_descriptors_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
	long n;

	if (fd < 0)
		return -1;
	n = pm_sys3(SYS_read, fd, buf, cap);
	pm_sys1(SYS_close, fd);
	if (n < 0)
		return -1;
	pm_own_read(n);
	return n;
}
