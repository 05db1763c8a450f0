/*
 * What `perfmon check` finds. To add a finding: a row in checks.def, and its function in the folder
 * that it is about. Programs only.
 */
#ifndef PM_CHECK_H
#define PM_CHECK_H

#include "common/verb.h"

/* Where findings go. */
struct pm_check;

enum pm_check_verdict {
	PM_CHECK_PASS, /* as it should be */
	PM_CHECK_WARN, /* something is not recorded, or will not go on; what is recorded is right */
	PM_CHECK_FAIL, /* jobs are not recorded, or cannot be loaded */
};

/*
 * Report one finding: what was found (printf-like), and `remedy`, what to do about it, or "". A
 * check reports at least one, and any number of them. It changes nothing but what it removes again.
 */
void pm_check_report(struct pm_check *c, enum pm_check_verdict verdict, const char *remedy,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The command line of the verb. */
const struct pm_cli *pm_check_cli(const struct pm_check *c);

/* Why this build can open no database of the configured kind, whatever is there; NULL if it can.
 * Defined in submit/. */
const char *pm_check_database_missing(void);

/* Each check of checks.def. */
#define PM_CHECK(id, name, help) void pm_check_##id(struct pm_check *c);
#include "common/checks.def"
#undef PM_CHECK

#endif
