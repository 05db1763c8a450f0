/* Files that take their name when they are complete. */
#include "config.h"

#include "common/outfile.h"

#include "common/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Signals that end a program unless it has another mind, and the file that they remove. */
static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ };

#define ENDS (sizeof(ends) / sizeof(*ends))

/* Most links that are followed one after another, as by the kernel, and names that are tried. */
#define LINKS_MAX 40
#define TRIES     100

static struct {
	const char *volatile name; /* NULL: none */
	volatile int directory;
	struct sigaction before[ENDS];
} unfinished;

/* End as without a handler, and leave no file. */
static void remove_unfinished(int sig)
{
	const char *name = unfinished.name;

	if (name)
		unlinkat(unfinished.directory, name, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Have signals remove a file from now on. A limit of the file's size becomes an error to tell. */
static void watch(const struct pm_outfile *o)
{
	const struct sigaction end = { .sa_handler = remove_unfinished },
			       ignore = { .sa_handler = SIG_IGN };

	if (unfinished.name)
		return;
	unfinished.directory = o->directory;
	unfinished.name = o->beside;
	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &unfinished.before[i]) == 0 &&
		    unfinished.before[i].sa_handler == SIG_DFL)
			sigaction(ends[i], ends[i] == SIGXFSZ ? &ignore : &end, NULL);
}

/* Leave the file beside to itself: it has its name, or is gone. */
static void unwatch(struct pm_outfile *o)
{
	if (!o->beside)
		return;
	if (unfinished.name == o->beside) {
		for (size_t i = 0; i < ENDS; i++)
			if (unfinished.before[i].sa_handler == SIG_DFL)
				sigaction(ends[i], &unfinished.before[i], NULL);
		unfinished.name = NULL;
	}
	close(o->directory);
	free(o->beside);
	o->beside = NULL;
}

