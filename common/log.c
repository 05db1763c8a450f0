/* Messages of programs on standard error. */
#include "config.h"

#include "common/log.h"

#include "common/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int pm_log_level;
int pm_log_warnings;

/* The file that has messages, too; -1: none. Its number is LOG_FD or higher: processes that hold
 * nothing but what they need have that in the first ones. */
#define LOG_FD 10

static int also = -1;

/* Messages of the thread between pm_log_hold() and pm_log_held(). */
static _Thread_local struct {
	bool hold;
	unsigned count;
} mine;

/* Print one line. File names and arguments are hostile: they must not control the user's terminal.
 */
static void put_line(const char *prefix, const char *text)
{
	char line[8192];
	size_t len = 0;

	for (const char *p = prefix; *p; p++)
		line[len++] = *p;
	/* Outside UTF-8 locales the terminal may treat bytes of UTF-8 as control characters. */
	len += pm_terminal_text(line + len, sizeof line - len - 1, text,
				pm_terminal_utf8() || !isatty(STDERR_FILENO));
	line[len++] = '\n';
	/* A single write keeps messages of several processes from mixing; a failure is ignored. */
	ssize_t ignored = write(STDERR_FILENO, line, len);
	(void)ignored;
}

/* Add a line to the file of messages. */
static void put_logged(const char *level, const char *text)
{
	char line[8192];
	struct utsname host;
	struct tm tm;
	time_t now = time(NULL);
	size_t len;

	if (uname(&host) < 0 || !localtime_r(&now, &tm))
		return;
	len = strftime(line, 32, "%Y-%m-%d %H:%M:%S", &tm);
	len += (size_t)snprintf(line + len, 128, " | %s | %s | ", level, host.nodename);
	len += pm_terminal_text(line + len, sizeof line - len - 1, text, true);
	line[len++] = '\n';
	ssize_t ignored = write(also, line, len);
	(void)ignored;
}

static void print_message(const char *prefix, const char *level, const char *fmt, va_list ap)
{
	char text[4096];
	int saved = errno;

	vsnprintf(text, sizeof text, fmt, ap);
	put_line(prefix, text);
	if (also >= 0)
		put_logged(level, text);
	errno = saved;
}

int pm_log_also(const char *path, struct pm_err *e)
{
	const int low =
		open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	const int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, LOG_FD);

	if (fd < 0)
		pm_err(e, "--log: open %s: %m", path);
	if (low >= 0)
		close(low);
	if (fd < 0)
		return -1;
	if (also >= 0)
		close(also);
	also = fd;
	return 0;
}

int pm_log_move(int first)
{
	if (also >= 0 && also != first)
		also = dup3(also, first, O_CLOEXEC);
	return also < 0 ? first : first + 1;
}

#define DEFINE_LEVEL(name, level, prefix, word)                                                    \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
                                                                                                   \
		if (mine.hold)                                                                     \
			mine.count += (level) <= 0 || pm_log_level >= (level);                     \
		else                                                                               \
			pm_log_warnings += (level) == 0;                                           \
		if (mine.hold || pm_log_level < (level))                                           \
			return;                                                                    \
		va_start(ap, fmt);                                                                 \
		print_message(prefix, word, fmt, ap);                                              \
		va_end(ap);                                                                        \
	}

void pm_log_hold(void)
{
	mine.hold = true;
	mine.count = 0;
}

unsigned pm_log_held(void)
{
	mine.hold = false;
	return mine.count;
}

DEFINE_LEVEL(pm_error, -1, "perfmon: ", "ERROR")
DEFINE_LEVEL(pm_warn, 0, "perfmon: warning: ", "WARNING")
DEFINE_LEVEL(pm_info, 1, "perfmon: ", "INFO")
DEFINE_LEVEL(pm_debug, 2, "perfmon: debug: ", "DEBUG")
