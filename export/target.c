/* Where an export goes. */
#include "config.h"

#include "export/target.h"

#include "common/filecopy.h"
#include "common/log.h"
#include "db/db.h"
#include "submit/memory/filemem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long another that adds to the file is waited for, and how often it is looked. */
#define LOCK_SECONDS 60
#define LOCK_NS      50000000

/* Room for what is written at a time, and for the first line of a file. */
#define BUFFER     (256 * 1024)
#define FIRST_LINE (1024 * 1024)

/* Check that a file is not among those that are being read. Returns 0, or -1 with e filled. */
static int check_path(const char *path, char *const *read, size_t n, struct pm_err *e)
{
	struct stat st, other;

	if (strcmp(path, "-") == 0 || stat(path, &st) < 0)
		return 0;
	if (pm_db_is_file(&st))
		return pm_err(e, "%s is a file of the database that is exported", path);
	for (size_t i = 0; i < n; i++)
		if (stat(read[i], &other) == 0 && other.st_dev == st.st_dev &&
		    other.st_ino == st.st_ino)
			return pm_err(e, "%s is exported itself", path);
	return 0;
}

/* Open a file without a name for rows that are added later. Returns 0, or -1 with errno. */
static int open_meantime(struct pm_export_target *t)
{
	const int fd = pm_filemem_file();

	t->f = fd < 0 ? NULL : fdopen(fd, "w+");
	if (fd >= 0 && !t->f)
		close(fd);
	return t->f ? 0 : -1;
}

int pm_export_target_open(struct pm_export_target *t, const char *path, bool append,
			  char *const *read, size_t n, struct pm_err *e)
{
	*t = (struct pm_export_target){ .path = path, .append = append };
	if (check_path(path, read, n, e) < 0)
		return -1;
	if (append && open_meantime(t) < 0)
		return pm_err(e, "a file for the rows in the meantime, in TMPDIR: %m");
	if (!append && pm_outfile_open(&t->out, path, e) < 0)
		return -1;
	if (!append)
		t->f = t->out.f;
	if (isatty(fileno(t->f))) {
		pm_export_target_abandon(t);
		return pm_err(e, "data could steer the terminal: name a file with -o, or use a "
				 "pipe; perfmon list and show are for people");
	}
	/* A failure leaves a smaller buffer. */
	(void)setvbuf(t->f, NULL, _IOFBF, BUFFER);
	return 0;
}

int pm_export_target_commit(struct pm_export_target *t, struct pm_err *e)
{
	t->f = NULL;
	return pm_outfile_commit(&t->out, e);
}

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

/* Check that a file that has something can be added to. Returns 0, or -1 with e filled. */
static int check_end(int fd, off_t length, const char *path, const struct pm_export_format *format,
		     const struct pm_export_file *x, struct pm_err *e)
{
	char *line = malloc(FIRST_LINE), last = '\0', *end;
	ssize_t n;
	int rc = -1;

	if (!line)
		return pm_err(e, "out of memory");
	n = pread(fd, line, FIRST_LINE, 0);
	end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;
	if (n < 0 || pread(fd, &last, 1, length - 1) < 0)
		pm_err(e, "read %s: %m", path);
	else if (last != '\n')
		pm_err(e,
		       "--append: the last line of %s has no end: somebody was stopped while "
		       "adding "
		       "to it; take that line away first, as by sed -i '$d' on a copy",
		       path);
	else if (!end || !format->fits(x, line, (size_t)(end - line) + 1))
		pm_err(e, "--append: %s has other columns, or is no file of export", path);
	else
		rc = 0;
	free(line);
	return rc;
}

/* Add to a file that is locked. Returns 0, or -1 with e filled and the file as it was. */
static int add_to(int fd, const struct pm_export_target *t, const struct pm_export_format *format,
		  const struct pm_export_file *x, const char *header, struct pm_err *e)
{
	const size_t head = strlen(header);
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return pm_err(e, "--append: %s is no regular file", t->path);
	if (st.st_size > 0 && check_end(fd, st.st_size, t->path, format, x, e) < 0)
		return -1;
	if (lseek(fd, 0, SEEK_END) >= 0 &&
	    (st.st_size > 0 || write(fd, header, head) == (ssize_t)head) &&
	    pm_filecopy(fileno(t->f), fd) == 0)
		return 0;
	pm_err(e, "write %s: %m", t->path);
	if (ftruncate(fd, st.st_size) < 0)
		pm_warn("%s: its last lines are not complete: %m", t->path);
	return -1;
}

int pm_export_target_add(struct pm_export_target *t, const struct pm_export_format *format,
			 const struct pm_export_file *x, const char *header, struct pm_err *e)
{
	sigset_t all, before;
	int fd, rc = -1;

	if (fflush(t->f) != 0 || ferror(t->f))
		return pm_err(e, "the rows in the meantime, in TMPDIR: %m");
	fd = open(t->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	if (fd < 0)
		return pm_err(e, "open %s: %m", t->path);
	if (lock(fd) < 0) {
		if (errno == EWOULDBLOCK)
			pm_err(e, "%s: another has been adding to it for %d s", t->path,
			       LOCK_SECONDS);
		else
			pm_err(e, "lock %s: %m", t->path);
	} else {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, &before);
		rc = add_to(fd, t, format, x, header, e);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	if (close(fd) < 0 && rc == 0)
		rc = pm_err(e, "write %s: %m", t->path);
	pm_export_target_abandon(t);
	return rc;
}

void pm_export_target_abandon(struct pm_export_target *t)
{
	if (t->append && t->f)
		fclose(t->f);
	else if (!t->append)
		pm_outfile_abandon(&t->out);
	t->f = NULL;
}
