/*
 * In sh and csh: unquoted, the text of `eval $(...)` is split at blanks and its words are matched
 * against file names before the shell reads it: quotes and backslashes protect nothing there, and
 * tell the shells apart. So a value holds harmless characters only, or is made of them: base64
 * text, decoded when the statement runs. The collector's path has a $ where ld.so chooses its
 * directory.
 */
#include "config.h"

#include "wrapper/quote.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_harmless(const char *value, const char *besides)
{
	for (; *value; value++)
		if (!isascii((unsigned char)*value) ||
		    (!isalnum((unsigned char)*value) && !strchr("_./:,+@%-=", *value) &&
		     !strchr(besides, *value)))
			return 0;
	return 1;
}

/* RFC 4648, section 4. Room for 4 * ((n + 2) / 3) + 1 bytes. */
static void encode(char *out, const unsigned char *s, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)s[i] << 16 | (i + 1 < n ? s[i + 1] : 0u) << 8 |
			     (i + 2 < n ? s[i + 2] : 0u);

		*out++ = digit[v >> 18];
		*out++ = digit[v >> 12 & 63];
		*out++ = i + 1 < n ? digit[v >> 6 & 63] : '=';
		*out++ = i + 2 < n ? digit[v & 63] : '=';
	}
	*out = '\0';
}

/* 'text' with what ends or escapes it escaped; a newline stands outside, because a substitution
 * that is not quoted makes a list of lines. */
static char *quote_fish(const char *value)
{
	char *text = malloc(4 * strlen(value) + 3), *out = text;

	if (!text)
		return NULL;
	*out++ = '\'';
	for (; *value; value++) {
		if (*value == '\n') {
			memcpy(out, "'\\n'", 4);
			out += 4;
			continue;
		}
		if (*value == '\'' || *value == '\\')
			*out++ = '\\';
		*out++ = *value;
	}
	*out++ = '\'';
	*out = '\0';
	return text;
}

char *pm_quote(enum pm_shell shell, const char *value)
{
	size_t n = strlen(value), room = 4 * ((n + 2) / 3) + 64;
	char *text, *code;

	if (shell == PM_SHELL_FISH)
		return quote_fish(value);
	/* Words that begin with = or % mean something to some shell; after NAME= they do not, but
	 * setenv has them alone. */
	if (*value && is_harmless(value, "") && !strchr("=%-", *value))
		return strdup(value);
	/* What only the inner shell would expand; an alias of csh has no room for quotes. */
	if (*value && shell == PM_SHELL_SH && is_harmless(value, "$;")) {
		text = malloc(n + 3);
		if (text)
			snprintf(text, n + 3, "'%s'", value);
		return text;
	}
	if (!*value)
		return strdup("\"\"");
	/* What a substitution would drop. */
	if (shell == PM_SHELL_CSH ? strchr(value, '\n') != NULL : value[n - 1] == '\n')
		return NULL;
	text = malloc(room);
	code = malloc(room);
	if (text && code) {
		encode(code, (const unsigned char *)value, n);
		if (shell == PM_SHELL_CSH)
			snprintf(text, room, "\"`echo %s | base64 -d`\"", code);
		else
			snprintf(text, room, "\"$(echo %s | base64 -d)\"", code);
	} else {
		free(text);
		text = NULL;
	}
	free(code);
	return text;
}
