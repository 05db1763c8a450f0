/* Values as JSON; what is unknown is null. */
#include "config.h"

#include "report/print/jsonvalue.h"

#include "report/print/format.h"
#include "report/print/values.h"

#include <math.h>

json_t *pm_json_int(int64_t v)
{
	return v == PM_UNKNOWN ? json_null() : json_integer(v);
}

json_t *pm_json_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *pm_json_text(const char *s)
{
	return *s ? pm_values_safe(s) : json_null();
}
