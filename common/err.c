/* Error text owned by the caller. */
#include "config.h"

#include "common/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Format into text; a message that does not fit ends in "...". */
static void format_text(char *text, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(text, size, fmt, ap);

	if (n >= 0 && (size_t)n >= size)
		memcpy(text + size - 4, "...", 4);
}

int pm_err(struct pm_err *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (e) {
		va_start(ap, fmt);
		format_text(e->text, sizeof e->text, fmt, ap);
		va_end(ap);
	}
	errno = saved;
	return -1;
}

int pm_err_prefix(struct pm_err *e, const char *fmt, ...)
{
	int saved = errno;
	char what[256];
	va_list ap;

	if (e) {
		va_start(ap, fmt);
		format_text(what, sizeof what, fmt, ap);
		va_end(ap);
		struct pm_err why = *e;
		pm_err(e, "%s: %s", what, why.text);
	}
	errno = saved;
	return -1;
}
