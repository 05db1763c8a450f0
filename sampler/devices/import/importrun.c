/* Commands and files that values are imported from. */
#include "config.h"

#include "sampler/devices/import/importrun.h"

#include "common/descriptors.h"
#include "common/now.h"
#include "common/log.h"
#include "common/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Words of a command, and files of a directory, at most. */
#define WORDS_MAX 64
#define FILES_MAX 64

/* The end of a command that keeps its output open, or whose children do, is noticed this late, ms.
 */
#define STEP_MS 20

/* How long a killed command may take to end, ms: one in a system call of a device may take longer.
 */
#define KILLED_MS 100

int pm_importrun_init(struct pm_importrun *r, const char *what, bool command)
{
	*r = (struct pm_importrun){ .what = what, .command = command, .fd = -1, .age_us = -1 };
	r->text = malloc(PM_IMPORT_TEXT_MAX + 1);
	return r->text ? 0 : -1;
}

/* --- whom to trust ---------------------------------------------------------------------------- */

/* Check one path, which may end in a file or a directory. */
static int check_path(const char *path, struct pm_err *e)
{
	char part[4096];
	struct stat st;
	char *real;

	if (path[0] != '/')
		return pm_err(e, "%s: no absolute path; write the path from / on", path);
	if (stat(path, &st) < 0)
		return pm_err(e, "%s: %m", path);
	/* Every directory that is named, so that nobody's link leads elsewhere, */
	for (const char *p = path; (p = strchr(p + 1, '/')) != NULL;) {
		snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
		real = pm_trusted_directory(part, e);
		if (!real)
			return -1;
		free(real);
	}
	/* and those that the file itself lies in. */
	real = realpath(path, NULL);
	if (!real)
		return pm_err(e, "%s: %m", path);
	snprintf(part, sizeof part, "%s", real);
	free(real);
	if (!S_ISDIR(st.st_mode))
		*(strrchr(part, '/') + (strrchr(part, '/') == part)) = '\0';
	real = pm_trusted_directory(part, e);
	if (!real)
		return -1;
	free(real);
	errno = EPERM;
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return pm_err(e, "%s: belongs to uid %u, who could change it; chown root %s", path,
			      (unsigned)st.st_uid, path);
	if (pm_trusted_others_write(&st))
		return pm_err(e, "%s: others may write to it; chmod go-w %s", path, path);
	return 0;
}

int pm_importrun_check(const struct pm_importrun *r, struct pm_err *e)
{
	char *copy, *save, *word;
	int result = 0;
	bool first = true;

	if (!r->command)
		return check_path(r->what, e);
	copy = strdup(r->what);
	if (!copy)
		return pm_err(e, "out of memory");
	word = strtok_r(copy, " \t", &save);
	for (size_t n = 1; word && result == 0;
	     word = strtok_r(NULL, " \t", &save), first = false, n++)
		if (n > WORDS_MAX)
			result = pm_err(e, "%s: more than %d words; put them into a script",
					r->what, WORDS_MAX);
		else if (first || (word[0] == '/' && access(word, F_OK) == 0 &&
				   strncmp(word, "/dev/", 5) != 0))
			result = check_path(word, e);
	free(copy);
	return result;
}

/* --- commands --------------------------------------------------------------------------------- */

_Noreturn static void run_command(const char *what, int out, pid_t parent)
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
	char *const environment[] = { path, locale, NULL };
	char *words[WORDS_MAX + 1] = { NULL }, *copy = strdup(what), *save;
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	size_t n = 0;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || !copy)
		_exit(127);
	setpgid(0, 0);
	dup2(out, STDOUT_FILENO);
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	pm_descriptors_close(STDERR_FILENO + 1);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (char *w = strtok_r(copy, " \t", &save); w && n < WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		words[n++] = w;
	if (n == 0 || chdir("/") < 0)
		_exit(127);
	execve(words[0], words, environment);
	_exit(127);
}

static void start_command(struct pm_importrun *r)
{
	const pid_t self = getpid();
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0) {
		r->reason = PM_REASON_failed;
		return;
	}
	r->pid = fork();
	if (r->pid == 0)
		run_command(r->what, pair[1], self);
	close(pair[1]);
	if (r->pid < 0) {
		close(pair[0]);
		r->pid = 0;
		r->reason = PM_REASON_failed;
		return;
	}
	setpgid(r->pid, r->pid);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	r->fd = pair[0];
}

