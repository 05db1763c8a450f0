/* Format changes of figures. */
#include "config.h"

#include "report/compare/change.h"

#include "report/print/format.h"

#include <math.h>
#include <stdio.h>

const char *pm_change_format(char *text, double change)
{
	const double percent = 100 * change;

	if (isnan(change))
		text[0] = '\0';
	else if (isinf(change))
		snprintf(text, PM_FORMAT_MAX, "new");
	else if (fabs(percent) < 0.05)
		snprintf(text, PM_FORMAT_MAX, change == 0 ? "same" : "%c0.0 %%",
			 change < 0 ? '-' : '+');
	else if (fabs(percent) < 9.95)
		snprintf(text, PM_FORMAT_MAX, "%+.1f %%", percent);
	else if (percent < 199.5)
		snprintf(text, PM_FORMAT_MAX, "%+.0f %%", percent);
	else if (change < 999)
		snprintf(text, PM_FORMAT_MAX, "x %.3g", 1 + change);
	else
		snprintf(text, PM_FORMAT_MAX, "x %.0f", 1 + change);
	return text;
}
