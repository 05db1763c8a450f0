/* Reasons why a sampled value is unknown: their names, and the reason that fits an errno. */
#include "config.h"

#include "sampler/kernel/reason.h"

#include <errno.h>

static const char *const reason_names[PM_REASON_COUNT] = {
#define PM_REASON(name, text) [PM_REASON_##name] = #name,
	PM_REASONS(PM_REASON)
#undef PM_REASON
};

const char *pm_reason_name(enum pm_reason reason)
{
	return reason_names[reason];
}

enum pm_reason pm_reason_errno(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ESRCH: /* a file of /proc/PID whose process is gone */
	case ENODEV:
	case ENXIO:
		return PM_REASON_absent;
	case EACCES:
	case EPERM:
		return PM_REASON_permission;
	case EBADMSG: /* procfile.h */
		return PM_REASON_parse;
	default:
		return PM_REASON_unsupported;
	}
}
