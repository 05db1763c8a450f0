/* Where an export goes. */
#include "config.h"

#include "export/target.h"

#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long another that adds to the file is waited for, and how often it is looked. */
#define LOCK_SECONDS 60
#define LOCK_NS      50000000

/* Room for what is written at a time. */
#define BUFFER (256 * 1024)

/* Lock a file. Returns 0, or -1 with errno. */
static int lock(int fd)
{
	const struct timespec pause = { 0, LOCK_NS };

	for (long n = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; n++) {
		if (errno != EWOULDBLOCK || n >= LOCK_SECONDS * (1000000000L / LOCK_NS))
			return -1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Whether a file begins with a line, and ends with one. Returns 1, 0, or -1 with errno. */
static int continues(int fd, off_t length, const char *header)
{
	const size_t n = header ? strlen(header) : 0;
	char *begin = malloc(n + 1), last = '\n';
	int rc = -1;

	if (!begin)
		return -1;
	if (pread(fd, begin, n, 0) >= 0 && pread(fd, &last, 1, length - 1) == 1)
		rc = (off_t)n <= length && (n == 0 || memcmp(begin, header, n) == 0) &&
		     last == '\n';
	free(begin);
	return rc;
}

static int open_end(struct pm_export_target *t, const char *header, struct pm_err *e)
{
	/* Not with O_APPEND: what fails is taken back. */
	const int fd = open(t->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	struct stat st;
	int rc;

	if (fd < 0)
		return pm_err(e, "open %s: %m", t->path);
	if (lock(fd) < 0) {
		rc = errno == EWOULDBLOCK ? pm_err(e, "%s: another has been adding to it for %d s",
						   t->path, LOCK_SECONDS)
					  : pm_err(e, "lock %s: %m", t->path);
		close(fd);
		return rc;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return pm_err(e, "--append: %s is no regular file", t->path);
	}
	t->length = st.st_size;
	rc = t->length == 0 ? 1 : continues(fd, t->length, header);
	if (rc <= 0 || lseek(fd, 0, SEEK_END) < 0 || !(t->end = fdopen(fd, "w"))) {
		rc = rc == 0 ? pm_err(e,
				      "--append: %s does not begin with the same columns, or its "
				      "last line is not complete",
				      t->path)
			     : pm_err(e, "open %s: %m", t->path);
		close(fd);
		return rc;
	}
	return 0;
}

int pm_export_target_open(struct pm_export_target *t, struct pm_export_file *x, const char *path,
			  bool append, const char *header, struct pm_err *e)
{
	*t = (struct pm_export_target){ .path = path };
	if ((append ? open_end(t, header, e) : pm_outfile_open(&t->out, path, e)) < 0)
		return -1;
	x->f = append ? t->end : t->out.f;
	x->name = path;
	x->appended = append && t->length > 0;
	/* A failure leaves a smaller buffer. */
	(void)setvbuf(x->f, NULL, _IOFBF, BUFFER);
	return 0;
}

int pm_export_target_commit(struct pm_export_target *t, struct pm_err *e)
{
	FILE *end = t->end;

	if (!end)
		return pm_outfile_commit(&t->out, e);
	if (fflush(end) != 0 || ferror(end)) {
		pm_err(e, "write %s: %m", t->path);
		pm_export_target_abandon(t);
		return -1;
	}
	t->end = NULL;
	return fclose(end) == 0 ? 0 : pm_err(e, "write %s: %m", t->path);
}

void pm_export_target_abandon(struct pm_export_target *t)
{
	const int fd = t->end ? dup(fileno(t->end)) : -1;

	if (t->end)
		fclose(t->end);
	else
		pm_outfile_abandon(&t->out);
	t->end = NULL;
	if (fd < 0)
		return;
	if (ftruncate(fd, t->length) < 0)
		pm_warn("%s: its last lines are not complete: %m", t->path);
	close(fd);
}
