/* Rewrite `?` placeholders as PostgreSQL's `$1, $2 ...`, skipping quoted text. */
#include "config.h"

#include "db/postgres/placeholder.h"

#include "common/memtext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the literal, quoted name or comment that begins here; 0 if none does. Without an end it
 * extends to the end of the text, and the server reports that. */
static size_t quoted_length(const char *s)
{
	const char *end;

	if (*s == '\'' || *s == '"')
		end = strchr(s + 1, *s); /* a doubled quote reads as two literals */
	else if (s[0] == '-' && s[1] == '-')
		end = strchr(s, '\n');
	else if (s[0] == '/' && s[1] == '*')
		end = (end = strstr(s + 2, "*/")) ? end + 1 : NULL;
	else
		return 0;
	return end ? (size_t)(end + 1 - s) : strlen(s);
}

char *pm_placeholder_number(const char *sql, int *count)
{
	char *text = NULL;
	size_t size, n;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	*count = 0;
	for (; *sql; sql += n) {
		n = quoted_length(sql);
		if (n)
			fwrite(sql, 1, n, out);
		else if (*sql == '?')
			fprintf(out, "$%d", ++*count);
		else
			fputc(*sql, out);
		n += !n;
	}
	return pm_memtext_end(out, &text);
}
