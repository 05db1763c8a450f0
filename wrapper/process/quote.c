/*
 * In sh and csh an unquoted `eval $(...)` splits the text at blanks and matches its words against
 * file names before the shell reads the statements. Quotes and backslashes do not prevent that, and
 * differ between shells. So a value is written only with harmless characters: as it is, or as
 * base64 text that is decoded when the statement runs. The collector's path has a $ if ld.so is to
 * choose its directory ($LIB).
 */
#include "config.h"

#include "wrapper/process/quote.h"

#include "common/base64.h"

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

/* Quote for fish: 'text' with ' and \ escaped. A newline is written as \n outside the quotes,
 * because an unquoted substitution makes a list of lines. */
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
	/* A word that begins with = or % or - means something to some shell. It would be safe after
	 * NAME=, but setenv takes the value as a word of its own. */
	if (*value && is_harmless(value, "") && !strchr("=%-", *value))
		return strdup(value);
	/* $ and ; matter only when the statement runs: single quotes do. Not in csh, whose aliases
	 * are in single quotes themselves. */
	if (*value && shell == PM_SHELL_SH && is_harmless(value, "$;")) {
		text = malloc(n + 3);
		if (text)
			snprintf(text, n + 3, "'%s'", value);
		return text;
	}
	if (!*value)
		return strdup("\"\"");
	/* Newlines that a substitution would drop. */
	if (shell == PM_SHELL_CSH ? strchr(value, '\n') != NULL : value[n - 1] == '\n')
		return NULL;
	text = malloc(room);
	code = malloc(room);
	if (text && code) {
		pm_base64(code, (const unsigned char *)value, n);
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