/* End the command's whole group. Returns whether it has ended. */
static bool end_command(struct pm_importrun *r)
{
	int waited = 0, status;
	pid_t pid;

	/* Before it is waited for: until then its number is its own. */
	kill(-r->pid, SIGKILL);
	kill(r->pid, SIGKILL);
	while ((pid = waitpid(r->pid, &status, WNOHANG)) == 0 && waited < KILLED_MS) {
		poll(NULL, 0, 1);
		waited++;
	}
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	if (pid == 0)
		return false;
	r->pid = 0;
	return true;
}

/* Take what the command has written. Returns false when there is no more. */
static bool read_output(struct pm_importrun *r)
{
	ssize_t n;

	while ((n = read(r->fd, r->text + r->n, PM_IMPORT_TEXT_MAX - r->n)) > 0) {
		r->n += (size_t)n;
		if (r->n == PM_IMPORT_TEXT_MAX)
			return false;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Whether a command is done: it has ended, and all is read. Its output alone does not tell, as
 * what it has started may keep that open. */
static bool is_done(struct pm_importrun *r, int64_t start_us)
{
	siginfo_t info = { 0 };
	bool ended, more;

	ended = waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
	more = r->fd >= 0 && read_output(r);
	if (!more && r->fd >= 0) {
		close(r->fd);
		r->fd = -1;
	}
	if (!ended && r->n < PM_IMPORT_TEXT_MAX)
		return false;
	r->took_us = pm_now_monotonic_us() - start_us;
	if (r->n == PM_IMPORT_TEXT_MAX)
		r->reason = PM_REASON_parse;
	else if (info.si_code != CLD_EXITED || info.si_status != 0)
		r->reason = PM_REASON_failed;
	end_command(r);
	return true;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Why a file of a directory cannot be taken, by what it is; PM_REASON_COUNT: it can. The directory
 * may be sticky, and files may have been put there before it was closed to others. */
static enum pm_reason find_fault(const struct stat *st, bool member)
{
	if (!S_ISREG(st->st_mode))
		return PM_REASON_unsupported;
	if (member && ((st->st_uid != geteuid() && st->st_uid != 0) || pm_trusted_others_write(st)))
		return PM_REASON_permission;
	return PM_REASON_COUNT;
}

/* Append an open file to the text; its age, where it is older than what is known. Returns why it
 * is not taken, PM_REASON_COUNT if it is. */
static enum pm_reason append_file(struct pm_importrun *r, int fd, bool member)
{
	enum pm_reason fault;
	struct timespec now;
	struct stat st;
	int64_t age_us;
	ssize_t n = 0;

	if (fstat(fd, &st) < 0)
		return pm_reason_errno(errno);
	fault = find_fault(&st, member);
	if (fault != PM_REASON_COUNT)
		return fault;
	while (r->n < PM_IMPORT_TEXT_MAX &&
	       (n = read(fd, r->text + r->n, PM_IMPORT_TEXT_MAX - r->n)) > 0)
		r->n += (size_t)n;
	if (n < 0)
		return pm_reason_errno(errno);
	if (r->n == PM_IMPORT_TEXT_MAX)
		return PM_REASON_parse;
	r->text[r->n++] = '\n'; /* where the last line has none */
	clock_gettime(CLOCK_REALTIME, &now);
	age_us = (int64_t)(now.tv_sec - st.st_mtim.tv_sec) * 1000000 +
		 (now.tv_nsec - st.st_mtim.tv_nsec) / 1000;
	if (age_us > r->age_us)
		r->age_us = age_us;
	if (r->age_us < 0)
		r->age_us = 0;
	return PM_REASON_COUNT;
}

/* Read a file, of a directory unless dir is AT_FDCWD. One that is not taken leaves the text as it
 * was. Returns why, or PM_REASON_COUNT. */
static enum pm_reason read_file(struct pm_importrun *r, int dir, const char *path)
{
	const int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const size_t before = r->n;
	enum pm_reason fault;

	if (fd < 0)
		return pm_reason_errno(errno);
	fault = append_file(r, fd, dir != AT_FDCWD);
	close(fd);
	if (fault != PM_REASON_COUNT)
		r->n = before;
	return fault;
}

/* Say once of a directory or file that something in it is not taken. */
static void say_skipped(struct pm_importrun *r, const char *path, enum pm_reason fault)
{
	if (!r->said)
		pm_warn("import: %s: not taken: %s", path,
			fault == PM_REASON_unsupported ? "it is no file"
			: fault == PM_REASON_permission
				? "who else can write to it, or owns it, could change it"
			: fault == PM_REASON_parse  ? "more than 256 KiB in all"
			: fault == PM_REASON_budget ? "more than 64 files"
						    : pm_reason_name(fault));
	r->said = true;
}

static int is_prom(const struct dirent *entry)
{
	const size_t n = strlen(entry->d_name);

	return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".prom") == 0;
}

static void read_files(struct pm_importrun *r, int64_t start_us)
{
	struct dirent **list = NULL;
	struct pm_err e;
	const int dir = open(r->what, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int n = dir < 0 ? 0 : scandir(r->what, &list, is_prom, alphasort);

	r->age_us = -1;
	if (pm_importrun_check(r, &e) < 0) {
		r->reason = pm_reason_errno(errno);
	} else if (dir < 0) {
		r->reason = read_file(r, AT_FDCWD, r->what);
		if (r->reason == PM_REASON_parse)
			say_skipped(r, r->what, r->reason);
	}
	for (int i = 0; i < n; i++) {
		if (r->reason == PM_REASON_COUNT && i < FILES_MAX) {
			const enum pm_reason fault = read_file(r, dir, list[i]->d_name);

			if (fault != PM_REASON_COUNT)
				say_skipped(r, list[i]->d_name, fault);
		} else if (r->reason == PM_REASON_COUNT) {
			say_skipped(r, list[i]->d_name, PM_REASON_budget);
		}
		free(list[i]);
	}
	free(list);
	if (dir >= 0)
		close(dir);
	r->took_us = pm_now_monotonic_us() - start_us;
}

/* --- both ------------------------------------------------------------------------------------- */

/* Begin a reading. Returns whether it goes on. */
static bool begin(struct pm_importrun *r, int64_t start_us)
{
	struct pm_err e;

	r->n = 0;
	r->reason = PM_REASON_COUNT;
	if (r->pid && !end_command(r)) {
		/* It could not be killed: a second one would only wait, too. */
		r->reason = PM_REASON_late;
		return false;
	}
	if (!r->command) {
		read_files(r, start_us);
		return false;
	}
	if (pm_importrun_check(r, &e) < 0)
		r->reason = pm_reason_errno(errno);
	else
		start_command(r);
	return r->pid != 0;
}

void pm_importrun_all(struct pm_importrun *r, size_t count, int64_t limit_us)
{
	const int64_t start_us = pm_now_monotonic_us();
	struct pollfd fds[8];
	size_t left;

	count = count < 8 ? count : 8;
	/* Commands first: they go on while files are read. */
	for (size_t i = 0; i < 2 * count; i++)
		if (r[i % count].command == (i < count))
			begin(&r[i % count], start_us);
	do {
		left = 0;
		for (size_t i = 0; i < count; i++) {
			const bool goes_on = r[i].pid && r[i].reason != PM_REASON_late &&
					     !is_done(&r[i], start_us);

			fds[i] = (struct pollfd){ .fd = goes_on ? r[i].fd : -1, .events = POLLIN };
			left += goes_on;
		}
		if (left && pm_now_monotonic_us() - start_us < limit_us)
			poll(fds, count, STEP_MS);
	} while (left && pm_now_monotonic_us() - start_us < limit_us);
	for (size_t i = 0; left && i < count; i++) {
		if (!r[i].pid || r[i].reason == PM_REASON_late)
			continue;
		end_command(&r[i]);
		r[i].reason = PM_REASON_late;
		r[i].took_us = pm_now_monotonic_us() - start_us;
	}
}

void pm_importrun_free(struct pm_importrun *r)
{
	if (r->pid)
		end_command(r);
	free(r->text);
}
