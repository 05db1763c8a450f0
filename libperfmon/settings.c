/* One pass over the environment and the auxiliary vector. */
#include "config.h"

#include "libperfmon/settings.h"

#include <elf.h>
#include <stdarg.h>
#include <string.h>

/* Names inside the rows and no pointers: a table of pointers would cost relocations in every
 * process of the job. */
struct name {
	unsigned char prefix_len, rest_len; /* the '=' belongs to the rest */
	char prefix[18], rest[14];
};

static const struct name name[PM_ENVS] = {
#define PM_ENV(id, prefix_, rest_)                                                                 \
	[PM_ENV_##id] = { sizeof prefix_ - 1, sizeof rest_, prefix_, rest_ "=" },
#include "libperfmon/env.def"
#undef PM_ENV
};

static bool begins(const char *s, const char *with, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		if (s[i] != with[i])
			return false;
	return true;
}

/* Compare one variable with the table: a prefix that does not match rules out all its rows. */
static void take_variable(struct pm_settings *s, const char *e)
{
	const struct name *prefix = NULL;
	bool matches = false;

	for (int i = 0; i < PM_ENVS; i++) {
		const struct name *n = &name[i];

		if (n->prefix[0] != e[0])
			continue;
		if (!prefix || prefix->prefix_len != n->prefix_len ||
		    prefix->prefix[1] != n->prefix[1]) {
			prefix = n;
			matches = begins(e, n->prefix, n->prefix_len);
		}
		if (!matches || e[n->prefix_len] != n->rest[0] ||
		    !begins(e + n->prefix_len, n->rest, n->rest_len))
			continue;
		/* As getenv does, the first of several equal names counts. */
		if (!s->env[i])
			s->env[i] = e + n->prefix_len + n->rest_len;
		return;
	}
}

/* Whether a variable of the table can begin like this: most need no further look. */
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
	default:
		return e[0] == 'c';
	}
}

void pm_settings_read(struct pm_settings *s, char *const *envp)
{
	*s = (struct pm_settings){ .auxv_uid = -1 };
	for (; *envp; envp++)
		if (may_begin(*envp))
			take_variable(s, *envp);
	for (const Elf64_auxv_t *a = (const Elf64_auxv_t *)(const void *)(envp + 1);
	     a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_UID)
			s->auxv_uid = (long)a->a_un.a_val;
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
