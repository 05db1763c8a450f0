/* Paths: base names, directories, small files. */
#include "config.h"

#include "common/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *pm_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int pm_path_make(const char *path, struct pm_err *e)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n == 0 || n >= sizeof part)
		return pm_err(e, "create directory '%s': the name is empty or too long", path);
	memcpy(part, path, n + 1);
	for (char *p = part + 1;; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return pm_err(e, "create directory %s: %m", part);
		*p = c;
		if (c == '\0')
			return 0;
	}
}

ssize_t pm_path_read(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return -1;
	n = fread(text, 1, size - 1, f);
	fclose(f);
	text[n] = '\0';
	return (ssize_t)n;
}
