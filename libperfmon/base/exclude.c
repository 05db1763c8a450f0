/* Match a program with the patterns of excluded and included programs. */
#include "config.h"

#include "libperfmon/base/exclude.h"

#include "common/safe/pattern.h"

bool pm_exclude_matches(const struct pm_settings *s, const char *path, size_t n, size_t base)
{
	const char *exclude = s->env[PM_ENV_exclude], *include = s->env[PM_ENV_include];

	if (exclude && pm_pattern_match(exclude, path, n, base) == PM_PATTERN_HIT)
		return true;
	return include && pm_pattern_match(include, path, n, base) == PM_PATTERN_MISS;
}
