/* The file whose first word FINISHED ends the sampler. */
#include "config.h"

#include "sampler/finishfile.h"

#include "common/log.h"
#include "common/safe/procfs.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FINISHED   "FINISHED"
#define INPROGRESS "INPROGRESS\n"

/* Whether the file begins with FINISHED; only a regular file, which cannot make us wait. */
static bool says_finished(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *p;
	char text[64];
	ssize_t n = -1;
	size_t word;

	if (fd < 0)
		return false;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	p = text + strspn(text, " \t\r\n\"'");
	word = strlen(FINISHED);
	return strncmp(p, FINISHED, word) == 0 && !isalnum((unsigned char)p[word]) &&
	       p[word] != '_';
}

bool pm_finishfile_over(const char *path)
{
	struct stat st;

	return says_finished(path, &st);
}

/* Whether the file changed since this process began. */
static bool is_newer(const struct stat *st)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	struct pm_procfs_stat self;
	struct timespec boot, now;
	double began, changed;
	char text[1024];
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, text, sizeof text);
		close(fd);
	}
	/* Without a start time, end too early rather than never. */
	if (n <= 0 || pm_procfs_stat(text, (size_t)n, &self) < 0)
		return true;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	began = (double)(now.tv_sec - boot.tv_sec) + 1e-9 * (double)(now.tv_nsec - boot.tv_nsec) +
		(double)self.starttime / (double)sysconf(_SC_CLK_TCK);
	changed = (double)st->st_mtim.tv_sec + 1e-9 * (double)st->st_mtim.tv_nsec;
	/* Start times are in clock ticks. */
	return changed >= began - 0.01;
}

char *pm_finishfile_announce(const char *job, struct pm_err *e)
{
	struct stat st;
	char *path;
	int fd;

	if (asprintf(&path, ".ipc-%s", job) < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	if (says_finished(path, &st) && is_newer(&st))
		return path;
	fd = open(path,
		  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		  0666);
	if (fd < 0)
		return path;
	/* A file that cannot be written is watched all the same. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    write(fd, INPROGRESS, strlen(INPROGRESS)) < 0)
		pm_debug("%s: %m", path);
	close(fd);
	return path;
}
