/* Write words of commands. */
#include "config.h"

#include "report/shellword.h"

#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "common/shellword.h"

#include <limits.h>
#include <string.h>

void pm_shellword_put(FILE *f, const char *word)
{
	struct pm_bytes b = { .p = NULL };

	pm_shellword_add(&b, word, strlen(word));
	fputc(' ', f);
	fwrite(b.p, 1, b.n, f);
	pm_bytes_free(&b);
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
