/*
 * Findings of `perfmon check`. To add a check: a row in checks.def, and its function in the folder
 * whose subject it checks. Programs only.
 */
#ifndef PM_COMMON_CLI_CHECK_H
#define PM_COMMON_CLI_CHECK_H

#include "common/cli/verb.h"

enum pm_check_verdict {
	PM_CHECK_PASS, /* everything is fine */
	PM_CHECK_WARN, /* some data is not recorded, or recording will stop soon; recorded data is
			* right */
	PM_CHECK_FAIL, /* jobs are not recorded, or cannot be loaded */
};

/* The receiver of findings. */
struct pm_check {
	const struct pm_cli *cli; /* the command line of the verb */
	/* Receives one finding; `remedy` says how to fix it, or is "". */
	void (*take)(struct pm_check *c, enum pm_check_verdict verdict, const char *remedy,
		     const char *found);
};

/*
 * Report one finding: what was found (printf-like), and `remedy`, how to fix it, or "". A check
 * reports one or more findings. It leaves the system unchanged: it removes whatever it created.
 */
void pm_check_report(struct pm_check *c, enum pm_check_verdict verdict, const char *remedy,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The reason why this build cannot open a database of the configured kind, whether or not one
 * exists; NULL if it can. Defined in submit/. */
const char *pm_check_database_missing(void);

/* The functions of checks.def. */
#define PM_CHECK(id, name, help) void pm_check_##id(struct pm_check *c);
#include "common/cli/checks.def"
#undef PM_CHECK

#endif
