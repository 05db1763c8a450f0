/* Messages of programs on standard error. */
#include "config.h"

#include "common/log.h"

#include "common/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int pm_log_level;
int pm_log_warnings;

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

static void print_message(const char *prefix, const char *fmt, va_list ap)
{
	char text[4096];
	int saved = errno;

	vsnprintf(text, sizeof text, fmt, ap);
	put_line(prefix, text);
	errno = saved;
}

#define DEFINE_LEVEL(name, level, prefix)                                                          \
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
		print_message(prefix, fmt, ap);                                                    \
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

DEFINE_LEVEL(pm_error, -1, "perfmon: ")
DEFINE_LEVEL(pm_warn, 0, "perfmon: warning: ")
DEFINE_LEVEL(pm_info, 1, "perfmon: ")
DEFINE_LEVEL(pm_debug, 2, "perfmon: debug: ")
