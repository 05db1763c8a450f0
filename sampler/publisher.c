/* A process that writes texts to a file for other programs. */
#include "config.h"

#include "sampler/publisher.h"

#include "common/descriptors.h"
#include "common/log.h"
#include "common/trusted.h"
#include "common/writeall.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long the end may take: steps, and ms of a step. */
#define END_STEP_MS 10
#define END_STEPS   200

/* Descriptors of the process beside the first three. */
enum { SOCKET_FD = STDERR_FILENO + 1, DIRECTORY_FD, FIRST_FREE_FD };

/* Memory of both processes. */
struct shared {
	_Atomic size_t length; /* of the text that is to be written; 0: there is none */
	char text[PM_PUBLISHER_MAX];
};

/* The directory and the names in it. */
struct place {
	int directory;
	char name[NAME_MAX + 1];
	char beside[NAME_MAX + 1]; /* the file until it is complete */
};

struct pm_publisher {
	pid_t pid;
	int fd; /* its socket; -1: the process is gone */
	struct shared *shared;
	char *path;
};

/* --- the place -------------------------------------------------------------------------------- */

/* Whether the file may be replaced: it is missing, regular, or a symbolic link. */
static int check_file(const struct place *at, struct pm_err *e)
{
	struct stat st;

	if (fstatat(at->directory, at->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : pm_err(e, "%m");
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return pm_err(e, "there is something else of this name: name a file");
	return 0;
}

/* The name beside a file. The collector reads files by the end of their names, and not this one. */
static int name_beside(struct place *at, pid_t pid, struct pm_err *e)
{
	if ((size_t)snprintf(at->beside, sizeof at->beside, ".%s.%ld", at->name, (long)pid) >=
	    sizeof at->beside)
		return pm_err(e, "the name is too long");
	return 0;
}

/* Open the directory of a path. Returns 0, or -1 with e filled and nothing held. */
static int open_place(struct place *at, const char *path, struct pm_err *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	at->directory = -1;
	if (!directory)
		return pm_err(e, "out of memory");
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		pm_err(e, "name a file, not a directory");
	else if ((size_t)snprintf(at->name, sizeof at->name, "%s", name) >= sizeof at->name)
		pm_err(e, "the name is too long");
	else if ((at->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		pm_err(e, "open %s: %m", directory);
	free(directory);
	if (at->directory < 0)
		return -1;
	if (check_file(at, e) == 0 && name_beside(at, INT_MAX, e) == 0)
		return 0;
	close(at->directory);
	return -1;
}

/* Lock a file that a publisher of ours has left: one that lives, on whatever host and in whatever
 * namespace of process ids, keeps its file locked. Returns the descriptor, or -1 with errno,
 * EWOULDBLOCK: it lives. */
static int lock_left(int directory, const char *name)
{
	const int fd = pm_trusted_open(directory, name, O_RDWR, 0, NULL);
	int why;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

/* Create the file beside, with nothing in it, and lock it. Nothing that is there is written to, nor
 * followed; where another publisher writes it, that is an error. */
static int create_beside(const struct place *at)
{
	const int left = lock_left(at->directory, at->beside);
	int fd;

	if (left >= 0 || errno != EWOULDBLOCK)
		unlinkat(at->directory, at->beside, 0);
	if (left >= 0)
		close(left);
	fd = openat(at->directory, at->beside,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600);
	/* Where a file system has no locks, it is just not removed when it is left. */
	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* Whether a name is one beside a file: a dot, the file's, whose length is n, another dot and a
 * process id. */
static bool is_beside(const char *name, size_t n)
{
	const char *pid = name + n + 2;

	return strlen(name) > n + 2 && name[0] == '.' && name[n + 1] == '.' &&
	       strspn(pid, "0123456789") == strlen(pid);
}

/* Call remove for each name in a directory. Returns 0, or -1 with errno. */
static int each_name(int directory, void (*remove_one)(void *arg, int directory, const char *name),
		     void *arg)
{
	const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((entry = readdir(d)) != NULL)
		remove_one(arg, directory, entry->d_name);
	closedir(d);
	return 0;
}

static void remove_left(void *arg, int directory, const char *name)
{
	const struct place *at = arg;
	const size_t n = strlen(at->name);
	int fd;

	if (!is_beside(name, n) || strncmp(name + 1, at->name, n) != 0 ||
	    (fd = lock_left(directory, name)) < 0)
		return;
	unlinkat(directory, name, 0);
	close(fd);
}

/* --- the process ------------------------------------------------------------------------------ */

/*
 * Write a text and give it the file's name. *ours is the file before and gets the new one, which
 * stays open, so that the kernel gives its inode to no other. Returns 0, or -1 with e filled, no
 * file beside and *ours as it was.
 */
static int replace_file(const struct place *at, const char *text, size_t n, int *ours,
			struct pm_err *e)
{
	const int fd = create_beside(at);
	int rc = 0;

	if (fd < 0)
		return pm_err(e, "create %s beside it: %m", at->beside);
	/* A file system of a server may tell of a full disk now, and not when it is closed. */
	if (pm_write_all(fd, text, n) < 0 || fchmod(fd, 0644) < 0 || close(dup(fd)) < 0)
		rc = pm_err(e, "%m");
	if (rc == 0)
		rc = check_file(at, e);
	if (rc == 0 && renameat(at->directory, at->beside, at->directory, at->name) < 0)
		rc = pm_err(e, "rename: %m");
	if (rc < 0) {
		unlinkat(at->directory, at->beside, 0);
		close(fd);
		return -1;
	}
	if (*ours >= 0)
		close(*ours);
	*ours = fd;
	return 0;
}

/* Remove the file if it is the one that we wrote last. */
static void remove_file(const struct place *at, int *ours)
{
	struct stat there, own;

	if (*ours < 0)
		return;
	if (fstatat(at->directory, at->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    fstat(*ours, &own) == 0 && there.st_ino == own.st_ino && there.st_dev == own.st_dev)
		unlinkat(at->directory, at->name, 0);
	close(*ours);
	*ours = -1;
}

/* Write texts until the socket says that the sampler is gone. A text that cannot be written is
 * worse than none: it would leave the one before to be read as if it were true. */
static void write_texts(const struct place *at, const char *path, struct shared *shared)
{
	int ours = -1;
	struct pm_err e, told = { "" };
	ssize_t n;
	char byte;

	while ((n = read(SOCKET_FD, &byte, 1)) != 0) {
		const size_t length = shared->length;

		if (n < 0 && errno != EINTR)
			break;
		if (n < 0 || !length || length > sizeof shared->text)
			continue;
		if (replace_file(at, shared->text, length, &ours, &e) == 0) {
			told.text[0] = '\0';
		} else {
			if (strcmp(told.text, e.text) != 0)
				pm_warn("%s: %s", path, e.text);
			told = e;
			remove_file(at, &ours);
		}
		shared->length = 0;
	}
	remove_file(at, &ours);
}

_Noreturn static void run(struct place *at, int fd, const char *path, struct shared *shared)
{
	const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXFSZ, SIGPIPE };
	struct pm_err e;
	sigset_t none;
	int null;

	prctl(PR_SET_NAME, "perfmon:publish");
	/* The sampler's end is what ends us, however it comes about. */
	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Hold nothing of the sampler's, such as a reader's pipe. Both may be in the other's place.
	 */
	fd = fcntl(fd, F_DUPFD, FIRST_FREE_FD);
	at->directory = fcntl(at->directory, F_DUPFD, FIRST_FREE_FD);
	if (fd < 0 || at->directory < 0 || dup2(fd, SOCKET_FD) < 0 ||
	    dup2(at->directory, DIRECTORY_FD) < 0)
		_exit(1);
	at->directory = DIRECTORY_FD;
	pm_descriptors_close(pm_log_move(FIRST_FREE_FD));
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		close(null);
	}
	if (name_beside(at, getpid(), &e) == 0)
		write_texts(at, path, shared);
	_exit(0);
}

/* --- the sampler's side ----------------------------------------------------------------------- */

static void release(struct pm_publisher *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->shared)
		munmap(p->shared, sizeof *p->shared);
	free(p->path);
	free(p);
}

/* Fork the process. Returns 0, or -1 with e filled. */
static int start_process(struct pm_publisher *p, struct place *at, struct pm_err *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return pm_err(e, "socketpair: %m");
	p->pid = fork();
	if (p->pid == 0) {
		close(pair[0]);
		run(at, pair[1], p->path, p->shared);
	}
	close(pair[1]);
	if (p->pid > 0) {
		p->fd = pair[0];
		return 0;
	}
	close(pair[0]);
	return pm_err(e, "fork: %m");
}

struct pm_publisher *pm_publisher_start(const char *path, struct pm_err *e)
{
	struct pm_publisher *p = calloc(1, sizeof *p);
	struct place at = { .directory = -1 };
	int fd = -1, rc = -1;

	if (!p || !(p->path = strdup(path))) {
		pm_err(e, "out of memory");
		free(p);
		return NULL;
	}
	p->fd = -1;
	p->shared = mmap(NULL, sizeof *p->shared, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->shared == MAP_FAILED) {
		p->shared = NULL;
		pm_err(e, "out of memory");
	} else if (open_place(&at, path, e) == 0) {
		/* Better now than in a process that nobody listens to. */
		each_name(at.directory, remove_left, &at);
		if (name_beside(&at, getpid(), e) == 0 && (fd = create_beside(&at)) < 0)
			pm_err(e, "create a file beside it: %m");
		if (fd >= 0) {
			close(fd);
			unlinkat(at.directory, at.beside, 0);
			rc = start_process(p, &at, e);
		}
		close(at.directory);
	}
	if (rc == 0)
		return p;
	pm_err_prefix(e, "%s", path);
	release(p);
	return NULL;
}

/* Note that the process is gone. */
static void give_up(struct pm_publisher *p)
{
	if (p->fd < 0)
		return;
	pm_warn("%s: the process that writes it is gone: what it shows is no longer true", p->path);
	close(p->fd);
	p->fd = -1;
}

char *pm_publisher_text(struct pm_publisher *p)
{
	struct pollfd hung = { .fd = p->fd, .events = 0 };

	if (p->fd >= 0 && poll(&hung, 1, 0) > 0)
		give_up(p);
	return p->fd < 0 || p->shared->length ? NULL : p->shared->text;
}

void pm_publisher_write(struct pm_publisher *p, size_t length)
{
	if (p->fd < 0)
		return;
	p->shared->length = length;
	if (send(p->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		give_up(p);
}

void pm_publisher_end(struct pm_publisher *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	/* Of a disk that does not answer it will learn later. */
	for (int i = 0; i < END_STEPS && waitpid(p->pid, NULL, WNOHANG) == 0; i++)
		usleep(END_STEP_MS * 1000);
	release(p);
}

/* --- what was left ---------------------------------------------------------------------------- */

/* Names to remove, and what the files have. */
struct swept {
	const char *begin, *end, *mark;
};

/* Whether the first n bytes of a name begin and end so. */
static bool is_named(const struct swept *s, const char *name, size_t n)
{
	const size_t begin = strlen(s->begin), end = strlen(s->end);

	return n > begin + end && strncmp(name, s->begin, begin) == 0 &&
	       strncmp(name + n - end, s->end, end) == 0;
}

/* Whether a file begins with the mark; one that is not complete may end within it. */
static bool is_marked(const struct swept *s, int fd, bool complete)
{
	const size_t n = strlen(s->mark);
	char text[256];
	const ssize_t got = n > sizeof text ? -1 : pread(fd, text, n, 0);

	return got >= 0 && memcmp(text, s->mark, (size_t)got) == 0 &&
	       (!complete || (size_t)got == n);
}

static void sweep_one(void *arg, int directory, const char *name)
{
	const struct swept *s = arg;
	const char *dot = strrchr(name, '.');
	const size_t n = dot > name ? (size_t)(dot - name) - 1 : 0;
	const bool complete = is_named(s, name, strlen(name));
	struct stat st;
	int fd;

	if (!complete && !(n && is_beside(name, n) && is_named(s, name + 1, n)))
		return;
	fd = lock_left(directory, name);
	if (fd < 0)
		return;
	if (is_marked(s, fd, complete) && fstat(fd, &st) == 0 && st.st_uid == geteuid())
		unlinkat(directory, name, 0);
	close(fd);
}

int pm_publisher_sweep(const char *directory, const char *begin, const char *end, const char *mark,
		       struct pm_err *e)
{
	const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct swept s = { begin, end, mark };
	int rc;

	if (fd < 0)
		return pm_err(e, "open %s: %m", directory);
	rc = each_name(fd, sweep_one, &s);
	if (rc < 0)
		pm_err(e, "read %s: %m", directory);
	close(fd);
	return rc;
}
