/* Names of PAPI's errors. */
#include "config.h"

#include "common/safe/papi.h"

/* All names in one text, a NUL after each: pointers would cost relocations. */
static const char names[] =
#define PM_PAPI_ERROR(name, words) "PAPI_" #name "\0"
#include "common/safe/papi.def"
#undef PM_PAPI_ERROR
	;

const char *pm_papi_error(int error)
{
	const char *p = names;

	while (*p && ++error < 0)
		while (*p++)
			;
	return *p && error == 0 ? p : "error";
}
