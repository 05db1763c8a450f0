/* Values of EPMT's filters as perfmon reads them. */
#include "config.h"

#include "wrapper/cli/epmtvalue.h"

#include "common/nomem.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
	if (!p)
		pm_nomem();
	return p;
}

char *pm_epmtvalue_plain(const char *value)
{
	char *text = checked(malloc(2 * strlen(value) + 1)), *to = text, quote = 0;
	int braces = 0;
	bool literal = strchr("[({'\"", *value) != NULL;

	for (const char *p = value; *p; p++) {
		if (!literal) {
			*to++ = *p;
		} else if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? 0 : *p;
		} else if (quote) {
			if (*p == ',')
				*to++ = '\\';
			*to++ = *p;
		} else if (strchr("[](){} ", *p)) {
			braces += (*p == '{') - (*p == '}');
		} else {
			*to++ = *p == ',' && braces ? ';' : *p;
		}
	}
	*to = '\0';
	return text;
}

char *pm_epmtvalue_time(char *text)
{
	int month, day, year, hour, minute;
	char *time = NULL;

	if (sscanf(text, "%2d/%2d/%4d %2d:%2d", &month, &day, &year, &hour, &minute) == 5) {
		if (asprintf(&time, "%04d-%02d-%02dT%02d:%02d", year, month, day, hour, minute) < 0)
			pm_nomem();
	} else if (*text == '-' && text[1 + strspn(text + 1, "0123456789")] == '\0') {
		if (asprintf(&time, "%sd", text) < 0)
			pm_nomem();
	}
	if (!time)
		return text;
	free(text);
	return time;
}
