/* Messages of programs on standard error. */
#include "config.h"

#include "common/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int pm_log_level;
int pm_log_warnings;

/* File names and arguments are hostile: they must not steer the user's terminal. */
static void put_line(const char *prefix, const char *text)
{
	char line[8192];
	size_t len = 0;

	for (const char *p = prefix; *p; p++)
		line[len++] = *p;
	for (const unsigned char *p = (const unsigned char *)text; *p && len < sizeof line - 5; p++) {
		if (*p >= ' ' && *p != 0x7f)
			line[len++] = (char)*p;
		else
			len += (size_t)snprintf(line + len, 5, "\\x%02x", *p);
	}
	line[len++] = '\n';
	/* One write, so that messages of several processes do not mix; nothing to do on failure. */
	ssize_t ignored = write(STDERR_FILENO, line, len);
	(void)ignored;
}

static void message(const char *prefix, const char *fmt, va_list ap)
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
		pm_log_warnings += (level) == 0;                                                   \
		if (pm_log_level < (level))                                                        \
			return;                                                                    \
		va_start(ap, fmt);                                                                 \
		message(prefix, fmt, ap);                                                          \
		va_end(ap);                                                                        \
	}

DEFINE_LEVEL(pm_error, -1, "perfmon: ")
DEFINE_LEVEL(pm_warn, 0, "perfmon: warning: ")
DEFINE_LEVEL(pm_info, 1, "perfmon: ")
DEFINE_LEVEL(pm_debug, 2, "perfmon: debug: ")
