/* What users say of methods and their limits. */
#include "config.h"

#include "analysis/numbers/outlier.h"

#include "common/settings/readconfig.h"

#include <string.h>

static const char *const name[PM_OUTLIER_METHODS] = { "iqr", "madz", "z" };

/* A setting of type DECIMAL. */
static double decimal(enum pm_setting s)
{
	return (double)pm_config_int(s) / 1e6;
}

struct pm_outlier_limits pm_outlier_limits(void)
{
	return (struct pm_outlier_limits){ .iqr = decimal(PM_SET_outlier_iqr),
					   .madz = decimal(PM_SET_outlier_madz),
					   .z = decimal(PM_SET_outlier_z) };
}

const char *pm_outlier_method_name(enum pm_outlier_method m)
{
	return name[m];
}

int pm_outlier_read_methods(const char *list, unsigned *methods, struct pm_err *e)
{
	*methods = list ? 0 : PM_OUTLIER_ALL;
	while (list) {
		const size_t n = strcspn(list, ",");
		size_t m = 0;

		while (m < PM_OUTLIER_METHODS &&
		       (strlen(name[m]) != n || memcmp(name[m], list, n) != 0))
			m++;
		if (m == PM_OUTLIER_METHODS)
			return pm_err(e, "'%.*s' is no method: iqr, madz and z are",
				      (int)(n < 80 ? n : 80), list);
		*methods |= 1U << m;
		list = list[n] ? list + n + 1 : NULL;
	}
	return 0;
}
