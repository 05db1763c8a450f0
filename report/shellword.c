/* Write words of commands. */
#include "config.h"

#include "report/shellword.h"

#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"

#include <limits.h>
#include <string.h>

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.,:/@%+="

void pm_shellword_put(FILE *f, const char *word)
{
	if (*word && word[strspn(word, PLAIN)] == '\0') {
		fprintf(f, " %s", word);
		return;
	}
	fputs(" '", f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

void pm_shellword_put_db(FILE *f)
{
	char name[PATH_MAX];

	if (!pm_config_is_given(PM_SET_db))
		return;
	pm_redact_url(pm_config_get(PM_SET_db), name, sizeof name);
	fputs(" --db", f);
	pm_shellword_put(f, name);
}
