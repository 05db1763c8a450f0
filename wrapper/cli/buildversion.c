/* What no other part says of this build: its compiler, options and directories, and jansson, which
 * many parts call. */
#include "config.h"

#include "common/version.h"

#include <jansson.h>

/* Since 2.13 jansson tells at run time which it is. */
#if JANSSON_VERSION_HEX >= 0x020d00
#define JANSSON_IS jansson_version_str()
#else
#define JANSSON_IS JANSSON_VERSION
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef __SANITIZE_ADDRESS__
#define SANITIZERS true
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZERS true
#endif
#endif
#ifndef SANITIZERS
#define SANITIZERS false
#endif

#ifdef HAVE_SPANK
#define SPANK true
#else
#define SPANK false
#endif

void pm_version_compiler(struct pm_version *v)
{
	pm_version_set(v, "%s", COMPILER);
}

void pm_version_sanitizers(struct pm_version *v)
{
	if (SANITIZERS)
		pm_version_set(v, "address, undefined");
}

void pm_version_empty32(struct pm_version *v)
{
	if (*PM_LIB)
		pm_version_set(v, "an empty library");
}

void pm_version_spank(struct pm_version *v)
{
	if (SPANK)
		pm_version_set(v, "spank_perfmon.so");
}

void pm_version_collector(struct pm_version *v)
{
	pm_version_set(v, "%s", PM_DEFAULT_LIBRARY);
}

void pm_version_sysconfdir(struct pm_version *v)
{
	pm_version_set(v, "%s", PM_SYSCONFDIR "/perfmon");
}

void pm_version_jansson(struct pm_version *v)
{
	pm_version_set(v, "%s", JANSSON_IS);
}
