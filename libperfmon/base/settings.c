/* One pass over the environment and the auxiliary vector. */
#include "config.h"

#include "libperfmon/base/settings.h"

#include "common/safe/variables.h"

#include <elf.h>
#include <stdarg.h>
#include <string.h>

/* Index of the first row of each prefix: the prefix itself takes no number. */
enum {
#define PM_ENV_PREFIX(id, prefix) FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define PM_ENV(id, rest)          AT_##id,
#include "libperfmon/base/env.def"
#undef PM_ENV_PREFIX
#undef PM_ENV
	END
};
_Static_assert((int)END == (int)PM_ENVS, "rows are counted twice");

/* The text is in the row: a table of pointers would cost relocations in every process of the job.
 */
struct part {
	unsigned char len;
	char text[17];
};

static const struct part prefix[] = {
#define PM_ENV_PREFIX(id, prefix) { sizeof prefix - 1, prefix },
#define PM_ENV(id, rest)
#include "libperfmon/base/env.def"
#undef PM_ENV_PREFIX
#undef PM_ENV
};
#define PREFIXES (sizeof prefix / sizeof prefix[0])

static const unsigned char first[PREFIXES + 1] = {
#define PM_ENV_PREFIX(id, prefix) FIRST_##id,
#define PM_ENV(id, rest)
#include "libperfmon/base/env.def"
#undef PM_ENV_PREFIX
#undef PM_ENV
	PM_ENVS
};

/* The rest of each name, with the '='. */
static const struct part rest[PM_ENVS] = {
#define PM_ENV_PREFIX(id, prefix)
#define PM_ENV(id, rest) { sizeof rest, rest "=" },
#include "libperfmon/base/env.def"
#undef PM_ENV_PREFIX
#undef PM_ENV
};

static bool begins_with(const char *s, const struct part *with)
{
	for (unsigned i = 0; i < with->len; i++)
		if (s[i] != with->text[i])
			return false;
	return true;
}

/* Compare one variable with the table. */
static void take_variable(struct pm_settings *s, const char *e)
{
	size_t p = 0;

	while (p < PREFIXES && !begins_with(e, &prefix[p]))
		p++;
	if (p == PREFIXES)
		return;
	e += prefix[p].len;
	for (unsigned i = first[p]; i < first[p + 1]; i++) {
		if (!begins_with(e, &rest[i]))
			continue;
		/* As getenv does, the first of several equal names counts. */
		if (!s->env[i])
			s->env[i] = e + rest[i].len;
		return;
	}
}

/* Whether a variable of the table can begin like this: this rules out most variables. */
static bool may_begin(const char *e)
{
	switch (e[0]) {
	case 'P':
		return e[1] == 'E' || e[1] == 'A' || e[1] == 'M' || e[1] == 'B';
	case 'S':
		return e[1] == 'L' || e[1] == 'I';
	case 'O':
		return e[1] == 'M';
	case 'A':
		return e[1] == 'P';
	case 'M':
		return e[1] == 'V';
	default:
		return e[0] == 'c';
	}
}

void pm_settings_read(struct pm_settings *s, char *const *envp)
{
	*s = (struct pm_settings){ .auxv_uid = -1, .auxv_clktck = 100 };
	for (; *envp; envp++)
		if (may_begin(*envp))
			take_variable(s, *envp);
	for (const Elf64_auxv_t *a = (const Elf64_auxv_t *)(const void *)(envp + 1);
	     a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_UID)
			s->auxv_uid = (long)a->a_un.a_val;
		else if (a->a_type == AT_CLKTCK && a->a_un.a_val > 0)
			s->auxv_clktck = (long)a->a_un.a_val;
		else if (a->a_type == AT_SECURE)
			s->auxv_secure = a->a_un.a_val != 0;
	}
}

const char *pm_settings_first(const struct pm_settings *s, ...)
{
	const char *value = NULL;
	va_list ap;
	int id;

	va_start(ap, s);
	while (!value && (id = va_arg(ap, int)) != PM_ENVS)
		if (s->env[id] && *s->env[id])
			value = s->env[id];
	va_end(ap);
	return value;
}

bool pm_settings_option(const struct pm_settings *s, const char *word)
{
	const char *list = pm_settings_first(s, PM_ENV_options, PM_ENV_papiex_options, PM_ENVS);
	size_t len = strlen(word);

	while (list && *list) {
		const char *comma = list;

		while (*comma && *comma != ',')
			comma++;
		if ((size_t)(comma - list) == len && memcmp(list, word, len) == 0)
			return true;
		list = *comma ? comma + 1 : comma;
	}
	return false;
}
