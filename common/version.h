/*
 * What the parts of perfmon say of their versions, for `perfmon --version -v`. To add one: a row in
 * version.def, and its function in the folder that knows. Programs only.
 */
#ifndef PM_COMMON_VERSION_H
#define PM_COMMON_VERSION_H

#include <stdbool.h>

struct pm_version {
	bool built;     /* false: this build is without it */
	char text[256]; /* the version; "" if it is not known */
	char why[256];  /* why a library that is opened at run time cannot be used, or "" */
};

/* Set the version, printf-like. The part is in this build. */
void pm_version_set(struct pm_version *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Say that the part is in this build but cannot be used here, and why. */
void pm_version_fail(struct pm_version *v, const char *why);

/* The functions of version.def. Each gets a zeroed structure, which it leaves so where the build is
 * without the part. */
#define PM_VERSION(id, kind, name) void pm_version_##id(struct pm_version *v);
#include "common/version.def"
#undef PM_VERSION

#endif
