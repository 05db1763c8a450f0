/* A small recorded tree of /proc for the sampler's tests, below a temporary directory. */
#ifndef PM_TESTS_UNIT_SAMPLER_ROOT_H
#define PM_TESTS_UNIT_SAMPLER_ROOT_H

#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

/* Make an empty root that anyone may enter. */
static void root_make(void)
{
	snprintf(root, sizeof root, "/tmp/perfmon-unit.XXXXXX");
	PM_SURE(mkdtemp(root));
	PM_SURE(chmod(root, 0755) == 0);
}

static int root_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void root_remove_path(const char *relative)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", root, relative);
	nftw(path, root_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

static void root_remove(void)
{
	root_remove_path("");
}

/* Write n bytes to a file below the root, making its directories. */
static void root_put_bytes(const char *relative, const char *text, size_t n)
{
	char path[512];
	int fd;

	snprintf(path, sizeof path, "%s/%s", root, relative);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		PM_SURE(mkdir(path, 0755) == 0 || errno == EEXIST);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	PM_SURE(fd >= 0);
	PM_SURE(write(fd, text, n) == (ssize_t)n);
	close(fd);
}

__attribute__((unused)) static void root_put(const char *relative, const char *text)
{
	root_put_bytes(relative, text, strlen(text));
}

/* Files of mode 0 stop a plain user only; tests of them run as one. */
__attribute__((unused)) static void root_become_plain_user(void)
{
	if (geteuid() == 0)
		PM_SURE(seteuid(65534) == 0);
}

__attribute__((unused)) static void root_become_self(void)
{
	if (getuid() == 0)
		PM_SURE(seteuid(0) == 0);
}

#endif
