/* Reading a /proc file: one open, one read, one close, charged to the collector. */
#include "config.h"

#include "libperfmon/base/readfile.h"

#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

long pm_readfile_of(const char *path, char *buf, size_t cap, uint64_t *dev)
{
	long fd = pm_descriptors_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
	struct stat st;
	long n;

	if (fd < 0)
		return -1;
	if (dev)
		*dev = pm_sys2(SYS_fstat, fd, &st) == 0 ? st.st_dev : 0;
	n = pm_sys3(SYS_read, fd, buf, cap);
	pm_sys1(SYS_close, fd);
	if (n < 0)
		return -1;
	pm_own_read(n);
	return n;
}

long pm_readfile(const char *path, char *buf, size_t cap)
{
	return pm_readfile_of(path, buf, cap, NULL);
}

void pm_readfile_lines(const char *path, char *buf, size_t cap,
		       int (*take)(const char *text, size_t n, void *ctx), void *ctx)
{
	long fd = pm_descriptors_open(path, O_RDONLY | O_CLOEXEC, 0);
	size_t kept = 0;

	if (fd < 0)
		return;
	for (;;) {
		long n = pm_sys3(SYS_read, fd, buf + kept, cap - kept);
		size_t line;

		if (n <= 0)
			break;
		pm_own_read(n);
		kept += (size_t)n;
		if (take(buf, kept, ctx) == 0)
			break;
		for (line = kept; line > 0 && buf[line - 1] != '\n'; line--)
			;
		if (line == 0 && kept == cap)
			line = kept;
		memmove(buf, buf + line, kept - line);
		kept -= line;
	}
	pm_sys1(SYS_close, fd);
}