/* The mode of a new file. */
static mode_t usual_mode(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* --- the place -------------------------------------------------------------------------------- */

/* A name in an open directory, and what has it. */
struct place {
	int directory;
	char name[NAME_MAX + 1];
	struct stat st;
	bool there;
	bool followed; /* it is a link of the kernel's to what is no regular file, and st is of that
			*/
};

/* Whether a link may lead further: root follows none but root's, others those that the kernel
 * would, whatever its setting protected_symlinks. */
static bool may_follow(const struct place *at)
{
	const mode_t shared = S_ISVTX | S_IWOTH;
	struct stat directory;

	if (at->st.st_uid == geteuid())
		return true;
	return geteuid() != 0 && fstat(at->directory, &directory) == 0 &&
	       (at->st.st_uid == directory.st_uid || (directory.st_mode & shared) != shared);
}

/* Whether a link is one of those that /proc has to open files, whose texts need not be paths. */
static bool is_kernels(int link)
{
	struct statfs fs;

	return fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Go on to the directory of a path, which is relative to the one that is open; it is open
 * afterwards, unless this fails. Returns 0, or -1 with errno. */
static int enter(struct place *at, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	const int next =
		directory ? openat(at->directory, directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(directory);
	if (next < 0)
		return -1;
	if (at->directory >= 0)
		close(at->directory);
	at->directory = next;
	if ((size_t)snprintf(at->name, sizeof at->name, "%s", *name ? name : ".") < sizeof at->name)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* Look at what has the name: *link gets where a link leads, "" for none. Returns 0, or -1 with
 * errno. */
static int look(struct place *at, char link[PATH_MAX])
{
	const int fd = openat(at->directory, at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat to;
	ssize_t n = 0;

	*link = '\0';
	at->there = fd >= 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(fd, &at->st) < 0) {
		n = -1;
	} else if (S_ISLNK(at->st.st_mode) && may_follow(at)) {
		if (is_kernels(fd) && fstatat(at->directory, at->name, &to, 0) == 0 &&
		    !S_ISREG(to.st_mode)) {
			at->followed = true;
			at->st = to;
		} else {
			n = readlinkat(fd, "", link, PATH_MAX - 1);
			link[n < 0 ? 0 : n] = '\0';
		}
	}
	close(fd);
	return n < 0 ? -1 : 0;
}

/* Find the place of a path, through its links, of which nobody can turn one elsewhere afterwards.
 * Returns 0 with at->directory open, or -1 with e filled. */
static int find_place(struct place *at, const char *path, struct pm_err *e)
{
	char link[PATH_MAX];
	int links = 0, rc;

	*at = (struct place){ .directory = AT_FDCWD };
	rc = enter(at, path) < 0 ? -1 : look(at, link);
	while (rc == 0 && *link && ++links <= LINKS_MAX)
		rc = enter(at, link) < 0 ? -1 : look(at, link);
	if (links > LINKS_MAX) {
		errno = ELOOP;
		rc = -1;
	}
	if (rc < 0 && (!links || errno != ENOENT))
		pm_err(e, "write %s: %m", path);
	else if (links && (rc < 0 || !at->there))
		rc = pm_err(e, "write %s: it is a link to a file that does not exist", path);
	else if (at->there && S_ISLNK(at->st.st_mode))
		rc = pm_err(e,
			    "write %s: it is a link of another user's, who can make it lead "
			    "anywhere; name the file itself",
			    path);
	if (rc < 0 && at->directory >= 0)
		close(at->directory);
	return rc;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Open a file that is no regular one. Nobody may read a FIFO: that is an error, not a wait. */
static int open_special(const struct place *at, const char *path, struct pm_err *e)
{
	const int fd = openat(at->directory, at->name,
			      O_WRONLY | O_NONBLOCK | O_CLOEXEC | (at->followed ? 0 : O_NOFOLLOW));
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || S_ISREG(st.st_mode))) {
		close(fd);
		return pm_err(e, "write %s: it was replaced in the meantime", path);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	else if (errno == ENXIO)
		pm_err(e, "write %s: nobody reads it; start its reader first", path);
	else
		pm_err(e, "write %s: %m", path);
	return fd;
}

/* Create a file of a new name beside another: a dot and six letters behind it. Returns its
 * descriptor with o->beside filled, or -1 with errno. */
static int create_beside(struct pm_outfile *o, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	const size_t n = strlen(name) + 1;
	unsigned char byte[6];
	int fd = -1;

	for (int i = 0; i < TRIES; i++) {
		if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte)
			return -1;
		for (size_t k = 0; k < sizeof byte; k++)
			o->beside[n + k] = letters[byte[k] % (sizeof letters - 1)];
		fd = openat(o->directory, o->beside,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* Make the file o->beside. Returns its descriptor, or -1 with errno. */
static int make_beside(struct pm_outfile *o, const char *name, mode_t mode)
{
	sigset_t all, before;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = create_beside(o, name);
	if (fd >= 0 && fchmod(fd, mode) == 0) {
		watch(o);
	} else if (fd >= 0) {
		close(fd);
		unlinkat(o->directory, o->beside, 0);
		fd = -1;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* Open a new file beside a place, whose directory becomes the file's. Returns its descriptor, or -1
 * with e filled and o->beside NULL. */
static int open_beside(struct pm_outfile *o, struct place *at, mode_t mode, struct pm_err *e)
{
	int fd = -1;

	o->directory = at->directory;
	if (asprintf(&o->beside, "%s.XXXXXX", at->name) < 0)
		o->beside = NULL;
	else
		fd = make_beside(o, at->name, mode);
	if (fd >= 0) {
		at->directory = -1;
		return fd;
	}
	pm_err(e,
	       errno == EACCES ? "write %s: no file can be made in its directory: %m"
			       : "write %s: %m",
	       o->path);
	free(o->beside);
	o->beside = NULL;
	return -1;
}

/*
 * Whether root may give what it writes to the owner of the file that it replaces. Nobody gets it
 * who may have put that file there for this purpose: the directory is the owner's own, where root
 * was told to write, or root alone decides what is in it. So nobody else can exchange the file
 * before its name is taken, either.
 */
static bool may_give(const struct place *at)
{
	struct stat directory;

	if (geteuid() != 0 || at->st.st_uid == 0)
		return true;
	return fstat(at->directory, &directory) == 0 &&
	       (directory.st_uid == at->st.st_uid ||
		(directory.st_uid == 0 && !pm_trusted_others_write(&directory)));
}

/* Open a file beside one that it will replace, of the same owner, group and mode; where the group
 * cannot be had, it gets no rights. Returns as open_beside(). */
static int replace(struct pm_outfile *o, struct place *at, struct pm_err *e)
{
	const struct stat *st = &at->st;
	int fd;

	if (faccessat(at->directory, at->name, W_OK, 0) < 0)
		return pm_err(e, "write %s: %m", o->path);
	if (!may_give(at))
		return pm_err(e,
			      "write %s: it is the file of user %ld, who may have put it there to "
			      "get what root writes; remove it, or name another file",
			      o->path, (long)st->st_uid);
	fd = open_beside(o, at, st->st_mode & 0707, e);
	if (fd >= 0 &&
	    (fchown(fd, st->st_uid, st->st_gid) == 0 || fchown(fd, (uid_t)-1, st->st_gid) == 0))
		fchmod(fd, st->st_mode & 0777);
	return fd;
}

/* Open what has the name already, or the file that will have it. Returns its descriptor, or -1
 * with e filled. */
static int open_path(struct pm_outfile *o, const char *path, struct pm_err *e)
{
	struct place at;
	int fd;

	if (find_place(&at, path, e) < 0)
		return -1;
	if (!at.there)
		fd = open_beside(o, &at, usual_mode(), e);
	else if (S_ISREG(at.st.st_mode))
		fd = replace(o, &at, e);
	else
		fd = open_special(&at, path, e);
	if (at.directory >= 0)
		close(at.directory);
	return fd;
}

int pm_outfile_open(struct pm_outfile *o, const char *path, struct pm_err *e)
{
	int fd;

	*o = (struct pm_outfile){ .path = path };
	if (!*path)
		return pm_err(e, "the name of the file to write is empty");
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		o->path = "standard output";
		o->f = stdout;
		return 0;
	}
	fd = open_path(o, path, e);
	if (fd < 0)
		return -1;
	o->f = fdopen(fd, "w");
	if (!o->f) {
		pm_err(e, "write %s: %m", path);
		close(fd);
		pm_outfile_abandon(o);
		return -1;
	}
	return 0;
}

/* The name that a complete file takes: what stands before the dot and its six letters. */
static int take_name(struct pm_outfile *o)
{
	char *name = strndup(o->beside, strlen(o->beside) - strlen(".XXXXXX"));
	int rc = name ? renameat(o->directory, o->beside, o->directory, name) : -1;

	free(name);
	return rc;
}

int pm_outfile_commit(struct pm_outfile *o, struct pm_err *e)
{
	int failed = ferror(o->f) || fflush(o->f) != 0;

	if (o->f != stdout && fclose(o->f) != 0)
		failed = 1;
	o->f = NULL;
	if (failed || (o->beside && take_name(o) < 0)) {
		pm_err(e, "write %s: %m", o->path);
		pm_outfile_abandon(o);
		return -1;
	}
	unwatch(o);
	return 0;
}

void pm_outfile_abandon(struct pm_outfile *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	o->f = NULL;
	if (o->beside)
		unlinkat(o->directory, o->beside, 0);
	unwatch(o);
}
