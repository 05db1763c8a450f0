/* Small files and folders of /proc and /sys. */
#include "config.h"

#include "wrapper/node/sysfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t pm_sysfile_text(char *buf, size_t size, const char *root, const char *directory,
			const char *name)
{
	char path[512];
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof path, "%s/%s/%s", root, directory, name) >= (int)sizeof path)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n] = '\0';
	return n;
}

DIR *pm_sysfile_open(const char *root, const char *directory)
{
	char path[512];

	if (snprintf(path, sizeof path, "%s/%s", root, directory) >= (int)sizeof path)
		return NULL;
	return opendir(path);
}

bool pm_sysfile_is_numbered(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 && name[n] &&
	       name[n + strspn(name + n, "0123456789")] == '\0';
}
