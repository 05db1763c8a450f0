/* What a part says of its version. */
#include "config.h"

#include "common/version.h"

#include <stdarg.h>
#include <stdio.h>

void pm_version_set(struct pm_version *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->text, sizeof v->text, fmt, ap);
	va_end(ap);
	v->built = true;
}

void pm_version_fail(struct pm_version *v, const char *why)
{
	snprintf(v->why, sizeof v->why, "%s", why);
	v->built = true;
}
