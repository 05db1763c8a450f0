/* A pager for long text on a terminal, as git has one. */
#ifndef PM_REPORT_PRINT_PAGER_H
#define PM_REPORT_PRINT_PAGER_H

#include "common/err.h"

#include <stdbool.h>

/*
 * Have standard output go through a pager where it is a terminal: the setting pager (PERFMON_PAGER,
 * PAGER), else less where there is one. Call when width and colours are decided. Returns 0, or -1
 * with e filled. pm_pager_end() is to be called in either case.
 */
int pm_pager_begin(struct pm_err *e);

/* Whether there is a pager that was left before it had everything: the rest goes nowhere, which is
 * no failure. */
bool pm_pager_left(void);

/* Wait for the pager, if there is one, until the user leaves it. Returns 0, or -1 with e filled
 * where it could not be run. */
int pm_pager_end(struct pm_err *e);

#endif
