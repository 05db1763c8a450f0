/* What `perfmon check` finds. To add a finding: a row in checks.def and its function. */
#ifndef PM_WRAPPER_CHECK_H
#define PM_WRAPPER_CHECK_H

#include <stdbool.h>

/* Where findings go. */
struct pm_check;

/*
 * Report one finding: whether it is as it should be, what was found (printf-like), and `remedy`,
 * what to do about a failure, or "". A check reports at least one, and any number of them.
 */
void pm_check_report(struct pm_check *c, bool passed, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Each check of checks.def. */
#define PM_CHECK(id, name, help) void pm_check_##id(struct pm_check *c);
#include "wrapper/checks.def"
#undef PM_CHECK

#endif
