/* Format the findings of `perfmon check` and pass them to the verb. */
#include "config.h"

#include "common/cli/check.h"

#include <stdarg.h>
#include <stdio.h>

void pm_check_report(struct pm_check *c, enum pm_check_verdict verdict, const char *remedy,
		     const char *fmt, ...)
{
	char found[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found, sizeof found, fmt, ap);
	va_end(ap);
	c->take(c, verdict, remedy, found);
}
